// The three robots of Sec. 5 as robot files, to look at and to start from: their MJCF and a TOML
// about it. As such they are other problems than the registered ones: the edit "length" keeps a
// capsule's radius and moves what hangs on a link along, where the paper's factors scale a link
// whole, its own offset included; and here Ant's filter predicts by the robot's own integrator.
#include <fmt/format.h>

#include "bpo/core/problem_file.h"
#include "bpo/problems/mujoco/robots.h"

namespace bpo {
namespace {

struct Unknown {
  const char *name, *of;
};

template <class R>
std::string text_of(const std::array<Unknown, 2>& unknowns, const char* reset) {
  const auto camera = R::kCamera == Camera::kSide  ? "side"
                      : R::kCamera == Camera::kTop ? "top"
                                                   : "corner";
  std::string out = fmt::format(
      "# {0} as a robot of your own: save it as {0}.toml, change it, bpo check, bpo train.\n"
      "schema = 1\n\n[robot]\nmjcf = \"{0}.xml\"             # in this file, below\n"
      "frame_skip = 5\nhorizon = 200\nreset = {{ {1} }}\ncamera = \"{2}\"\n\n"
      "[observe]\nterms = [\"qpos[{3}:]\", \"qvel\"]\n\n[reward]\n"
      "forward = {{ body = \"torso\", axis = \"x\", weight = {4:.1f} }}\n"
      "control = {{ weight = {5} }}\n\n[filter]\nkind = \"grid\"\nsees = \"state\"\nsigma = {6}\n",
      R::kName, reset, camera, R::kHidden, R::kForward, -R::kPrice, RobotOptions{}.sigma);
  for (const Unknown& u : unknowns) {
    out += fmt::format(
        "\n[[latent]]\nname = \"{}\"\nedit = \"length\"\nof = [{}]\n"
        "prior = {{ uniform = [0.8, 1.2] }}\nbins = 5\n",
        u.name, u.of);
  }
  out += fmt::format("\n[train]\niterations = {}\nbatch_steps = 1600\n", R::kIterations);
  return out +
         files_as_toml({{fmt::format("{}.xml", R::kName), to_mjcf(R::mechanism({1.0, 1.0}))}});
}

const RegisterProblemText kHalfCheetah{
    HalfCheetah::kName, [] {
      return text_of<HalfCheetah>(
          {{{"front", R"("fthigh", "fshin", "ffoot")"}, {"back", R"("bthigh", "bshin", "bfoot")"}}},
          "qpos_noise = 0.1, qvel_noise = 0.1");
    }};
const RegisterProblemText kSwimmer{Swimmer::kName, [] {
                                     return text_of<Swimmer>({{{"ahead", R"("body1", "body2")"},
                                                               {"behind", R"("body3", "body4")"}}},
                                                             "qpos_noise = 0.1");
                                   }};
const RegisterProblemText kAnt{
    Ant::kName, [] {
      return text_of<Ant>({{{"left", R"("front_left", "front_left_hip", "front_left_ankle")"},
                            {"right", R"("front_right", "front_right_hip", "front_right_ankle")"}}},
                          "qpos_noise = 0.1, qvel_noise = 0.1");
    }};

}  // namespace
}  // namespace bpo
