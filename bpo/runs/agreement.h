// How far a robot that moves on lanes is from one that MuJoCo moves: after one step from the same
// state, and in what a policy earns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpo/agent/agent.h"
#include "bpo/core/any_problem.h"
#include "bpo/core/parallel.h"

namespace bpo {

/// How far two simulators are apart after the same step from the same state.
struct StepsApart {
  double worst = 0.0;  // the largest difference of any number of the next observation
  std::int64_t steps = 0;
};

/// How far one policy's means over the same episodes are apart by two simulators.
struct MeansApart {
  std::int64_t episodes = 0;
  double lanes = 0.0, mujoco = 0.0;
  double difference = 0.0;           // lanes minus mujoco, paired by episode
  std::optional<double> half_width;  // half of its 95 % interval
};

struct Agreement {
  StepsApart random;
  std::optional<StepsApart> gait;  // at states of the policy, if there is one
  std::optional<MeansApart> means;
};

/// Whether the problem has an option of this key, such as "problem.simulator".
bool has_option(const std::string& problem, const std::string& key);

/// Steps of episodes that `lanes` moves, by the agent's actions or by random ones of several sizes.
StepsApart steps_apart(const AnyProblem& lanes, const AnyProblem& mujoco, Agent* agent,
                       std::uint64_t episodes);

/// `run`: the directory of a policy on the problem, or empty. Its means are over so many episodes.
Agreement measure_agreement(const std::string& problem, const std::string& run,
                            std::int64_t episodes, ThreadPool& pool);

}  // namespace bpo
