// What a problem can do besides moving a tile: worlds and beliefs by hand, and tables.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "bpo/core/simulate.h"
#include "bpo/planners/exact.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

class Capabilities : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<AnyProblem> problem_ = make_problem(GetParam(), {"problem.horizon=12"});
  const ProblemSpec& spec_ = problem_->spec();
  std::unique_ptr<Simulator> simulator_ = problem_->simulator();
  std::unique_ptr<Tracker> tracker_ = problem_->make_tracker();

  /// Any action, as plain numbers that a float holds.
  std::vector<double> action(Rng& rng) const {
    if (spec_.actions.discrete()) return {static_cast<double>(rng.below(spec_.actions.size()))};
    std::vector<double> out(spec_.actions.dim);
    for (double& x : out) {
      x = static_cast<float>(spec_.actions.low +
                             (spec_.actions.high - spec_.actions.low) * rng.uniform());
    }
    return out;
  }
  static void begin(Simulator& simulator, std::uint64_t seed, std::span<double> o) {
    Rng latent(seed, Use::kLatent, 0), state(seed, Use::kState, 0);
    simulator.reset(latent, state);
    simulator.observe(state, o);
  }
};

TEST_P(Capabilities, ByHandTheWorldGoesAsItGoesByItself) {
  ASSERT_NE(simulator_, nullptr);
  ASSERT_NE(tracker_, nullptr);
  ASSERT_EQ(tracker_->observation_size(), simulator_->observation_size());
  const auto world = problem_->make_world();
  for (std::uint64_t seed : {5, 6}) {
    world->reset({seed, 0, 1}, LatentSource::kPrior);
    std::vector<double> o(simulator_->observation_size());
    begin(*simulator_, seed, o);
    tracker_->begin(seed, 0, o);
    std::vector<float> latent(spec_.latent_dim);
    Actions actions(spec_.actions.dim);
    for (std::uint32_t t = 0;; ++t) {
      simulator_->latent(latent);
      const PolicyInputs& in = tracker_->inputs();
      const auto same = [](std::span<const float> a, std::span<const float> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
      };
      ASSERT_TRUE(same(latent, world->latent()[0]));
      ASSERT_TRUE(same(in.obs[0], world->obs()[0]));
      ASSERT_TRUE(same(in.belief[0], world->belief()[0]));
      ASSERT_TRUE(same(in.estimate[0], world->estimate()[0]));
      ASSERT_EQ(tracker_->entropy(), world->belief_entropy(0));
      ASSERT_EQ(in.time, world->time());
      if (world->all_done()) break;
      Rng choice(seed, Use::kAction, 0, t), rng(seed, Use::kWorld, 0, t);
      const std::vector<double> a = action(choice);
      if (spec_.actions.discrete()) actions.index[0] = static_cast<int>(a[0]);
      std::copy_n(a.begin(), spec_.actions.dim, actions.box[0].begin());
      world->step(actions);
      ASSERT_EQ(simulator_->step(a, rng).reward, world->reward(0));
      simulator_->observe(rng, o);
      ASSERT_TRUE(tracker_->update(a, o));
    }
  }
}

TEST_P(Capabilities, WhatWasSavedComesBack) {
  std::vector<double> o(simulator_->observation_size()), seen;
  begin(*simulator_, 7, o);
  const auto play = [&] {
    std::vector<double> out;
    for (std::uint32_t t = 0; t < 3; ++t) {
      Rng choice(7, Use::kAction, 0, t), rng(7, Use::kWorld, 0, t);
      out.push_back(simulator_->step(action(choice), rng).reward);
      simulator_->observe(rng, o);
      out.insert(out.end(), o.begin(), o.end());
    }
    return out;
  };
  simulator_->save(3);
  const auto first = play();
  simulator_->save(0);
  const auto later = play();
  simulator_->restore(3);
  EXPECT_EQ(play(), first);
  simulator_->restore(0);
  EXPECT_EQ(play(), later);
}

TEST_P(Capabilities, NumbersThatMeanNothingAreRefused) {
  const int size = simulator_->observation_size();
  std::vector<double> o(size);
  begin(*simulator_, 8, o);
  tracker_->begin(8, 0, o);
  Rng rng(8, Use::kAction, 0);
  const std::vector<double> a = action(rng), before(o);
  const std::vector<float> belief(tracker_->inputs().belief[0].begin(),
                                  tracker_->inputs().belief[0].end());
  const auto refused = [&](std::vector<double> act, std::vector<double> see) {
    EXPECT_THROW(tracker_->update(act, see), Error);
  };
  std::vector<double> longer(o), broken(o), action_longer(a), action_broken(a);
  longer.push_back(0.0);
  action_longer.push_back(0.0);
  broken.back() = std::numeric_limits<double>::quiet_NaN();
  action_broken.back() = std::numeric_limits<double>::infinity();
  refused(a, longer);
  refused(a, broken);
  refused(a, {});
  refused(action_longer, o);
  refused(action_broken, o);
  if (spec_.actions.discrete()) {
    refused({static_cast<double>(spec_.actions.size())}, o);
    refused({0.5}, o);
    refused({-1.0}, o);
  }
  const auto values = problem_->view().observation_values.size();
  if (values > 0) refused(a, {static_cast<double>(values)});
  EXPECT_EQ(belief, std::vector<float>(tracker_->inputs().belief[0].begin(),
                                       tracker_->inputs().belief[0].end()))
      << "what is refused leaves the belief as it was";
  EXPECT_EQ(tracker_->inputs().time, 0);
}

