// Sweeps by several workers, some of which are killed; `status` and `--stop-at`.
#include <sys/file.h>

#include <map>
#include <memory>
#include <random>

#include "tests/attack/artifacts.h"

namespace bpo::cli {
namespace {

class SweepTest : public CliTest {
 protected:
  void spill_sweep(const std::string& more) const {
    spill(dir_ / "sweep.toml",
          "problems = \"tiger\"\n" + more +
              "[set]\nalgo.iterations = 2\nalgo.hidden = 8\nalgo.validate_episodes = 20\n"
              "algo.baseline = \"linear\"\noptimizer.batch_steps = 100\n"
              "problem.horizon = 5\n");
  }
  static std::vector<std::string> worker() {
    return {"sweep", "sweep.toml", "--out",         "all", "--threads",
            "1",     "--quiet",    "--stale-after", "2"};
  }
  std::vector<std::string> files(const std::string& end) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "all")) {
      if (entry.path().string().ends_with(end)) found.push_back(entry.path().string());
    }
    return found;
  }
  int count(const std::string& end) const { return static_cast<int>(files(end).size()); }
};

TEST_F(SweepTest, FourWorkersOfWhichTwoAreKilledMakeEveryRunOnce) {
  constexpr int kRuns = 200;
  spill_sweep("methods = [\"bpo\", \"up-mle\"]\nseeds = 50\n[grid]\noptimizer.kl = [0.01, 0.02]\n");
  std::vector<std::unique_ptr<Process>> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(std::make_unique<Process>(dir_, worker()));
  std::mt19937 random(7);
  for (const int victim : {1, 3}) {
    const int from = 20 + static_cast<int>(random() % 60);
    ASSERT_TRUE(eventually([&] { return fs::exists(dir_ / "all") && count(".done") >= from; }));
    workers[static_cast<std::size_t>(victim)]->send(SIGKILL);
    workers[static_cast<std::size_t>(victim)]->wait();
  }
  for (const int living : {0, 2}) {
    const Outcome end = workers[static_cast<std::size_t>(living)]->wait();
    EXPECT_EQ(end.status, 0) << end.err;
    EXPECT_NE(end.out.find("done 200, running 0, failed 0, waiting 0"), std::string::npos)
        << end.out;
  }
  EXPECT_EQ(count(".done"), kRuns);
  EXPECT_EQ(count("/result.json"), kRuns);
  EXPECT_EQ(files(".part"), std::vector<std::string>{});
  EXPECT_EQ(count(".claim-1"), kRuns);
  EXPECT_LE(count(".claim-2"), 2) << "only what a killed worker had is claimed again";
  // A run is what `bpo train` makes of the same options.
  std::vector<std::string> alone = training("tiger", "alone", 2, {"--seed", "7"});
  for (const char* set : {"algo.hidden=8", "algo.validate_episodes=20", "optimizer.batch_steps=100",
                          "problem.horizon=5", "optimizer.kl=0.02"}) {
    alone.insert(alone.end(), {"--set", set});
  }
  ASSERT_EQ(run(alone).status, 0);
  EXPECT_EQ(difference(artifacts(dir_ / "alone"), artifacts(dir_ / "all/tiger-kl=0.02/bpo/seed-7")),
            "");
}

TEST_F(SweepTest, WhatFailedIsToldAndTriedAgain) {
  spill_sweep("seeds = 3\n");
  fs::create_directories(dir_ / "all/tiger/bpo/seed-1");
  spill(dir_ / "all/tiger/bpo/seed-1/mine.txt", "keep");
  const Outcome first = run(worker());
  EXPECT_EQ(first.status, 4) << first.err;
  EXPECT_NE(first.out.find("done 2, running 0, failed 1"), std::string::npos) << first.out;
  std::vector<std::string> status = worker();
  status.push_back("--status");
  EXPECT_NE(run(status).out.find("not a run (there is 'mine.txt')"), std::string::npos);
  fs::remove(dir_ / "all/tiger/bpo/seed-1/mine.txt");
  EXPECT_EQ(run(worker()).status, 4) << "a failure stays until somebody asks";
  std::vector<std::string> retry = worker();
  retry.push_back("--retry-failed");
  const Outcome last = run(retry);
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_NE(last.out.find("1 runs made here"), std::string::npos) << last.out;
}

/// A file that another program left there is one run's trouble.
TEST_F(SweepTest, AForeignLockFailsItsRunAlone) {
  spill_sweep("seeds = 2\n");
  fs::create_directories(dir_ / "all/tiger/bpo/seed-0");
  spill(dir_ / "all/tiger/bpo/seed-0/.lock", "mine");
  const Outcome end = run(worker());
  EXPECT_EQ(end.status, 4) << end.err;
  EXPECT_NE(end.out.find("done 1, running 0, failed 1"), std::string::npos) << end.out;
}

