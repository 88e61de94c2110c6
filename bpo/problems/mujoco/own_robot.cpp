#include "bpo/problems/mujoco/own_robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bpo/core/problem_file.h"
#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/robot_check.h"
#include "bpo/problems/mujoco/robot_filter.h"
#include "bpo/problems/mujoco/units.h"

namespace bpo {
namespace {

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

OwnRobotOptions::OwnRobotOptions(std::shared_ptr<const RobotFile> robot)
    : file(std::move(robot)), horizon(file->horizon) {}

void OwnRobotOptions::visit(OptionVisitor& v) {
  v.integer("horizon", horizon, {1, 10000}, "steps per episode; the file's if not given");
  v.choice(
      "simulator", simulator, {"lanes", "mujoco"},
      "what moves the world: four robots at a time, or MuJoCo, to which lanes also leaves what "
      "it does not cover");
  v.number("tolerance", tolerance, {0.0, 1.0},
           "how far the belief may be from the full posterior, over all cells of a grid; 0 "
           "simulates every model in every step");
  v.choice("estimate", estimate, {"latents", "state"},
           "what a policy on the most probable model (up-mle) sees: its latents, or also its "
           "estimate of the state where the filter is not told that");
  v.choice("start", start, {"reset", "anywhere"},
           "where a filter that is not told the state expects the robot at first: where an episode "
           "begins, or anywhere, as in a log of a machine");
  if (!file) return;
  fixed.resize(file->latents.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    v.number_or(file->latents[i].name.c_str(), fixed[i], "prior", {-1e9, 1e9},
                "the world's latent: drawn per episode, or fixed (the belief's prior stays)");
  }
}

TrainingDefaults OwnRobotOptions::training_defaults() const {
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
      tolerance_(options.tolerance),
      estimates_state_(options.estimate == "state"),
      starts_anywhere_(options.start == "anywhere"),
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
  make_cells();
  precision_.assign(static_cast<std::size_t>(residual_size()), 1.0);
  if (file_->sigma) {
    std::fill(precision_.begin(), precision_.end(), 1.0 / (*file_->sigma * *file_->sigma));
  } else if (!file_->calibrated.empty()) {
    for (std::size_t i = 0; i < precision_.size(); ++i) {
      precision_[i] = 1.0 / (file_->calibrated[i] * file_->calibrated[i]);
    }
  }
}

void OwnRobot::make_cells() {
  auto cells = std::make_shared<std::vector<Latent>>();
  auto twins = std::make_shared<std::vector<std::vector<int>>>();
  std::map<std::vector<int>, std::vector<int>> alike;  // by all bins but those of friction
  std::vector<std::vector<int>> keys;
  const int count = file_->particles > 0 ? 0 : file_->cells();
  for (int cell = 0; cell < count; ++cell) {
    std::vector<double> values;
    std::vector<int>& key = keys.emplace_back();
    for (int f = factors() - 1, rest = cell; f >= 0; --f) {
      const RobotLatent& l = file_->latents[static_cast<std::size_t>(f)];
      values.insert(values.begin(), l.prior.cell_value(rest % l.bins, l.bins));
      key.push_back(l.edit.kind == EditKind::kFriction ? 0 : rest % l.bins);
      rest /= l.bins;
    }
    cells->push_back(latent(std::move(values)));
    alike[key].push_back(cell);
  }
  for (const auto& key : keys) twins->push_back(alike[key]);
  cells_ = std::move(cells);
  twins_ = std::move(twins);
}

void OwnRobot::check_corners() const {
  for (std::vector<double>& values : file_->corners()) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = fixed_[i].value_or(values[i]);
    latent(std::move(values));
  }
}

OwnRobot::Latent OwnRobot::latent(std::vector<double> values) const {
  Latent out;
  make_latent(values, out);
  return out;
}

void OwnRobot::make_latent(std::span<const double> values, Latent& out) const {
  try {
    file_->edits->patch(sim_, values, out.patch);
  } catch (const Error& error) {
    std::string shown;
    for (std::size_t i = 0; i < values.size(); ++i) {
      shown += fmt::format("{}{} = {:.6g}", i > 0 ? ", " : "", file_->latents[i].name, values[i]);
    }
    throw bad_input(fmt::format("{}: with {}: {}", file_->latents[0].place, shown, error.what()));
  }
  if (lanes_) lanes_->read_numbers(sim_.model(), out.numbers);
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
  out.values.assign(values.begin(), values.end());
}

ProblemSpec OwnRobot::spec() const {
  ProblemSpec out{.name = file_->name,
                  .horizon = horizon_,
                  .discount = 1.0,
                  .actions = {.dim = count(sim_.model().nu), .low = -1.0, .high = 1.0},
                  .obs_dim = static_cast<int>(file_->seen.size()),
                  .latent_dim = factors(),
                  .simulated = true};
  // Said here for all kinds of this robot, whatever filter they have.
  if (!file_->shows_moments) out.grid = belief_grid(*this);
  return out;
}

ProblemView OwnRobot::view() const {
  ProblemView out{.actions = sim_.control_names(),
                  .stage = Stage{file_->camera, file_->step_seconds()},
                  .action_unit = "share of the motor's range"};
  const std::vector<std::string> units = number_units(sim_, file_->history);
  if (file_->sees_state) {
    out.observation = sim_.state_names();
    out.units.assign(units.begin(), units.end() - sim_.model().nsensordata);
  }
  for (int h = 1; h <= file_->history && file_->sees_state; ++h) {
    for (const std::string& name : out.actions) {
      out.observation.push_back(fmt::format("{} sent {} steps before", name, h));
    }
  }
  for (const SeenNumber& seen : file_->seen) {
    out.observation.push_back((file_->sees_state ? "seen: " : "") + seen.name);
    out.units.push_back(units[static_cast<std::size_t>(seen.source)]);
  }
  for (const RobotLatent& latent : file_->latents) {
    out.latents.push_back(latent.name);
    out.latent_units.push_back(edit_unit(sim_.model(), latent.edit));
  }
  return out;
}

OwnRobot::Latent OwnRobot::compiled_latent() const {
  Latent out;
  out.patch = file_->edits->compiled();
  file_->edits->apply(sim_, out.patch);
  if (lanes_) out.numbers = lanes_->numbers(sim_.model());
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
  Latent out = latent(std::move(values));
  out.nominal = true;
  return out;
}

void OwnRobot::change(Latent& phi, Rng& rng) const {
  bool changed = false;
  if (phi.nominal) return;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    const RobotLatent& latent = file_->latents[i];
    if (latent.rate == 0.0 || fixed_[i] || rng.uniform() >= latent.rate) continue;
    phi.values[i] = latent.prior.quantile(rng.uniform());
    changed = true;
  }
  if (changed) phi = latent(phi.values);
}

