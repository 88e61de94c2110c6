// Robots: the network alone in C and ONNX, network and filter through libbpo-runtime, which `bpo
// play` agrees with to the bit; and what a bound on simulated models does to the belief.
#include "bpo/problems/mujoco/robots.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

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
  /// The units of an observation's numbers, and of what is unknown; there is one for each.
  std::pair<Json, Json> units() const {
    const Json contract = json_of("c/contract.json");
    Json seen;
    for (const Json& number : contract["observation"]["numbers"]) seen.push_back(number["unit"]);
    for (const Json& number : contract["action"]["numbers"])
      EXPECT_TRUE(number["unit"].is_string());
    EXPECT_EQ(contract["belief"]["units"].size(), contract["belief"]["factors"].size());
    return {seen, contract["belief"]["units"]};
  }
};

TEST_F(RobotExport, TheNetworkAndTheRuntimeAgree) {
  make();
  const Json contract = json_of("c/contract.json");
  EXPECT_FALSE(contract["belief"]["inside"]);
  EXPECT_EQ(contract["belief"]["size"], 25);
  EXPECT_EQ(contract["rate"]["hz"], 100.0);
  EXPECT_TRUE(contract["delay"]["unknown"].empty());
  const test::LoadedRuntime runtime(library());
  bpo_agent* const agent = runtime.load(policy().c_str());
  ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
  const Json &observation = contract["observation"]["numbers"],
             &action = contract["action"]["numbers"];
  ASSERT_EQ(observation.size(), 18u);
  ASSERT_EQ(action.size(), 6u);
  for (int i = 0; i < 18; ++i) {
    EXPECT_EQ(observation[i]["name"], runtime.observation_name(agent, i));
    const bool slides = i % 9 < 2, speed = i >= 9;  // along x and z; all others turn
    EXPECT_EQ(observation[i]["unit"], std::string(slides ? "m" : "rad") + (speed ? "/s" : "")) << i;
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(action[i]["name"], runtime.action_name(agent, i));
    EXPECT_EQ(action[i]["low"], runtime.action_low(agent));
    EXPECT_EQ(action[i]["high"], runtime.action_high(agent));
  }
  EXPECT_EQ(units().second, (Json{"1", "1"})) << "factors of lengths";
  // The last factor is the fastest, which the estimate of the best cell tells.
  const Json golden = json_of("c/golden.json");
  const auto cells = contract["belief"]["cells"].get<std::vector<double>>();
  EXPECT_TRUE(contract["belief"]["joint"]);
  std::vector<double> chosen(6);
  bool apart = false;
  for (std::size_t t = 0; t == 0 || !golden[0][t]["first"]; ++t) {
    const auto o = golden[0][t]["observation"].get<std::vector<double>>();
    ASSERT_EQ(t == 0 ? 0 : runtime.observe(agent, chosen.data(), o.data()), 0);
    ASSERT_EQ(runtime.act(agent, o.data(), chosen.data()), 0);
    std::array<float, 25> belief;
    std::array<float, 2> estimate;
    ASSERT_EQ(runtime.belief(agent, belief.data()), 0);
    ASSERT_EQ(runtime.estimate(agent, estimate.data()), 0);
    const auto best = std::max_element(belief.begin(), belief.end()) - belief.begin();
    EXPECT_FLOAT_EQ(estimate[0], cells[best / 5]) << t;
    EXPECT_FLOAT_EQ(estimate[1], cells[best % 5]) << t;
    apart |= best / 5 != best % 5;
  }
  EXPECT_TRUE(apart) << "else the order would not matter";
  runtime.free(agent);
  expect_same_bits_in_c();
  test::expect_golden(runtime, policy(), golden);
  expect_played(5);
  expect_agreement_in_onnx("half-cheetah");
}

/// A second robot of the paper: by the network in C, by the runtime and by `bpo play`.
TEST_F(RobotExport, ASwimmerIsPlayed) {
  train({"swimmer", "swimmer", {"--set", "problem.horizon=20"}});
  export_c();
  const test::LoadedRuntime runtime(library());
  test::expect_golden(runtime, policy(), json_of("c/golden.json"));
  expect_same_bits_in_c();
  expect_played(5);
}

/// What golden episodes cost and end with under a bound.
struct Budget {
  double microseconds = 0.0, slowest = 0.0, entropy = 0.0;  // a step's times; an episode's end
  std::int64_t models = 0, most = 0;                        // simulated in all, and in one step
  int steps = 0, episodes = 0;
};

