// What a user can get wrong: each is refused with the right status, a message that says what would
// work, and nothing left on disk.
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using BadInputTest = CliTest;

TEST_F(BadInputTest, NamesGetADidYouMean) {
  expect_refused({"trian"}, 2, {"'trian'", "did you mean 'train'"});
  expect_refused({"train", "tigre"}, 2, {"'tigre'", "did you mean 'tiger'"});
  expect_refused({"train", "tiger", "--algo", "bpo-mnus"}, 2, {"did you mean 'bpo-minus'"});
  expect_refused({"train", "tiger", "--thread", "1"}, 2, {"did you mean '--threads'"});
  expect_refused({"train", "tiger", "--set", "problem.acuracy=1"}, 2,
                 {"did you mean 'problem.accuracy'"});
  expect_refused({"train", "chain", "--set", "problem.tying=seni"}, 2, {"did you mean 'semi'"});
  expect_refused({"list", "--options", "chian"}, 2, {"did you mean 'chain'"});
  expect_refused({"list", "algoritms"}, 2, {"did you mean 'algorithms'"});
  expect_refused({"bench", "tigr"}, 2, {"did you mean 'tiger'"});
  EXPECT_FALSE(fs::exists(dir_ / "runs"));
}

TEST_F(BadInputTest, ValuesAreRefusedWithTheirKey) {
  expect_refused({"train", "tiger", "--set", "problem.accuracy=nan"}, 2, {"problem.accuracy"});
  expect_refused({"train", "tiger", "--set", "optimizer.kl=inf"}, 2, {"optimizer.kl"});
  expect_refused({"train", "tiger", "--set", "optimizer.lambda=1.5"}, 2, {"optimizer.lambda"});
  expect_refused({"train", "tiger", "--set", "algo.hidden=33"}, 2, {"algo.hidden"});
  expect_refused({"train", "chain", "--set", "problem.bins=100000000"}, 2, {"problem.bins"});
  expect_refused({"train", "chain", "--set", "problem.bins"}, 2, {"key=value"});
  expect_refused({"train", "tiger", "--algo", "trpo"}, 2, {"trpo", "tiger"});
  for (const char* seed : {"nan", "-1", "1.5", "99999999999999999999", ""}) {
    expect_refused({"train", "tiger", "--seed", seed}, 2, {"--seed"});
  }
  for (const char* threads : {"0", "-2", "inf", "100000000"}) {
    expect_refused({"train", "tiger", "--threads", threads}, 2, {"--threads"});
  }
  expect_refused({"train", "tiger", "--checkpoint-seconds", "nan"}, 2, {"--checkpoint-seconds"});
  expect_refused({"train", "tiger", "--seeds", "0"}, 2, {"--seeds"});
  EXPECT_FALSE(fs::exists(dir_ / "runs"));
}

TEST_F(BadInputTest, WhatIsMissing) {
  expect_refused({}, 2, {"--help"});
  expect_refused({"train"}, 2, {"which problem", "tiger"});
  expect_refused({"eval"}, 2, {"eval --help"});
  expect_refused({"eval", "nowhere"}, 2, {"nowhere", "not a run directory"});
  expect_refused({"play", "nowhere"}, 2, {"not a run directory"});
  expect_refused({"resume", "nowhere"}, 2, {"not a run directory"});
  expect_refused({"train", "tiger", "--config", "nowhere.toml"}, 5, {"nowhere.toml"});
}

TEST_F(BadInputTest, ConfigFileIsRefusedByItsLine) {
  spill(dir_ / "c.toml", "[problem]\naccuracy = 2.0\n");
  expect_refused({"train", "tiger", "--config", "c.toml"}, 2,
                 {"c.toml:2:", "problem.accuracy", "[0.5, 1]"});
  spill(dir_ / "c.toml", "[problem\n");
  expect_refused({"train", "tiger", "--config", "c.toml"}, 2, {"c.toml:1:"});
}

