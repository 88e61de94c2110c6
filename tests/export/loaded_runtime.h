// libbpo-runtime as another program meets it: opened by its file, called through its C functions.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "bpo/agent/bpo_runtime.h"

namespace bpo::test {

class LoadedRuntime {
 public:
  explicit LoadedRuntime(const std::string& path) : library_(::dlopen(path.c_str(), RTLD_NOW)) {
    if (library_ == nullptr) ADD_FAILURE() << ::dlerror();
  }

#define BPO_TEST_FUNCTION(name) \
  decltype(&bpo_##name) name = find<decltype(&bpo_##name)>("bpo_" #name)
 private:
  template <class Function>
  Function find(const char* name) {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }
  void* library_;  // stays open: the process ends before it could be closed safely

 public:
  BPO_TEST_FUNCTION(runtime_version);
  BPO_TEST_FUNCTION(load);
  BPO_TEST_FUNCTION(load_greedy);
  BPO_TEST_FUNCTION(free);
  BPO_TEST_FUNCTION(error);
  BPO_TEST_FUNCTION(observation_size);
  BPO_TEST_FUNCTION(action_size);
  BPO_TEST_FUNCTION(belief_size);
  BPO_TEST_FUNCTION(estimate_size);
  BPO_TEST_FUNCTION(problem_name);
  BPO_TEST_FUNCTION(observation_name);
  BPO_TEST_FUNCTION(observation_value_name);
  BPO_TEST_FUNCTION(latent_name);
  BPO_TEST_FUNCTION(action_value_name);
  BPO_TEST_FUNCTION(reset);
  BPO_TEST_FUNCTION(act);
  BPO_TEST_FUNCTION(observe);
  BPO_TEST_FUNCTION(belief);
  BPO_TEST_FUNCTION(entropy);
  BPO_TEST_FUNCTION(estimate);
  BPO_TEST_FUNCTION(max_models);
  BPO_TEST_FUNCTION(action_low);
  BPO_TEST_FUNCTION(action_high);
  BPO_TEST_FUNCTION(action_name);
#undef BPO_TEST_FUNCTION
};

/// Plays the golden sequences of an export through the runtime: every belief and action to the bit.
inline void expect_golden(const LoadedRuntime& runtime, const std::string& policy,
                          const nlohmann::json& golden) {
  bpo_agent* const agents[2] = {runtime.load(policy.c_str()), runtime.load_greedy(policy.c_str())};
  ASSERT_NE(agents[0], nullptr) << runtime.error(nullptr);
  ASSERT_NE(agents[1], nullptr);
  int steps = 0;
  for (const auto& sequence : golden) {
    bpo_agent* const agent = agents[sequence[0]["greedy"].get<bool>()];
    std::vector<double> executed;
    for (const auto& step : sequence) {
      const auto o = step["observation"].get<std::vector<double>>();
      if (step["first"]) {
        runtime.reset(agent, step["seed"], step["episode"]);
      } else {
        ASSERT_EQ(runtime.observe(agent, executed.data(), o.data()), step["alive"] ? 0 : 1);
      }
      std::vector<double> action(static_cast<std::size_t>(runtime.action_size(agent)));
      ASSERT_EQ(runtime.act(agent, o.data(), action.data()), 0) << runtime.error(agent);
      std::vector<float> belief(static_cast<std::size_t>(runtime.belief_size(agent)));
      ASSERT_EQ(runtime.belief(agent, belief.data()), 0);
      ASSERT_EQ(belief, step["belief"].get<std::vector<float>>());
      ASSERT_EQ(action, step["action"].get<std::vector<double>>());
      executed = step["executed"].get<std::vector<double>>();
      ++steps;
    }
  }
  EXPECT_GT(steps, 300);
  for (bpo_agent* agent : agents) runtime.free(agent);
}

}  // namespace bpo::test
