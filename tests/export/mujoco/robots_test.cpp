// Robots: the network alone in C and ONNX, network and filter through libbpo-runtime, which `bpo
// play` agrees with to the bit; and what a bound on simulated models does to the belief.
#include "tests/export/exporting.h"
#include "tests/export/loaded_runtime.h"

namespace bpo {
namespace {

class RobotExport : public test::ExportTest {
 protected:
  void make() {
    train({"cheetah", "half-cheetah", {"--set", "problem.horizon=30"}});
    export_c();
  }
  std::string library() const { return build_directory() + "/libbpo-runtime.so"; }
  std::string policy() const { return path("run/policy.safetensors"); }
};

TEST_F(RobotExport, TheNetworkAndTheRuntimeAgree) {
  make();
  const Json contract = json_of("c/contract.json");
  EXPECT_FALSE(contract["belief"]["inside"]);
  EXPECT_EQ(contract["rate"]["hz"], 100.0);
  EXPECT_EQ(contract["observation"]["numbers"][0]["unit"], "m");
  expect_same_bits_in_c();
  test::expect_golden(test::LoadedRuntime(library()), policy(), json_of("c/golden.json"));
  const Json golden = json_of("c/golden.json"),
             steps = run_json({"play", "run", "--trace", "--seed", "0", "--episode", "0"})["steps"];
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_EQ(steps[t]["action"], golden[0][t]["action"]);
    EXPECT_EQ(steps[t]["belief"], golden[0][t]["belief"]);
  }
  expect_agreement_in_onnx("half-cheetah");
}

/// A bound on models makes the belief flatter, and evidence that came late still counts.
TEST_F(RobotExport, ABoundPostponesEvidence) {
  make();
  const test::LoadedRuntime runtime(library());
  bpo_agent *const all = runtime.load(policy().c_str()), *const few =
                                                             runtime.load(policy().c_str());
  ASSERT_NE(all, nullptr) << runtime.error(nullptr);
  ASSERT_EQ(runtime.max_models(few, 8), 0);
  double first = 0.0, bounded = 0.0;
  int episodes = 0;
  for (const Json& sequence : json_of("c/golden.json")) {
    std::vector<double> executed, action(6);
    for (const Json& step : sequence) {
      const auto o = step["observation"].get<std::vector<double>>();
      for (bpo_agent* agent : {all, few}) {
        if (step["first"]) {
          runtime.reset(agent, step["seed"], step["episode"]);
        } else {
          ASSERT_EQ(runtime.observe(agent, executed.data(), o.data()), 0);
        }
        ASSERT_EQ(runtime.act(agent, o.data(), action.data()), 0) << runtime.error(agent);
        std::vector<float> belief(25);
        runtime.belief(agent, belief.data());
        float sum = 0.0f;
        for (const float p : belief) sum += p;
        EXPECT_NEAR(sum, 1.0f, 1e-5f);
      }
      executed = step["executed"].get<std::vector<double>>();
    }
    first += runtime.entropy(all);
    bounded += runtime.entropy(few);
    ++episodes;
  }
  EXPECT_GE(bounded / episodes, first / episodes - 1e-6);
  EXPECT_LT(bounded / episodes, 3.0) << "less than log 25: it learns all the same";
  runtime.free(all);
  runtime.free(few);
}

/// An episode may last as long as it likes.
TEST_F(RobotExport, GoesOnAfterTheHorizon) {
  make();
  const test::LoadedRuntime runtime(library());
  bpo_agent* const agent = runtime.load(policy().c_str());
  ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
  const Json step = json_of("c/golden.json")[0][0];
  const auto o = step["observation"].get<std::vector<double>>();
  const auto a = step["executed"].get<std::vector<double>>();
  std::vector<double> action(6);
  for (int t = 0; t < 200; ++t) {
    ASSERT_EQ(runtime.act(agent, o.data(), action.data()), 0) << runtime.error(agent);
    ASSERT_EQ(runtime.observe(agent, a.data(), o.data()), 0) << runtime.error(agent);
  }
  runtime.free(agent);
}

}  // namespace
}  // namespace bpo
