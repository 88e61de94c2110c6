// How wide the noise of a robot's filter must be. The world and the models are without noise, but
// the true latent lies between the cells: what the nearest cell misses in a step is the noise. Its
// spread by coordinate is taken from episodes of random actions with latents from the prior; since
// a cell misses in the same way all along an episode, one factor on all spreads then makes the
// belief's 90 % intervals cover the truth in 90 % of those episodes. Of long episodes only every
// so many steps are looked at, and each stands for those between.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/toml.h"
#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {
namespace {

constexpr int kEpisodes = 96, kLongest = 200, kHeld = 5;
constexpr double kMostSimulations = 100'000.0, kLevel = 0.9;

struct Walk {
  std::vector<double> truth;
  std::vector<std::vector<double>> squares;  // [cell][coordinate]: summed over the steps
  std::vector<double> own;                   // [coordinate]: of the nearest cell
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

Walk walk(const OwnRobot& robot, const std::vector<OwnRobot::Latent>& cells, std::uint64_t episode,
          int steps, int stride) {
  const auto size = static_cast<std::size_t>(robot.residual_size());
  Rng latent(1, Use::kLatent, episode), state(1, Use::kState, episode);
  const OwnRobot::Latent phi = robot.sample_latent(latent);
  OwnRobot::State s = robot.sample_state(phi, state);
  Walk out{.truth = phi.values,
           .squares = std::vector(cells.size(), std::vector<double>(size, 0.0)),
           .own = std::vector<double>(size, 0.0)};
  std::vector<float> a(static_cast<std::size_t>(robot.spec().actions.dim));
  std::vector<double> missed(size);
  OwnRobot::Observation o = robot.observe(s, phi, state);
  for (int t = 0; t < steps; ++t) {
    Rng world(1, Use::kWorld, episode, static_cast<std::uint32_t>(t));
    if (t % kHeld == 0) {
      for (float& u : a) u = static_cast<float>(2.0 * world.uniform() - 1.0);
    }
    const StepResult result = robot.step(s, phi, a, world);
    if (result.fault) break;
    OwnRobot::Observation next = robot.observe(s, phi, world);
    for (std::size_t c = 0; c < cells.size() && t % stride == 0; ++c) {
      const bool good = robot.residual(cells[c], o, a, next, missed);
      for (std::size_t i = 0; i < size; ++i) {
        out.squares[c][i] += stride * (good ? missed[i] * missed[i] : 1e6);
      }
    }
    out.steps += t % stride == 0 ? stride : 0;
    o = std::move(next);  // whatever ends an episode: a trained policy will avoid it
  }
  out.own = out.squares[nearest(robot, phi.values)];
  return out;
}

/// Whether the truth of each factor is within its interval, under spreads times `factor`.
int covered(const OwnRobot& robot, const Walk& w, const std::vector<double>& sigma, double factor) {
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
  int out = 0;
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
    // The truth's rank: cells are equally probable parts of the prior, and mass is even in a cell.
    double rank = 0.0;
    for (std::size_t i = 0; i < bins; ++i) {
      const double low = l.prior.quantile(static_cast<double>(i) / static_cast<double>(bins)),
                   high = l.prior.quantile(static_cast<double>(i + 1) / static_cast<double>(bins));
      const bool even = l.prior.kind != Prior::Kind::kChoice;
      const double share = even                              ? (w.truth[f] - low) / (high - low)
                           : l.prior.values[i] == w.truth[f] ? 0.5
                           : l.prior.values[i] < w.truth[f]  ? 1.0
                                                             : 0.0;
      rank += std::clamp(share, 0.0, 1.0) * mass[i] / total;
    }
    out += rank > 0.5 * (1.0 - kLevel) && rank < 1.0 - 0.5 * (1.0 - kLevel);
  }
  return out;
}

}  // namespace

std::vector<double> calibrated_sigma(const OwnRobot& robot) {
  std::vector<OwnRobot::Latent> cells;
  for (int c = 0; c < robot.cells(); ++c) cells.push_back(robot.latent(robot.cell_factors(c)));
  const int steps = std::min(kLongest, robot.spec().horizon);
  const int stride = std::max(
      1, static_cast<int>(std::ceil(steps * kEpisodes * robot.cells() / kMostSimulations)));
  std::vector<Walk> walks;
  for (std::uint64_t e = 0; e < kEpisodes; ++e)
    walks.push_back(walk(robot, cells, e, steps, stride));
  const auto size = static_cast<std::size_t>(robot.residual_size());
  std::vector<double> sigma(size, 0.0);
  double count = 0.0, largest = 0.0;
  for (const Walk& w : walks) {
    for (std::size_t i = 0; i < size; ++i) sigma[i] += w.own[i];
    count += w.steps;
  }
  for (double& s : sigma) largest = std::max(largest, s = std::sqrt(s / std::max(count, 1.0)));
  // A coordinate that no latent moves has no spread of its own; it must not outweigh the others.
  for (double& s : sigma) s = std::max({s, 1e-4 * largest, 1e-9});
  const double wanted = kLevel * kEpisodes * static_cast<double>(robot.factors());
  double best = 1.0, apart = 1e300;
  for (double factor = 0.5; factor < 40.0; factor *= 1.25) {
    double inside = 0.0;
    for (const Walk& w : walks) inside += covered(robot, w, sigma, factor);
    if (std::abs(inside - wanted) < apart) {
      apart = std::abs(inside - wanted);
      best = factor;
    }
  }
  for (double& s : sigma) s *= best;
  return sigma;
}

std::string packed_robot(const std::string& text, const std::string& file) {
  OwnRobotOptions options{std::make_shared<const RobotFile>(read_robot("robot", text, file))};
  const RobotFile& read = *options.file;
  std::string out = text;
  if (!out.ends_with('\n')) out += '\n';
  if (!read.sigma && read.calibrated.empty()) {
    const auto sigma = calibrated_sigma(OwnRobot(options));
    out += fmt::format(
        "\n# What sigma = \"auto\" found: positions, velocities, activations.\n"
        "[calibrated]\nsigma = [{:.6g}]\n",
        fmt::join(sigma, ", "));
  }
  if (parse_toml(text, file).contains("file")) return out;
  return out + files_as_toml(read.files);
}

}  // namespace bpo
