// libbpo-runtime and the examples that use it.
#include <cmath>

#include "tests/export/exporting.h"
#include "tests/export/loaded_runtime.h"

namespace bpo {
namespace {

class RuntimeTest : public test::ExportTest {
 protected:
  std::string library() const { return build_directory() + "/libbpo-runtime.so"; }
  std::string policy() const { return path("run/policy.safetensors"); }

  /// The example's tiger goes by its own coin, so its mean of 200 episodes is held to that of `bpo
  /// eval`, within four standard errors of their difference: a right program fails one time in
  /// 16,000.
  void expect_tigers_return(const std::string& said) const {
    const Json measured = run_json({"eval", "run", "--episodes", "5000"});
    double found = 0.0;
    const auto at = said.find("tiger: return ");
    ASSERT_NE(at, std::string::npos) << said;
    ASSERT_EQ(std::sscanf(said.c_str() + at, "tiger: return %lf", &found), 1) << said;
    const double ci = measured["ci95"], spread = ci / 1.96 * std::sqrt(5000.0);
    EXPECT_GT(spread, 1.0) << "else any tiger would do";
    EXPECT_NEAR(found, measured["mean"].get<double>(),
                4.0 * spread * std::sqrt(1.0 / 200.0 + 1.0 / 5000.0) + 0.01);
  }
};

TEST_F(RuntimeTest, ActsAsTheAgent) {
  const test::Exportable cases[] = {
      {"tiger", "tiger", {}},
      {"chain", "chain", {}},
      {"lightdark", "lightdark", {}},
      {"moment", "lightdark", {"--set", "problem.filter=moment"}},
      {"particles",
       "lightdark",
       {"--set", "problem.filter=particle", "--set", "problem.particles=16"}},
      {"bridges", "problems/bridges.toml", {}},
      {"rocks", path("rocks.pomdpx"), {}}};
  const cli::Outcome written = run({"write-problem", "rocksample", path("rocks.pomdpx"), "--set",
                                    "problem.n=5", "--set", "problem.k=2"});
  ASSERT_EQ(written.status, 0) << written.err;
  for (const test::Exportable& one : cases) {
    SCOPED_TRACE(one.name);
    cli::fs::remove_all(path("run"));
    cli::fs::remove_all(path("c"));
    train(one);
    export_c();
    test::expect_golden(test::LoadedRuntime(library()), policy(), json_of("c/golden.json"));
    expect_played(8);
  }
}

/// As after a bpo_load that failed.
TEST_F(RuntimeTest, RefusesAnAgentThatIsNotThere) {
  const test::LoadedRuntime runtime(library());
  double o = 2.0, a = 0.0;
  float b = 0.0f;
  for (const int status :
       {runtime.observation_size(nullptr), runtime.action_size(nullptr),
        runtime.belief_size(nullptr), runtime.estimate_size(nullptr), runtime.reset(nullptr, 0, 0),
        runtime.act(nullptr, &o, &a), runtime.observe(nullptr, &a, &o), runtime.belief(nullptr, &b),
        runtime.estimate(nullptr, &b), runtime.max_models(nullptr, 4)}) {
    EXPECT_EQ(status, -1);
  }
  for (const double x :
       {runtime.entropy(nullptr), runtime.action_low(nullptr), runtime.action_high(nullptr)}) {
    EXPECT_TRUE(std::isnan(x));
  }
  EXPECT_EQ(runtime.problem_name(nullptr), nullptr);
  for (const auto& name : {runtime.observation_name, runtime.observation_value_name,
                           runtime.action_name, runtime.action_value_name, runtime.latent_name}) {
    EXPECT_EQ(name(nullptr, 0), nullptr);
  }
  EXPECT_NE(std::string(runtime.error(nullptr)).find("the agent is NULL"), std::string::npos);
  runtime.free(nullptr);
}

TEST_F(RuntimeTest, SaysWhatIsWrong) {
  const test::LoadedRuntime runtime(library());
  EXPECT_EQ(runtime.runtime_version(), BPO_RUNTIME_VERSION);
  EXPECT_EQ(runtime.load(path("absent").c_str()), nullptr);
  EXPECT_NE(std::string(runtime.error(nullptr)).find("absent"), std::string::npos);
  EXPECT_EQ(runtime.load(nullptr), nullptr);
  train({"tiger", "tiger", {}});
  bpo_agent* const agent = runtime.load(policy().c_str());
  ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
  EXPECT_STREQ(runtime.error(agent), "");
  EXPECT_STREQ(runtime.observation_name(agent, 0), "sound");
  EXPECT_STREQ(runtime.action_value_name(agent, 2), "open-right");
  EXPECT_EQ(runtime.action_value_name(agent, 3), nullptr);
  double action = 0.0;
  const double nonsense = 7.0, nothing = 2.0;
  EXPECT_EQ(runtime.act(agent, &nonsense, &action), -1);
  EXPECT_NE(std::string(runtime.error(agent)).find("0 to 2"), std::string::npos);
  EXPECT_EQ(runtime.observe(agent, &action, &nothing), -1) << "nothing was seen yet";
  EXPECT_EQ(runtime.act(agent, nullptr, &action), -1);
  EXPECT_EQ(runtime.max_models(agent, -1), -1);
  EXPECT_EQ(runtime.max_models(agent, 4), 0) << "there are none to bound";
  EXPECT_EQ(runtime.act(agent, &nothing, &action), 0) << "it still works";
  runtime.free(agent);
}

/// The contract says that a filter cuts an action off by itself.
TEST_F(RuntimeTest, AnActionMayBeToldBeforeOrAfterClipping) {
  train({"lightdark", "lightdark", {}});
  const test::LoadedRuntime runtime(library());
  std::vector<std::vector<float>> beliefs;
  for (const double stride : {0.5, 0.7, 0.4}) {
    bpo_agent* const agent = runtime.load(policy().c_str());
    ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
    EXPECT_EQ(runtime.action_high(agent), 0.5);
    const std::vector<double> o{2.0, 1.0, 0.0, 0.0}, executed{stride, -stride};
    std::vector<double> action(2);
    ASSERT_EQ(runtime.act(agent, o.data(), action.data()), 0);
    ASSERT_EQ(runtime.observe(agent, executed.data(), o.data()), 0);
    beliefs.emplace_back(3);
    ASSERT_EQ(runtime.belief(agent, beliefs.back().data()), 0);
    runtime.free(agent);
  }
  EXPECT_EQ(beliefs[0], beliefs[1]);
  EXPECT_NE(beliefs[0], beliefs[2]);
}

TEST_F(RuntimeTest, ShowsNothingButItsFunctions) {
  const auto [status, symbols] =
      test::shell("nm -D --defined-only '" + library() + "' | awk '{print $3}'");
  ASSERT_EQ(status, 0) << symbols;
  std::istringstream lines(symbols);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(line.starts_with("bpo_")) << line;
  }
  EXPECT_GT(count, 20);
}

TEST_F(RuntimeTest, TheExampleInCPlaysTiger) {
  train({"tiger", "tiger", {}});
  const std::string source = kSourcePath;
  const auto [built, words] =
      test::shell("gcc" + test::kStrict + source + "/examples/runtime/tiger.c -I '" + source +
                  "/bpo/agent' -L '" + build_directory() + "' -lbpo-runtime -Wl,-rpath,'" +
                  build_directory() + "' -o '" + path("tiger") + "'");
  ASSERT_EQ(built, 0) << words;
  const auto [status, said] = test::shell("'" + path("tiger") + "' '" + policy() + "'");
  EXPECT_EQ(status, 0) << said;
  EXPECT_NE(said.find("action 1: open-left\n"), std::string::npos) << said;
  expect_tigers_return(said);
  EXPECT_EQ(test::shell("'" + path("tiger") + "' /absent").first, 1);
}

TEST_F(RuntimeTest, TheExampleInPythonWalksTheChain) {
  train({"chain", "chain", {}});
  const auto [status, said] =
      test::shell("python3 '" + std::string(kSourcePath) + "/examples/runtime/chain.py' '" +
                  library() + "' '" + policy() + "'");
  EXPECT_EQ(status, 0) << said;
  EXPECT_NE(said.find("refused: observation: 7"), std::string::npos) << said;
  double total = 0.0, missed = 1.0;
  const auto at = said.find("chain: return");
  ASSERT_NE(at, std::string::npos) << said;
  ASSERT_EQ(
      std::sscanf(said.c_str() + at, "chain: return %lf, slip missed by %lf", &total, &missed), 2);
  EXPECT_LT(missed, 0.06) << "a hundred steps tell the slip";
}

}  // namespace
}  // namespace bpo
