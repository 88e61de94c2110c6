// kill -9 at random moments: trainings and campaigns on one rank and on two, and sweeps, each
// killed several times and then let go on. On ranks it is mpirun that is killed, or one of them.
// Whatever was killed when, the files are in the end those of a run that nobody disturbed, and
// nothing half written is left. table.sh counts that there were 300 kills.
#include <chrono>

#include "tests/ranks/mpirun.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kKilled = 128 + SIGKILL;

struct Subject {
  std::string name;
  std::vector<std::string> command;  // the program's arguments; it writes into "out"
  int ranks = 1;
  bool resumed = false;  // or else the same command again
};

class Kills : public RanksTest, public Luck {
 protected:
  std::unique_ptr<Process> start(const Subject& subject, const std::vector<std::string>& words) {
    if (subject.ranks == 1) return std::make_unique<Process>(dir_, words);
    return RanksTest::start(on_ranks(subject.ranks, words));
  }

  /// The program, or where it is on ranks one of them as often as mpirun.
  void kill(const Subject& subject, const Process& process) {
    const int rank = below(2 * subject.ranks);
    const pid_t victim =
        subject.ranks > 1 && rank < subject.ranks ? process_of(process.pid(), rank) : 0;
    ::kill(victim > 0 ? victim : process.pid(), SIGKILL);
  }

  /// Kills it so many times, at most, and lets it end; says what is wrong then.
  std::string torture(const Subject& subject, const Artifacts& wanted, double seconds, int kills,
                      int& killed) {
    fs::remove_all(dir_ / "out");
    const auto words = [&] {
      return subject.resumed ? next_command(dir_, "out", subject.command) : subject.command;
    };
    // The others end with 5 where they notice before mpirun does that a rank is gone.
    const std::set<int> fine = subject.ranks == 1 ? std::set{0, kKilled} : std::set{0, kKilled, 5};
    for (int i = 0; i < kills; ++i) {
      const auto process = start(subject, words());
      std::this_thread::sleep_for(Seconds(seconds * uniform()));
      kill(subject, *process);
      const Outcome outcome = process->wait();
      killed += outcome.status != 0;
      if (!ranks_end()) return "ranks live on for ten seconds without their mpirun";
      if (const std::string wrong = wrong_end(outcome, fine); !wrong.empty()) return wrong;
      if (outcome.status == 0) break;
    }
    const Outcome end = start(subject, words())->wait();
    if (end.status != 0) return wrong_end(end, {0});
    return difference(wanted, lasting_artifacts(dir_ / "out"));
  }

  void torture_all(const Subject& subject, int kills) {
    const Clock::time_point begin = Clock::now();
    const Outcome whole = start(subject, subject.command)->wait();
    ASSERT_EQ(whole.status, 0) << subject.name << ": " << whole.err;
    const double seconds = Seconds(Clock::now() - begin).count();
    const Artifacts wanted = lasting_artifacts(dir_ / "out");
    Tally tally("kill -9, " + subject.name);
    int killed = 0;
    for (int tries = 0; killed < kills && tries < 20 * kills; ++tries) {
      const int before = killed;
      const std::string lost = torture(subject, wanted, seconds, 1 + below(5), killed);
      if (killed == before && lost.empty()) continue;
      tally.count(lost);
      tally.more(std::max(0, killed - before - 1));
    }
    EXPECT_GE(killed, kills);
  }
};

TEST_F(Kills, TrainingsOnOneRank) {
  torture_all({"train and resume, 1 rank", small_training("out", 40), 1, true}, amount(120, 8));
}

TEST_F(Kills, TrainingsOnTwoRanks) {
  if (std::string(kMpiBinaryPath).empty()) GTEST_SKIP() << "built without MPI";
  torture_all({"train and resume, 2 ranks", small_training("out", 40), 2, true}, amount(70, 2));
}

TEST_F(Kills, Sweeps) {
  spill(dir_ / "sweep.toml",
        "problems = \"tiger\"\nseeds = 4\n[set]\nalgo.iterations = 10\n"
        "algo.validate_episodes = 100\nalgo.baseline = \"linear\"\n"
        "optimizer.batch_steps = 1000\nproblem.horizon = 10\n");
  torture_all(
      {"sweep",
       {"sweep", "sweep.toml", "--out", "out", "--threads", "1", "--quiet", "--stale-after", "1"}},
      amount(50, 2));
}

TEST_F(Kills, CampaignsOnOneRank) {
  torture_all({"reproduce, 1 rank", small_campaign("out")}, amount(50, 2));
}

TEST_F(Kills, CampaignsOnTwoRanks) {
  if (std::string(kMpiBinaryPath).empty()) GTEST_SKIP() << "built without MPI";
  torture_all({"reproduce, 2 ranks", small_campaign("out"), 2}, amount(30, 1));
}

}  // namespace
}  // namespace bpo::cli
