// The weighted distinct inputs stand for the same sums over steps.
#include "bpo/optimizers/samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "tests/support/batches.h"

namespace bpo {
namespace {

using test::random_advantages;
using test::random_batch;

const NetworkSpec kDiscrete{.state_dim = 2, .belief_dim = 3, .outputs = 3};
const NetworkSpec kBox{.state_dim = 2, .belief_dim = 3, .outputs = 2, .gaussian = true};

/// An arbitrary function of input and action.
double f(int column, double action) { return std::sin(1.0 + 3.7 * column + 1.3 * action); }

std::vector<std::uint8_t> some(int steps, std::uint64_t seed) {
  Rng rng(seed, Use::kShuffle, 1);
  std::vector<std::uint8_t> keep(steps);
  for (auto& k : keep) k = rng.uniform() < 0.4;
  keep[0] = 1;
  return keep;
}

RC_GTEST_PROP(Samples, DiscreteSumsAreTheSumsOverSteps, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const bool masked = *rc::gen::arbitrary<bool>();
  const Batch batch = random_batch(kDiscrete, 20, seed);
  const auto advantages = random_advantages(batch, seed + 9);
  const auto keep = masked ? some(batch.steps(), seed) : std::vector<std::uint8_t>{};
  const Samples samples = make_samples(batch, advantages, keep, 3);

  double positive = 0.0, negative = 0.0, weight = 0.0, n = 0.0;
  for (int i = 0; i < batch.steps(); ++i) {
    if (masked && !keep[i]) continue;
    (advantages[i] > 0 ? positive : negative) +=
        advantages[i] * f(batch.column[i], batch.action[i]);
    weight += f(batch.column[i], 0.0);
    n += 1.0;
  }
  double gain = 0.0, loss = 0.0, total = 0.0, share = 0.0;
  for (int c = 0; c < batch.inputs.size(); ++c) {
    for (int a = 0; a < 3; ++a) {
      RC_ASSERT(samples.gain[c * 3 + a] >= 0.0f);
      RC_ASSERT(samples.loss[c * 3 + a] <= 0.0f);
      gain += samples.gain[c * 3 + a] * f(c, a);
      loss += samples.loss[c * 3 + a] * f(c, a);
    }
    total += samples.weight[c] * f(c, 0.0);
    share += samples.weight[c];
  }
  RC_ASSERT(std::abs(gain - positive / n) < 1e-6);
  RC_ASSERT(std::abs(loss - negative / n) < 1e-6);
  RC_ASSERT(std::abs(total - weight / n) < 1e-6);
  RC_ASSERT(std::abs(share - 1.0) < 1e-6);
}

TEST(Samples, BoxSumsAreTheSumsOverSteps) {
  const Batch batch = random_batch(kBox, 30, 5);
  const auto advantages = random_advantages(batch, 6);
  const auto keep = some(batch.steps(), 7);
  const Samples samples = make_samples(batch, advantages, keep, 0);
  ASSERT_EQ(static_cast<int>(samples.step.size()), batch.steps());
  double expected = 0.0, n = 0.0, got = 0.0;
  for (int i = 0; i < batch.steps(); ++i) {
    if (!keep[i]) continue;
    expected += advantages[i] * f(batch.column[i], batch.box[2 * i]);
    n += 1.0;
  }
  std::vector<int> seen(batch.steps(), 0);
  for (int c = 0; c < batch.inputs.size(); ++c) {
    for (int k = samples.first[c]; k < samples.first[c + 1]; ++k) {
      const int i = samples.step[k];
      ++seen[i];
      ASSERT_EQ(batch.column[i], c);
      got += samples.advantage[k] * f(c, (*samples.box)[2 * i]);
    }
  }
  for (int count : seen) EXPECT_EQ(count, 1);
  EXPECT_NEAR(got, expected / n, 1e-6);
}

/// The sums of f over one set of samples; `original` numbers its columns in the whole.
double sum_of(const Samples& s, const std::vector<int>& original) {
  double sum = 0.0;
  for (std::size_t c = 0; c < original.size(); ++c) {
    sum += s.weight[c] * f(original[c], -1.0);
    for (int a = 0; a < s.actions; ++a) {
      sum += (s.gain[c * s.actions + a] + 2.0 * s.loss[c * s.actions + a]) * f(original[c], a);
    }
    if (s.actions > 0) continue;
    for (int k = s.first[c]; k < s.first[c + 1]; ++k) {
      sum += s.advantage[k] * f(original[c], (*s.box)[2 * s.step[k]]);
    }
  }
  return sum;
}

TEST(Samples, OnlyColumnsOfKeptStepsCount) {
  const Batch batch = random_batch(kBox, 40, 8);
  const auto keep = some(batch.steps(), 11);
  std::set<int> expected;
  for (int i = 0; i < batch.steps(); ++i) {
    if (keep[i]) expected.insert(batch.column[i]);
  }
  const Samples samples = make_samples(batch, random_advantages(batch, 9), keep, 0);
  EXPECT_EQ(counted_columns(samples), std::vector<int>(expected.begin(), expected.end()));
  EXPECT_LT(static_cast<int>(expected.size()), batch.inputs.size());
}

void expect_parts_average_to_the_whole(const NetworkSpec* spec, bool masked) {
  const Batch batch = random_batch(*spec, 40, 8);
  const auto keep = masked ? some(batch.steps(), 11) : std::vector<std::uint8_t>{};
  const bool box = spec->gaussian;
  const Samples whole = make_samples(batch, random_advantages(batch, 9), keep, box ? 0 : 3);
  std::vector<int> all(batch.inputs.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> order;
  const std::vector<int> counted = counted_columns(whole);
  const int columns = static_cast<int>(counted.size());
  for (int k : permutation(columns, 1, 2)) order.push_back(counted[k]);
  Inputs inputs(spec->state_dim, spec->belief_dim);
  double sum = 0.0;
  for (int part = 0; part < 3; ++part) {
    const std::vector<int> chosen(order.begin() + columns * part / 3,
                                  order.begin() + columns * (part + 1) / 3);
    const Samples s = subset(whole, chosen, inputs);
    ASSERT_EQ(s.inputs->size(), static_cast<int>(chosen.size()));
    ASSERT_EQ(s.weight.size(), chosen.size());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const float* mine = inputs.states[inputs.state_of[k]];
      const float* theirs = batch.inputs.states[batch.inputs.state_of[chosen[k]]];
      EXPECT_TRUE(std::equal(mine, mine + spec->state_dim, theirs));
      mine = inputs.beliefs[inputs.belief_of[k]];
      theirs = batch.inputs.beliefs[batch.inputs.belief_of[chosen[k]]];
      EXPECT_TRUE(std::equal(mine, mine + spec->belief_dim, theirs));
    }
    EXPECT_LE(inputs.states.size(), batch.inputs.states.size());
    sum += sum_of(s, chosen) * static_cast<double>(chosen.size()) / columns;
  }
  EXPECT_NEAR(sum, sum_of(whole, all), 1e-6);
}

TEST(Samples, APartitionsPartsAverageToTheWhole) {
  for (const NetworkSpec* spec : {&kDiscrete, &kBox}) {
    for (bool masked : {false, true}) expect_parts_average_to_the_whole(spec, masked);
  }
}

TEST(Permutation, IsOneAndDependsOnItsKeys) {
  for (int n : {0, 1, 2, 100}) {
    const auto p = permutation(n, 3, 4);
    std::set<int> values(p.begin(), p.end());
    EXPECT_EQ(static_cast<int>(values.size()), n);
    if (n > 0) {
      EXPECT_EQ(*values.rbegin(), n - 1);
    }
  }
  EXPECT_EQ(permutation(50, 3, 4), permutation(50, 3, 4));
  EXPECT_NE(permutation(50, 3, 4), permutation(50, 3, 5));
  EXPECT_NE(permutation(50, 3, 4), permutation(50, 4, 4));
}

TEST(Permutation, IsUniform) {
  constexpr int kN = 60'000;
  std::map<std::vector<int>, int> count;
  for (int i = 0; i < kN; ++i) ++count[permutation(3, 1, i)];
  EXPECT_EQ(count.size(), 6u);
  for (const auto& [order, n] : count) {  // false alarm 1e-6 each
    EXPECT_NEAR(n, kN / 6.0, 4.9 * std::sqrt(kN * 5.0 / 36.0));
  }
}

}  // namespace
}  // namespace bpo