/// A stopped worker keeps its lock, so nobody can have its run; the others end and say whose it is.
TEST_F(SweepTest, AStoppedWorkerIsNotWaitedForForEver) {
  spill_sweep("seeds = [0, 1, 2]\n[grid]\nalgo.iterations = [10000]\n");
  Process stopped(dir_, worker());
  const fs::path first = dir_ / "all/tiger-iterations=10000/bpo/seed-0";
  ASSERT_TRUE(eventually([&] { return fs::exists(first / "config.toml"); }));
  stopped.send(SIGSTOP);
  const std::string pid = std::to_string(stopped.pid());
  Process other(dir_, worker());
  const Outcome end = other.wait();
  EXPECT_EQ(end.status, 3) << end.err;
  EXPECT_NE(end.err.find("seed-0"), std::string::npos) << end.err;
  EXPECT_NE(end.out.find("done 2, running 0, failed 0, waiting 1"), std::string::npos) << end.out;
  std::vector<std::string> status = worker();
  status.push_back("--status");
  const std::string told = run(status).out;
  EXPECT_NE(told.find("process " + pid), std::string::npos) << told;
  EXPECT_NE(told.find("in use: end that process"), std::string::npos) << told;
  stopped.send(SIGKILL);
  stopped.wait();
  const Outcome again = run(worker());
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("1 runs made here"), std::string::npos) << again.out;
}

/// Nobody has a failed run, so it need not be waited for until its claim is stale.
TEST_F(SweepTest, WhatFailedIsFreeAtOnce) {
  spill_sweep("seeds = 1\n");
  fs::create_directories(dir_ / "all/tiger/bpo/seed-0");
  spill(dir_ / "all/tiger/bpo/seed-0/mine.txt", "keep");
  std::vector<std::string> patient = worker();
  patient.back() = "3600";
  ASSERT_EQ(run(patient).status, 4);
  fs::remove(dir_ / "all/tiger/bpo/seed-0/mine.txt");
  patient.push_back("--retry-failed");
  Process retry(dir_, patient);
  const bool done = eventually([&] { return count(".done") == 1; });
  if (!done) retry.send(SIGKILL);
  EXPECT_EQ(retry.wait().status, 0);
}

