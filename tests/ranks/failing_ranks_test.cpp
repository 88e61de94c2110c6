// A rank that dies, stops, hangs or is of another kind ends the whole job within ten seconds, with
// a message that names it, and the run goes on from its last checkpoint.
#include <sys/ptrace.h>

#include "tests/ranks/mpirun.h"

namespace bpo::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 10.0;

class FailingRanks : public RanksTest {
 protected:
  /// Starts a training on three ranks, does something to one, and expects the end by its name.
  void expect_end(int rank, const std::function<bool(pid_t)>& harm, const std::string& word,
                  const std::string& between_checkpoints = "0") {
    auto job = start(on_ranks(
        3, endless("run", {"--threads", "1", "--checkpoint-seconds", between_checkpoints})));
    ASSERT_TRUE(has_progressed("run"));
    pid_t victim = 0;
    ASSERT_TRUE(eventually([&] { return (victim = process_of(job->pid(), rank)) != 0; }));
    const Clock::time_point start = Clock::now();
    ASSERT_TRUE(harm(victim)) << "not allowed here";
    const Outcome end = job->wait();
    const std::chrono::duration<double> taken = Clock::now() - start;
    EXPECT_NE(end.status, 0);
    EXPECT_LT(taken.count(), kMostSeconds);
    EXPECT_NE(end.err.find("rank " + std::to_string(rank)), std::string::npos) << end.err;
    EXPECT_NE(end.err.find(word), std::string::npos) << end.err;
    expect_whole();
  }

  /// The process hangs, and its heart goes on beating.
  static bool hold_main_thread(pid_t pid) {
    return ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 &&
           ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0;
  }

  /// Rank 1 is started by other words, and all is refused by what it has in another way.
  void expect_refused_rank(const Arguments& other, const std::string& fact) {
    const Arguments command = training("tiger", "run", 3);
    Arguments all = on_ranks(1, command);
    all.push_back(":");
    all.insert(all.end(), other.begin(), other.end());
    all.insert(all.end(), command.begin(), command.end());
    const Outcome end = start(all)->wait();
    EXPECT_EQ(end.status, 2) << end.err;
    EXPECT_NE(end.err.find(fact + ": rank 1 on "), std::string::npos) << end.err;
    EXPECT_FALSE(fs::exists(dir_ / "run"));
  }
  bool has_robots() const { return run({"list"}).out.find("half-cheetah") != std::string::npos; }
  /// One rank whose program has the library before all others.
  static Arguments with_preloaded(const std::string& name) {
    const fs::path library = fs::path(kJumpClockPath).parent_path() / ("lib" + name + ".so");
    EXPECT_TRUE(fs::exists(library));
    return {"-n", "1", "-x", "LD_PRELOAD=" + library.string(), kMpiBinaryPath};
  }
  /// Rank 1's program has another last letter wherever this one has the text.
  void expect_refused_build(const std::string& text, const std::string& fact) {
    std::string program = slurp(kMpiBinaryPath);
    int changed = 0;
    for (std::size_t at = 0; (at = program.find(text, at)) != program.npos; ++at) {
      program[at + text.size() - 1] = '9' - (text.back() == '9');
      ++changed;
    }
    ASSERT_GT(changed, 0);
    spill(dir_ / "other", program);
    fs::permissions(dir_ / "other", fs::perms::owner_all);
    expect_refused_rank({"-n", "1", (dir_ / "other").string()}, fact);
  }

  /// What is there resumes.
  void expect_whole() {
    const Outcome next = run({"resume", "run", "--time", "0.2", "--threads", "1"});
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_NE(next.err.find("stopped at iteration"), std::string::npos) << next.err;
  }
};

TEST_F(FailingRanks, Dead) {
  expect_end(
      1, [](pid_t pid) { return ::kill(pid, SIGKILL) == 0; }, "signal 9");
}

TEST_F(FailingRanks, Stopped) {
  expect_end(
      2, [](pid_t pid) { return ::kill(pid, SIGSTOP) == 0; }, "has been silent for");
}

TEST_F(FailingRanks, TheFirstStopped) {
  expect_end(
      0, [](pid_t pid) { return ::kill(pid, SIGSTOP) == 0; }, "has been silent for");
}

TEST_F(FailingRanks, Hung) { expect_end(1, hold_main_thread, "hangs"); }

/// Not while it writes: a disk may take any time.
TEST_F(FailingRanks, TheFirstHung) { expect_end(0, hold_main_thread, "hangs", "100"); }