/// By the runtime, and by the filter itself, which counts its simulations.
class BoundedBelief {
  using HalfCheetahRobot = Robot<HalfCheetah>;
  using Filter = ModelGridFilter<HalfCheetahRobot>;

 public:
  BoundedBelief(const test::LoadedRuntime& runtime, const std::string& policy, int bound)
      : runtime_(runtime), agent_(runtime.load(policy.c_str())), belief_(robot_, filter_) {
    EXPECT_NE(agent_, nullptr) << runtime.error(nullptr);
    EXPECT_EQ(runtime.max_models(agent_, bound), 0) << runtime.error(agent_);
    belief_.make_room(1);
    belief_.limit_models(bound);
  }
  ~BoundedBelief() { runtime_.free(agent_); }

  Budget play(const nlohmann::json& golden) {
    Budget out;
    for (const auto& sequence : golden) {
      std::vector<double> executed;
      for (const auto& step : sequence) {
        const HalfCheetahRobot::Observation o = step["observation"];
        if (step["first"]) {
          if (!executed.empty()) end(out);
          runtime_.reset(agent_, step["seed"], step["episode"]);
          belief_.begin(0, o);
        } else {
          observe(executed, o, out);
        }
        std::array<double, HalfCheetah::kU> action;
        EXPECT_EQ(runtime_.act(agent_, o.data(), action.data()), 0) << runtime_.error(agent_);
        executed = step["executed"].get<std::vector<double>>();
      }
      end(out);
    }
    out.entropy /= out.episodes;
    out.microseconds /= out.steps;
    return out;
  }

 private:
  void observe(const std::vector<double>& executed, const HalfCheetahRobot::Observation& o,
               Budget& out) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(runtime_.observe(agent_, executed.data(), o.data()), 0) << runtime_.error(agent_);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    const std::int64_t before = belief_.simulated_likelihoods();
    const std::vector<float> action(executed.begin(), executed.end());
    EXPECT_TRUE(belief_.update(0, action, o));
    const std::int64_t models = belief_.simulated_likelihoods() - before;
    out.models += models;
    out.most = std::max(out.most, models);
    out.microseconds += took.count();
    out.slowest = std::max(out.slowest, took.count());
    ++out.steps;
  }
  void end(Budget& out) const {
    EXPECT_EQ(runtime_.entropy(agent_), belief_.entropy(0)) << "both are bounded alike";
    out.entropy += belief_.entropy(0);
    ++out.episodes;
  }

  static RobotOptions options() {
    RobotOptions out;
    out.horizon = 30;
    return out;
  }
  const test::LoadedRuntime& runtime_;
  bpo_agent* agent_;
  const HalfCheetahRobot robot_{options()};
  const Filter filter_{robot_};
  BeliefTracker<HalfCheetahRobot, Filter> belief_;
};

/// A bound on models is kept in every step and makes the belief flatter, and evidence that came
/// late still counts.
TEST_F(RobotExport, ABoundPostponesEvidence) {
  make();
  const test::LoadedRuntime runtime(library());
  double flatter = std::log(25.0);
  for (const int bound : {2, 4, 8, 0}) {
    const Budget b = BoundedBelief(runtime, policy(), bound).play(json_of("c/golden.json"));
    std::printf(
        "half-cheetah, at most %d models (0: no bound): %.1f us per step, %.1f the slowest; %.2f "
        "models "
        "per step, %d the most; entropy %.3f nats after %.1f steps\n",
        bound, b.microseconds, b.slowest, static_cast<double>(b.models) / b.steps,
        static_cast<int>(b.most), b.entropy, static_cast<double>(b.steps) / b.episodes);
    if (bound > 0) {
      EXPECT_EQ(b.most, bound) << "kept, and used where it is short";
    } else {
      EXPECT_GT(b.most, 8) << "those were bounds";
    }
    EXPECT_LT(b.entropy, flatter) << bound;
    flatter = b.entropy;
  }
}