TEST_F(SweepTest, ARunThatIsInUseIsNotClaimedAgainAndAgain) {
  spill_sweep("seeds = 1\n");
  const fs::path run = dir_ / "all/tiger/bpo/seed-0";
  fs::create_directories(run);
  const int lock = ::open((run / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  Process process(dir_, worker());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  ::close(lock);
  const Outcome end = process.wait();
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_EQ(count(".claim-1"), 1);
  EXPECT_EQ(count(".claim-3"), 0);
}

TEST_F(SweepTest, AKilledWorkerIsNotToldAsRunning) {
  spill_sweep("seeds = 1\n");
  const fs::path claim = dir_ / "all/.sweep/tiger/bpo/seed-0.claim-1";
  fs::create_directories(claim.parent_path());
  spill(claim, "node7, process 4711\nbeat 3\n");
  std::vector<std::string> status = worker();
  status.push_back("--status");
  EXPECT_NE(run(status).out.find("running 1"), std::string::npos);
  fs::last_write_time(claim, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  const std::string told = run(status).out;
  EXPECT_NE(told.find("running 0, failed 0, waiting 1"), std::string::npos) << told;
  EXPECT_NE(told.find("node7, process 4711"), std::string::npos) << told;
  EXPECT_NE(told.find("not heard of for 30"), std::string::npos) << told;
}

/// As the mean time of those done says, where somebody works on the rest.
TEST_F(SweepTest, StatusTellsHowLongTheRestTakes) {
  spill_sweep("seeds = 3\n");
  std::vector<std::string> first = worker();
  first.insert(first.end(), {"--shard", "1/3"});
  ASSERT_EQ(run(first).status, 0);
  std::vector<std::string> status = worker();
  status.push_back("--status");
  const std::string idle = run(status).out;
  EXPECT_NE(idle.find("done 1, running 0, failed 0, waiting 2\n"), std::string::npos) << idle;
  // Half an hour for the one that is done: half of that for the one that runs, and one to follow.
  const fs::path done = dir_ / "all/.sweep/tiger/bpo/seed-0.done";
  ASSERT_TRUE(fs::exists(done));
  spill(done, "node7, process 4711\n1800\n");
  spill(dir_ / "all/.sweep/tiger/bpo/seed-1.claim-1", "node7, process 4711\nbeat 3\n");
  const std::string told = run(status).out;
  EXPECT_NE(told.find("done 1, running 1, failed 0, waiting 1; about 45 min 00 s left"),
            std::string::npos)
      << told;
}

TEST_F(SweepTest, AHalfWrittenNoteOfAKilledWorkerGoes) {
  spill_sweep("seeds = 1\n");
  ASSERT_EQ(run(worker()).status, 0);
  ASSERT_EQ(files(".done").size(), 1u);
  const fs::path note = files(".done").front();
  fs::rename(note, note.parent_path() / ("." + note.filename().string() + ".part"));
  const Outcome again = run(worker());
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(count(".done"), 1);
  EXPECT_EQ(files(".part"), std::vector<std::string>{});
}

TEST_F(SweepTest, ShardsShareTheRuns) {
  spill_sweep("seeds = 5\n");
  for (const char* shard : {"1/2", "2/2"}) {
    std::vector<std::string> one = worker();
    one.insert(one.end(), {"--shard", shard});
    const Outcome end = run(one);
    EXPECT_EQ(end.status, 0) << end.err;
    EXPECT_NE(end.out.find(shard[0] == '1' ? "3 runs made" : "2 runs made"), std::string::npos);
  }
}

TEST_F(SweepTest, BadFilesAreRefusedBeforeAnythingIsMade) {
  spill(dir_ / "sweep.toml", "problems = \"tigr\"\n");
  expect_refused(worker(), 2, {"tigr", "did you mean 'tiger'"});
  spill(dir_ / "sweep.toml", "problems = \"tiger\"\n[grid]\noptimizer.kll = [1]\n");
  expect_refused(worker(), 2, {"optimizer.kll", "did you mean"});
  EXPECT_FALSE(fs::exists(dir_ / "all"));
}

TEST_F(SweepTest, StopAtEndsCleanlyWithItsOwnStatus) {
  std::vector<std::string> command = endless("run", {"--stop-at", "1s"});
  nlohmann::json status;
  // Whoever starts the program may have blocked the alarm's signal.
  const auto block_alarm = [] {
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::sigprocmask(SIG_BLOCK, &alarm, nullptr);
  };
  // On a busy machine a second may be over before the first iteration is.
  for (const char* more : {"2s", "8s", "32s"}) {
    const Outcome end = run(command, block_alarm);
    EXPECT_EQ(end.status, 75) << end.err;
    EXPECT_NE(end.err.find("continue with: bpo resume run"), std::string::npos) << end.err;
    status = run_json({"status", "run"});
    EXPECT_EQ(status[0]["state"], "stopped");
    EXPECT_EQ(status[0]["iterations"], 1000000);
    if (status[0]["iteration"].get<int>() > 0) break;
    command = {"resume", "run", "--stop-at", more};
  }
  EXPECT_GT(status[0]["iteration"].get<int>(), 0);
  EXPECT_EQ(run({"resume", "run", "--stop-at", "0.5s"}).status, 75);
  for (const char* time : {"2", "h", "-1s", "1x", "", "1h2", "nans"}) {
    expect_refused({"resume", "run", "--stop-at", time}, 2, {"--stop-at", "1h30m"});
  }
}

TEST_F(SweepTest, StatusTellsWhatRuns) {
  Process process(dir_, endless("runs/a"));
  ASSERT_TRUE(has_progressed("runs/a"));
  ASSERT_EQ(run(training("tiger", "runs/b", 2, {"--set", "problem.horizon=10"})).status, 0);
  const nlohmann::json status = run_json({"status", "runs"});
  ASSERT_EQ(status.size(), 2u);
  EXPECT_EQ(status[0]["state"], "running");
  EXPECT_GT(status[0]["seconds_left"].get<double>(), 0.0);
  EXPECT_EQ(status[1]["state"], "finished");
  expect_refused({"status", "nothing"}, 2, {"nothing: there is no run"});
}

/// Only the end of metrics is read, however much there is.
TEST_F(SweepTest, StatusReadsTheEndOfMetricsOfAnySize) {
  ASSERT_EQ(run(training("tiger", "run", 2, {"--set", "problem.horizon=10"})).status, 0);
  const fs::path path = dir_ / "run/metrics.jsonl";
  const std::string metrics = slurp(path);
  fs::resize_file(path, std::uintmax_t{6} << 30);  // a hole, which takes no room
  std::ofstream(path, std::ios::app) << "\n" << metrics << "{\"iteration\": 3, \"sec";
  const Outcome outcome = run({"status", "run", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto status = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(status[0]["state"], "finished") << outcome.out;
  EXPECT_EQ(status[0]["iteration"], 2);
  if (*kEmulator == '\0') EXPECT_LT(outcome.peak_mb, 200);
}

}  // namespace
}  // namespace bpo::cli
