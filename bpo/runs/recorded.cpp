#include "bpo/runs/recorded.h"

#include <fmt/format.h>

#include "bpo/agent/agent.h"
#include "bpo/core/rng.h"

namespace bpo {

RecordingFormat recording_format(const std::string& problem) {
  const ProblemEntry& entry = problems().at(problem);
  if (auto format = file_recording(entry)) return *std::move(format);
  throw bad_input(fmt::format("{}: only robots from files are recorded", short_name(problem)));
}

ActsOn acts_by(LoadedPolicy loaded) {
  const std::string directory = loaded.directory;
  const auto agent = std::make_shared<Agent>(std::move(loaded));
  const auto last = std::make_shared<std::vector<double>>();
  return [=, episode = std::uint64_t{0}](int t, std::span<const double> seen) mutable {
    if (static_cast<int>(seen.size()) != agent->observation_size()) {
      throw bad_input(
          fmt::format("{}: its policy is told {} numbers, and this robot tells {}: it "
                      "is a run of another robot",
                      directory, agent->observation_size(), seen.size()));
    }
    if (t == 0) {
      agent->reset(0, episode++);
    } else {
      agent->observe(*last, seen);
    }
    const auto action = agent->act(seen);
    return *last = {action.begin(), action.end()};
  };
}

Recording record(LoadedPolicy loaded, std::uint64_t seed, std::uint64_t episode) {
  const auto simulator = loaded.problem->simulator();
  const int horizon = loaded.problem->spec().horizon;
  Agent agent(std::move(loaded));
  const std::uint64_t world = derive_seed(seed, kEvaluationPurpose);
  Rng latent(world, Use::kLatent, episode), state(world, Use::kState, episode);
  std::vector<double> o(static_cast<std::size_t>(agent.observation_size()));
  simulator->reset(latent, state);
  simulator->observe(state, o);
  agent.reset(seed, episode);
  Recording out;
  for (int t = 0; t <= horizon; ++t) {
    const auto action = agent.act(o);
    out.observations.push_back(o);
    out.actions.emplace_back(action.begin(), action.end());
    if (t == horizon) break;
    Rng rng(world, Use::kWorld, episode, static_cast<std::uint32_t>(t));
    const StepResult result = simulator->step(out.actions.back(), rng);
    if (result.fault) break;
    simulator->observe(rng, o);
    agent.observe(out.actions.back(), o);
    if (!result.done) continue;
    out.observations.push_back(o);
    out.actions.push_back(out.actions.back());
    break;
  }
  return out;
}

}  // namespace bpo