TEST_F(FailingRanks, OtherArguments) {
  Arguments all = on_ranks(1, training("tiger", "run", 3));
  all.push_back(":");
  for (const std::string& word : on_ranks(1, training("tiger", "run", 4))) all.push_back(word);
  const Outcome end = start(all)->wait();
  EXPECT_EQ(end.status, 2) << end.err;
  EXPECT_NE(end.err.find("arguments: rank 1 on "), std::string::npos) << end.err;
  EXPECT_FALSE(fs::exists(dir_ / "run"));
}

/// Rank 1 is another build: this one with one letter changed in what it knows of itself.
TEST_F(FailingRanks, OtherBuild) {
  expect_refused_build(std::string("-march=") + BPO_ARCH, "compiler");
}

TEST_F(FailingRanks, OtherInstructionSet) {
  // So short that it is in one instruction where the compiler made the text of instructions.
  expect_refused_build(std::string(BPO_ARCH).substr(0, 8), "instruction set");
}

/// The same arguments mean something else to it, for one of its options has another name.
TEST_F(FailingRanks, OtherConfiguration) { expect_refused_build("cg_tolerance", "configuration"); }

TEST_F(FailingRanks, OtherProgramVersion) {
  const std::string version = run({"--version"}).out;  // bpo 0.1.0 (commit)
  const std::size_t begin = version.find('(') + 1, end = version.find(')');
  // So short that it is in one instruction where the compiler made the text of instructions.
  expect_refused_build(version.substr(begin, std::min<std::size_t>(8, end - begin)),
                       "program version");
}

TEST_F(FailingRanks, OtherMuJoCo) {
  if (!has_robots()) GTEST_SKIP() << "built without robots";
  expect_refused_rank(with_preloaded("other_mujoco"), "MuJoCo");
}

/// Where one alone runs into an error all end with its status, and it says who it is.
TEST_F(FailingRanks, OneWithAnError) {
  if (!has_robots()) GTEST_SKIP() << "built without robots";
  const Arguments command = training("half-cheetah", "run", 3);
  Arguments all = on_ranks(1, command);
  all.push_back(":");
  for (const std::string& word : with_preloaded("no_models")) all.push_back(word);
  all.insert(all.end(), command.begin(), command.end());
  const Outcome end = start(all)->wait();
  EXPECT_EQ(end.status, 2) << end.err;
  const std::size_t named = end.err.find("bpo: error: rank 1 on ");
  ASSERT_NE(named, std::string::npos) << end.err;
  EXPECT_NE(end.err.find("there are no models here", named), std::string::npos) << end.err;
  EXPECT_EQ(end.err.find("bpo: error: ", named + 1), std::string::npos) << end.err;
}

/// By a plain `srun` each task would train alone. Below mpirun Slurm's variables say nothing.
TEST_F(FailingRanks, StrangersThatSrunStarted) {
  const auto in_a_step = [] { ::setenv("SLURM_STEP_NUM_TASKS", "2", 1); };
  const Outcome end = Process(dir_, {}, [&] {
                        in_a_step();
                        ::execl(kMpiBinaryPath, "bpo-mpi", "list", nullptr);
                      }).wait();
  EXPECT_EQ(end.status, 2) << end.err;
  EXPECT_NE(end.err.find("start it by `srun --mpi=pmix`"), std::string::npos) << end.err;
  EXPECT_EQ(end.out, "");
  const Outcome by_mpirun = Process(dir_, {}, [&] {
                              in_a_step();
                              become_mpirun(on_ranks(1, {"list"}));
                            }).wait();
  EXPECT_EQ(by_mpirun.status, 0) << by_mpirun.err;
}

/// What another rank finds where it was started is not touched, and it needs nothing there.
TEST_F(FailingRanks, OnlyTheFirstWrites) {
  fs::create_directories(dir_ / "elsewhere");
  const Arguments command = training("tiger", "run", 3);
  Arguments all = on_ranks(1, command);
  all.insert(all.end(), {":", "-n", "1", "-wdir", (dir_ / "elsewhere").string(), kMpiBinaryPath});
  all.insert(all.end(), command.begin(), command.end());
  const Outcome end = start(all)->wait();
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(fs::exists(dir_ / "run/result.json"));
  EXPECT_TRUE(fs::is_empty(dir_ / "elsewhere"));
}

/// Rank 0 cannot write: all end, and only it says why.
TEST_F(FailingRanks, ADiskThatFails) {
  spill(dir_ / "file", "");
  const Outcome end = run_on(2, training("tiger", "file/run", 3));
  EXPECT_EQ(end.status, 5) << end.err;
  EXPECT_NE(end.err.find("bpo: error: file"), std::string::npos) << end.err;
}

}  // namespace
}  // namespace bpo::cli
