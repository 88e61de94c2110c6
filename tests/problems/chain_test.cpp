#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

constexpr int kA = 0, kB = 1;

int state_of(std::span<const float> obs) {
  int state = -1;
  float total = 0.0f;
  for (int i = 0; i < 5; ++i) {
    if (obs[i] == 1.0f) state = i;
    total += obs[i];
  }
  EXPECT_EQ(total, 1.0f);
  return state;
}

int after(int s, int executed) { return executed == kB ? 0 : std::min(s + 1, 4); }
double pay(int s, int executed) { return executed == kB ? 2.0 : (s == 4 ? 10.0 : 0.0); }

/// Posterior over a grid after `kept` steps without and `slipped` with a slip.
std::vector<double> posterior(int bins, bool centres, int kept, int slipped) {
  std::vector<double> b(bins);
  double total = 0.0;
  for (int k = 0; k < bins; ++k) {
    const double x = centres ? (k + 0.5) / bins : k / (bins - 1.0);
    total += b[k] = std::pow(1.0 - x, kept) * std::pow(x, slipped);
  }
  for (double& x : b) x /= total;
  return b;
}

TEST(Chain, SpecAndOptions) {
  const auto tied = make_problem("chain", {"problem.bins=7"});
  EXPECT_EQ(tied->spec().horizon, 100);
  EXPECT_EQ(tied->spec().discount, 1.0);
  EXPECT_EQ(tied->spec().belief_dim, 7);
  EXPECT_EQ(tied->spec().latent_dim, 1);
  EXPECT_TRUE(tied->has_nominal());
  const auto semi = make_problem("chain", {"problem.bins=7", "problem.tying=semi"});
  EXPECT_EQ(semi->spec().belief_dim, 14);
  EXPECT_EQ(semi->spec().estimate_dim, 2);
  EXPECT_EQ(semi->spec().latent_dim, 2);
  EXPECT_THROW(make_problem("chain", {"problem.bins=1", "problem.grid=endpoints"}), Error);
  EXPECT_THROW(make_problem("chain", {"problem.bins=100000000"}), Error);
  EXPECT_THROW(make_problem("chain", {"problem.slip=1.5"}), Error);
  EXPECT_THROW(make_problem("chain", {"problem.tying=loose"}), Error);
}

