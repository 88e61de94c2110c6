// An agent in a loop of its own against `bpo play --json` of the same seed and episode.
#include "bpo/agent/agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bpo/agent/bundle.h"
#include "bpo/core/any_problem.h"
#include "tests/cli/process.h"

namespace bpo {
namespace {

using Json = nlohmann::ordered_json;

class AgentTest : public cli::CliTest {
 protected:
  /// A run of a few small batches, and the path of its policy.
  std::string trained(const std::string& problem, const std::vector<std::string>& sets = {}) {
    std::vector<std::string> command = training(problem, "run", 2);
    command.insert(command.end(), {"--set", "problem.horizon=12"});
    for (const std::string& set : sets) command.insert(command.end(), {"--set", set});
    const cli::Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return (dir_ / "run" / "policy.safetensors").string();
  }
};

class Agents : public AgentTest, public testing::WithParamInterface<std::string> {};

TEST_P(Agents, ActAsTheyArePlayed) {
  const std::string policy = trained(GetParam());
  const cli::Outcome played =
      run({"play", "run", "--trace", "--json", "--seed", "4", "--episode", "9"});
  ASSERT_EQ(played.status, 0) << played.err;
  const Json steps = Json::parse(played.out)["steps"];
  ASSERT_FALSE(steps.empty());

  // The policy moves away from its run: it needs nothing else of it.
  const std::string alone = path("alone.safetensors");
  cli::fs::rename(policy, alone);
  cli::fs::remove_all(dir_ / "run");
  Agent agent = Agent::load(alone);
  Config config;
  config.set("problem.horizon=12");
  const auto simulator = problems().at(GetParam()).make(config)->simulator();
  ASSERT_EQ(agent.observation_size(), simulator->observation_size());
  ASSERT_EQ(agent.names().observation.size(), static_cast<std::size_t>(agent.observation_size()));
  ASSERT_EQ(agent.names().action.size(), static_cast<std::size_t>(agent.action_size()));

  const std::uint64_t seed = derive_seed(4, kEvaluationPurpose);
  Rng latent(seed, Use::kLatent, 9), state(seed, Use::kState, 9);
  std::vector<double> o(agent.observation_size());
  simulator->reset(latent, state);
  simulator->observe(state, o);
  agent.reset(4, 9);
  for (std::uint32_t t = 0; t < steps.size(); ++t) {
    const auto chosen = agent.act(o);
    const std::vector<double> action(chosen.begin(), chosen.end());
    const Json& step = steps[t];
    ASSERT_EQ(step["belief"].get<std::vector<float>>(),
              std::vector<float>(agent.belief().begin(), agent.belief().end()));
    ASSERT_EQ(agent.names().belief.size(), agent.belief().size());
    ASSERT_EQ(agent.names().estimate.size(), agent.estimate().size());
    ASSERT_EQ(step["belief_entropy"].get<double>(), agent.entropy());
    if (agent.names().action_values.empty()) {
      ASSERT_EQ(step["action"].get<std::vector<double>>(), action);
    } else {
      ASSERT_EQ(step["action"], agent.names().action_values[static_cast<std::size_t>(action[0])]);
    }
    Rng rng(seed, Use::kWorld, 9, t);
    ASSERT_EQ(step["reward"].get<double>(), simulator->step(action, rng).reward);
    simulator->observe(rng, o);
    ASSERT_TRUE(agent.observe(action, o));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Agents, testing::ValuesIn(problems().names()),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "was accepted";
  return "";
}

TEST_F(AgentTest, IsToldThingsInTheirOrder) {
  Agent agent = Agent::load(trained("tiger"));
  EXPECT_EQ(agent.names().observation_values[2], "nothing");
  EXPECT_EQ(agent.names().action_values[1], "open-left");
  const std::vector<float> prior{0.5f, 0.5f};
  const auto belief = [&] {
    return std::vector<float>(agent.belief().begin(), agent.belief().end());
  };
  EXPECT_EQ(belief(), prior);
  const std::vector<double> nothing{2.0}, left{0.0}, listen{0.0};
  EXPECT_NE(refusal([&] { agent.observe(listen, left); }).find("act()"), std::string::npos);
  const std::vector<double> first(agent.act(nothing).begin(), agent.act(nothing).end());
  EXPECT_EQ(first, std::vector<double>(agent.act(nothing).begin(), agent.act(nothing).end()))
      << "asked twice, it answers the same";
  EXPECT_NE(refusal([&] { agent.act(left); }).find("observe()"), std::string::npos);
  agent.observe(listen, left);
  EXPECT_NEAR(agent.belief()[0], 0.85, 1e-6);
  EXPECT_EQ(agent.estimate()[0], 0.0f);
  EXPECT_LT(agent.entropy(), 0.5);
  agent.act(left);
  EXPECT_NE(refusal([&] { agent.observe(listen, std::vector<double>{3.0}); }).find("0 to 2"),
            std::string::npos);
  agent.reset(1);
  EXPECT_EQ(belief(), prior);
}

TEST_F(AgentTest, NamesWhatItBelieves) {
  using Names = std::vector<std::string>;
  const auto names = [&](const std::string& problem, const Names& sets = {}) {
    const AgentNames out = Agent::load(trained(problem, sets)).names();
    cli::fs::remove_all(dir_ / "run");
    return out;
  };
  EXPECT_EQ(names("tiger").belief, (Names{"tiger's door = left", "tiger's door = right"}));
  const AgentNames chain = names("chain", {"problem.tying=semi", "problem.bins=2"});
  EXPECT_EQ(chain.belief, (Names{"slip of A = 0.25", "slip of A = 0.75", "slip of B = 0.25",
                                 "slip of B = 0.75"}));
  EXPECT_EQ(chain.estimate, (Names{"slip of A", "slip of B"}));
  const AgentNames light = names("lightdark");
  EXPECT_EQ(light.belief, (Names{"mean of x", "mean of y", "variance"}));
  EXPECT_EQ(light.estimate, (Names{"x", "y"}));
  const AgentNames rocks = names("rocksample", {"problem.k=1"});
  EXPECT_EQ(rocks.belief, rocks.latent);
  EXPECT_EQ(rocks.estimate, rocks.latent);
  if (!problems().contains("half-cheetah")) return;
  const AgentNames cheetah = names("half-cheetah", {"problem.bins=2"});
  EXPECT_EQ(cheetah.belief.size(), 4u);
  EXPECT_EQ(cheetah.belief[1], "size of the front = 0.9, size of the back = 1.1");
  EXPECT_EQ(cheetah.belief[2], "size of the front = 1.1, size of the back = 0.9");
}

TEST_F(AgentTest, GoesOnAfterTheHorizon) {
  Agent agent = Agent::load(trained("chain"));
  std::vector<double> o{0.0};
  for (int t = 0; t < 100; ++t) {
    const double a = agent.act(o)[0];
    o[0] = a == 0.0 ? std::min(o[0] + 1.0, 4.0) : 0.0;
    ASSERT_TRUE(agent.observe(std::vector<double>{a}, o));
  }
  EXPECT_LT(agent.estimate()[0], 0.1f) << "it never slipped";
}

TEST_F(AgentTest, RefusesAPolicyThatSeesTheLatent) {
  std::vector<std::string> command = training("tiger", "run", 1, {"--algo", "oracle"});
  ASSERT_EQ(run(command).status, 0);
  EXPECT_NE(refusal([&] { Agent::load(path("run/policy.safetensors")); }).find("true latent"),
            std::string::npos);
}

TEST_F(AgentTest, RefusesDamagedAndForeignFiles) {
  const std::string policy = trained("tiger"), bytes = cli::slurp(policy);
  const auto with = [&](const std::string& changed) {
    cli::spill(path("p"), changed);
    return refusal([&] { Agent::load(path("p")); });
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string out = bytes;
    const std::size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
  };
  EXPECT_NE(with(replaced("bpo-policy-3", "bpo-policy-9")).find("bpo-policy-9"), std::string::npos);
  EXPECT_NE(with(replaced("accuracy = 0.85", "accuracy = 0.86")).find("damaged"),
            std::string::npos);
  EXPECT_NE(with(replaced("open-left", "open-lift")).find("damaged"), std::string::npos);
  std::vector<std::string> damaged{"", bytes.substr(0, bytes.size() / 2), bytes.substr(0, 7),
                                   std::string(8, '\xff') + bytes.substr(8)};
  const std::size_t header = bytes.find("F32");  // tensors come after all of the metadata
  for (std::size_t at = 0; at < bytes.size(); at += at < header ? 5 : bytes.size() / 97 + 1) {
    damaged.push_back(bytes);
    damaged.back()[at] = static_cast<char>(bytes[at] ^ 4);
  }
  EXPECT_GT(damaged.size(), 200u);
  for (const std::string& changed : damaged) {
    const std::string said = with(changed);
    EXPECT_TRUE(said.starts_with(path("p") + ": ")) << said;
    const bool other_format = said.find("its format is") != said.npos;
    const char* remedy = other_format ? "`bpo train --config RUN/config.toml" : "`bpo resume RUN`";
    EXPECT_NE(said.find(remedy), std::string::npos) << said;
  }
  EXPECT_NE(refusal([&] { Agent::load(path("absent")); }).find("absent"), std::string::npos);
}

TEST_F(AgentTest, AnotherMeaningIsRefusedByName) {
  trained("chain");
  const auto refused = [&](const std::string& set, const std::vector<std::string>& words) {
    expect_refused({"eval", "run", "--set", set}, 2, words);
  };
  refused("problem.grid=endpoints", {"problem.grid", "belief.cells.0", "0.05", "new training"});
  refused("problem.bins=20", {"problem.bins", "belief.size", "new training"});
  refused("problem.clock=false", {"problem.clock", "observation", "new training"});
  EXPECT_EQ(run({"eval", "run", "--set", "problem.slip=0.2", "--episodes", "10"}).status, 0);
  Config cells;
  cells.set("problem.bins=100000");
  const std::clock_t before = std::clock();
  const std::string said =
      refusal([&] { open_bundle(path("run/policy.safetensors"), cells, false); });
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_NE(said.find("belief.size is 100000 instead of 10"), std::string::npos) << said;
#ifndef BPO_SANITIZED
  if (*kEmulator == '\0') EXPECT_LT(seconds, 1.0);
#endif
}

}  // namespace
}  // namespace bpo
