// Trainings on several ranks end with the files of a training on one, to the byte; so do those that
// were killed on some number of ranks and resumed on another.
#include "tests/ranks/mpirun.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

struct Case {
  std::string name, problem, optimizer;
  int ranks = 1, threads = 1;
  bool by_messages = false;  // as on several machines

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class TrainingsOnRanks : public RanksTest {
 protected:
  static Arguments command(const Case& c, const std::string& out, int threads) {
    Arguments all =
        training(c.problem, out, 2,
                 {"--set", "optimizer.kind=" + c.optimizer, "--set", "algo.hidden=8", "--set",
                  "algo.baseline=network", "--quiet", "--threads", std::to_string(threads)});
    if (c.problem == "half-cheetah") {
      all.insert(all.end(), {"--set", "problem.horizon=20", "--set", "optimizer.batch_steps=320",
                             "--set", "algo.validate_episodes=16"});
    }
    return all;
  }

  /// False without robots.
  bool train_alone(const Case& c) const {
    const Outcome alone = run(command(c, "alone", 1));
    if (alone.err.find("unknown problem") != alone.err.npos) return false;
    EXPECT_EQ(alone.status, 0) << alone.err;
    return true;
  }

  /// How a training on ranks differs from the one alone; empty where it does not.
  std::string other_bits(const Case& c) const {
    // Without this component OpenMPI's ranks share no memory.
    if (c.by_messages) ::setenv("OMPI_MCA_osc", "^sm", 1);
    const Outcome together = run_on(c.ranks, command(c, "together", c.threads));
    ::unsetenv("OMPI_MCA_osc");
    if (together.status != 0) return wrong_end(together, {0});
    const bool same_policy =
        slurp(dir_ / "alone/policy.safetensors") == slurp(dir_ / "together/policy.safetensors");
    if (!same_policy) return "policy.safetensors differs";
    return difference(artifacts(dir_ / "alone"), artifacts(dir_ / "together"));
  }
};

class SameBits : public TrainingsOnRanks, public testing::WithParamInterface<Case> {};

TEST_P(SameBits, AsOnOneRank) {
  if (!train_alone(GetParam())) GTEST_SKIP() << "built without robots";
  EXPECT_EQ(other_bits(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Trainings, SameBits,
                         testing::Values(Case{"TigerTrpo", "tiger", "trpo", 4, 1},
                                         Case{"TigerPpo", "tiger", "ppo", 2, 2},
                                         Case{"ChainTrpo", "chain", "trpo", 4, 1},
                                         Case{"ChainPpo", "chain", "ppo", 3, 1},
                                         Case{"LightDarkTrpo", "lightdark", "trpo", 2, 2},
                                         Case{"LightDarkPpo", "lightdark", "ppo", 4, 1},
                                         Case{"HalfCheetahTrpo", "half-cheetah", "trpo", 3, 1},
                                         Case{"HalfCheetahPpo", "half-cheetah", "ppo", 2, 1}),
                         [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(ByMessages, SameBits,
                         testing::Values(Case{"TigerPpo", "tiger", "ppo", 3, 1, true},
                                         Case{"HalfCheetahTrpo", "half-cheetah", "trpo", 3, 1,
                                              true}),
                         [](const auto& c) { return c.param.name; });

TEST_F(TrainingsOnRanks, EveryNumberOfRanksAndThreads) {
  if (!full_torture()) GTEST_SKIP() << "a part of make torture";
  Tally tally("same bits on 1 to 4 ranks of 1 or 2 threads");
  for (const std::string problem : {"tiger", "chain", "lightdark", "half-cheetah"}) {
    for (const std::string optimizer : {"trpo", "ppo"}) {
      fs::remove_all(dir_ / "alone");
      if (!train_alone({"", problem, optimizer})) continue;  // built without robots
      for (int i = 0; i < 8; ++i) {
        fs::remove_all(dir_ / "together");
        const Case c{"", problem, optimizer, 1 + i / 2, 1 + i % 2};
        const std::string other = other_bits(c);
        tally.count(other.empty() ? "" : problem + " by " + optimizer + ": " + other);
      }
    }
  }
}

/// Killed on the first number of ranks, resumed on the second; 1 is the program without MPI.
class OtherRanks : public RanksTest, public testing::WithParamInterface<std::pair<int, int>> {
 protected:
  static constexpr int kIterations = 60;
  std::unique_ptr<Process> start_on(int ranks, const Arguments& arguments) const {
    return ranks == 1 ? std::make_unique<Process>(dir_, arguments)
                      : start(on_ranks(ranks, arguments));
  }
};

TEST_P(OtherRanks, GoOnToTheSameBits) {
  const auto [first, second] = GetParam();
  const Arguments more{"--set", "problem.horizon=10", "--threads", "1"};
  ASSERT_EQ(run(training("tiger", "whole", kIterations, more)).status, 0);
  Arguments stopped = training("tiger", "stopped", kIterations, more);
  stopped.insert(stopped.end(), {"--checkpoint-seconds", "0"});
  auto process = start_on(first, stopped);
  ASSERT_TRUE(eventually([&] { return metrics_lines("stopped") >= 5; }));
  if (first > 1) {
    for (int rank = 0; rank < first; ++rank) {
      if (const pid_t pid = process_of(process->pid(), rank)) ::kill(pid, SIGKILL);
    }
  }
  process->send(SIGKILL);
  process->wait();
  ASSERT_LT(metrics_lines("stopped"), kIterations);
  // The ranks of a killed mpirun may need a moment to end and let go of the directory.
  Outcome end;
  ASSERT_TRUE(eventually([&] {
    end = start_on(second, {"resume", "stopped", "--threads", "1"})->wait();
    return end.status != 3;
  }));
  ASSERT_EQ(end.status, 0) << end.err;
  EXPECT_EQ(difference(artifacts(dir_ / "whole"), artifacts(dir_ / "stopped")), "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, OtherRanks, testing::Values(std::pair(4, 1), std::pair(1, 4)),
                         [](const auto& p) {
                           return std::to_string(p.param.first) + "Then" +
                                  std::to_string(p.param.second);
                         });

TEST_F(RanksTest, MeasurementsAreTheSame) {
  ASSERT_EQ(run(training("chain", "run", 2, {"--set", "problem.horizon=10"})).status, 0);
  const Arguments eval{"eval", "run", "--episodes", "500", "--json", "--threads", "1"};
  const Outcome alone = run(eval), together = run_on(3, eval);
  ASSERT_EQ(together.status, 0) << together.err;
  EXPECT_EQ(without_clock_json(alone.out), without_clock_json(together.out));
  const Arguments compare{"compare", "run", "run", "--episodes", "200", "--threads", "1"};
  const Outcome by_one = run(compare), by_two = run_on(2, compare);
  ASSERT_EQ(by_one.status, 0) << by_one.err;
  ASSERT_EQ(by_two.status, 0) << by_two.err;
  EXPECT_NE(by_one.out.find("run"), std::string::npos) << by_one.out;
  EXPECT_EQ(by_one.out, by_two.out);
  const auto page = [&](int ranks, const std::string& name) {
    const Arguments report{"report", "run", "-o", name, "--episodes", "50", "--threads", "1"};
    const Outcome outcome = ranks == 1 ? run(report) : run_on(ranks, report);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return slurp(dir_ / name);
  };
  const std::string drawn = page(1, "alone.html");
  EXPECT_NE(drawn.find("<svg"), drawn.npos);
  EXPECT_EQ(page(3, "together.html"), drawn);
}

class PlansOnRanks : public RanksTest {
 protected:
  void expect_same(int ranks, const Arguments& solve) const {
    const auto into = [&](const char* out) {
      Arguments all = solve;
      all.insert(all.end(), {"--threads", "1", "--out", out});
      return all;
    };
    const Outcome alone = run(into("alone")), together = run_on(ranks, into("together"));
    ASSERT_EQ(alone.status, 0) << alone.err;
    ASSERT_EQ(together.status, 0) << together.err;
    EXPECT_EQ(difference(artifacts(dir_ / "alone"), artifacts(dir_ / "together")), "");
  }
};

TEST_F(PlansOnRanks, OfTables) {
  ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
  expect_same(2, {"solve", "t.pomdp", "--planner", "sarsop", "--episodes", "300"});
}

TEST_F(PlansOnRanks, ThatAreMadeWhileActing) {
  expect_same(3, {"solve", "lightdark", "--planner", "belief-ilqg", "--episodes", "4", "--set",
                  "problem.horizon=3"});
}

/// All but the page and the clocks: the runs, and what is told of them.
TEST_F(RanksTest, CampaignsAreTheSame) {
  const Outcome alone = run(small_campaign("alone")),
                together = run_on(2, small_campaign("together"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  ASSERT_EQ(together.status, 0) << together.err;
  const auto runs = [&](const char* out) {
    Artifacts all = artifacts(dir_ / out);
    std::erase_if(all, [](const auto& file) {
      return file.first.ends_with(".html") || file.first.starts_with("results/") ||
             file.first.starts_with("commands/");
    });
    return all;
  };
  EXPECT_GT(runs("alone").size(), 10u);
  EXPECT_EQ(difference(runs("alone"), runs("together")), "");
}

/// The grid's trainings and what is chosen by them.
TEST_F(RanksTest, TuningsAreTheSame) {
  const auto tuned = [&](int ranks, const std::string& out) {
    Arguments all{"reproduce",  "tune-tiger", "--quick", "--out",     out,
                  "--episodes", "50",         "--quiet", "--threads", "1"};
    for (const char* set : {"algo.iterations=2", "optimizer.batch_steps=200",
                            "algo.validate_episodes=20", "problem.horizon=5"}) {
      all.insert(all.end(), {"--set", set});
    }
    const Outcome outcome = ranks == 1 ? run(all) : run_on(ranks, all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(slurp(dir_ / out / "results/tune-tiger.json"), nullptr, false);
  };
  const auto alone = tuned(1, "alone"), together = tuned(2, "together");
  ASSERT_EQ(alone["series"].size(), 36u);
  for (std::size_t k = 0; k < 36; ++k) {
    EXPECT_EQ(alone["series"][k]["values"], together["series"][k]["values"]) << k;
  }
  EXPECT_EQ(alone["figures"], together["figures"]);
}

TEST_F(RanksTest, BadInputIsRefusedOnce) {
  const Outcome outcome = run_on(3, {"train", "tigr", "--out", "x"});
  EXPECT_EQ(outcome.status, 2);
  const std::string said = "bpo: error:";
  const std::size_t first = outcome.err.find(said);
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(said, first + 1), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean 'tiger'"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(dir_ / "x"));
}

}  // namespace
}  // namespace bpo::cli
