#include "bpo/problems/mujoco/own_robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/problem_file.h"
#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/robot_check.h"

namespace bpo {
namespace {

constexpr int kMostCorners = 10;  // of so many latents all corners are tried

/// Edits of which lanes take the result from a model's numbers; others change what lanes share.
bool in_numbers(EditKind kind) {
  switch (kind) {
    case EditKind::kLength:
    case EditKind::kDensity:
    case EditKind::kMass:
    case EditKind::kCom:
    case EditKind::kPayload:
    case EditKind::kFriction:
    case EditKind::kDamping:
    case EditKind::kStiffness:
    case EditKind::kArmature:
    case EditKind::kStrength:
    case EditKind::kGravity:
    case EditKind::kEncoderBias:
      return true;
    default:
      return false;
  }
}

std::shared_ptr<const LaneSim> lanes_of(const RobotFile& file) {
  for (const RobotLatent& latent : file.latents) {
    if (!in_numbers(latent.edit.kind)) return nullptr;
  }
  return LaneSim::of(file.sim->model());
}

}  // namespace

void OwnRobotOptions::visit(OptionVisitor& v) {
  v.integer("horizon", horizon, {1, 10000}, "steps per episode; the file's if not given");
  v.choice(
      "simulator", simulator, {"lanes", "mujoco"},
      "what moves the world: four robots at a time, or MuJoCo, to which lanes also leaves what "
      "it does not cover");
  if (!file) return;
  fixed.resize(file->latents.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    v.number_or(file->latents[i].name.c_str(), fixed[i], "prior", {-1e9, 1e9},
                "the world's own: drawn per episode, or fixed (the belief's prior stays)");
  }
}

TrainingDefaults OwnRobotOptions::training() const {
  TrainingDefaults out{{"algo.iterations", std::int64_t{300}},
                       {"algo.hidden", std::int64_t{64}},
                       {"algo.whiten", true},
                       {"algo.init_head", 0.01},
                       {"algo.init_std", 0.5},
                       {"algo.value_damping", 0.1},
                       {"algo.value_subsample", 0.5},
                       {"algo.validate_every", std::int64_t{25}},
                       {"algo.validate_episodes", std::int64_t{64}},
                       {"optimizer.batch_steps", std::int64_t{4000}},
                       {"optimizer.discount", 0.99},
                       {"optimizer.lambda", 0.95},
                       {"optimizer.kl", 0.03},
                       {"optimizer.kl_end", 0.01},
                       {"optimizer.cg_subsample", 0.3}};
  if (!file) return out;
  for (const auto& [key, value] : file->training) {
    std::find_if(out.begin(), out.end(), [&](const auto& d) { return d.first == key; })->second =
        value;
  }
  return out;
}

OwnRobot::OwnRobot(const OwnRobotOptions& options)
    : file_(options.file),
      horizon_(static_cast<int>(options.horizon)),
      fixed_(options.fixed),
      world_on_lanes_(options.simulator == "lanes"),
      sim_(*file_->sim),
      lanes_(lanes_of(*file_)) {
  fixed_.resize(file_->latents.size());
  for (const RewardTerm& term : file_->rewards) {
    depth_ = std::max(depth_, depth_of(term.measure));
    if (term.measure.what == Quantity::kSpeed) speeds_.push_back(term.measure);
  }
  for (const Termination& end : file_->terminations) {
    depth_ = std::max(depth_, depth_of(end.measure));
    if (end.measure.what == Quantity::kSpeed) speeds_.push_back(end.measure);
  }
  if (file_->sees_sensors) depth_ = Depth::kForces;
  check_corners();
  auto cells = std::make_shared<std::vector<Latent>>();
  const int count = file_->cells();
  for (int cell = 0; cell < count; ++cell) {
    std::vector<double> values;
    for (int f = factors() - 1, rest = cell; f >= 0; --f) {
      const RobotLatent& l = file_->latents[static_cast<std::size_t>(f)];
      values.insert(values.begin(), l.prior.cell_value(rest % l.bins, l.bins));
      rest /= l.bins;
    }
    cells->push_back(latent(std::move(values)));
  }
  cells_ = std::move(cells);
  precision_.assign(static_cast<std::size_t>(residual_size()), 1.0);
  if (file_->sigma) {
    std::fill(precision_.begin(), precision_.end(), 1.0 / (*file_->sigma * *file_->sigma));
  } else if (!file_->calibrated.empty()) {
    for (std::size_t i = 0; i < precision_.size(); ++i) {
      precision_[i] = 1.0 / (file_->calibrated[i] * file_->calibrated[i]);
    }
  }
}

void OwnRobot::check_corners() const {
  const std::size_t n = file_->latents.size(), shown = std::min<std::size_t>(n, kMostCorners);
  for (std::size_t corner = 0; corner < std::size_t{1} << shown; ++corner) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Prior& prior = file_->latents[i].prior;
      values[i] = corner >> std::min(i, shown - 1) & 1 ? prior.high : prior.low;
      if (fixed_[i]) values[i] = *fixed_[i];
    }
    latent(std::move(values));
  }
}

