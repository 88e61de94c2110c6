#include "bpo/problems/mujoco/robot_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bpo/problems/mujoco/recompile.h"

namespace bpo {
namespace {

constexpr int kHeld = 5;
constexpr double kSeconds = 0.3;

double rate(World& world) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWorlds = 16;
  Actions actions(world.spec().actions.dim);
  double steps = 0.0, seconds = 0.0;
  for (std::uint64_t seed = 0; seconds < kSeconds; ++seed) {
    world.reset({seed, 0, kWorlds}, LatentSource::kPrior);
    Rng rng(seed, Use::kAction, 0);
    for (int t = 0; !world.all_done() && seconds < kSeconds; ++t) {
      for (int lane = 0; lane < kWorlds; ++lane) {
        steps += !world.done(lane);
        if (t % kHeld != 0) continue;
        for (float& u : actions.box[lane]) u = static_cast<float>(2.0 * rng.uniform() - 1.0);
      }
      const auto start = Clock::now();
      world.step(actions);
      seconds += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
  return steps / seconds;
}

std::string verdict(const LatentCheck& l, int horizon) {
  if (l.effect < 1e-6) return "has no effect";
  if (l.steps > horizon) return "not within an episode";
  return fmt::format("{:.0f}", std::ceil(l.steps));
}

}  // namespace

std::vector<std::string> invalid_corners(const RobotFile& file) {
  std::vector<std::string> out;
  Sim sim = *file.sim;
  for (const std::vector<double>& values : file.corners()) {
    try {
      file.edits->patch(sim, values);
    } catch (const Error& error) {
      std::string shown;
      for (std::size_t i = 0; i < values.size(); ++i) {
        shown += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", file.latents[i].name, values[i]);
      }
      out.push_back(fmt::format("{}: {}", shown, error.what()));
    }
  }
  return out;
}

std::vector<std::optional<double>> neutral_values(const RobotFile& file) {
  std::vector<std::optional<double>> out;
  for (const RobotLatent& l : file.latents) {
    const auto nominal = [&](const EditTarget& t) {
      return nominal_value(file.sim->model(), l.edit, t);
    };
    const auto& targets = l.edit.targets;
    if (l.edit.op != EditOp::kSet) {
      out.emplace_back(l.edit.op == EditOp::kScale ? 1.0 : 0.0);
    } else if (std::all_of(targets.begin(), targets.end(), [&](const EditTarget& t) {
                 return nominal(t) == nominal(targets[0]);
               })) {
      out.emplace_back(nominal(targets[0]));
    } else {
      out.emplace_back();
    }
  }
  return out;
}

double edit_drift(const RobotFile& file) {
  Sim sim = *file.sim;
  std::vector<Edit> edits;
  std::vector<double> nothing;
  for (const RobotLatent& l : file.latents) {
    Edit& edit = edits.emplace_back(l.edit);
    if (edit.op == EditOp::kSet) edit.op = EditOp::kAdd;
    nothing.push_back(edit.op == EditOp::kScale ? 1.0 : 0.0);
  }
  const Patch& compiled = file.edits->compiled();
  const Patch derived = ModelEdits(sim, edits).patch(sim, nothing);
  double worst = 0.0;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    worst = std::max(worst, std::abs(derived[i] - compiled[i]) / (1.0 + std::abs(compiled[i])));
  }
  return worst;
}

namespace {

constexpr double kFine = 1e-5;  // MuJoCo's principal axes are good to about 1e-7

/// Every edit against a model compiled from an edited text.
std::string compare_edits(const RobotFile& file, FileFindings& out) {
  int equal = 0;
  double worst = 0.0;
  for (std::size_t i = 0; i < file.latents.size(); ++i) {
    const RobotLatent& l = file.latents[i];
    const Recompiled r = compare_recompiled(file, i, l.prior.quantile(0.9));
    Json& json = out.json["recompiled"][l.name];
    if (!r.why_not.empty()) {
      json = {{"not_compared", r.why_not}};
      out.notes.push_back(
          fmt::format("{} is not compared with a recompiled model: {}", l.name, r.why_not));
      continue;
    }
    json = {{"difference", r.difference}, {"field", r.field}};
    if (r.difference > kFine) {
      out.fine = false;
      out.notes.push_back(
          fmt::format("{}: {} differs from a recompiled model's by {:.1e} of its largest number: "
                      "the edit does not do to this model what it says",
                      l.name, r.field, r.difference));
      continue;
    }
    ++equal;
    worst = std::max(worst, r.difference);
  }
  return fmt::format("{} of {} equal recompiled models to {:.1e} in every field", equal,
                     file.latents.size(), worst);
}

}  // namespace

FileFindings check_robot(const std::string& text, const std::string& file, const ActsOn& who) {
  auto read = std::make_shared<const RobotFile>(read_robot("robot", text, file));
  FileFindings out;
  const auto corners = invalid_corners(*read);
  for (const std::string& corner : corners) out.notes.push_back("no valid model at " + corner);
  out.fine = corners.empty();
  out.json["invalid_corners"] = corners;
  const mjModel& m = read->sim->model();
  const auto row = [&](const char* name, std::string value) {
    out.json[name] = value;
    out.facts.push_back({name, std::move(value)});
  };
  row("model", fmt::format("{}: {} positions, {} velocities, {} activations, {} controls, {} "
                           "sensors; {} file{}",
                           read->files[0].name, m.nq, m.nv, m.na, m.nu, m.nsensor,
                           read->files.size(), read->files.size() == 1 ? "" : "s"));
  row("policy sees", fmt::format("{} numbers", read->seen.size()));
  row("belief",
      fmt::format("{} over {} latents, told {}",
                  read->particles > 0 ? fmt::format("{} particles", read->particles)
                                      : fmt::format("{} cells", read->cells()),
                  read->latents.size(), read->sees_state ? "the state" : "what the policy sees"));
  const double drift = edit_drift(*read);
  if (drift > kFine) {
    out.fine = false;
    out.notes.push_back(fmt::format(
        "edits that change nothing leave the model another by {:.1e}: what MuJoCo derives of it "
        "was given by hand",
        drift));
  }
  row("edits", fmt::format("derived constants equal the compiled ones to {:.1e}; {}", drift,
                           compare_edits(*read, out)));
  if (!out.fine) return out;
  read = calibrated(read);
  const OwnRobotOptions options(read);
  const auto problem = robot_problem(options);
  const OwnRobot robot(options);
  row("moves by", robot.on_lanes() ? "lanes, four at a time" : "MuJoCo, one at a time");
  const auto plain = problem->make_plain_world(), believing = problem->make_world();
  const double fast = rate(*plain), slow = rate(*believing);
  row("speed", fmt::format("{:.0f} steps/s plain, {:.0f} with belief, of one thread", fast, slow));
  out.json["steps_per_s"] = {{"plain", fast}, {"belief", slow}};
  if (!read->calibrated.empty()) {
    row("sigma", fmt::format("{:.3g}", fmt::join(read->calibrated, " ")));
  }
  out.parts.push_back({"latent", "what", "effect", "steps to know it", "confounded with"});
  if (who) out.parts[0].insert(out.parts[0].begin() + 4, "under the policy");
  const auto checks = check_latents(robot);
  const auto acted = who ? check_latents(robot, who) : std::vector<LatentCheck>{};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const LatentCheck& l = checks[i];
    const RobotLatent& latent = read->latents[i];
    out.parts.push_back(
        {l.name,
         fmt::format("{} {} of {}", op_name(latent.edit.op), edit_row(latent.edit.kind).name,
                     latent.edit.targets.size() == 1
                         ? latent.edit.targets[0].name
                         : fmt::format("{} things", latent.edit.targets.size())),
         fmt::format("{:.2g}", l.effect), verdict(l, read->horizon),
         fmt::format("{}", fmt::join(l.confounded, ", "))});
    Json& json = out.json["latents"][l.name];
    json = {{"effect", l.effect}, {"confounded", l.confounded}};
    const auto steps = [](double n) { return std::isfinite(n) ? Json(std::ceil(n)) : Json(); };
    json["steps"] = steps(l.steps);
    if (who) {
      auto& cells = out.parts.back();
      cells.insert(cells.begin() + 4, verdict(acted[i], read->horizon));
      json["policy_effect"] = acted[i].effect;
      json["policy_steps"] = steps(acted[i].steps);
    }
    if (l.effect < 1e-6) {
      out.notes.push_back(fmt::format(
          "{} changes nothing that is measured{}", l.name,
          latent.edit.kind == EditKind::kFriction
              ? "; of two frictions that meet the larger counts: give the geom a priority in the "
                "MJCF, or edit the other"
              : ""));
    }
  }
  out.notes.push_back(fmt::format(
      "effect: what one standard deviation of the prior does to one step, in standard deviations "
      "of {}; steps: until the spread is a quarter, under random actions",
      read->sees_state ? "the filter's noise"
                       : "what the filter expects to read, noise of [observe] included"));
  return out;
}

}  // namespace bpo
