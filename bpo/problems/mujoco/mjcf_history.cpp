// What came to MJCF when, and what left it, since 2.2.2: for sentences about models that ask for
// another MuJoCo. Found by comparing the schemas that the releases print.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <regex>

#include "bpo/problems/mujoco/versions.h"

namespace bpo {
namespace {

struct Change {
  const char *element, *what;  // an attribute or a keyword; "" is the element; "*" any element
  const char* version;         // the first that knows it, or the last
};

constexpr auto kCame = std::to_array<Change>({
    {"size", "memory", "2.3"},
    {"body", "gravcomp", "2.3"},
    {"*", "actdim", "2.3"},
    {"compiler", "assetdir", "2.3"},
    {"extension", "", "2.3"},
    {"plugin", "", "2.3"},
    {"option", "implicit", "2.3"},
    {"option", "implicitfast", "2.3.3"},
    {"pair", "solreffriction", "2.3.6"},
    {"muscle", "tausmooth", "2.3.6"},
    {"mesh", "content_type", "2.3.7"},
    {"joint", "actuatorfrcrange", "3.0"},
    {"joint", "actuatorfrclimited", "3.0"},
    {"jointactuatorfrc", "", "2.3.7"},
    {"deformable", "", "3.0"},
    {"flexcomp", "", "3.0"},
    {"option", "ls_iterations", "3.0"},
    {"option", "ls_tolerance", "3.0"},
    {"option", "sdf_iterations", "3.0"},
    {"option", "sdf_initpoints", "3.0"},
    {"option", "o_friction", "3.0"},
    {"flag", "eulerdamp", "3.0"},
    {"flag", "invdiscrete", "3.0"},
    {"flag", "island", "3.0"},
    {"flag", "midphase", "3.0"},
    {"camera", "resolution", "3.0"},
    {"camera", "focal", "3.0"},
    {"camera", "sensorsize", "3.0"},
    {"*", "actearly", "3.0"},
    {"option", "actuatorgroupdisable", "3.0.1"},
    {"frame", "", "3.1"},
    {"position", "kv", "3.1"},
    {"intvelocity", "kv", "3.1"},
    {"hfield", "elevation", "3.1.2"},
    {"*", "inheritrange", "3.1.3"},
    {"joint", "actuatorgravcomp", "3.1.4"},
    {"replicate", "", "3.1.5"},
    {"material", "metallic", "3.1.5"},
    {"material", "roughness", "3.1.5"},
    {"*", "dampratio", "3.1.6"},
    {"position", "timeconst", "3.1.6"},
    {"normal", "", "3.1.6"},
    {"fromto", "", "3.1.6"},
    {"attach", "", "3.2"},
    {"model", "", "3.2"},
    {"mesh", "maxhullvert", "3.2"},
    {"flag", "autoreset", "3.2.2"},
    {"texture", "nchannel", "3.2.2"},
    {"flag", "nativeccd", "3.2.3"},
    {"option", "ccd_iterations", "3.2.3"},
    {"option", "ccd_tolerance", "3.2.3"},
    {"connect", "site1", "3.2.3"},
    {"weld", "site1", "3.2.3"},
    {"compiler", "alignfree", "3.2.3"},
    {"freejoint", "align", "3.2.3"},
    {"mesh", "inertia", "3.2.5"},
    {"layer", "", "3.2.5"},
    {"e_kinetic", "", "3.3"},
    {"e_potential", "", "3.3"},
    {"compiler", "saveinertial", "3.3.1"},
    {"fixed", "armature", "3.3.1"},
    {"spatial", "armature", "3.3.1"},
    {"tendonactuatorfrc", "", "3.3.1"},
    {"light", "type", "3.3.3"},
    {"light", "intensity", "3.3.3"},
    {"texture", "colorspace", "3.3.3"},
    {"mesh", "builtin", "3.3.5"},
    {"insidesite", "", "3.3.5"},
    {"tactile", "", "3.3.5"},
    {"contact", "geom1", "3.3.5"},
    {"flag", "spring", "3.3.6"},
    {"flag", "damper", "3.3.6"},
    {"flag", "sleep", "3.4"},
    {"body", "sleep", "3.4"},
    {"option", "sleep_tolerance", "3.4"},
    {"*", "delay", "3.5"},
    {"*", "nsample", "3.5"},
    {"camera", "projection", "3.5"},
    {"dcmotor", "", "3.7"},
    {"motor", "armature", "3.7"},
    {"motor", "damping", "3.7"},
    {"position", "armature", "3.7"},
    {"position", "damping", "3.7"},
    {"general", "armature", "3.7"},
    {"general", "damping", "3.7"},
    {"flag", "diagexact", "3.9"},
    {"compiler", "conflict", "3.10"},
    {"orientation", "", "3.11"},
    {"geom", "adhesion", "3.11"},
    {"geom", "surfacevel", "3.11"},
    {"pair", "adhesion", "3.11"},
    {"body", "simple", "3.11"},
    {"pid", "", "3.12"},
    {"site", "mesh", "3.13"},
    {"body", "fuse", "3.16"},
    {"joint", "springyield", "4.0"},
    {"geom", "castshadow", "4.0"},
});

constexpr auto kLeft = std::to_array<Change>({
    {"option", "collision", "2.3.7"},
    {"flag", "sensornoise", "3.1.3"},
    {"option", "mpr_iterations", "3.2.2"},
    {"option", "mpr_tolerance", "3.2.2"},
    {"compiler", "convexhull", "3.2.4"},
    {"compiler", "exactmeshinertia", "3.2.4"},
    {"flag", "passive", "3.3.5"},
    {"option", "apirate", "3.3.6"},
    {"composite", "", "3.17"},
});

const char* find(std::span<const Change> changes, const std::string& element,
                 const std::string& what) {
  for (const Change& c : changes) {
    if (what == c.what && (element == c.element || std::string_view(c.element) == "*")) {
      return c.version;
    }
  }
  return nullptr;
}

std::array<int, 3> numbers_of(const char* version) {
  std::array<int, 3> out{};
  std::sscanf(version, "%d.%d.%d", &out[0], &out[1], &out[2]);
  return out;
}

}  // namespace

std::string when_known(const std::string& complaint) {
  static const std::regex kUnknown(
      "(unrecognized element|unrecognized attribute: '([^']*)'|invalid keyword: '([^']*)')"
      "\\s*Element '([^']*)'");
  std::smatch found;
  if (!std::regex_search(complaint, found, kUnknown)) return "";
  const std::string what = found[2].str() + found[3].str(), element = found[4].str();
  const std::string name =
      what.empty() ? fmt::format("<{}>", element) : fmt::format("'{}' of <{}>", what, element);
  const char *came = find(kCame, element, what), *left = find(kLeft, element, what);
  if (came != nullptr && numbers_of(came) > numbers_of(mj_versionString())) {
    return fmt::format(
        "; {} came with MuJoCo {}, and this program has {}: `make build MUJOCO={}` "
        "builds it with a newer one",
        name, came, mj_versionString(), numbers_of(came)[0] < 4 ? 3 : 4);
  }
  if (left != nullptr && numbers_of(left) < numbers_of(mj_versionString())) {
    return fmt::format("; {} was last known to MuJoCo {}, and this program has {}", name, left,
                       mj_versionString());
  }
  return fmt::format(" (this program has MuJoCo {})", mj_versionString());
}

}  // namespace bpo