OwnRobot::Observation OwnRobot::reading(const State& s, const Latent& phi) const {
  Observation o;
  o.reserve(static_cast<std::size_t>(observation_size()));
  o.assign(s.x.begin(), s.x.end());
  for (std::size_t i = 0; i < phi.bias.size(); ++i) o[i] += phi.bias[i];
  o.insert(o.end(), s.sent.begin(), s.sent.end());
  return o;
}

OwnRobot::Observation OwnRobot::observe(const State& s, const Latent& phi, Rng& rng) const {
  Observation read = reading(s, phi), seen;
  Observation& o = file_->sees_state ? read : seen;
  const std::size_t size = read.size();
  for (const SeenNumber& number : file_->seen) {
    const auto at = static_cast<std::size_t>(number.source);
    const double noise = number.noise > 0.0 ? number.noise * rng.normal() : 0.0;
    o.push_back((at < size ? read[at] : s.sensors[at - size]) + noise);
  }
  return std::move(o);
}

int OwnRobot::observation_size() const {
  const int reading = sim_.state_size() + file_->history * sim_.model().nu;
  return (file_->sees_state ? reading : 0) + static_cast<int>(file_->seen.size());
}
void OwnRobot::to_numbers(const Observation& o, std::span<double> out) const {
  std::copy(o.begin(), o.end(), out.begin());
}
void OwnRobot::encode(const Observation& o, std::span<float> out) const {
  std::copy_n(o.end() - static_cast<std::ptrdiff_t>(file_->seen.size()), file_->seen.size(),
              out.begin());
}
std::vector<InputTerm> OwnRobot::input_terms() const {
  const auto seen = static_cast<int>(file_->seen.size());
  std::vector<InputTerm> out;
  add_copies(out, observation_size() - seen, seen);
  return out;
}
void OwnRobot::encode_latent(const Latent& phi, std::span<float> out) const {
  std::copy(phi.values.begin(), phi.values.end(), out.begin());
}
std::vector<Solid> OwnRobot::scene(const State& s, const Latent& phi) const {
  file_->edits->apply(sim_, phi.patch);
  return sim_.solids(s.x);
}

std::unique_ptr<AnyProblem> robot_problem(const OwnRobotOptions& options) {
  const RobotFile& file = *options.file;
  if (file.on_plain_grid()) {
    return std::make_unique<ProblemWith<OwnRobot, ModelGridFilter<OwnRobot>>>(options);
  }
  if (!file.shows_moments) return std::make_unique<ProblemWith<MovingRobot, RobotFilter>>(options);
  if (file.changes()) {
    return std::make_unique<ProblemWith<WithoutCells<MovingRobot>, RobotFilter>>(options);
  }
  return std::make_unique<ProblemWith<WithoutCells<OwnRobot>, RobotFilter>>(options);
}

namespace {

const RegisterFileKind kRobot{
    {"robot", "a robot of your own: MJCF and what is unknown of it (TOML)",
     [](const std::string& problem, const std::string& text, const std::string& file) {
       OwnRobotOptions options{std::make_shared<const RobotFile>(read_robot(problem, text, file))};
       ProblemEntry out = problem_entry<OwnRobot, OwnRobotOptions, ModelGridFilter<OwnRobot>>(
           problem, "from " + file, options);
       out.resolve = [options](Config& config) -> ResolvedProblem {
         OwnRobotOptions asked = options;
         config.read("problem", asked);
         for (const auto& [key, value] : asked.training_defaults()) config.set_default(key, value);
         return {static_cast<int>(asked.horizon), true, [=] { return robot_problem(asked); }};
       };
       return out;
     },
     packed_robot, check_robot, robot_recording, ".xml", robot_to_start_from, robot_delays}};

}  // namespace
}  // namespace bpo
