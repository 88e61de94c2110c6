// How wide the noise of a robot's filter must be. The world and the models are without noise, but
// the true latent lies between the cells: what the nearest cell misses in a step is the noise. Its
// spread by coordinate is taken from episodes of random actions with latents from the prior; since
// a cell misses in the same way all along an episode, one factor on all spreads then makes the
// belief's 90 % intervals cover the truth in 90 % of those episodes: the middle between the latents
// that are covered most and least often, so that no latent is far off. Of long episodes only every
// so many steps are looked at, and each stands for those between. For particles, a model beside the
// truth stands for the nearest cell. Filters that cannot be weighed afterwards by sums of squares
// (RobotFilter) run through the episodes once for every factor that is tried.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/toml.h"
#include "bpo/problems/mujoco/robot_coverage.h"
#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr int kEpisodes = 96, kLongest = 200, kHeld = 5;
constexpr double kMostSimulations = 100'000.0, kLevel = 0.9, kBeside = 0.05;

struct Walk {
  std::vector<double> truth, shares;         // [factor]: and of what is equal to it, in a rank
  std::vector<std::vector<double>> squares;  // [cell][coordinate]: summed over the steps
  std::vector<double> own;                   // [coordinate]: of the nearest cell
  std::vector<double> seen;                  // [number seen]: of the nearest cell's sensors
  int steps = 0;
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
    out.push_back(prior.quantile(ShrinkingKernel::reflected(low + away)));
  }
  return out;
}

/// What these models miss in an episode of random actions; of a filter by sums of squares all
/// cells, else the one that is nearest.
Walk walk(const OwnRobot& robot, const std::vector<OwnRobot::Latent>& cells, std::uint64_t episode,
          int steps, int stride) {
  const auto size = static_cast<std::size_t>(robot.residual_size()),
             seen = robot.file().seen.size();
  Rng latent(1, Use::kLatent, episode), state(1, Use::kState, episode);
  const OwnRobot::Latent phi = robot.sample_latent(latent);
  OwnRobot::State s = robot.sample_state(phi, state);
  Walk out{.truth = phi.values,
           .shares = {},
           .squares = std::vector(cells.size(), std::vector<double>(size, 0.0)),
           .own = std::vector<double>(size, 0.0),
           .seen = std::vector<double>(seen, 0.0)};
  for (const double value [[maybe_unused]] : phi.values) out.shares.push_back(latent.uniform());
  const OwnRobot::Latent near = robot.cells() > 0
                                    ? robot.cell(static_cast<int>(nearest(robot, phi.values)))
                                    : robot.latent(beside(robot, phi.values, latent));
  std::vector<float> a(static_cast<std::size_t>(robot.spec().actions.dim));
  std::vector<double> missed(size), there(seen), expected(seen);
  OwnRobot::Observation o = robot.reading(s, phi);
  const auto add = [&](const OwnRobot::Latent& model, const OwnRobot::Observation& next,
                       std::vector<double>& squares) {
    const bool good = robot.residual(model, o, a, next, missed);
    for (std::size_t i = 0; i < size; ++i) {
      squares[i] += stride * (good ? missed[i] * missed[i] : 1e6);
    }
  };
  for (int t = 0; t < steps; ++t) {
    Rng world(1, Use::kWorld, episode, static_cast<std::uint32_t>(t));
    if (t % kHeld == 0) {
      for (float& u : a) u = static_cast<float>(2.0 * world.uniform() - 1.0);
    }
    const StepResult result = robot.step(s, phi, a, world);
    if (result.fault) break;
    OwnRobot::Observation next = robot.reading(s, phi);
    for (std::size_t c = 0; c < cells.size() && t % stride == 0; ++c) {
      add(cells[c], next, out.squares[c]);
    }
    if (t % stride == 0) {
      add(near, next, out.own);
      if (robot.file().sees_sensors) {
        std::vector<float> sent(a.size() * static_cast<std::size_t>(1 + robot.file().history));
        robot.controls(a, std::span(sent).first(a.size()));
        robot.see(phi, s.x, sent, there);
        robot.see(near, s.x, sent, expected);
        for (std::size_t i = 0; i < seen; ++i) {
          out.seen[i] += stride * (there[i] - expected[i]) * (there[i] - expected[i]);
        }
      }
    }
    out.steps += t % stride == 0 ? stride : 0;
    o = std::move(next);
    if (robot.ends_calibration(result)) break;
  }
  return out;
}

