#include "bpo/problems/mujoco/robot_coverage.h"

#include <algorithm>
#include <numeric>

#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr int kHeld = 5;

/// The rank of x by a belief over cells.
double rank_of(const OwnRobot& robot, const ModelGridFilter<OwnRobot>& filter,
               const ModelGridFilter<OwnRobot>::Weights& w, std::size_t factor, double x,
               double share) {
  std::vector<float> belief(static_cast<std::size_t>(filter.belief_dim()));
  filter.belief(w, belief);
  const auto& latents = robot.file().latents;
  std::size_t stride = 1;
  for (std::size_t g = factor + 1; g < latents.size(); ++g) {
    stride *= static_cast<std::size_t>(latents[g].bins);
  }
  std::vector<double> mass(static_cast<std::size_t>(latents[factor].bins), 0.0);
  for (std::size_t c = 0; c < belief.size(); ++c) mass[c / stride % mass.size()] += belief[c];
  return latents[factor].prior.rank(mass, x, share);
}
double rank_of(const OwnRobot&, const RobotFilter& filter, const RobotFilter::Weights& w,
               std::size_t factor, double x, double share) {
  return filter.rank(w, static_cast<int>(factor), x, share);
}

template <class Filter>
Coverage covered_by(const OwnRobot& robot, const CoverageRun& run) {
  const Filter filter(robot);
  auto w = filter.make_weights();
  Coverage out{std::vector<double>(static_cast<std::size_t>(robot.factors()), 0.0)};
  std::vector<float> a(static_cast<std::size_t>(robot.spec().actions.dim));
  const int steps = std::min(run.steps, robot.spec().horizon);
  for (int e = 0; e < run.episodes; ++e) {
    const auto episode = static_cast<std::uint64_t>(e);
    Rng latent(run.seed, Use::kLatent, episode), state(run.seed, Use::kState, episode);
    OwnRobot::Latent phi = robot.sample_latent(latent);
    OwnRobot::State s = robot.sample_state(phi, state);
    OwnRobot::Observation o = robot.observe(s, phi, state);
    if constexpr (requires { filter.begin(w, o); }) {
      filter.begin(w, o);
    } else {
      filter.reset(w);
    }
    for (int t = 0; t < steps; ++t) {
      Rng world(run.seed, Use::kWorld, episode, static_cast<std::uint32_t>(t));
      if (t % kHeld == 0) {
        for (float& u : a) u = static_cast<float>(2.0 * world.uniform() - 1.0);
      }
      robot.change(phi, latent);
      const StepResult result = robot.step(s, phi, a, world);
      if (result.fault) break;
      OwnRobot::Observation next = robot.observe(s, phi, world);
      filter.update(w, o, a, next);
      o = std::move(next);
      if (robot.ends_calibration(result)) break;
    }
    const double tail = 0.5 * (1.0 - run.level);
    for (std::size_t f = 0; f < out.share.size(); ++f) {
      const double rank = rank_of(robot, filter, w, f, phi.values[f], latent.uniform());
      out.share[f] += (rank > tail && rank < 1.0 - tail) / static_cast<double>(run.episodes);
    }
  }
  return out;
}

}  // namespace

double Coverage::mean() const {
  return std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(share.size());
}

double Coverage::middle() const {
  const auto [least, most] = std::minmax_element(share.begin(), share.end());
  return 0.5 * (*least + *most);
}

Coverage coverage(const OwnRobot& robot, const CoverageRun& run) {
  return robot.file().on_plain_grid() ? covered_by<ModelGridFilter<OwnRobot>>(robot, run)
                                      : covered_by<RobotFilter>(robot, run);
}

}  // namespace bpo
