// What the machine refuses, and inputs at the edge of what makes sense: a sentence and the
// documented status, never an abort, an endless loop or a surprise of gigabytes.
#include "bpo/core/any_problem.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo::cli {
namespace {

class LimitsAttack : public CliTest {
 protected:
  static void limit(decltype(RLIMIT_AS) what, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(what, &both);
  }
};

TEST_F(LimitsAttack, FewerThreadsThanAskedForGiveTheSameBits) {
  ASSERT_EQ(run(training("tiger", "free", 5)).status, 0);
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  // A thread's stack alone is eight megabytes of address space.
  int trained = 0;
  for (const rlim_t megabytes : {40, 80, 160, 320}) {
    const auto tight = [=] { limit(RLIMIT_AS, megabytes << 20); };
    const std::string out = "tight" + std::to_string(megabytes);
    const Outcome training_outcome = run(training("tiger", out, 5, {"--threads", "8"}), tight);
    const Outcome eval = run({"eval", "free", "--threads", "1024"}, tight);
    for (const Outcome& outcome : {training_outcome, eval}) {
      EXPECT_TRUE(outcome.status == 0 || outcome.status == 5) << outcome.status << outcome.err;
    }
    if (training_outcome.status != 0) continue;
    ++trained;
    EXPECT_TRUE(slurp(dir_ / "free/policy.safetensors") ==
                slurp(dir_ / out / "policy.safetensors"));
  }
  EXPECT_GT(trained, 0);
}

TEST_F(LimitsAttack, FarTooManyThreadsAreCutBackWithANotice) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  const Outcome outcome = run({"eval", "r", "--episodes", "100", "--threads", "1024"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("--threads 1024"), std::string::npos) << outcome.err;
  EXPECT_EQ(run({"eval", "r", "--episodes", "100", "--threads", "1"}).err, "");
}

TEST_F(LimitsAttack, FactorsThatCannotBeToldApart) {
  for (const char* robot : {"half-cheetah", "swimmer", "ant"}) {
    if (!problems().contains(robot)) continue;  // built without MuJoCo
    expect_refused(
        {"train", robot, "--set", "problem.low=0.8", "--set", "problem.high=0.8000000000000002"}, 2,
        {"problem.low", "problem.bins"});
    expect_refused({"train", robot, "--set", "problem.low=0.8", "--set",
                    "problem.high=0.8000000000000002", "--set", "problem.grid=endpoints"},
                   2, {"problem.high"});
  }
}

TEST_F(LimitsAttack, AFileThatGrowsTooLargeIsAFailedWrite) {
  const Outcome outcome = run(training("tiger", "r", 2), [] { limit(RLIMIT_FSIZE, 4096); });
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
}

TEST_F(LimitsAttack, ASignalEndsAMeasurement) {
  // Exact dynamic programming of this takes far longer than the training.
  const std::vector<std::string> words =
      training("chain", "r", 1,
               {"--set", "problem.tying=semi", "--set", "problem.horizon=60", "--set",
                "problem.bins=40", "--threads", "1"});
  for (const int signal : {SIGTERM, SIGINT}) {
    fs::remove_all(dir_ / "r");
    Process process(dir_, words);
    ASSERT_TRUE(eventually([&] {
      return metrics("r").size() == 1u && fs::exists(dir_ / "r" / "policy.safetensors");
    }));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto start = std::chrono::steady_clock::now();
    process.send(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 128 + signal) << outcome.err;
    EXPECT_NE(outcome.err.find("bpo resume r"), std::string::npos) << outcome.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
    EXPECT_FALSE(fs::exists(dir_ / "r" / "result.json"));
  }
}

TEST_F(LimitsAttack, ManySeedsTakeNoMoreMemoryThanOne) {
  if (!problems().contains("swimmer")) GTEST_SKIP() << "built without MuJoCo";
  const std::vector<std::string> words{"train", "swimmer",         "--out",   "r",   "--quiet",
                                       "--set", "problem.bins=20", "--seeds", "3000"};
  Process process(dir_, words);
  ASSERT_TRUE(eventually([&] { return fs::exists(dir_ / "r/seed-0/checkpoint.safetensors"); }));
  process.send(SIGTERM);
  EXPECT_LT(process.wait().peak_mb, 400);
}

/// A run that breaks down is noted like one that is refused; the others of its sweep are made.
TEST_F(LimitsAttack, ARunOfASweepWithoutMemoryFailsAlone) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer replaces the same functions as the preloaded library";
#endif
  spill(dir_ / "sweep.toml",
        "problems = \"tiger\"\nseeds = 2\n[set]\nalgo.iterations = 1\nalgo.hidden = 8\n"
        "optimizer.batch_steps = 100\nalgo.baseline = \"linear\"\n"
        "algo.validate_episodes = 20\nproblem.horizon = 4\n");
  int failed_alone = 0;
  for (int n = 3; n < 8; ++n) {
    fs::remove_all(dir_ / "all");
    const std::string plan = "memory:" + std::to_string(n) + ":ENOMEM";
    const std::vector<std::string> sweep{"sweep", "sweep.toml", "--out",         "all", "--threads",
                                         "1",     "--quiet",    "--stale-after", "1"};
    const Outcome end = run(sweep, [&] {
      ::setenv("BPO_FAIL", plan.c_str(), 1);
      ::setenv("LD_PRELOAD", kFailCallsPath, 1);
    });
    // Status 0: a library (MuJoCo 3) can do without that memory.
    EXPECT_TRUE(end.status == 0 || end.status == 4 || end.status == 5)
        << plan << ": " << end.status << end.err;
    if (end.status == 5) continue;
    const char* counts =
        end.status == 0 ? "done 2, running 0, failed 0" : "done 1, running 0, failed 1";
    EXPECT_NE(end.out.find(counts), std::string::npos) << end.out;
    if (end.status == 0) continue;
    const std::string told = run({"sweep", "sweep.toml", "--out", "all", "--status"}).out;
    failed_alone += told.find("out of memory") != told.npos;
  }
  EXPECT_GT(failed_alone, 0);
}

TEST_F(LimitsAttack, WhatDoesNotFitIsRefusedByName) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  const std::vector<std::string> words{"train",     "lightdark",
                                       "--out",     "r",
                                       "--set",     "problem.filter=particle",
                                       "--set",     "problem.particles=1000000",
                                       "--threads", "2"};
  const Outcome outcome = run(words, [] { limit(RLIMIT_AS, rlim_t{2} << 30); });
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("problem.particles"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(dir_ / "r"));
}

TEST_F(LimitsAttack, OneEpisodeOfManyParticlesTakesOneBelief) {
  ASSERT_EQ(run(training("lightdark", "r", 1,
                         {"--set", "problem.filter=particle", "--set", "problem.particles=4",
                          "--set", "problem.horizon=2"}))
                .status,
            0);
  const Outcome outcome =
      run({"eval", "r", "--episodes", "1", "--set", "problem.particles=1000000"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.peak_mb, 700) << "64 beliefs would take 3000";
}

}  // namespace
}  // namespace bpo::cli
