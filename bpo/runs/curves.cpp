#include "bpo/runs/curves.h"

#include <algorithm>

#include "bpo/core/simulate.h"

namespace bpo {
namespace {

/// A tile's sums over its lanes. A lane that is done keeps its last belief and return.
Curves tile_sums(const AnyProblem& problem, const Policy& policy, const Episodes& episodes) {
  const ProblemSpec& spec = problem.spec();
  const auto world = problem.make_world();
  const auto actor = policy.make_actor();
  Curves sums;
  std::vector<double> total(episodes.count);
  std::vector<bool> active(episodes.count);
  double weight = 1.0;
  const auto add_entropy = [&](const World& w) {
    double sum = 0.0;
    for (int lane = 0; lane < episodes.count; ++lane) sum += w.belief_entropy(lane);
    sums.entropy.push_back(sum);
  };
  simulate(
      *world, *actor, episodes, LatentSource::kPrior,
      [&](const World& w, const Actions&) {
        if (sums.entropy.empty()) add_entropy(w);
        for (int lane = 0; lane < episodes.count; ++lane) active[lane] = !w.done(lane);
      },
      [&](const World& w, const Actions&) {
        add_entropy(w);
        double sum = 0.0;
        for (int lane = 0; lane < episodes.count; ++lane) {
          if (active[lane]) total[lane] += weight * w.reward(lane);
          sum += total[lane];
        }
        weight *= spec.discount;
        sums.so_far.push_back(sum);
      });
  sums.entropy.resize(spec.horizon + 1, sums.entropy.back());
  sums.so_far.resize(spec.horizon, sums.so_far.back());
  return sums;
}

}  // namespace

Curves curves_of(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                 std::int64_t count, ThreadPool& pool) {
  const int tiles = static_cast<int>((count + kLanes - 1) / kLanes);
  std::vector<Curves> sums(tiles);
  pool.run(tiles, [&](int tile, int) {
    const std::int64_t first = static_cast<std::int64_t>(tile) * kLanes;
    const int lanes = static_cast<int>(std::min<std::int64_t>(kLanes, count - first));
    sums[tile] = tile_sums(problem, policy, {seed, static_cast<std::uint64_t>(first), lanes});
  });
  Curves out{std::vector<double>(sums[0].entropy.size()),
             std::vector<double>(sums[0].so_far.size())};
  const auto add = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t t = 0; t < to.size(); ++t) to[t] += from[t] / static_cast<double>(count);
  };
  for (const Curves& s : sums) {
    add(s.entropy, out.entropy);
    add(s.so_far, out.so_far);
  }
  return out;
}

}  // namespace bpo