TEST_P(Capabilities, TablesAreConsistent) {
  const auto tables = problem_->tabular();
  if (problem_->information() != nullptr) {
    ASSERT_NE(tables, nullptr);
  }
  if (tables == nullptr) GTEST_SKIP() << GetParam() << " is not finite";
  EXPECT_NO_THROW(check(*tables, GetParam()));
  EXPECT_EQ(tables->actions, spec_.actions.size());
  EXPECT_EQ(tables->discount, spec_.discount);
  EXPECT_EQ(tables->horizon, spec_.horizon);
}

INSTANTIATE_TEST_SUITE_P(All, Capabilities, testing::ValuesIn(problems().names()),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The best that can be had from `b` on in so many steps, by trying everything.
double expectimax(const TabularModel& m, const std::vector<double>& b, int steps) {
  if (steps == 0) return 0.0;
  double best = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < m.actions; ++a) {
    double value = 0.0;
    std::vector<std::vector<double>> next(m.observations, std::vector<double>(m.states));
    for (int s = 0; s < m.states; ++s) {
      value += b[s] * m.reward[static_cast<std::size_t>(s) * m.actions + a];
      for (const auto& to : m.transition[a].row(s)) {
        for (const auto& o : m.observation[a].row(to.column)) {
          next[o.column][to.column] += b[s] * to.value * o.value;
        }
      }
    }
    for (std::vector<double>& after : next) {
      const double p = std::accumulate(after.begin(), after.end(), 0.0);
      if (p <= 0.0) continue;
      for (double& x : after) x /= p;
      value += m.discount * p * expectimax(m, after, steps - 1);
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(Tables, OfTigerHaveTheExactOptimum) {
  ThreadPool pool(1);
  const auto tiger = make_problem("tiger", {"problem.horizon=5"});
  const auto tables = tiger->tabular();
  EXPECT_NEAR(expectimax(*tables, tables->initial, 5),
              exact_optimum(*tiger->information(), pool).optimum, 1e-9);
}

TEST(Tables, OfChainHaveTheExactValueOfAKnownSlip) {
  ThreadPool pool(1);
  for (const char* tying : {"problem.tying=tied", "problem.tying=semi"}) {
    const auto chain = make_problem("chain", {"problem.horizon=8", "problem.bins=2", tying,
                                              "problem.slip=0.25", "problem.clock=false"});
    const auto tables = chain->tabular();
    ASSERT_EQ(tables->states, std::string(tying).ends_with("semi") ? 20 : 10);
    std::vector<double> known(tables->states);
    known[0] = 1.0;  // in s1, and every slip in the first of two cells, that of 0.25
    EXPECT_NEAR(expectimax(*tables, known, 8), exact_optimum(*chain->information(), pool).optimum,
                1e-9);
  }
}

TEST(Tables, TooManyStatesAreRefused) {
  const auto chain = make_problem("chain", {"problem.tying=semi", "problem.bins=2000"});
  try {
    chain->tabular();
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("problem.bins"), std::string::npos) << e.what();
  }
}

TEST(Tables, WhatDoesNotAddUpIsNamed) {
  const auto good = make_problem("tiger")->tabular();
  const auto refusal = [](const TabularModel& model) -> std::string {
    try {
      check(model, "t");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  TabularModel m = *good;
  m.initial = {0.5, 0.6};
  EXPECT_NE(refusal(m).find("sums to 1.1"), std::string::npos);
  m = *good;
  m.transition.pop_back();
  EXPECT_NE(refusal(m).find("2 actions, not 3"), std::string::npos);
  m = *good;
  m.observation[1] = {};
  const std::array<SparseRows::Entry, 1> half{{{2, 0.5}}};
  for (int s = 0; s < 2; ++s) m.observation[1].add_row(half);
  EXPECT_NE(refusal(m).find("observation, action 1, state 0"), std::string::npos) << refusal(m);
  m = *good;
  m.reward[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(m).find("reward"), std::string::npos);
}

}  // namespace
}  // namespace bpo
