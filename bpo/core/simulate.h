// Algorithm 1's Simulate, a tile of episodes at a time, and evaluation on top of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/fault.h"
#include "bpo/core/parallel.h"
#include "bpo/core/policy.h"

namespace bpo {

/// Refuses worlds whose beliefs would not fit into memory.
void check_memory(const AnyProblem& problem, int lanes, int worlds);

/// Called after each step of a tile with the world that has just moved.
using StepHook = std::function<void(const World& world, const Actions& actions)>;

/// Runs one tile to the end of its episodes. `before` sees the world each time it is about to act
/// and the actions chosen; `after` the rewards that came of them. Either may be empty.
void simulate(World& world, Actor& actor, const Episodes& episodes, LatentSource source,
              const StepHook& before, const StepHook& after);

/// The fault of the lane's last step.
Fault fault_of(const World& world, int lane);

/// Lanes of a tile of so many episodes, at most `most`: where a step takes long, few enough that
/// eight episodes still feed several threads evenly. Results do not depend on it.
int tile_lanes(const ProblemSpec& spec, int most, std::int64_t episodes, int threads);

struct Evaluation {
  std::vector<double> returns;  // by episode, discounted as the problem says
  std::int64_t steps = 0;
  std::int64_t filter_fallbacks = 0;
  std::vector<Fault> faults;  // in the order of the episodes

  double mean() const;
  /// Half width of the 95 % interval of the mean; one episode has none.
  std::optional<double> ci95() const;
};

/// Episodes 0..count-1 of `seed`. Equal seeds give common random numbers to every policy. Throws
/// Error(kDiverged) when too many steps broke the simulation.
Evaluation evaluate(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                    std::int64_t count, ThreadPool& pool);

}  // namespace bpo
