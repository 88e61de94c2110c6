// The lazy filter over models against the plain sum of log-likelihoods.
#include "bpo/filters/model_grid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

/// Each transition carries its cells' log-likelihoods; an observation is only the time.
struct Given {
  using Observation = int;
  using Action = std::span<const float>;

  int factors() const { return 1; }
  int cells() const { return static_cast<int>(table[0].size()); }
  std::array<double, 1> cell_factors(int cell) const { return {0.5 * cell}; }
  int together() const { return width; }
  void log_likelihoods(std::span<const ModelQuery<Given>> queries, std::span<double> out) const {
    EXPECT_LE(static_cast<int>(queries.size()), width);
    for (std::size_t k = 0; k < queries.size(); ++k) {
      const auto& [cell, o, a, next] = queries[k];
      EXPECT_EQ(*next, *o + 1);
      EXPECT_EQ(a[0], static_cast<float>(*o)) << "another transition's action";
      out[k] = table[*o][cell];
    }
  }
  ProblemSpec spec() const {
    return {.horizon = static_cast<int>(table.size()), .actions = {.dim = 1}};
  }

  std::vector<std::vector<double>> table;  // [transition][cell]
  int width = 1;
  std::optional<double> sure = {};
  std::optional<double> freeze() const { return sure; }
};

using BoundedFilter = ModelGridFilter<Given>;

/// Losses with heavy tails: the best cell has bad moments, in which others come back.
Given random_given(int cells, int steps, std::uint64_t seed) {
  Given given;
  Rng rng(seed, Use::kInit, 0);
  std::vector<double> mean(cells);
  for (double& m : mean) m = 0.1 + 3.0 * rng.uniform();
  for (int t = 0; t < steps; ++t) {
    std::vector<double> row;
    for (int c = 0; c < cells; ++c) {
      const double u = rng.uniform();
      row.push_back(-mean[c] * (u < 0.1 ? 20.0 * rng.uniform() : u * u));
    }
    given.table.push_back(row);
  }
  return given;
}

bool see(const BoundedFilter& filter, BoundedFilter::Weights& w, int t) {
  const auto action = static_cast<float>(t);
  return filter.update(w, t, {&action, 1}, t + 1);
}

RC_GTEST_PROP(ModelGridFilter, IsThePosteriorWithinItsTolerance, ()) {
  const int cells = *rc::gen::inRange(1, 30), steps = *rc::gen::inRange(1, 150);
  Given given = random_given(cells, steps, *rc::gen::inRange<std::uint64_t>(0, 100000));
  given.width = *rc::gen::inRange(1, 9);
  const double tolerance = *rc::gen::element(1e-6, 1e-2);
  const BoundedFilter filter(given, tolerance);
  auto w = filter.make_weights();
  filter.reset(w);
  std::vector<double> sum(cells, 0.0);
  for (int t = 0; t < steps; ++t) {
    RC_ASSERT(see(filter, w, t));
    for (int c = 0; c < cells; ++c) sum[c] += LogWeights::quantize(given.table[t][c]);
    const double top = *std::max_element(sum.begin(), sum.end());
    double total = 0.0, got_total = 0.0, apart = 0.0, entropy = 0.0;
    for (int c = 0; c < cells; ++c) {
      total += std::exp(sum[c] - top);
      got_total += std::exp(w.bound[c]);
    }
    for (int c = 0; c < cells; ++c) {
      const double p = std::exp(sum[c] - top) / total, got = std::exp(w.bound[c]) / got_total;
      apart += std::abs(p - got);
      if (p > 0.0) entropy -= p * std::log(p);
      // Complete cells are exact to the bit, whatever the order of their evidence.
      if (w.missing[c] == 0) RC_ASSERT(w.bound[c] == sum[c] - top);
      RC_ASSERT(w.bound[c] >= sum[c] - top);
    }
    RC_ASSERT(apart <= tolerance);
    RC_ASSERT(LogWeights::best(w.bound) == LogWeights::best(sum));
    if (tolerance < 1e-5) RC_ASSERT(std::abs(filter.entropy(w) - entropy) < 1e-4);
  }
}

TEST(ModelGridFilter, SimulatesOnlyWhatCanMatter) {
  const Given given = random_given(25, 200, 1);
  const BoundedFilter lazy(given), exact(given, 0.0);
  auto w = lazy.make_weights(), all = exact.make_weights();
  lazy.reset(w);
  exact.reset(all);
  for (int t = 0; t < 200; ++t) {
    see(lazy, w, t);
    see(exact, all, t);
  }
  EXPECT_EQ(all.simulations, 25 * 200);
  EXPECT_LT(w.simulations, 25 * 200 / 3);
  EXPECT_GT(w.simulations, 200);
  float estimate = 0.0f;
  lazy.estimate(w, {&estimate, 1});
  EXPECT_EQ(estimate, 0.5f * static_cast<float>(LogWeights::best(all.bound)));
  std::vector<float> b(25);
  lazy.belief(w, b);
  float total = 0.0f;
  for (float x : b) total += x;
  EXPECT_EQ(total, 1.0f);
  for (float x : b) EXPECT_EQ(x, BoundedFilter::kGrain * std::round(x / BoundedFilter::kGrain));
}

// The authors' rule: a belief that has been sure once looks no more, until the next episode.
TEST(ModelGridFilter, FreezesWhereItIsToldTo) {
  const Given given{.table = {{0.0, -0.5}, {0.0, -2.0}, {-50.0, 0.0}}, .sure = 0.9};
  const BoundedFilter filter(given);
  auto w = filter.make_weights();
  std::vector<float> b(2);
  for (int episode = 0; episode < 2; ++episode) {
    filter.reset(w);
    ASSERT_TRUE(see(filter, w, 0));
    filter.belief(w, b);
    EXPECT_NEAR(b[0], 1.0 / (1.0 + std::exp(-0.5)), BoundedFilter::kGrain);
    ASSERT_TRUE(see(filter, w, 1));
    ASSERT_TRUE(see(filter, w, 2));
    filter.belief(w, b);
    EXPECT_NEAR(b[0], 1.0 / (1.0 + std::exp(-2.5)), BoundedFilter::kGrain);
  }
}

TEST(ModelGridFilter, ModelsThatBreakDownAreOutAndIfAllDoItFallsBackToThePrior) {
  const double never = -std::numeric_limits<double>::infinity();
  const Given given{
      .table = {
          {-1.0, never, -2.0}, {-1.0, 0.0, std::nan("")}, {never, -1.0, -1.0}, {-3.0, 0.0, -1.0}}};
  const BoundedFilter filter(given);
  auto w = filter.make_weights();
  filter.reset(w);
  ASSERT_TRUE(see(filter, w, 0));
  EXPECT_EQ(w.bound[1], never);
  ASSERT_TRUE(see(filter, w, 1));
  std::vector<float> b(3);
  filter.belief(w, b);
  EXPECT_EQ(b, (std::vector<float>{1.0f, 0.0f, 0.0f}));
  EXPECT_FALSE(see(filter, w, 2));
  EXPECT_NEAR(filter.entropy(w), std::log(3.0), 1e-12);
  ASSERT_TRUE(see(filter, w, 3));  // and it goes on from there
  filter.belief(w, b);
  EXPECT_NEAR(b[1], 1.0 / (1.0 + std::exp(-1.0) + std::exp(-3.0)), BoundedFilter::kGrain);
}

}  // namespace
}  // namespace bpo
