#include "bpo/core/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

Evaluation evaluate(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                    std::int64_t count, ThreadPool& pool) {
  struct Scratch {
    std::unique_ptr<World> world;
    std::unique_ptr<Actor> actor;
    std::int64_t steps = 0;
  };
  std::vector<Scratch> scratch(pool.threads());
  Evaluation out;
  out.returns.assign(count, 0.0);
  const double discount = problem.spec().discount;
  const int most = tile_lanes(problem.spec(), kLanes);
  const int tiles = static_cast<int>((count + most - 1) / most);
  check_memory(problem, static_cast<int>(std::min<std::int64_t>(most, count)),
               std::min(tiles, pool.threads()));
  std::vector<std::vector<Fault>> faults(tiles);
  pool.run(tiles, [&](int tile, int thread) {
    Scratch& s = scratch[thread];
    if (!s.world) {
      s.world = problem.make_world(policy.sees_belief());
      s.actor = policy.make_actor();
    }
    const std::int64_t first = static_cast<std::int64_t>(tile) * most;
    const int lanes = static_cast<int>(std::min<std::int64_t>(most, count - first));
    double* returns = out.returns.data() + first;
    std::array<bool, kLanes> active{};
    double weight = 1.0;
    simulate(
        *s.world, *s.actor, {seed, static_cast<std::uint64_t>(first), lanes}, LatentSource::kPrior,
        [&](const World& world, const Actions&) {
          for (int lane = 0; lane < lanes; ++lane) active[lane] = !world.done(lane);
        },
        [&](const World& world, const Actions&) {
          for (int lane = 0; lane < lanes; ++lane) {
            if (!active[lane]) continue;
            returns[lane] += weight * world.reward(lane);
            ++s.steps;
            if (world.fault(lane)) faults[tile].push_back(fault_of(world, lane));
          }
          weight *= discount;
        });
  });
  for (const Scratch& s : scratch) {
    out.steps += s.steps;
    if (s.world) out.filter_fallbacks += s.world->filter_fallbacks();
  }
  for (const std::vector<Fault>& some : faults) {
    out.faults.insert(out.faults.end(), some.begin(), some.end());
  }
  check_faults(out.faults, out.steps, "a mean of such returns says nothing of the policy");
  return out;
}

}  // namespace bpo