OwnRobot::Latent OwnRobot::latent(std::vector<double> values) const {
  Latent out;
  try {
    out.patch = file_->edits->patch(sim_, values);
  } catch (const Error& error) {
    std::string shown;
    for (std::size_t i = 0; i < values.size(); ++i) {
      shown += fmt::format("{}{} = {:.6g}", i > 0 ? ", " : "", file_->latents[i].name, values[i]);
    }
    throw bad_input(fmt::format("{}: with {}: {}", file_->latents[0].place, shown, error.what()));
  }
  if (lanes_) out.numbers = lanes_->numbers(sim_.model());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Edit& edit = file_->latents[i].edit;
    if (edit.kind == EditKind::kDelay) {
      const double most = file_->history * file_->frame_skip;
      out.delay = static_cast<int>(
          std::clamp(std::round(values[i] / sim_.model().opt.timestep), 0.0, most));
    } else if (edit.kind == EditKind::kEncoderBias) {
      out.bias.resize(static_cast<std::size_t>(sim_.model().nq));
      for (const EditTarget& t : edit.targets) {
        out.bias[static_cast<std::size_t>(sim_.model().jnt_qposadr[t.id])] = values[i];
      }
    }
  }
  out.values = std::move(values);
  return out;
}

ProblemSpec OwnRobot::spec() const {
  return {.name = file_->name,
          .horizon = horizon_,
          .discount = 1.0,
          .actions = {.dim = sim_.model().nu, .low = -1.0, .high = 1.0},
          .obs_dim = static_cast<int>(file_->seen.size()),
          .latent_dim = factors(),
          .simulated = true};
}

ProblemView OwnRobot::view() const {
  ProblemView out{.observation = sim_.state_names(),
                  .actions = sim_.control_names(),
                  .stage = Stage{file_->camera, file_->step_seconds()}};
  for (int h = 1; h <= file_->history; ++h) {
    for (const std::string& name : out.actions) {
      out.observation.push_back(fmt::format("{} sent {} steps before", name, h));
    }
  }
  for (const SeenNumber& seen : file_->seen) out.observation.push_back("seen: " + seen.name);
  for (const RobotLatent& latent : file_->latents) out.latents.push_back(latent.name);
  return out;
}

OwnRobot::Latent OwnRobot::sample_latent(Rng& rng) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    const double drawn = file_->latents[i].prior.quantile(rng.uniform());
    values.push_back(fixed_[i].value_or(drawn));
  }
  return latent(std::move(values));
}

OwnRobot::Latent OwnRobot::nominal_latent() const {
  std::vector<double> values;
  for (const RobotLatent& l : file_->latents) values.push_back(l.prior.middle());
  return latent(std::move(values));
}

OwnRobot::Observation OwnRobot::observe(const State& s, const Latent& phi, Rng& rng) const {
  Observation o;
  o.reserve(static_cast<std::size_t>(observation_size()));
  o.assign(s.x.begin(), s.x.end());
  for (std::size_t i = 0; i < phi.bias.size(); ++i) o[i] += phi.bias[i];
  o.insert(o.end(), s.sent.begin(), s.sent.end());
  const std::size_t read = o.size();
  for (const SeenNumber& seen : file_->seen) {
    const auto at = static_cast<std::size_t>(seen.source);
    const double noise = seen.noise > 0.0 ? seen.noise * rng.normal() : 0.0;
    o.push_back((at < read ? o[at] : s.sensors[at - read]) + noise);
  }
  return o;
}

int OwnRobot::observation_size() const {
  return sim_.state_size() + file_->history * sim_.model().nu +
         static_cast<int>(file_->seen.size());
}
void OwnRobot::to_numbers(const Observation& o, std::span<double> out) const {
  std::copy(o.begin(), o.end(), out.begin());
}
void OwnRobot::encode(const Observation& o, std::span<float> out) const {
  std::copy_n(o.end() - static_cast<std::ptrdiff_t>(file_->seen.size()), file_->seen.size(),
              out.begin());
}
void OwnRobot::encode_latent(const Latent& phi, std::span<float> out) const {
  std::copy(phi.values.begin(), phi.values.end(), out.begin());
}
std::vector<Solid> OwnRobot::scene(const State& s, const Latent& phi) const {
  file_->edits->apply(sim_, phi.patch);
  return sim_.solids(s.x);
}

namespace {

const RegisterFileKind kRobot{
    {"robot", "a robot of your own: MJCF and what is unknown of it (TOML)",
     [](const std::string& problem, const std::string& text, const std::string& file) {
       OwnRobotOptions options{std::make_shared<const RobotFile>(read_robot(problem, text, file))};
       options.horizon = options.file->horizon;
       return problem_entry<OwnRobot, OwnRobotOptions, ModelGridFilter<OwnRobot>>(
           problem, "from " + file, options);
     },
     packed_robot, check_robot, ".xml", robot_to_start_from}};

}  // namespace
}  // namespace bpo
