// The grid filter against Eq. (2) in long double.
#include "bpo/filters/grid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bpo/core/error.h"
#include "tests/support/toy_problem.h"

namespace bpo {
namespace {

using test::ToyOptions;
using test::ToyProblem;
using Filter = GridFilter<ToyProblem>;

/// b'(to) = eta sum_from b(from) p(symbol | from) P(to | from), the plain way.
void plain_update(const ToyProblem& p, int symbol, std::vector<long double>& b) {
  long double total = 0.0L;
  for (int c = 0; c < p.cells(); ++c) {
    b[c] *= std::exp(static_cast<long double>(p.log_likelihood(symbol, 0, c)));
    total += b[c];
  }
  for (auto& x : b) x /= total;
  if (!p.moves(symbol)) return;
  std::vector<long double> moved(b.size(), 0.0L);
  for (int from = 0; from < p.cells(); ++from) {
    for (int to = 0; to < p.cells(); ++to) moved[to] += b[from] * p.transition(symbol, from, to);
  }
  b = moved;
}

ToyOptions random_toy(int cells, int kinds, bool moving, std::uint64_t seed) {
  Rng rng(seed, Use::kInit, 0);
  const auto stochastic = [&](int n) {
    std::vector<double> p(n);
    for (double& x : p) x = 0.02 + rng.uniform();
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= total;
    return p;
  };
  ToyOptions options;
  options.symbol.assign(kinds, std::vector<double>(cells));
  for (int c = 0; c < cells; ++c) {
    const auto p = stochastic(kinds);
    for (int k = 0; k < kinds; ++k) options.symbol[k][c] = p[k];
  }
  for (int c = 0; moving && c < cells; ++c) options.transition.push_back(stochastic(cells));
  return options;
}

std::vector<float> belief_of(const Filter& f, const Filter::Weights& w) {
  std::vector<float> b(f.belief_dim());
  f.belief(w, b);
  return b;
}

RC_GTEST_PROP(GridFilter, IsEquationTwo, ()) {
  const int cells = *rc::gen::inRange(1, 21), kinds = *rc::gen::inRange(2, 5);
  const bool moving = *rc::gen::arbitrary<bool>();
  const ToyProblem p(random_toy(cells, kinds, moving, *rc::gen::inRange<std::uint64_t>(0, 100000)));
  const Filter filter(p);
  auto w = filter.make_weights();
  std::vector<long double> b(cells, 1.0L / cells);
  const auto symbols =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange(0, 60), rc::gen::inRange(0, kinds));
  for (int symbol : symbols) {
    RC_ASSERT(filter.update(w, -1, 0, symbol));
    plain_update(p, symbol, b);
  }
  const auto got = belief_of(filter, w);
  long double entropy = 0.0L;
  for (int c = 0; c < cells; ++c) {
    RC_ASSERT(std::abs(got[c] - static_cast<double>(b[c])) < 2e-6);
    if (b[c] > 0.0L) entropy -= b[c] * std::log(b[c]);
  }
  RC_ASSERT(std::abs(filter.entropy(w) - static_cast<double>(entropy)) < 1e-6);
  float best = -1.0f;
  filter.estimate(w, {&best, 1});
  const auto top = std::max_element(b.begin(), b.end());
  RC_ASSERT(b[static_cast<int>(best)] > *top - 1e-8L);
}

RC_GTEST_PROP(GridFilter, TheOrderOfEvidenceDoesNotMatterToTheBit, ()) {
  const int cells = *rc::gen::inRange(1, 21), kinds = *rc::gen::inRange(2, 5);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const ToyProblem p(random_toy(cells, kinds, false, seed));
  const Filter filter(p);
  auto symbols = *rc::gen::container<std::vector<int>>(100, rc::gen::inRange(0, kinds));
  std::vector<int> counts(kinds, 0);
  for (int s : symbols) ++counts[s];
  auto counted = filter.make_weights();
  filter.from_counts(counts, counted);
  Rng rng(seed, Use::kShuffle, 0);
  for (int round = 0; round < 3; ++round) {
    auto w = filter.make_weights();
    for (int s : symbols) filter.update(w, -1, 0, s);
    RC_ASSERT(w == counted);
    RC_ASSERT(belief_of(filter, w) == belief_of(filter, counted));
    for (std::size_t i = symbols.size() - 1; i > 0; --i) {
      std::swap(symbols[i], symbols[rng.below(static_cast<int>(i) + 1)]);
    }
  }
}

TEST(GridFilter, AUniformRedrawReturnsExactlyToThePrior) {
  ToyOptions options = random_toy(7, 3, false, 1);
  options.transition.assign(7, std::vector<double>(7, 1.0 / 7.0));
  const ToyProblem p(options);
  const Filter filter(p);
  auto w = filter.make_weights();
  for (int symbol : {1, 2, 1, 1, 2, 0}) filter.update(w, -1, 0, symbol);
  EXPECT_EQ(w, filter.make_weights());
}

// Cells 0, 1/2 and 1 of a coin: the end points rule out what they cannot explain.
const ToyOptions kEndpoints{.symbol = {{0.0, 0.5, 1.0}, {1.0, 0.5, 0.0}}};

TEST(GridFilter, ZeroLikelihoods) {
  const ToyProblem p(kEndpoints);
  const Filter filter(p);
  auto w = filter.make_weights();
  ASSERT_TRUE(filter.update(w, -1, 0, 0));
  const auto b = belief_of(filter, w);
  EXPECT_EQ(b[0], 0.0f);
  EXPECT_NEAR(b[1], 1.0 / 3.0, 1e-6);
  EXPECT_NEAR(b[2], 2.0 / 3.0, 1e-6);
  EXPECT_NEAR(filter.entropy(w), std::log(3.0) - 2.0 / 3.0 * std::log(2.0), 1e-9);
  ASSERT_TRUE(filter.update(w, -1, 0, 1));
  EXPECT_EQ(belief_of(filter, w), (std::vector<float>{0.0f, 1.0f, 0.0f}));
  EXPECT_EQ(filter.entropy(w), 0.0);
  auto counted = filter.make_weights();
  filter.from_counts(std::vector<int>{1, 1}, counted);
  EXPECT_EQ(counted, w);
}

TEST(GridFilter, WhenEverythingVanishesItFallsBackToThePrior) {
  const ToyProblem p({.symbol = {{0.0, 1.0}, {1.0, 0.0}}});
  const Filter filter(p);
  auto w = filter.make_weights();
  EXPECT_TRUE(filter.update(w, -1, 0, 0));
  EXPECT_FALSE(filter.update(w, -1, 0, 1));
  EXPECT_EQ(w, filter.make_weights());
  EXPECT_TRUE(filter.update(w, -1, 0, 1));  // and it goes on from there
  EXPECT_EQ(belief_of(filter, w), (std::vector<float>{1.0f, 0.0f}));
  auto counted = filter.make_weights();
  EXPECT_THROW(filter.from_counts(std::vector<int>{1, 1}, counted), Error);
}

TEST(GridFilter, LongRunsStayFiniteAndNormalised) {
  for (bool moving : {false, true}) {
    const ToyProblem p(random_toy(10, 3, moving, 4));
    const Filter filter(p);
    auto w = filter.make_weights();
    Rng rng(2, Use::kWorld, 0);
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_TRUE(filter.update(w, -1, 0, 1 + rng.below(2)));  // the latent never moves
      if (i % 97 != 0 && i < 9'990) continue;
      const auto b = belief_of(filter, w);
      float total = 0.0f;
      for (float x : b) {
        ASSERT_GE(x, 0.0f);
        ASSERT_TRUE(x == 0.0f || x > 1e-36f) << "a denormal";
        total += x;
      }
      ASSERT_NEAR(total, 1.0f, 1e-6f);
      ASSERT_TRUE(std::isfinite(filter.entropy(w)));
      ASSERT_EQ(*std::max_element(w.begin(), w.end()), 0.0);
    }
    EXPECT_LT(*std::min_element(w.begin(), w.end()), LogWeights::kFloor);
  }
}

TEST(LogWeights, QuantizedLikelihoodsAddExactly) {
  EXPECT_EQ(LogWeights::quantize(-std::numeric_limits<double>::infinity()),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(LogWeights::quantize(std::nan("")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(LogWeights::quantize(0.0), 0.0);
  const double x = LogWeights::quantize(std::log(0.15));
  EXPECT_NEAR(x, std::log(0.15), 0x1p-32);
  EXPECT_EQ(x * 0x1p32, std::nearbyint(x * 0x1p32));
  double sum = 0.0;
  for (int i = 0; i < 100'000; ++i) sum += x;
  EXPECT_EQ(sum, 100'000 * x);
}

TEST(LogWeights, ProbabilitiesOfAnyNumberOfCells) {
  for (int n = 1; n < 40; ++n) {
    std::vector<double> w(n);
    for (int i = 0; i < n; ++i) w[i] = -0.37 * ((i * 7) % n);
    std::vector<float> b(n);
    LogWeights::probabilities(w, b);
    double total = 0.0;
    for (double x : w) total += std::exp(x);
    for (int i = 0; i < n; ++i) ASSERT_NEAR(b[i], std::exp(w[i]) / total, 1e-6) << n;
  }
  EXPECT_EQ(LogWeights::best(std::vector<double>{-1.0, 0.0, 0.0}), 1);  // ties: the first
}

}  // namespace
}  // namespace bpo
