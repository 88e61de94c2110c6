#include "bpo/runs/agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bpo/core/simulate.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/protocol.h"

namespace bpo {
namespace {

constexpr const char* kLanesSet = "problem.simulator=lanes";
constexpr const char* kMujocoSet = "problem.simulator=mujoco";
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kEpisodes = 24;
constexpr std::array kSizes{0.3, 1.0, 3.0};  // standard deviations of random actions

std::unique_ptr<AnyProblem> make(const std::string& problem, const char* set) {
  Config config;
  config.set(set);
  return problems().at(problem).make(config);
}

void draw(Rng& rng, double size, std::vector<double>& action) {
  for (double& u : action) u = size * rng.normal();
}

MeansApart means_apart(const LoadedPolicy& lanes, const LoadedPolicy& mujoco, std::int64_t episodes,
                       ThreadPool& pool) {
  const std::uint64_t seed = Protocol{}.episode_seed();
  const auto means = [&](const LoadedPolicy& loaded) {
    return evaluate(*loaded.problem, *loaded.policy, seed, episodes, pool);
  };
  const Evaluation one = means(lanes), other = means(mujoco);
  Evaluation apart;
  for (std::size_t i = 0; i < one.returns.size(); ++i) {
    apart.returns.push_back(one.returns[i] - other.returns[i]);
  }
  return {episodes, one.mean(), other.mean(), apart.mean(), apart.ci95()};
}

}  // namespace

bool has_option(const std::string& problem, const std::string& key) {
  const std::vector<OptionRow> rows = problems().at(problem).options();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const OptionRow& row) { return row.key == key; });
}

StepsApart steps_apart(const AnyProblem& lanes, const AnyProblem& mujoco, Agent* agent,
                       std::uint64_t episodes) {
  const auto leader = lanes.simulator(), follower = mujoco.simulator();
  std::vector<double> o(leader->observation_size()), expected(o.size());
  std::vector<double> a(leader->action_size());
  StepsApart out;
  for (std::uint64_t episode = 0; episode < episodes; ++episode) {
    Rng latent(kSeed, Use::kLatent, episode), state(kSeed, Use::kState, episode);
    Rng actions(kSeed, Use::kAction, episode);
    leader->reset(latent, state);
    leader->observe(state, o);
    if (agent != nullptr) agent->reset(kSeed, episode);
    for (int t = 0; t < lanes.spec().horizon; ++t) {
      draw(actions, kSizes[episode % kSizes.size()], a);
      if (agent != nullptr) std::ranges::copy(agent->act(o), a.begin());
      follower->follow(*leader);
      const StepResult moved = leader->step(a, state), check = follower->step(a, state);
      if (moved.fault || check.fault) break;
      leader->observe(state, o);
      follower->observe(state, expected);
      for (std::size_t i = 0; i < o.size(); ++i) {
        out.worst = std::max(out.worst, std::abs(o[i] - expected[i]));
      }
      ++out.steps;
      if (agent != nullptr) agent->observe(a, o);
    }
  }
  return out;
}

Agreement measure_agreement(const std::string& problem, const std::string& run,
                            std::int64_t episodes, ThreadPool& pool) {
  const auto lanes = make(problem, kLanesSet), mujoco = make(problem, kMujocoSet);
  Agreement out{.random = steps_apart(*lanes, *mujoco, nullptr, kEpisodes)};
  if (run.empty()) return out;
  const LoadedPolicy by_lanes = load_run(run, {kLanesSet}), by_mujoco = load_run(run, {kMujocoSet});
  out.means = means_apart(by_lanes, by_mujoco, episodes, pool);
  Agent agent(load_run(run, {kLanesSet}));
  out.gait = steps_apart(*by_lanes.problem, *by_mujoco.problem, &agent, kEpisodes);
  return out;
}

}  // namespace bpo
