// A policy that cannot be used is refused with what would work. These tests do what the refusal
// says, word for word, and then use the policy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "bpo/agent/agent.h"
#include "bpo/core/tensorboard.h"
#include "bpo/nn/safetensors.h"
#include "bpo/runs/run.h"
#include "tests/cli/process.h"

namespace bpo {
namespace {

class RemediesTest : public cli::CliTest {
 protected:
  std::string refusal(const std::vector<std::string>& arguments) const {
    const cli::Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    return outcome.err;
  }

  /// Types the command that the refusal names: `bpo VERB ...`, where RUN is "run" and NEW is "new".
  void follow(const std::string& refusal, const std::string& verb) const {
    const std::size_t begin = refusal.find("`bpo " + verb);
    ASSERT_NE(begin, std::string::npos) << refusal;
    std::istringstream words(refusal.substr(begin + 5, refusal.find('`', begin + 1) - begin - 5));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) {
      if (word.starts_with("RUN")) word.replace(0, 3, "run");
      if (word == "NEW") word = "new";
      arguments.push_back(word);
    }
    const cli::Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << refusal << outcome.err;
  }

  std::string policy() const { return path("run/policy.safetensors"); }
  void expect_usable(const std::string& directory) const {
    const cli::Outcome outcome = run({"eval", directory, "--episodes", "10"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }

  /// A run as a version left it that did not know these options yet.
  void begin_without(std::vector<std::string> options, const std::vector<std::string>& sets) {
    Config config;
    for (const char* set : {"algo.iterations=2", "algo.validate_episodes=50",
                            "optimizer.batch_steps=500", "algo.hidden=8"}) {
      config.set(set);
    }
    for (const std::string& set : sets) config.set(set);
    RunPlan plan = make_plan(config);
    std::istringstream lines(plan.toml);
    std::string left;
    for (std::string line; std::getline(lines, line);) {
      const auto names = [&](const std::string& name) { return line.starts_with(name + " ="); };
      if (std::erase_if(options, names) == 0) left += line + "\n";
    }
    ASSERT_TRUE(options.empty()) << options.front() << " is no option";
    plan.toml = left;
    plan.run.settings = settings_hash(left);
    ThreadPool pool(1);
    NullLog log;
    Run::create(path("run"), std::move(plan), false, pool)->solve({}, 1e9, log);
  }
};

/// The parameter: whether the problem comes from a file.
class OldFormats : public RemediesTest, public testing::WithParamInterface<bool> {};

TEST_P(OldFormats, AreTrainedAnew) {
  const std::string file = std::string(kSourcePath) + "/examples/problems/bridges.toml";
  ASSERT_EQ(run(training(GetParam() ? file : "tiger", "run", 2)).status, 0);
  std::string bytes = cli::slurp(policy());
  const std::string now = "bpo-policy-3";
  const std::size_t at = bytes.find(now);
  ASSERT_NE(at, std::string::npos);
  for (const char* before : {"bpo-policy-1", "bpo-policy-2"}) {
    cli::spill(policy(), bytes.replace(at, now.size(), before));
    const std::string said = refusal({"eval", "run"});
    EXPECT_NE(said.find(before), std::string::npos) << said;
    EXPECT_EQ(said.find("bpo resume"), std::string::npos) << said;
    follow(said, "train");
    expect_usable("new");
    cli::fs::remove_all(path("new"));
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, OldFormats, testing::Bool(),
                         [](const auto& c) { return c.param ? "from_a_file" : "named"; });

TEST_F(RemediesTest, ADamagedPolicyIsWrittenFromTheCheckpoint) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           training("tiger", "run", 2),
           {"solve", "tiger", "--planner", "sarsop", "--out", "run", "--episodes", "10"}}) {
    ASSERT_EQ(run(command).status, 0);
    const std::string sound = cli::slurp(policy());
    std::string damaged = sound;
    damaged[sound.size() - 9] ^= 1;
    cli::spill(policy(), damaged);
    const std::string said = refusal({"eval", "run"});
    EXPECT_NE(said.find("remove it and let `bpo resume RUN`"), std::string::npos) << said;
    EXPECT_EQ(refusal({"resume", "run"}), said) << "what is there is not overwritten";
    cli::fs::remove(policy());
    follow(said, "resume");
    EXPECT_EQ(cli::slurp(policy()), sound);
    expect_usable("run");
    cli::fs::remove_all(path("run"));
  }
}

/// The file as somebody leaves it who changes what it says of itself and seals it again; as another
/// program writes it, where the settings are changed.
void reseal(const std::string& path, const std::string& key, const std::string& text) {
  TensorFile file = TensorFile::load(path);
  ASSERT_TRUE(file.metadata.contains(key)) << key;
  file.metadata[key] = text;
  try {
    if (key == "config") file.metadata["settings"] = settings_hash(text);
  } catch (const Error&) {  // they cannot be read
  }
  std::string parts;
  for (const char* described : {"network", "meaning", "config", "problem_file", "problem_source"}) {
    parts += fmt::format("{};", crc32c(file.metadata_at(described)));
  }
  file.metadata["description_crc32c"] = fmt::format("{:08x}", crc32c(parts));
  file.save(path);
}

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_F(RemediesTest, ANetworkThatWasEditedIsWrittenFromTheCheckpoint) {
  ASSERT_EQ(run(training("tiger", "run", 2)).status, 0);
  const std::string sound = cli::slurp(policy());
  const std::string network = TensorFile::load(policy()).metadata_at("network");
  // Sealed again as it was, it is the same to the byte, so it is the edit that is refused below.
  reseal(policy(), "network", network);
  EXPECT_EQ(cli::slurp(policy()), sound);
  int edits = 0;
  const auto refuses = [&](const std::string& key, const std::string& text,
                           const std::string& words) {
    cli::spill(policy(), sound);
    reseal(policy(), key, text);
    const std::string said = refusal({"eval", "run"});
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_NE(said.find("remove it and let `bpo resume RUN`"), std::string::npos) << said;
    EXPECT_LT(said.size(), 400u) << "the C interface has 511 characters, and paths can be long";
    cli::fs::remove(policy());
    follow(said, "resume");
    EXPECT_EQ(cli::slurp(policy()), sound);
    ++edits;
  };
  for (const char* key : {"hidden", "outputs", "state_inputs", "belief_inputs", "sees"}) {
    for (const char* value : {"1e18", "-1", "1e300", "\"x\"", "64", "null", "[[[]]]"}) {
      nlohmann::ordered_json edited = nlohmann::ordered_json::parse(network);
      ASSERT_TRUE(edited.contains(key)) << network;
      edited[key] = nlohmann::ordered_json::parse(value);
      refuses("network", edited.dump(), fmt::format("its {} is {}", key, edited[key].dump()));
    }
  }
  EXPECT_EQ(edits, 35);
  nlohmann::ordered_json longer = nlohmann::ordered_json::parse(network);
  longer["hidden"] = std::string(1000, '9');
  refuses("network", longer.dump(), "its hidden is \"999");
  refuses("network", "", "its description is ''");
  refuses("network", nested(200'000), "its description is '[[[");
  refuses("meaning", nested(200'000), "its meaning is not readable");
  refuses("meaning", "{\"observation\":" + nested(200'000) + "}", "its meaning is not readable");
}

TEST_F(RemediesTest, ABundleOfAnotherProgramIsNamedWithWhatWouldWork) {
  const std::string file = std::string(kSourcePath) + "/examples/problems/bridges.toml";
  ASSERT_EQ(run(training("tiger", "run", 1)).status, 0);
  ASSERT_EQ(run(training(file, "bridges", 1)).status, 0);
  const std::string alone = path("alone.safetensors");
  const auto refused = [&](const std::string& from, const std::string& key, const std::string& now,
                           const std::vector<std::string>& words, const std::string& was = "") {
    cli::spill(alone, cli::slurp(path(from + "/policy.safetensors")));
    std::string text = TensorFile::load(alone).metadata_at(key);
    const std::size_t at = text.find(was);
    ASSERT_NE(at, std::string::npos) << text;
    reseal(alone, key, was.empty() ? now : text.replace(at, text.find('\n', at) - at, now));
    try {
      Agent::load(alone);
      ADD_FAILURE() << now << " was accepted";
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_EQ(error.code(), ErrorCode::kBadInput) << said;
      EXPECT_NE(said.find(alone + ": "), std::string::npos) << said;
      EXPECT_LT(said.size(), 400u) << said;
      for (const std::string& word : words) {
        EXPECT_NE(said.find(word), std::string::npos) << word << " is not in " << said;
      }
    }
  };
  const std::string other = "; use the version or build that wrote the file, or train anew",
                    copy = "; copy the file anew, or remove it and let `bpo resume RUN`";
  const auto settings = [&](const std::string& was, const std::string& now,
                            const std::string& words) {
    refused("run", "config", now, {words, other}, was + " = ");
  };
  settings("accuracy", "foo = 1", "unknown key 'problem.foo'");
  settings("accuracy", "accuracy = 7", "must be a number in [0.5, 1]");
  settings("problem", "problem = \"mine\"", "its problem 'mine' is not in this program");
  settings("algorithm", "algorithm = \"mine\"", "run.algorithm = \"mine\"");
  settings("hidden", "hidden = 1000000000000", "must be an integer in [8, 1024]");
  refused("run", "config", "]", {"config:1:1: ", copy});
  for (const char* source : {"", "kind = \"latent-mdp\"\n"}) {
    refused("bridges", "problem_source", source, {"problem.toml: is not the file", copy});
  }

  // What is wrong with a person's own words is said as ever.
  for (const char* set : {"problem.acuracy=0.9", "problem.accuracy=7"}) {
    const std::string said = refusal({"eval", "run", "--set", set});
    EXPECT_NE(said.find("--set"), std::string::npos) << said;
    EXPECT_EQ(said.find("build"), std::string::npos) << said;
  }
}

TEST_F(RemediesTest, ADamagedImportIsImportedAgain) {
  ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
  ASSERT_EQ(run({"solve", "t.pomdp", "--planner", "sarsop", "--out", "s"}).status, 0);
  const std::vector<std::string> import{"import-policy", "t.pomdp", "s/appl.policy",
                                        "--out",         "run",     "--force"};
  ASSERT_EQ(run(import).status, 0);
  const std::string sound = cli::slurp(policy());
  cli::spill(policy(), sound.substr(0, sound.size() - 8));
  EXPECT_NE(refusal({"eval", "run"}).find("`bpo import-policy`"), std::string::npos);
  ASSERT_EQ(run(import).status, 0);
  EXPECT_EQ(cli::slurp(policy()), sound);
}

TEST_F(RemediesTest, ANetworkThatSettingsDoNotTellIsTrainedAnew) {
  // What is left out is "own" on LightDark today.
  begin_without({"spread", "value_steps"}, {"run.problem=lightdark", "algo.spread=shared"});
  const std::string said = refusal({"eval", "run"});
  EXPECT_NE(said.find("do not say algo.spread, algo.value_steps"), std::string::npos) << said;
  follow(said, "train");
  expect_usable("new");
}

TEST_F(RemediesTest, WhatOnlyTrainingNeedsIsNotMissedByAPolicy) {
  begin_without({"value_steps"}, {"run.problem=tiger"});
  expect_usable("run");
  const std::string said = refusal({"resume", "run"});
  EXPECT_NE(said.find("run/config.toml: does not say algo.value_steps"), std::string::npos) << said;
  follow(said, "train --config run/config.toml");
  expect_usable("new");
}

TEST_F(RemediesTest, AProblemThatSettingsDoNotTellIsTold) {
  begin_without({"accuracy"}, {"run.problem=tiger", "problem.accuracy=0.9"});
  const std::string said = refusal({"eval", "run"});
  EXPECT_NE(said.find("--set problem.accuracy=..."), std::string::npos) << said;
  const auto mean = [&](const std::string& accuracy) {
    return run_json({"eval", "run", "--set", "problem.accuracy=" + accuracy})["mean"];
  };
  EXPECT_GT(mean("0.9"), mean("0.6"));
  follow(said, "train");
  expect_usable("new");
}

}  // namespace
}  // namespace bpo
