// A robot file to start from: what the model has, in comments, and latents that are plausible.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bpo/problems/mujoco/measure_reader.h"
#include "bpo/problems/mujoco/mjcf_files.h"
#include "bpo/problems/mujoco/robot_check.h"
#include "bpo/problems/mujoco/suggested_task.h"

namespace bpo {
namespace {

std::string list_of(const mjModel& m, int type) {
  const auto names = names_of(m, type);
  return names.empty() ? "none with a name" : fmt::format("{}", fmt::join(names, ", "));
}

/// The moving body with a name that carries most mass, itself and what hangs on it.
int trunk_of(const mjModel& m) {
  int best = -1;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_weldid[b] == 0 || named(m, mjOBJ_BODY, b).empty()) continue;
    if (best < 0 || m.body_subtreemass[b] > m.body_subtreemass[best]) best = b;
  }
  return best;
}

std::string latent(const std::string& name, const std::string& edit, const std::string& of,
                   const std::string& prior, const std::string& why) {
  return fmt::format(
      "\n[[latent]]  # {}\nname = \"{}\"\nedit = \"{}\"\n{}prior = {}\n"
      "bins = 3\n",
      why, name, edit, of.empty() ? "" : fmt::format("of = [{}]\n", toml_quoted(of)), prior);
}

std::string latents(const mjModel& m, int trunk) {
  std::string out;
  if (trunk >= 0) {
    out += latent("mass", "mass", named(m, mjOBJ_BODY, trunk), "{ uniform = [0.8, 1.2] }",
                  "the heaviest body may be lighter or heavier");
  }
  if (m.nu > 0 && !named(m, mjOBJ_ACTUATOR, 0).empty()) {
    out += latent("strength", "strength", "re:.*", "{ uniform = [0.7, 1.1] }",
                  "all actuators may have grown weak");
  }
  for (int j = 0; j < m.njnt; ++j) {
    if (named(m, mjOBJ_JOINT, j).empty() || m.dof_damping[m.jnt_dofadr[j]] <= 0.0) continue;
    out += latent("damping", "damping", named(m, mjOBJ_JOINT, j), "{ loguniform = [0.5, 2.0] }",
                  "a joint may run easily or hard");
    break;
  }
  return out.empty() ? latent("gravity", "gravity", "", "{ uniform = [0.9, 1.1] }",
                              "nothing has a name but the world")
                     : out;
}

/// qpos, qvel and act of a keyframe, or of the model's own pose.
std::vector<double> start_of(const mjModel& m, int key) {
  std::vector<double> out(static_cast<std::size_t>(m.nq + m.nv + m.na), 0.0);
  std::copy_n(key >= 0 ? m.key_qpos + key * m.nq : m.qpos0, m.nq, out.begin());
  return out;
}

}  // namespace

std::string robot_to_start_from(const std::string& path) {
  const std::vector<MjcfFile> files = gather_mjcf(path);
  Sim sim(path, files);
  const mjModel& m = sim.model();
  const int trunk = trunk_of(m);
  const std::string body = trunk >= 0 ? named(m, mjOBJ_BODY, trunk) : "NAME";
  const std::string key = m.nkey > 0 ? named(m, mjOBJ_KEY, 0) : "";
  const SuggestedTask task = suggested_task(sim, start_of(m, key.empty() ? -1 : 0), trunk);
  const int skip = std::clamp(static_cast<int>(std::lround(0.02 / m.opt.timestep)), 1, 50);
  std::string out = fmt::format(
      "# A robot to train on: bpo check FILE, then bpo train FILE.\nschema = 1\n\n"
      "# bodies:    {}\n# joints:    {}\n# geoms:     {}\n# actuators: {}\n# sensors:   {}\n"
      "# keyframes: {}\n[robot]\nmjcf = {}\n"
      "frame_skip = {}                  # time steps of {:g} s to a control step\n"
      "horizon = 200                   # control steps to an episode\n"
      "reset = {{ {}qpos_noise = 0.01, qvel_noise = 0.01 }}{}\n"
      "camera = \"{}\"                 # side, top or corner: from where reports watch\n",
      list_of(m, mjOBJ_BODY), list_of(m, mjOBJ_JOINT), list_of(m, mjOBJ_GEOM),
      list_of(m, mjOBJ_ACTUATOR), list_of(m, mjOBJ_SENSOR), list_of(m, mjOBJ_KEY),
      toml_quoted(std::filesystem::path(path).filename().string()), skip, m.opt.timestep,
      key.empty() ? "" : fmt::format("keyframe = {}, ", toml_quoted(key)),
      key.empty() ? "   # also keyframe = \"NAME\"" : "", m.nq == m.nv ? "side" : "corner");
  out += fmt::format(
      "\n[observe]                       # also act, joint:NAME, joint_speed:NAME, sensor:NAME\n"
      "terms = [\"qpos{}\", \"qvel\"]\n# noise = {{ qpos = 0.01, qvel = 0.1 }}\n",
      floats(m, trunk) ? "[1:]" : "");
  out += "\n[reward]                        # a sum; each with weight, target, power and clip\n";
  out += task.reward + "control = { weight = -0.01 }\n";
  out += fmt::format(
      "# pose = {{ body = {0}, quat = [1, 0, 0, 0], weight = -0.1 }}\n"
      "# felt = {{ kind = \"sensor\", sensor = \"NAME\", weight = 1.0 }}\n"
      "\n{1}[terminate]                     # the episode ends outside of limits\n{2}",
      toml_quoted(body), task.terminate.empty() ? "# " : "",
      task.terminate.empty()
          ? fmt::format("# height = {{ body = {}, min = 0.3 }}\n", toml_quoted(body))
          : task.terminate);
  out +=
      "\n[filter]\nkind = \"grid\"                   # or particle, for more than about four "
      "latents\n"
      "sees = \"state\"                  # the simulator's; observation: only what the policy "
      "sees\n"
      "sigma = \"auto\"                  # or one number for all coordinates\n"
      "every = 4                       # of so many steps it looks at one, for all of them\n\n# "
      "What is unknown. Edits: ";
  std::vector<std::string> kinds;
  for (const EditRow& row : edit_table()) kinds.emplace_back(row.name);
  return out + fmt::format("{}.\n", fmt::join(kinds, ", ")) + latents(m, trunk) +
         "\n[train]\niterations = 150\nbatch_steps = 4000\n" +
         (task.falls_at_once
              ? "whiten = false    # first batches show little of what will be seen\n"
              : "");
}

}  // namespace bpo