/// A robot of a file whose filter is told the state: through the runtime as `bpo play` plays it,
/// and under a bound, which makes the belief flatter.
TEST_F(RobotExport, AHopperOfAFileIsPlayedAndBounded) {
  train({"hopper", "robots/hopper/hopper.toml", {"--set", "problem.horizon=30"}});
  export_c();
  const Json length = "m", speed = "m/s", angle = "rad", rate = "rad/s";
  const auto [seen, unknown] = units();
  EXPECT_EQ(seen,
            (Json{length, length, angle, angle, angle, angle, speed, speed, rate, rate, rate, rate,
                  length, angle,  angle, angle, angle, speed, speed, rate,  rate, rate, rate}))
      << "the state, then what the policy sees of it";
  EXPECT_EQ(unknown, (Json{"kg", "1", "1"}));
  const Json golden = json_of("c/golden.json");
  const test::LoadedRuntime runtime(library());
  test::expect_golden(runtime, policy(), golden);
  expect_played(5);
  double flatter = std::log(125.0) + 1e-9;
  for (const int bound : {2, 8, 0}) {
    bpo_agent* const agent = runtime.load(policy().c_str());
    ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
    ASSERT_EQ(runtime.max_models(agent, bound), 0) << runtime.error(agent);
    double sum = 0.0;
    std::vector<double> executed;
    for (const auto& sequence : golden) {
      for (const auto& step : sequence) {
        const auto o = step["observation"].get<std::vector<double>>();
        if (step["first"]) {
          runtime.reset(agent, step["seed"], step["episode"]);
        } else {
          ASSERT_EQ(runtime.observe(agent, executed.data(), o.data()), 0);
        }
        executed = step["executed"].get<std::vector<double>>();
        std::vector<double> action(executed.size());
        ASSERT_EQ(runtime.act(agent, o.data(), action.data()), 0) << runtime.error(agent);
      }
      sum += runtime.entropy(agent);
    }
    std::printf("hopper, at most %d models (0: no bound): entropy %.3f nats\n", bound,
                sum / static_cast<double>(golden.size()));
    EXPECT_LT(sum / static_cast<double>(golden.size()), flatter) << bound;
    flatter = sum / static_cast<double>(golden.size());
    runtime.free(agent);
  }
}

/// A robot that also sees a sensor.
TEST_F(RobotExport, AnArmOfAFileIsPlayed) {
  train({"arm", "robots/arm/arm.toml", {"--set", "problem.horizon=15"}});
  export_c();
  const auto [seen, unknown] = units();
  ASSERT_EQ(seen.size(), 19u) << "four joints, what the policy sees of them, and the tip";
  for (int i = 0; i < 19; ++i) {
    EXPECT_EQ(seen[i], i >= 16 ? "m" : i / 4 % 2 == 0 ? "rad" : "rad/s") << i;
  }
  EXPECT_EQ(unknown, (Json{"kg", "m"}));
  const test::LoadedRuntime runtime(library());
  test::expect_golden(runtime, policy(), json_of("c/golden.json"));
  expect_played(5);
}

/// Where each model keeps an estimate of the state none can be left for later; and a delay that is
/// unknown stands in the contract.
TEST_F(RobotExport, ACartPoleOfAFileIsPlayedAndCannotBeBounded) {
  train({"cart", "robots/cart-pole/cart-pole.toml", {"--set", "problem.horizon=15"}});
  export_c();
  expect_played(5);
  const Json delay = json_of("c/contract.json")["delay"];
  ASSERT_EQ(delay["unknown"].size(), 1u);
  EXPECT_EQ(delay["unknown"][0]["latent"], "delay");
  EXPECT_EQ(delay["unknown"][0]["unit"], "s");
  EXPECT_EQ(delay["unknown"][0]["least"], 0.0);
  EXPECT_EQ(delay["unknown"][0]["most"], 0.06);
  const auto [seen, unknown] = units();
  EXPECT_EQ(seen, (Json{"m", "rad", "m/s", "rad/s"}));
  EXPECT_EQ(unknown, (Json{"1", "kg", "s", "rad"}));
  const test::LoadedRuntime runtime(library());
  test::expect_golden(runtime, policy(), json_of("c/golden.json"));
  bpo_agent* const agent = runtime.load(policy().c_str());
  ASSERT_NE(agent, nullptr) << runtime.error(nullptr);
  EXPECT_EQ(runtime.max_models(agent, 4), -1);
  EXPECT_NE(std::string(runtime.error(agent)).find("all its models in every step"),
            std::string::npos)
      << runtime.error(agent);
  EXPECT_EQ(runtime.max_models(agent, 0), 0);
  runtime.free(agent);
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
