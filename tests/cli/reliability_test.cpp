// The same bits for any number of threads and through kill -9, SIGINT and SIGTERM; one process per
// run directory.
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

constexpr int kIterations = 150;

class ReliabilityTest : public CliTest {
 protected:
  std::vector<std::string> stoppable(const std::string& out) const {
    return training("tiger", out, kIterations, {"--checkpoint-seconds", "0.02"});
  }

  void expect_same_run(const std::string& a, const std::string& b) const {
    EXPECT_EQ(slurp(dir_ / a / "policy.safetensors"), slurp(dir_ / b / "policy.safetensors"));
    EXPECT_EQ(metrics(a), metrics(b));
    EXPECT_EQ(metrics(a).size(), static_cast<std::size_t>(kIterations));
    const auto ra = nlohmann::json::parse(slurp(dir_ / a / "result.json"));
    const auto rb = nlohmann::json::parse(slurp(dir_ / b / "result.json"));
    for (const char* key : {"mean", "exact_value", "steps", "best_iteration"}) {
      EXPECT_EQ(ra[key], rb[key]) << key;
    }
  }
};

TEST_F(ReliabilityTest, ThreadsDoNotChangeABit) {
  for (const char* problem : {"tiger", "chain"}) {
    for (const char* threads : {"1", "2", "3"}) {
      ASSERT_EQ(run(training(problem, std::string(problem) + threads, 10,
                             {"--threads", threads, "--set", "algo.baseline=network"}))
                    .status,
                0);
    }
    for (const char* threads : {"2", "3"}) {
      const std::string name(problem);
      EXPECT_EQ(slurp(dir_ / (name + "1") / "policy.safetensors"),
                slurp(dir_ / (name + threads) / "policy.safetensors"));
      EXPECT_EQ(metrics(name + "1"), metrics(name + threads));
    }
  }
}

TEST_F(ReliabilityTest, KilledAndResumedIsTheSameRun) {
  ASSERT_EQ(run(training("tiger", "whole", kIterations)).status, 0);
  {
    Process process(dir_, stoppable("killed"));
    ASSERT_TRUE(has_progressed("killed"));
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().status, 128 + SIGKILL);
  }
  ASSERT_FALSE(fs::exists(dir_ / "killed" / "result.json"));
  const std::size_t done = metrics("killed").size();
  EXPECT_GT(done, 0u);
  EXPECT_LT(done, static_cast<std::size_t>(kIterations));
  const Outcome resumed = run({"resume", "killed", "--threads", "1"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  expect_same_run("whole", "killed");
}

TEST_F(ReliabilityTest, KilledBeforeItsFirstCheckpoint) {
  ASSERT_EQ(run(training("tiger", "whole", kIterations)).status, 0);
  fs::create_directory(dir_ / "early");
  fs::copy_file(dir_ / "whole" / "config.toml", dir_ / "early" / "config.toml");
  ASSERT_EQ(run({"resume", "early"}).status, 0);
  expect_same_run("whole", "early");
}

TEST_F(ReliabilityTest, SignalsSaveAndNameTheResumeCommand) {
  ASSERT_EQ(run(training("tiger", "whole", kIterations)).status, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = "stopped" + std::to_string(signal);
    Process process(dir_, stoppable(out));
    ASSERT_TRUE(has_progressed(out));
    process.send(signal);
    const Outcome stopped = process.wait();
    EXPECT_EQ(stopped.status, 128 + signal) << stopped.err;
    EXPECT_NE(stopped.err.find("stopped at iteration"), std::string::npos) << stopped.err;
    EXPECT_NE(stopped.err.find("bpo resume " + out), std::string::npos) << stopped.err;
    EXPECT_EQ(run({"eval", out, "--episodes", "100"}).status, 0);
    ASSERT_EQ(run({"resume", out}).status, 0);
    expect_same_run("whole", out);
    const Outcome again = run({"resume", out});
    EXPECT_EQ(again.status, 0);
    EXPECT_NE(again.err.find("finished already"), std::string::npos);
  }
}

TEST_F(ReliabilityTest, SecondProcessIsLockedOut) {
  Process process(dir_, endless("busy", {"--checkpoint-seconds", "0.02"}));
  ASSERT_TRUE(has_progressed("busy"));
  expect_refused(training("tiger", "busy", 5), 3, {"busy", "another process"});
  expect_refused(training("tiger", "busy", 5, {"--force"}), 3, {"another process"});
  expect_refused({"resume", "busy"}, 3, {"another process"});
  EXPECT_EQ(run({"eval", "busy", "--episodes", "100"}).status, 0) << "reading needs no lock";
}

}  // namespace
}  // namespace bpo::cli
