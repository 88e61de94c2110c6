// How a robot from a file is recorded as a table: what its joints and activations read under their
// names, with " velocity" for speeds, controls as control:NAME in the actuators' own units, and
// sensors that the policy sees under theirs. Controls of steps before are found in the table. Where
// the filter is told what the policy sees, that is all that the table needs to have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bpo/problems/mujoco/robot_check.h"
#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

std::vector<RecordingFormat::Control> controls_of(const Sim& sim) {
  std::vector<RecordingFormat::Control> out;
  const mjModel& m = sim.model();
  for (const std::string& name : sim.control_names()) {
    const std::size_t i = out.size();
    const bool limited = m.actuator_ctrllimited[i];
    out.push_back({"control:" + name, limited ? m.actuator_ctrlrange[2 * i] : -1.0,
                   limited ? m.actuator_ctrlrange[2 * i + 1] : 1.0});
  }
  return out;
}

std::vector<RecordingFormat::Number> numbers_of(const RobotFile& file) {
  std::vector<RecordingFormat::Number> out;
  for (const std::string& name : file.sim->state_names()) out.push_back({.column = name});
  const int state = count(out.size()), nu = count(file.sim->model().nu);
  if (!file.sees_state) {
    const std::vector<RecordingFormat::Number> states = std::exchange(out, {});
    for (const SeenNumber& seen : file.seen) {
      const int sent = seen.source - state;
      if (sent < 0) {
        out.push_back(states[static_cast<std::size_t>(seen.source)]);
      } else if (sent < file.history * nu) {
        out.push_back({.control = sent % nu, .steps_before = sent / nu + 1});
      } else {
        out.push_back({.column = seen.name});
      }
    }
    return out;
  }
  for (int h = 1; h <= file.history; ++h) {
    for (int i = 0; i < nu; ++i) out.push_back({.control = i, .steps_before = h});
  }
  for (const SeenNumber& seen : file.seen) {
    const bool of_state = seen.source < state + file.history * nu;
    out.push_back(of_state ? RecordingFormat::Number{.same_as = seen.source}
                           : RecordingFormat::Number{.column = seen.name, .needed = false});
  }
  return out;
}

/// Told the state, each step from there; otherwise from what the model alone estimates it to be.
Misses missed(const OwnRobot& robot, const OwnRobot::Latent& phi, const Recording& log) {
  const bool sees_state = robot.file().sees_state;
  const RobotFilter filter(robot, &phi);
  auto w = filter.make_weights();
  w.missed.resize(static_cast<std::size_t>(robot.residual_size()));
  const auto observed = [&](std::size_t t) {
    return OwnRobot::Observation(log.observations[t].begin(), log.observations[t].end());
  };
  filter.begin(w, observed(0));
  Misses out;
  double squares = 0.0, numbers = 0.0;
  for (std::size_t t = 0; t + 1 < log.observations.size(); ++t) {
    const std::vector<float> a(log.actions[t].begin(), log.actions[t].end());
    const OwnRobot::Observation o = observed(t), next = observed(t + 1);
    if (sees_state ? !robot.residual(phi, o, a, next, w.missed) : !filter.update(w, o, a, next)) {
      ++out.broken;
      continue;
    }
    for (std::size_t i = 0; i < w.missed.size(); ++i) {
      squares += w.missed[i] * w.missed[i] * (sees_state ? robot.precision(i) : 1.0);
    }
    numbers += static_cast<double>(w.missed.size());
  }
  out.rms = std::sqrt(squares / std::max(numbers, 1.0));
  return out;
}

}  // namespace

std::vector<ActionDelay> robot_delays(const std::string& text, const std::string& file) {
  std::vector<ActionDelay> out;
  for (const RobotLatent& latent : read_robot("robot", text, file).latents) {
    if (latent.edit.kind != EditKind::kDelay) continue;
    out.push_back({latent.name, latent.prior.low, latent.prior.high});
  }
  return out;
}

RecordingFormat robot_recording(const std::string& text, const std::string& file) {
  const auto read = std::make_shared<const RobotFile>(read_robot("robot", text, file));
  RecordingFormat out{.seconds = read->step_seconds(),
                      .controls = controls_of(*read->sim),
                      .observation = numbers_of(*read)};
  const std::vector<std::optional<double>> neutral = neutral_values(*read);
  for (std::size_t i = 0; i < neutral.size(); ++i) {
    const Prior& prior = read->latents[i].prior;
    out.latents.push_back(
        {read->latents[i].name, [prior](double u) { return prior.quantile(u); }, neutral[i]});
  }
  OwnRobotOptions options{read};
  options.start = "anywhere";
  out.misses = [robot = std::make_shared<const OwnRobot>(options)](std::span<const double> latents,
                                                                   const Recording& log) {
    return missed(*robot, latents.empty() ? robot->compiled_latent() : robot->latent_of(latents),
                  log);
  };
  return out;
}

}  // namespace bpo
