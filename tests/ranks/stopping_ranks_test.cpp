// Ranks that are asked to stop or held up from outside end together or go on together.
#include "tests/ranks/mpirun.h"

namespace bpo::cli {
namespace {

class StoppingRanks : public RanksTest {
 protected:
  /// An endless training whose only checkpoint is that of its end.
  static Arguments command(const Arguments& more = {}) {
    Arguments all = endless("run", {"--threads", "1", "--checkpoint-seconds", "1000"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  pid_t find(const Process& job, int rank) const {
    pid_t found = 0;
    EXPECT_TRUE(eventually([&] { return (found = process_of(job.pid(), rank)) != 0; }));
    return found;
  }
  /// It stopped after an iteration and wrote what it had.
  void expect_checkpoint() {
    EXPECT_GT(run_json({"status", "run"})[0]["iteration"].get<int>(), 0);
    EXPECT_TRUE(fs::exists(dir_ / "run/checkpoint.safetensors"));
    const int before = metrics_lines("run");
    const Outcome next = run({"resume", "run", "--time", "0.2", "--threads", "1"});
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_GT(metrics_lines("run"), before);
  }
};

TEST_F(StoppingRanks, TimeIsUpForAll) {
  Arguments now = command({"--stop-at", "2s"});
  // On a busy machine two seconds may be over before the first iteration is.
  for (const char* more : {"8s", "32s"}) {
    const Outcome end = run_on(2, now);
    ASSERT_EQ(end.status, 75) << end.err;
    EXPECT_NE(end.err.find("continue with: bpo resume run"), std::string::npos) << end.err;
    if (metrics_lines("run") > 0) break;
    now = {"resume", "run", "--stop-at", more};
  }
  expect_checkpoint();
}

class SignalToARank : public StoppingRanks,
                      public testing::WithParamInterface<std::pair<int, int>> {};

/// Whichever rank is told, all stop after the same iteration.
TEST_P(SignalToARank, StopsAll) {
  const auto [signal, rank] = GetParam();
  const auto job = start(on_ranks(2, command()));
  ASSERT_TRUE(has_progressed("run"));
  ::kill(find(*job, rank), signal);
  const Outcome end = job->wait();
  EXPECT_EQ(end.status, 128 + signal) << end.err;
  EXPECT_NE(end.err.find("continue with: bpo resume run"), std::string::npos) << end.err;
  expect_checkpoint();
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalToARank,
                         testing::Values(std::pair(SIGTERM, 0), std::pair(SIGINT, 1)),
                         [](const auto& p) {
                           return (p.param.first == SIGTERM ? "TermTo" : "IntTo") +
                                  std::to_string(p.param.second);
                         });

/// It has a status of its own for that.
TEST_F(StoppingRanks, ASignalToMpirunStopsAll) {
  const auto job = start(on_ranks(2, command()));
  ASSERT_TRUE(has_progressed("run"));
  job->send(SIGTERM);
  const Outcome end = job->wait();
  EXPECT_EQ(end.status, 1) << end.err;
  EXPECT_TRUE(ranks_end());
  expect_checkpoint();
}

/// For longer than any rank may be silent.
TEST_F(StoppingRanks, AJobThatIsSuspendedAsAWholeGoesOn) {
  const auto job = start(on_ranks(2, command()));
  ASSERT_TRUE(has_progressed("run"));
  const std::vector<pid_t> all{find(*job, 0), find(*job, 1), job->pid()};
  for (const pid_t pid : all) ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const int before = metrics_lines("run");
  std::this_thread::sleep_for(std::chrono::seconds(10));
  EXPECT_EQ(metrics_lines("run"), before);
  for (const pid_t pid : all) ASSERT_EQ(::kill(pid, SIGCONT), 0);
  EXPECT_TRUE(eventually([&] { return metrics_lines("run") > before; }));
  ::kill(all.front(), SIGTERM);
  const Outcome end = job->wait();
  EXPECT_EQ(end.status, 128 + SIGTERM) << end.err;
  expect_checkpoint();
}

TEST_F(StoppingRanks, ASweepRefusesThem) {
  spill(dir_ / "sweep.toml", "problems = \"tiger\"\n[set]\nalgo.iterations = 1\n");
  const Outcome end = run_on(2, {"sweep", "sweep.toml", "--out", "all", "--threads", "1"});
  EXPECT_EQ(end.status, 2) << end.err;
  EXPECT_NE(end.err.find("a sweep needs no ranks"), std::string::npos) << end.err;
  EXPECT_FALSE(fs::exists(dir_ / "all/tiger"));
}

/// Only the program for ranks needs MPI.
TEST_F(StoppingRanks, TheProgramItselfHasNoMpi) {
  const auto libraries = [&](const std::string& program) {
    const std::string out = (dir_ / "libraries").string();
    EXPECT_EQ(std::system(("ldd '" + program + "' > '" + out + "'").c_str()), 0);
    return slurp(out);
  };
  EXPECT_NE(libraries(kMpiBinaryPath).find("libmpi"), std::string::npos);
  const std::string found = libraries(kBinaryPath);
  EXPECT_NE(found.find("libstdc++"), std::string::npos) << found;
  EXPECT_EQ(found.find("libmpi"), std::string::npos) << found;
}

}  // namespace
}  // namespace bpo::cli
