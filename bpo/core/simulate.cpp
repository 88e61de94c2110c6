#include "bpo/core/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "bpo/core/machine.h"

namespace bpo {

void check_memory(const AnyProblem& problem, int lanes, int worlds) {
  const Footprint one = problem.belief_footprint();
  check_memory(one.bytes * lanes * worlds, "problem." + one.option,
               fmt::format("the beliefs of {} episodes on each of {} threads", lanes, worlds));
}

void simulate(World& world, Actor& actor, const Episodes& episodes, LatentSource source,
              const StepHook& before, const StepHook& after) {
  Actions actions(world.spec().actions.dim);
  world.reset(episodes, source);
  actor.begin(world.inputs());
  while (!world.all_done()) {
    actor.act(world.inputs(), actions);
    if (before) before(world, actions);
    world.step(actions);
    if (after) after(world, actions);
  }
}

Fault fault_of(const World& world, int lane) {
  const auto latent = world.latent()[lane];
  return {world.episodes().first + lane, world.time() - 1, {latent.begin(), latent.end()}};
}

double Evaluation::mean() const {
  double sum = 0.0;
  for (double x : returns) sum += x;
  return sum / static_cast<double>(returns.size());
}

std::optional<double> Evaluation::ci95() const {
  const auto n = static_cast<double>(returns.size());
  if (n < 2) return std::nullopt;
  const double m = mean();
  double squares = 0.0;
  for (double x : returns) squares += (x - m) * (x - m);
  return 1.959963984540054 * std::sqrt(squares / (n - 1.0) / n);
}

namespace {

/// What a tile of an evaluation tells beside its returns.
struct TileCounts {
  std::int64_t steps = 0, fallbacks = 0;
  std::vector<Fault> faults;

  void visit(Wire& wire) {
    wire(steps);
    wire(fallbacks);
    wire(faults);
  }
};

}  // namespace

int tile_lanes(const ProblemSpec& spec, int most, std::int64_t episodes, int threads) {
  if (!spec.simulated) return most;
  constexpr int kFew = 4, kMany = 16;
  return static_cast<int>(
      std::clamp<std::int64_t>((episodes + threads - 1) / threads, kFew, kMany));
}

Evaluation evaluate(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                    std::int64_t count, ThreadPool& pool) {
  struct Scratch {
    std::unique_ptr<World> world;
    std::unique_ptr<Actor> actor;
  };
  std::vector<Scratch> scratch(pool.threads());
  Evaluation out;
  out.returns.assign(count, 0.0);
  const double discount = problem.spec().discount;
  const int most = tile_lanes(problem.spec(), kLanes, count, pool.workers());
  const int tiles = static_cast<int>((count + most - 1) / most);
  check_memory(problem, static_cast<int>(std::min<std::int64_t>(most, count)),
               std::min(tiles, pool.threads()));
  std::vector<TileCounts> counts(tiles);
  const auto returns_of = [&](int tile) {
    const std::int64_t first = static_cast<std::int64_t>(tile) * most;
    return std::span(out.returns).subspan(first, std::min<std::int64_t>(most, count - first));
  };
  const auto result = [&](int tile) {
    return std::tuple<std::span<double>, TileCounts&>(returns_of(tile), counts[tile]);
  };
  const auto run = [&](int tile, int thread) {
    Scratch& s = scratch[thread];
    if (!s.world) {
      s.world = problem.make_world(policy.sees_belief());
      s.actor = policy.make_actor();
    }
    const std::uint64_t first = static_cast<std::uint64_t>(tile) * most;
    const std::span<double> returns = returns_of(tile);
    const int lanes = static_cast<int>(returns.size());
    TileCounts& mine = counts[tile];
    const std::int64_t fallbacks = s.world->filter_fallbacks();
    std::array<bool, kLanes> active{};
    double weight = 1.0;
    simulate(
        *s.world, *s.actor, {seed, first, lanes}, LatentSource::kPrior,
        [&](const World& world, const Actions&) {
          for (int lane = 0; lane < lanes; ++lane) active[lane] = !world.done(lane);
        },
        [&](const World& world, const Actions&) {
          for (int lane = 0; lane < lanes; ++lane) {
            if (!active[lane]) continue;
            returns[lane] += weight * world.reward(lane);
            ++mine.steps;
            if (world.fault(lane)) mine.faults.push_back(fault_of(world, lane));
          }
          weight *= discount;
        });
    mine.fallbacks = s.world->filter_fallbacks() - fallbacks;
  };
  map_reduce(pool, tiles, result, run, [&](int tile) {
    const TileCounts& some = counts[tile];
    out.steps += some.steps;
    out.filter_fallbacks += some.fallbacks;
    out.faults.insert(out.faults.end(), some.faults.begin(), some.faults.end());
  });
  check_faults(out.faults, out.steps, "a mean of such returns says nothing of the policy");
  return out;
}

}  // namespace bpo