TEST_F(BadInputTest, OutputThatCannotBeWritten) {
  spill(dir_ / "file", "");
  expect_refused(training("tiger", "file/run", 2), 5, {"file/run", "Not a directory"});
  // A limit on the size of files stands for a disk that is full; root is not exempt from it.
  const Outcome full = run(training("tiger", "full", 2), [] {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(full.status, 5) << full.err;
  EXPECT_NE(full.err.find("full/checkpoint.safetensors"), std::string::npos) << full.err;
  EXPECT_FALSE(fs::exists(dir_ / "full" / "checkpoint.safetensors"));
  const Outcome list = run({"list"}, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(list.status, 5) << list.err;
}

TEST_F(BadInputTest, DiskThatFillsUpWhileTraining) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  fs::remove(dir_ / "r" / "policy.safetensors");
  const Outcome full = run({"resume", "r"}, [] {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(full.status, 5) << full.err;
  EXPECT_NE(full.err.find("r/policy.safetensors"), std::string::npos) << full.err;
  EXPECT_EQ(run({"resume", "r"}).status, 0) << "nothing is lost by it";
}

TEST_F(BadInputTest, ExistingRunIsNotOverwritten) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  const std::string before = slurp(dir_ / "r" / "policy.safetensors");
  expect_refused(training("tiger", "r", 3, {"--seed", "1"}), 2, {"bpo resume r", "--force"});
  expect_refused(training("tiger", "r", 3, {"--seeds", "2"}), 2, {"r:", "--force"});
  EXPECT_EQ(slurp(dir_ / "r" / "policy.safetensors"), before);
  EXPECT_EQ(run(training("tiger", "r", 3, {"--seed", "1", "--force"})).status, 0);
  EXPECT_NE(slurp(dir_ / "r" / "policy.safetensors"), before);
  EXPECT_EQ(metrics("r").size(), 3u);
}

TEST_F(BadInputTest, DivergedTrainingSavesItsPolicy) {
  // One step of one episode has no advantage over the mean: every update is taken back.
  expect_refused(training("chain", "d", 50,
                          {"--set", "optimizer.batch_steps=1", "--set", "problem.horizon=1"}),
                 4, {"10 updates in a row", "is in d"});
  EXPECT_EQ(run({"eval", "d", "--episodes", "100"}).status, 0);
  expect_refused({"resume", "d"}, 4, {"iteration 10"});
  EXPECT_FALSE(fs::exists(dir_ / "d" / "result.json"));
}

class DamagedFileTest : public CliTest {
 protected:
  void SetUp() override { ASSERT_EQ(run(training("tiger", "r", 2)).status, 0); }

  /// Every kind of damage to a file of the run is status 2 with the file's name.
  void expect_noticed(const std::string& name, const std::vector<std::string>& verb) const {
    const fs::path path = dir_ / "r" / name;
    const std::string good = slurp(path);
    std::string flipped = good;
    flipped[good.size() - 9] ^= 1;
    for (const std::string& bad :
         {std::string(), good.substr(0, 7), good.substr(0, good.size() / 2),
          good.substr(0, good.size() - 1), good + "x", flipped, std::string(1000, '\xff')}) {
      spill(path, bad);
      expect_refused(verb, 2, {name});
    }
    spill(path, good);
    EXPECT_EQ(run(verb).status, 0);
  }
};

TEST_F(DamagedFileTest, Policy) {
  expect_noticed("policy.safetensors", {"eval", "r", "--episodes", "10"});
}

TEST_F(DamagedFileTest, Checkpoint) { expect_noticed("checkpoint.safetensors", {"resume", "r"}); }

TEST_F(DamagedFileTest, FilesOfAnotherRun) {
  ASSERT_EQ(run(training("tiger", "other", 2, {"--seed", "7"})).status, 0);
  for (const char* name : {"policy.safetensors", "checkpoint.safetensors"}) {
    fs::copy_file(dir_ / "other" / name, dir_ / "r" / name, fs::copy_options::overwrite_existing);
  }
  expect_refused({"eval", "r"}, 2, {"policy.safetensors", "seed"});
  expect_refused({"resume", "r"}, 2, {"checkpoint.safetensors", "seed"});
}

TEST_F(DamagedFileTest, Config) {
  spill(dir_ / "r" / "config.toml", "[run]\nproblem = \"tigre\"\n");
  expect_refused({"eval", "r"}, 2, {"r/config.toml", "changed or cut"});
  fs::remove(dir_ / "r" / ".files");
  expect_refused({"eval", "r"}, 2, {"config.toml:2:", "did you mean 'tiger'"});
}

TEST_F(DamagedFileTest, MetricsShorterThanTheCheckpointSays) {
  spill(dir_ / "r" / "metrics.jsonl", "");
  expect_refused({"resume", "r"}, 5, {"metrics.jsonl"});
}

}  // namespace
}  // namespace bpo::cli
