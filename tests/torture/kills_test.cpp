// kill -9 at random moments: trainings on one rank and on two, sweeps and campaigns, each killed
// several times and then let go on. Whatever was killed when, the files are in the end those of a
// run that nobody disturbed, and nothing half written is left.
#include <chrono>

#include "tests/ranks/mpirun.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Subject {
  std::string name;
  std::function<std::vector<std::string>()> command;  // of the program, into "out"
  int ranks = 1;
  bool resumed = false;  // or else the same command again
};

class Kills : public RanksTest, public Luck {
 protected:
  std::unique_ptr<Process> start(const Subject& subject, const std::vector<std::string>& words) {
    if (subject.ranks == 1) return std::make_unique<Process>(dir_, words);
    return std::make_unique<Process>(dir_, std::vector<std::string>{},
                                     [&] { become_mpirun(on_ranks(subject.ranks, words)); });
  }

  /// Kills it so many times, at most, and lets it end; says what is wrong then.
  std::string torture(const Subject& subject, const Artifacts& wanted, double seconds, int kills,
                      int& killed) {
    fs::remove_all(dir_ / "out");
    const std::vector<std::string> command = subject.command();
    const auto words = [&] {
      return subject.resumed ? next_command(dir_, "out", command) : command;
    };
    for (int i = 0; i < kills; ++i) {
      const auto process = start(subject, words());
      std::this_thread::sleep_for(Seconds(seconds * uniform()));
      process->send(SIGKILL);
      const Outcome outcome = process->wait();
      killed += outcome.status == 128 + SIGKILL;
      if (!ranks_end()) return "ranks live on for ten seconds without their mpirun";
      if (outcome.status == 0) break;
    }
    const Outcome end = start(subject, words())->wait();
    if (end.status != 0) return "ends with " + std::to_string(end.status) + ": " + end.err;
    return difference(wanted, outcome_of(dir_ / "out"));
  }

  /// Without pages, which tell when they were made, and without what says who made a run when.
  static Artifacts outcome_of(const fs::path& root) {
    Artifacts out = artifacts(root);
    std::erase_if(out, [](const auto& file) {
      return file.first.ends_with(".html") || file.first.starts_with(".sweep/") ||
             file.first.starts_with("results/");
    });
    return out;
  }

  void torture_all(const Subject& subject, int kills) {
    const Clock::time_point begin = Clock::now();
    const Outcome whole = start(subject, subject.command())->wait();
    ASSERT_EQ(whole.status, 0) << subject.name << ": " << whole.err;
    const double seconds = Seconds(Clock::now() - begin).count();
    const Artifacts wanted = outcome_of(dir_ / "out");
    Tally tally("kill -9, " + subject.name);
    for (int killed = 0, tries = 0; killed < kills && tries < 20 * kills; ++tries) {
      const int before = killed;
      const std::string lost = torture(subject, wanted, seconds, 1 + below(5), killed);
      if (killed == before) continue;
      tally.count(lost);
      tally.more(killed - before - 1);
    }
  }
};

TEST_F(Kills, TrainingsOnOneRank) {
  torture_all({"train and resume, 1 rank", [] { return small_training("out", 40); }, 1, true},
              full_torture() ? 120 : 12);
}

TEST_F(Kills, TrainingsOnTwoRanks) {
  if (std::string(kMpiBinaryPath).empty()) GTEST_SKIP() << "built without MPI";
  torture_all({"train and resume, 2 ranks", [] { return small_training("out", 40); }, 2, true},
              full_torture() ? 80 : 2);
}

TEST_F(Kills, Sweeps) {
  spill(dir_ / "sweep.toml",
        "problems = \"tiger\"\nseeds = 4\n[set]\nalgo.iterations = 10\n"
        "algo.validate_episodes = 100\nalgo.baseline = \"linear\"\n"
        "optimizer.batch_steps = 1000\nproblem.horizon = 10\n");
  torture_all({"sweep",
               [] {
                 return std::vector<std::string>{"sweep",   "sweep.toml",    "--out",
                                                 "out",     "--threads",     "1",
                                                 "--quiet", "--stale-after", "1"};
               }},
              full_torture() ? 60 : 2);
}

TEST_F(Kills, Campaigns) {
  torture_all({"reproduce",
               [] {
                 return std::vector<std::string>{"reproduce",
                                                 "fig-discretization",
                                                 "--quick",
                                                 "--out",
                                                 "out",
                                                 "--seeds",
                                                 "1",
                                                 "--episodes",
                                                 "50",
                                                 "--set",
                                                 "algo.iterations=2",
                                                 "--set",
                                                 "optimizer.batch_steps=300",
                                                 "--set",
                                                 "algo.validate_episodes=50",
                                                 "--set",
                                                 "problem.horizon=5",
                                                 "--quiet",
                                                 "--threads",
                                                 "1"};
               }},
              full_torture() ? 60 : 2);
}

}  // namespace
}  // namespace bpo::cli
