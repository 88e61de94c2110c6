// How wide the noise of a robot's filter must be. The world and the models are without noise, but
// the true latent lies between the cells: what the nearest cell misses in a step is the noise. Its
// spread by coordinate is taken from episodes of random actions with latents from the prior; since
// a cell misses in the same way all along an episode, one factor on all spreads then makes the
// belief's 90 % intervals cover the truth in 90 % of those episodes: the middle between the latents
// that are covered most and least often, so that no latent is far off. The robot's own filter runs
// through the episodes once for every factor that is tried. For particles, a model beside the truth
// stands for the nearest cell.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/toml.h"
#include "bpo/problems/mujoco/robot_coverage.h"
#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr int kEpisodes = 96, kMany = 384, kLongest = 200, kHeld = 5;
constexpr double kLevel = 0.9, kBeside = 0.05;

/// What the nearest models missed, as sums of squares over so many steps.
struct Missed {
  std::vector<double> state;  // [coordinate]
  std::vector<double> seen;   // [number seen]: of sensors
  double steps = 0.0;
};

std::size_t nearest(const OwnRobot& robot, const std::vector<double>& values) {
  std::size_t cell = 0;
  for (std::size_t f = 0; f < values.size(); ++f) {
    const RobotLatent& l = robot.file().latents[f];
    int best = 0;
    for (int i = 1; i < l.bins; ++i) {
      const auto away = [&](int k) { return std::abs(l.prior.cell_value(k, l.bins) - values[f]); };
      if (away(i) < away(best)) best = i;
    }
    cell = cell * static_cast<std::size_t>(l.bins) + static_cast<std::size_t>(best);
  }
  return cell;
}

/// A model that is off by a little in every latent.
std::vector<double> beside(const OwnRobot& robot, const std::vector<double>& values, Rng& rng) {
  std::vector<double> out;
  for (std::size_t f = 0; f < values.size(); ++f) {
    const Prior& prior = robot.file().latents[f].prior;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (low + high);
      (prior.quantile(middle) < values[f] ? low : high) = middle;
    }
    const double away = rng.uniform() < 0.5 ? -kBeside : kBeside;
    out.push_back(prior.quantile(SmoothingKernel::reflected(low + away)));
  }
  return out;
}

/// Adds what the model that is nearest to the truth misses in an episode of random actions.
void walk(const OwnRobot& robot, std::uint64_t episode, Missed& out) {
  Rng latent(1, Use::kLatent, episode), state(1, Use::kState, episode);
  const OwnRobot::Latent phi = robot.sample_latent(latent);
  OwnRobot::State s = robot.sample_state(phi, state);
  const OwnRobot::Latent near = robot.cells() > 0
                                    ? robot.cell(static_cast<int>(nearest(robot, phi.values)))
                                    : robot.latent(beside(robot, phi.values, latent));
  std::vector<float> a(static_cast<std::size_t>(robot.spec().actions.dim));
  std::vector<double> missed(out.state.size()), there(out.seen.size()), expected(out.seen.size());
  OwnRobot::Observation o = robot.reading(s, phi);
  for (int t = 0; t < std::min(kLongest, robot.spec().horizon); ++t) {
    Rng world(1, Use::kWorld, episode, static_cast<std::uint32_t>(t));
    if (t % kHeld == 0) {
      for (float& u : a) u = static_cast<float>(2.0 * world.uniform() - 1.0);
    }
    const StepResult result = robot.step(s, phi, a, world);
    if (result.fault) break;
    OwnRobot::Observation next = robot.reading(s, phi);
    const bool good = robot.residual(near, o, a, next, missed);
    for (std::size_t i = 0; i < missed.size(); ++i) {
      out.state[i] += good ? missed[i] * missed[i] : 1e6;
    }
    if (robot.file().sees_sensors) {
      std::vector<float> sent(a.size() * static_cast<std::size_t>(1 + robot.file().history));
      robot.controls(a, std::span(sent).first(a.size()));
      robot.see(phi, s.x, sent, there);
      robot.see(near, s.x, sent, expected);
      for (std::size_t i = 0; i < there.size(); ++i) {
        out.seen[i] += (there[i] - expected[i]) * (there[i] - expected[i]);
      }
    }
    ++out.steps;
    o = std::move(next);
    if (robot.ends_calibration(result)) break;
  }
}

