// A filter of one's own is one file: a struct with the functions of FilterFor. This one counts
// heads and keeps Laplace's rule instead of a grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bpo/core/any_problem.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/inventory.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

/// A coin that shows heads with an unknown probability.
class BentCoin {
 public:
  using Latent = double;
  using State = int;
  using Observation = int;  // 1 heads, 0 tails or nothing yet
  using Action = int;

  explicit BentCoin(int horizon) : horizon_(horizon) {}
  ProblemSpec spec() const {
    return {.name = "bent-coin",
            .horizon = horizon_,
            .actions = {.count = 1},
            .obs_dim = 1,
            .latent_dim = 1};
  }
  Latent sample_latent(Rng& rng) const { return rng.uniform(); }
  State sample_state(const Latent&, Rng&) const { return 0; }
  StepResult step(State& s, Latent& phi, Action, Rng& rng) const {
    s = rng.uniform() < phi;
    return {static_cast<double>(s)};
  }
  Observation observe(const State& s, const Latent&, Rng&) const { return s; }
  void encode(const Observation& o, std::span<float> out) const { out[0] = static_cast<float>(o); }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    out[0] = static_cast<float>(phi);
  }

 private:
  int horizon_;
};

struct LaplaceFilter {
  using Weights = std::array<int, 2>;  // tails and heads seen
  explicit LaplaceFilter(const BentCoin&) {}
  int belief_dim() const { return 2; }  // mean and how often it was tossed
  int estimate_dim() const { return 1; }
  double belief_scale() const { return 1.0; }
  Weights make_weights() const { return {}; }
  void reset(Weights& w) const { w = {}; }
  bool update(Weights& w, int, int, int toss) const {
    ++w[toss];
    return true;
  }
  void belief(const Weights& w, std::span<float> out) const {
    out[0] = mean(w);
    out[1] = static_cast<float>(w[0] + w[1]);
  }
  void estimate(const Weights& w, std::span<float> out) const { out[0] = mean(w); }
  double entropy(const Weights& w) const { return -std::log(w[0] + w[1] + 1.0); }

 private:
  static float mean(const Weights& w) { return (w[1] + 1.0f) / (w[0] + w[1] + 2.0f); }
};

const RegisterFilter kLaplaceEntry{{"laplace", "counts of what was seen"}};

TEST(NewFilter, IsListed) {
  const std::vector<InventoryItem> all = inventory("filters");
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const InventoryItem& item) { return item.name == "laplace"; }),
            1);
}

TEST(NewFilter, ServesWorldsEvaluationsAndTrackers) {
  const ProblemWith<BentCoin, LaplaceFilter> problem(200);
  EXPECT_EQ(problem.spec().belief_dim, 2);
  const auto world = problem.make_world();
  world->reset({1, 0, kLanes}, LatentSource::kPrior);
  Actions actions;
  while (!world->all_done()) world->step(actions);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_NEAR(world->estimate()[lane][0], world->latent()[lane][0], 0.2);
    EXPECT_EQ(world->belief()[lane][1], 200.0f);
  }
  ThreadPool pool(2);
  const double mean = evaluate(problem, test::ConstantPolicy(0, 1), 2, 4000, pool).mean();
  EXPECT_NEAR(mean, 100.0, 4.0);

  const auto tracker = problem.make_tracker();
  tracker->begin(0, 0, std::vector<double>{0.0});
  tracker->update(std::vector<double>{0.0}, std::vector<double>{1.0});
  EXPECT_FLOAT_EQ(tracker->inputs().estimate[0][0], 2.0f / 3.0f);
}

}  // namespace
}  // namespace bpo
