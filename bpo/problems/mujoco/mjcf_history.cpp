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
  const char* version;  // the first that knows them, or the last
  // Names between spaces; "*" is any element. What: attributes and keywords, or "" for the elements
  // themselves, which may have been known in other places before.
  const char *elements, *what;
};

constexpr auto kCame = std::to_array<Change>({
    {"2.3", "extension plugin", ""},
    {"2.3", "compiler", "assetdir"},
    {"2.3", "composite", "curve initial size vertex"},
    {"2.3", "global", "realtime"},
    {"2.3", "option", "implicit"},
    {"2.3", "size", "memory"},
    {"2.3.1", "*", "actdim"},
    {"2.3.1", "body", "gravcomp"},
    {"2.3.1", "joint", "axis type"},
    {"2.3.3", "lengthrange", "interval"},
    {"2.3.3", "option", "implicitfast"},
    {"2.3.5", "global", "ellipsoidinertia"},
    {"2.3.6", "muscle", "tausmooth"},
    {"2.3.6", "pair", "solreffriction"},
    {"2.3.7", "jointactuatorfrc", ""},
    {"2.3.7", "hfield mesh texture", "content_type"},
    {"3.0", "camprojection deformable flex flexcomp", ""},
    {"3.0", "*", "actearly"},
    {"3.0", "camera", "focal focalpixel principal principalpixel resolution sensorsize"},
    {"3.0", "flag", "eulerdamp invdiscrete island midphase"},
    {"3.0", "joint", "actuatorfrclimited actuatorfrcrange"},
    {"3.0", "option", "ls_iterations ls_tolerance o_friction sdf_initpoints sdf_iterations"},
    {"3.0.1", "option", "actuatorgroupdisable"},
    {"3.0.1", "rgba scale", "frustum"},
    {"3.1", "frame", ""},
    {"3.1", "intvelocity position", "kv"},
    {"3.1.2", "global", "bvactive"},
    {"3.1.2", "hfield", "elevation"},
    {"3.1.2", "rgba", "bv bvactive"},
    {"3.1.3", "*", "inheritrange"},
    {"3.1.4", "joint", "actuatorgravcomp"},
    {"3.1.5", "replicate", ""},
    {"3.1.5", "light", "bulbradius"},
    {"3.1.5", "material", "metallic roughness"},
    {"3.1.6", "distance fromto normal", ""},
    {"3.1.6", "*", "dampratio"},
    {"3.1.6", "position", "timeconst"},
    {"3.2", "attach model", ""},
    {"3.2", "camera global", "orthographic"},
    {"3.2", "mesh", "maxhullvert"},
    {"3.2.1", "flag", "autoreset"},
    {"3.2.1", "texture", "nchannel"},
    {"3.2.3", "compiler", "alignfree"},
    {"3.2.3", "connect weld", "site1 site2"},
    {"3.2.3", "flag", "nativeccd"},
    {"3.2.3", "freejoint", "align"},
    {"3.2.3", "option", "ccd_iterations ccd_tolerance"},
    {"3.2.5", "layer", ""},
    {"3.2.5", "mesh", "inertia"},
    {"3.3", "e_kinetic e_potential", ""},
    {"3.3.1", "tendonactuatorfrc", ""},
    {"3.3.1", "compiler", "saveinertial"},
    {"3.3.1", "composite", "quat"},
    {"3.3.1", "fixed spatial", "actuatorfrclimited actuatorfrcrange armature"},
    {"3.3.3", "light", "intensity range texture type"},
    {"3.3.3", "texture", "colorspace"},
    {"3.3.4", "global", "cameraid"},
    {"3.3.5", "contact insidesite tactile", ""},
    {"3.3.5", "contact", "geom1"},
    {"3.3.5", "mesh", "builtin params"},
    {"3.3.6", "flag", "damper spring"},
    {"3.3.6", "mesh", "material"},
    {"3.4", "body flag", "sleep"},
    {"3.4", "option", "sleep_tolerance"},
    {"3.5", "flexvert", ""},
    {"3.5", "*", "delay interp interval nsample"},
    {"3.5", "camera", "output projection"},
    {"3.5", "rangefinder", "camera data"},
    {"3.6", "flexstrain", ""},
    {"3.7", "dcmotor", ""},
    {"3.7", "cylinder damper general intvelocity motor muscle position velocity",
     "armature damping"},
    {"3.9", "flag", "diagexact"},
    {"3.10", "compiler", "conflict"},
    {"3.11", "orientation", ""},
    {"3.11", "body", "simple"},
    {"3.11", "general", "input"},
    {"3.11", "geom", "adhesion surfacevel"},
    {"3.11", "intvelocity", "actlimited"},
    {"3.11", "pair", "adhesion"},
    {"3.12", "pid", ""},
    {"3.12", "general", "ffrange velrange"},
    {"3.12", "light", "softness"},
    {"3.13", "site", "mesh"},
    {"3.14", "flag", "ipc"},
    {"3.16", "body", "fuse"},
    {"3.16", "compiler", "savecanonical savecompiled"},
    {"3.17", "texture", ""},
    {"3.17", "compiler", "passthrough"},
    {"3.17", "texture", "class embed"},
    {"4.0", "geom", "castshadow"},
    {"4.0", "joint", "springyield"},
});

constexpr auto kLeft = std::to_array<Change>({
    {"2.3.7", "option", "collision"},
    {"3.1.3", "flag", "sensornoise"},
    {"3.2.2", "option", "mpr_iterations mpr_tolerance"},
    {"3.2.4", "compiler", "convexhull exactmeshinertia"},
    {"3.3.5", "flag", "passive"},
    {"3.3.6", "option", "apirate"},
    {"3.4", "camera", "orthographic"},
    {"3.17", "composite", ""},
});

bool names(std::string_view list, std::string_view name) {
  return fmt::format(" {} ", list).find(fmt::format(" {} ", name)) != std::string::npos;
}

const char* find(std::span<const Change> changes, const std::string& element,
                 const std::string& what) {
  for (const Change& c : changes) {
    if (!names(c.elements, element) && std::string_view(c.elements) != "*") continue;
    if (what.empty() ? *c.what == '\0' : names(c.what, what)) return c.version;
  }
  return nullptr;
}

std::array<int, 3> numbers_of(const char* version) {
  std::array<int, 3> out{};
  std::sscanf(version, "%d.%d.%d", &out[0], &out[1], &out[2]);
  return out;
}

}  // namespace

std::string when_known(const std::string& complaint, const char* version) {
  static const std::regex kUnknown(
      "(unrecognized element|unrecognized attribute: '([^']*)'|invalid keyword: '([^']*)')"
      "\\s*Element '([^']*)'");
  std::smatch found;
  if (!std::regex_search(complaint, found, kUnknown)) return "";
  const std::string what = found[2].str() + found[3].str(), element = found[4].str();
  const std::string name =
      what.empty() ? fmt::format("<{}>", element) : fmt::format("'{}' of <{}>", what, element);
  const char *came = find(kCame, element, what), *left = find(kLeft, element, what);
  if (came != nullptr && numbers_of(came) > numbers_of(version)) {
    return fmt::format(
        "; {} came with MuJoCo {}, and this program has {}: `make build MUJOCO={}` "
        "builds it with a newer one",
        name, came, version, numbers_of(came)[0] < 4 ? 3 : 4);
  }
  if (left != nullptr && numbers_of(left) < numbers_of(version)) {
    return fmt::format("; {} was last known to MuJoCo {}, and this program has {}", name, left,
                       version);
  }
  return fmt::format(" (this program has MuJoCo {})", version);
}

}  // namespace bpo