/// Adds for each factor whether its truth is within its interval, under spreads times `factor`.
void count_covered(const OwnRobot& robot, const Walk& w, const std::vector<double>& sigma,
                   double factor, Coverage& out) {
  std::vector<double> weight;
  for (const auto& squares : w.squares) {
    double sum = 0.0;
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      const double s = factor * sigma[i];
      sum += squares[i] / (s * s);
    }
    weight.push_back(-0.5 * sum);
  }
  const double best = *std::max_element(weight.begin(), weight.end());
  for (double& x : weight) x = std::exp(x - best);
  std::size_t stride = weight.size();
  for (std::size_t f = 0; f < w.truth.size(); ++f) {
    const RobotLatent& l = robot.file().latents[f];
    const auto bins = static_cast<std::size_t>(l.bins);
    stride /= bins;
    std::vector<double> mass(bins, 0.0);
    double total = 0.0;
    for (std::size_t c = 0; c < weight.size(); ++c) {
      mass[c / stride % bins] += weight[c];
      total += weight[c];
    }
    for (double& x : mass) x /= total;
    const double rank = l.prior.rank(mass, w.truth[f], w.shares[f]);
    const bool inside = rank > 0.5 * (1.0 - kLevel) && rank < 1.0 - 0.5 * (1.0 - kLevel);
    out.share[f] += inside / static_cast<double>(kEpisodes);
  }
}

/// The factor by which intervals cover the truth as often as they say.
double factor_by_sums(const OwnRobot& robot, const std::vector<Walk>& walks,
                      const std::vector<double>& sigma) {
  double best = 1.0, apart = 1e300;
  for (double factor = 0.5; factor < 40.0; factor *= 1.1) {
    Coverage found{std::vector<double>(static_cast<std::size_t>(robot.factors()), 0.0)};
    for (const Walk& w : walks) count_covered(robot, w, sigma, factor, found);
    if (std::abs(found.middle() - kLevel) < apart) {
      apart = std::abs(found.middle() - kLevel);
      best = factor;
    }
  }
  return best;
}

void scale(RobotFile& file, const RobotFile& plain, double factor) {
  for (std::size_t i = 0; i < file.calibrated.size(); ++i) {
    file.calibrated[i] = factor * plain.calibrated[i];
  }
  for (std::size_t i = 0; i < file.calibrated_seen.size(); ++i) {
    file.calibrated_seen[i] = factor * plain.calibrated_seen[i];
  }
}

/// The same by running the filter. Coverage grows with the factor, so it is bracketed first.
double factor_by_runs(const RobotFile& plain) {
  const auto coverage_at = [&](double factor) {
    auto file = std::make_shared<RobotFile>(plain);
    scale(*file, plain, factor);
    return coverage(OwnRobot(OwnRobotOptions(file)), {.seed = 1, .episodes = kEpisodes}).middle();
  };
  double low = 1.0, high = 1.0, below = coverage_at(1.0), above = below;
  while (above < kLevel && high < 32.0) {
    low = high;
    below = above;
    above = coverage_at(high *= 2.0);
  }
  while (below >= kLevel && low > 0.1) {
    high = low;
    above = below;
    below = coverage_at(low *= 0.5);
  }
  if (!(below < kLevel && above >= kLevel)) return below >= kLevel ? low : high;
  return low * std::pow(high / low, (kLevel - below) / (above - below));
}

}  // namespace

std::shared_ptr<const RobotFile> calibrated(std::shared_ptr<const RobotFile> file) {
  if (file->sigma || !file->calibrated.empty()) return file;
  const OwnRobot robot{OwnRobotOptions(file)};
  const bool plain = file->on_plain_grid();
  std::vector<OwnRobot::Latent> cells;
  for (int c = 0; c < robot.cells() && plain; ++c) cells.push_back(robot.cell(c));
  const int steps = std::min(kLongest, robot.spec().horizon);
  const double simulations =
      static_cast<double>(steps) * kEpisodes * static_cast<double>(cells.size());
  const int stride = std::max(1, static_cast<int>(std::ceil(simulations / kMostSimulations)));
  std::vector<Walk> walks;
  for (std::uint64_t e = 0; e < kEpisodes; ++e)
    walks.push_back(walk(robot, cells, e, steps, stride));
  const auto size = static_cast<std::size_t>(robot.residual_size());
  std::vector<double> sigma(size, 0.0), seen(file->seen.size(), 0.0);
  double count = 0.0, largest = 0.0;
  for (const Walk& w : walks) {
    for (std::size_t i = 0; i < size; ++i) sigma[i] += w.own[i];
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += w.seen[i];
    count += w.steps;
  }
  for (double& s : sigma) largest = std::max(largest, s = std::sqrt(s / std::max(count, 1.0)));
  // A coordinate that no latent moves has no spread of its own; it must not outweigh the others.
  for (double& s : sigma) s = std::max({s, 1e-4 * largest, 1e-9});
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i] = file->sees_sensor(file->seen[i]) ? std::sqrt(seen[i] / std::max(count, 1.0)) : 0.0;
  }
  auto out = std::make_shared<RobotFile>(*file);
  out->calibrated = sigma;
  if (!file->sees_state) out->calibrated_seen = seen;
  const RobotFile before = *out;
  scale(*out, before, plain ? factor_by_sums(robot, walks, sigma) : factor_by_runs(before));
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