struct Case {
  const char *name, *tying, *grid;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Chain : public testing::TestWithParam<Case> {
 protected:
  bool semi_ = std::string(GetParam().tying) == "semi";
  bool centres_ = std::string(GetParam().grid) == "centres";
  std::string tying_ = std::string("problem.tying=") + GetParam().tying;
  std::string grid_ = std::string("problem.grid=") + GetParam().grid;
  std::unique_ptr<AnyProblem> problem_ =
      make_problem("chain", {"problem.bins=6", tying_.c_str(), grid_.c_str()});
};

TEST_P(Chain, RewardAndStateFollowTheExecutedAction) {
  const auto world = problem_->make_world();
  const int factors = semi_ ? 2 : 1;
  Actions actions;
  std::array<double, 2> tries{}, expected_slips{}, slips{}, variance{};
  for (std::uint64_t tile = 0; tile < 4; ++tile) {
    world->reset({3, tile * kLanes, kLanes}, LatentSource::kPrior);
    std::array<std::array<int, 4>, kLanes> counts{};  // [factor][slipped]
    while (!world->all_done()) {
      std::array<int, kLanes> before{};
      for (int lane = 0; lane < kLanes; ++lane) {
        before[lane] = state_of(world->obs()[lane]);
        actions.index[lane] = test::random_action(world->inputs(), lane, 2);
      }
      world->step(actions);
      for (int lane = 0; lane < kLanes; ++lane) {
        const int a = actions.index[lane], s = before[lane], now = state_of(world->obs()[lane]);
        const bool slipped = now != after(s, a);
        ASSERT_EQ(now, after(s, slipped ? 1 - a : a));
        ASSERT_EQ(world->reward(lane), pay(s, slipped ? 1 - a : a));
        const int factor = semi_ ? a : 0;
        ++counts[lane][2 * factor + slipped];
        const double phi = world->latent()[lane][factor];
        tries[factor] += 1.0;
        slips[factor] += slipped;
        expected_slips[factor] += phi;
        variance[factor] += phi * (1.0 - phi);
        if (world->time() % 10 != 0) continue;
        for (int f = 0; f < factors; ++f) {
          const auto b = posterior(6, centres_, counts[lane][2 * f], counts[lane][2 * f + 1]);
          if (!(b[0] >= 0.0)) continue;  // NaN: every cell is ruled out
          for (int k = 0; k < 6; ++k) ASSERT_NEAR(world->belief()[lane][6 * f + k], b[k], 2e-6);
        }
      }
    }
  }
  for (int f = 0; f < factors; ++f) {  // false alarm 1e-6 each
    EXPECT_NEAR(slips[f], expected_slips[f], 4.9 * std::sqrt(variance[f])) << tries[f];
  }
  EXPECT_EQ(world->filter_fallbacks(), 0);
}

TEST_P(Chain, InformationIsTheStateAndTheCounts) {
  const InformationModel& model = *problem_->information();
  const ProblemSpec& spec = problem_->spec();
  using Info = std::tuple<int, int, int, int, int>;  // s, tries and slips of each factor
  std::map<Info, std::size_t> now = {{{0, 0, 0, 0, 0}, model.start()}};
  std::vector<float> obs(spec.obs_dim), belief(spec.belief_dim), estimate(spec.estimate_dim);
  for (int t = 0; t <= 12; ++t) {
    std::size_t blocks = 0;
    for (int n = 0; n <= t; ++n) blocks += (n + 1) * (t - n + 1);
    ASSERT_EQ(model.size(t), 5 * (semi_ ? blocks : t + 1));
    std::set<std::size_t> used;
    std::map<Info, std::size_t> next;
    for (const auto& [info, i] : now) {
      const auto [s, n0, k0, n1, k1] = info;
      ASSERT_LT(i, model.size(t));
      ASSERT_TRUE(used.insert(i).second) << "two histories share an index";
      for (int a : {kA, kB}) {
        const int tries = semi_ && a == kB ? n1 : n0, slips = semi_ && a == kB ? k1 : k0;
        std::array<Outcome, kMaxOutcomes> out;
        const int n = model.outcomes(t, i, a, Perspective::kTrue, out);
        double total = 0.0;
        for (int k = 0; k < n; ++k) {
          ASSERT_LT(out[k].next, model.size(t + 1));
          total += out[k].probability;
          model.inputs(t + 1, out[k].next, {obs, belief, estimate});
          const int to = state_of(obs), executed = to == 0 ? kB : kA;
          const bool slipped = executed != a;
          ASSERT_EQ(to, after(s, executed));
          EXPECT_EQ(out[k].reward, pay(s, executed));
          // Laplace's rule of succession.
          const double slip = (slips + 1.0) / (tries + 2.0);
          EXPECT_NEAR(out[k].probability, slipped ? slip : 1.0 - slip, 1e-12);
          const Info then = semi_ && a == kB ? Info(to, n0, k0, n1 + 1, k1 + slipped)
                                             : Info(to, n0 + 1, k0 + slipped, n1, k1);
          const auto known = next.emplace(then, out[k].next).first;
          ASSERT_EQ(known->second, out[k].next) << "one history, two indices";
          const auto [s2, m0, j0, m1, j1] = then;
          if (t % 4 != 3) continue;
          if (!centres_ && ((j0 > 0 && j0 < m0) || (j1 > 0 && j1 < m1))) continue;
          const auto first = posterior(6, centres_, m0 - j0, j0);
          for (int c = 0; c < 6; ++c) EXPECT_NEAR(belief[c], first[c], 2e-6);
          if (!semi_) continue;
          const auto second = posterior(6, centres_, m1 - j1, j1);
          for (int c = 0; c < 6; ++c) EXPECT_NEAR(belief[6 + c], second[c], 2e-6);
        }
        EXPECT_NEAR(total, 1.0, 1e-12);
      }
    }
    now = next;
  }
  // Everything that counts as an index can be reached but for states no history leads to.
  EXPECT_GT(now.size(), model.size(13) / 5);
}

TEST_P(Chain, SimulationAndInformationSeeTheSameBeliefsToTheBit) {
  const InformationModel& model = *problem_->information();
  const ProblemSpec& spec = problem_->spec();
  const auto world = problem_->make_world();
  Actions actions;
  world->reset({8, 0, kLanes}, LatentSource::kPrior);
  std::vector<std::size_t> at(kLanes, model.start());
  std::vector<float> obs(spec.obs_dim), belief(spec.belief_dim), estimate(spec.estimate_dim);
  for (int t = 0; t < 60; ++t) {
    for (int lane = 0; lane < kLanes; ++lane) {
      model.inputs(t, at[lane], {obs, belief, estimate});
      for (int k = 0; k < spec.obs_dim; ++k) ASSERT_EQ(obs[k], world->obs()[lane][k]);
      for (int k = 0; k < spec.belief_dim; ++k) ASSERT_EQ(belief[k], world->belief()[lane][k]);
      for (int k = 0; k < spec.estimate_dim; ++k) {
        ASSERT_EQ(estimate[k], world->estimate()[lane][k]);
      }
      actions.index[lane] = test::random_action(world->inputs(), lane, 2);
    }
    world->step(actions);
    for (int lane = 0; lane < kLanes; ++lane) {
      std::array<Outcome, kMaxOutcomes> out;
      const int n = model.outcomes(t, at[lane], actions.index[lane], Perspective::kTrue, out);
      int found = 0;
      const std::size_t from = at[lane];
      for (int k = 0; k < n; ++k) {
        model.inputs(t + 1, out[k].next, {obs, belief, estimate});
        if (state_of(obs) != state_of(world->obs()[lane])) continue;
        at[lane] = out[k].next;
        ++found;
        ASSERT_EQ(out[k].reward, world->reward(lane)) << from;
      }
      ASSERT_EQ(found, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Chain,
                         testing::Values(Case{"Tied", "tied", "centres"},
                                         Case{"Semi", "semi", "centres"},
                                         Case{"TiedEndpoints", "tied", "endpoints"}),
                         [](const auto& c) { return c.param.name; });

TEST(ChainSlip, AFixedSlipRulesTheWorldAndNotTheBelief) {
  const auto problem = make_problem("chain", {"problem.slip=0.2", "problem.horizon=400"});
  const auto world = problem->make_world();
  Actions actions;
  actions.index.fill(kB);
  world->reset({3, 0, kLanes}, LatentSource::kPrior);
  double slips = 0.0;
  while (!world->all_done()) {
    world->step(actions);
    for (int lane = 0; lane < kLanes; ++lane) slips += state_of(world->obs()[lane]) != 0;
  }
  const double n = 400.0 * kLanes;
  EXPECT_NEAR(slips / n, 0.2, 4.9 * std::sqrt(0.16 / n));  // false alarm 1e-6
  EXPECT_NEAR(world->estimate()[0][0], 0.2, 0.11);         // one of .15, .25 most likely
  std::array<Outcome, kMaxOutcomes> out;
  const InformationModel& model = *problem->information();
  for (const auto& [view, slip] :
       {std::pair{Perspective::kTrue, 0.2}, {Perspective::kBelieved, 0.5}}) {
    ASSERT_EQ(model.outcomes(0, model.start(), kA, view, out), 2);
    EXPECT_NEAR(std::max(out[0].probability, out[1].probability), 1.0 - slip, 1e-12);
  }
}

TEST(ChainClock, IsTheLastObservationIfThereIsOne) {
  for (const char* clock : {"problem.clock=true", "problem.clock=false"}) {
    const auto problem = make_problem("chain", {clock, "problem.horizon=30"});
    const ProblemSpec& spec = problem->spec();
    ASSERT_EQ(spec.obs_dim, 5 + (spec.clock > 0.0));
    if (spec.clock == 0.0) continue;
    const auto world = problem->make_world();
    Actions actions;
    world->reset({1, 0, 4}, LatentSource::kPrior);
    for (int t = 0; t < 30; ++t) {
      EXPECT_NEAR(world->obs()[2][5], std::exp((t + 1 - 30) / 4.0), 1e-6);
      world->step(actions);
    }
  }
}

}  // namespace
}  // namespace bpo