void scale(RobotFile& file, const RobotFile& plain, double factor) {
  for (std::size_t i = 0; i < file.calibrated.size(); ++i) {
    file.calibrated[i] = factor * plain.calibrated[i];
  }
  for (std::size_t i = 0; i < file.calibrated_seen.size(); ++i) {
    file.calibrated_seen[i] = factor * plain.calibrated_seen[i];
  }
}

/// The factor by which intervals cover the truth as often as they say. Coverage grows with it, so
/// that few episodes bracket it, and many correct what lies between by the slope that is known
/// then.
double factor_of(const RobotFile& plain) {
  const auto coverage_at = [&](double factor, int episodes) {
    auto file = std::make_shared<RobotFile>(plain);
    scale(*file, plain, factor);
    return coverage(OwnRobot(OwnRobotOptions(file)), {.seed = 1, .episodes = episodes}).middle();
  };
  double low = 1.0, high = 1.0, below = coverage_at(1.0, kEpisodes), above = below;
  while (above < kLevel && high < 32.0) {
    low = high;
    below = above;
    above = coverage_at(high *= 2.0, kEpisodes);
  }
  while (below >= kLevel && low > 0.1) {
    high = low;
    above = below;
    below = coverage_at(low *= 0.5, kEpisodes);
  }
  if (!(below < kLevel && above >= kLevel)) return below >= kLevel ? low : high;
  const double octave = 1.0 / (above - below),
               between = low * std::pow(high / low, octave * (kLevel - below)),
               missing = kLevel - coverage_at(between, kMany);
  return between * std::exp2(std::clamp(octave * missing, -0.5, 0.5));
}

}  // namespace

std::shared_ptr<const RobotFile> calibrated(std::shared_ptr<const RobotFile> file) {
  if (file->sigma || !file->calibrated.empty()) return file;
  const OwnRobot robot{OwnRobotOptions(file)};
  Missed all{.state = std::vector<double>(static_cast<std::size_t>(robot.residual_size()), 0.0),
             .seen = std::vector<double>(file->seen.size(), 0.0)};
  for (std::uint64_t e = 0; e < kEpisodes; ++e) walk(robot, e, all);
  std::vector<double>&sigma = all.state, &seen = all.seen;
  const double count = std::max(all.steps, 1.0);
  double largest = 0.0;
  for (double& s : sigma) largest = std::max(largest, s = std::sqrt(s / count));
  // A coordinate that no latent moves has no spread of its own; it must not outweigh the others.
  for (double& s : sigma) s = std::max({s, 1e-4 * largest, 1e-9});
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i] = file->sees_sensor(file->seen[i]) ? std::sqrt(seen[i] / count) : 0.0;
  }
  auto out = std::make_shared<RobotFile>(*file);
  out->calibrated = sigma;
  if (!file->sees_state) out->calibrated_seen = seen;
  const RobotFile before = *out;
  scale(*out, before, factor_of(before));
  return out;
}

std::string packed_robot(const std::string& text, const std::string& file) {
  const auto read = std::make_shared<const RobotFile>(read_robot("robot", text, file));
  const auto found = calibrated(read);
  std::string out = text;
  if (!out.ends_with('\n')) out += '\n';
  if (found != read) {
    out += fmt::format(
        "\n# What sigma = \"auto\" found: positions, velocities, activations.\n"
        "[calibrated]\nsigma = [{:.6g}]\n",
        fmt::join(found->calibrated, ", "));
    if (!found->sees_state) {
      out += fmt::format("seen = [{:.6g}]\n", fmt::join(found->calibrated_seen, ", "));
    }
  }
  if (parse_toml(text, file).contains("file")) return out;
  return out + files_as_toml(read->files);
}

}  // namespace bpo
