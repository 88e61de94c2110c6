// The fast choice among vectors against the plain one.
#include "bpo/planners/point_based/vector_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

/// Vectors that differ by as little as `spread` around `middle`, some of them twice.
VectorSets random_vectors(const std::vector<int>& sizes, int hidden, double middle, double spread,
                          Rng& rng) {
  VectorSets out(static_cast<int>(sizes.size()), hidden);
  std::vector<double> alpha(hidden);
  for (int key = 0; key < out.keys(); ++key) {
    for (int i = 0; i < sizes[key]; ++i) {
      if (i > 0 && rng.below(4) == 0) {
        const auto twin = out.vector(key, rng.below(i));
        alpha.assign(twin.begin(), twin.end());
      } else {
        for (double& value : alpha) value = middle + spread * (rng.uniform() - 0.5);
      }
      out.add(key, alpha, i % 5);
    }
  }
  return out;
}

/// A belief over about `share` of the states, as a filter writes it or to the last digit.
std::vector<double> random_belief(int hidden, double share, Rng& rng) {
  std::vector<double> b(hidden);
  double sum = 0.0;
  for (double& p : b) {
    if (rng.uniform() < share) sum += p = std::pow(rng.uniform(), 4.0);
  }
  if (sum == 0.0) sum = b[rng.below(hidden)] = 1.0;
  const bool rounded = rng.below(2) == 0;
  for (double& p : b) p = rounded ? static_cast<float>(p / sum) : p / sum;
  return b;
}

BestVector plain(const VectorSets& vectors, int key, const std::vector<double>& b) {
  std::vector<double> p;
  std::vector<std::uint32_t> index;
  for (std::uint32_t y = 0; y < b.size(); ++y) {
    if (b[y] == 0.0) continue;
    p.push_back(b[y]);
    index.push_back(y);
  }
  return vectors.best(key, {p, index});
}

void expect_plain(const VectorSets& vectors, double share, int beliefs, Rng& rng) {
  const VectorBlocks blocks(vectors);
  BeliefBatch batch, alone;
  for (int round = 0; round < 2; ++round) {
    std::vector<int> keys;
    std::vector<std::vector<double>> all;
    batch.clear();
    for (int i = 0; i < beliefs; ++i) {
      keys.push_back(rng.below(vectors.keys()));
      all.push_back(random_belief(vectors.hidden(), share, rng));
      batch.add(keys.back(), all.back());
    }
    blocks.find_best(batch);
    ASSERT_EQ(batch.size(), beliefs);
    for (int i = 0; i < beliefs; ++i) {
      const BestVector expected = plain(vectors, keys[i], all[i]);
      EXPECT_EQ(batch.best(i).index, expected.index);
      EXPECT_EQ(batch.best(i).value, expected.value);
      alone.clear();
      alone.add(keys[i], all[i]);
      blocks.find_best(alone);
      EXPECT_EQ(alone.best(0).index, expected.index) << "whatever else is asked for";
    }
  }
}

TEST(VectorBlocks, ChooseWhatThePlainFormChooses) {
  Rng rng(5, Use::kState, 0);
  // One vector, a block and its neighbours, several blocks, keys of different sizes.
  for (const auto& sizes : std::vector<std::vector<int>>{{1}, {63, 64, 65}, {8, 1, 300}, {1000}}) {
    for (const int hidden : {1, 2, 60, 400}) {
      for (const double share : {0.02, 0.3, 1.0}) {
        expect_plain(random_vectors(sizes, hidden, 0.0, 1.0, rng), share, 40, rng);
      }
    }
  }
}

TEST(VectorBlocks, ChooseSoWhereFloatsTellNothing) {
  Rng rng(6, Use::kState, 0);
  // Differences below a float's digits, below a double's, far beyond a float's range, and none.
  for (const auto& [middle, spread] : std::vector<std::pair<double, double>>{
           {100.0, 1e-9}, {1.0, 1e-15}, {0.0, 1e200}, {0.0, 1e-200}, {-3.0, 0.0}, {1e300, 1e290}}) {
    expect_plain(random_vectors({200, 30}, 50, middle, spread, rng), 0.4, 40, rng);
  }
}

TEST(VectorBlocks, OfEqualVectorsTheFirstIsChosen) {
  VectorSets vectors(1, 3);
  for (int i = 0; i < 150; ++i) vectors.add(0, std::vector<double>{0.1, 0.2, 0.3}, i);
  const VectorBlocks blocks(vectors);
  BeliefBatch batch;
  batch.add(0, std::vector<double>{0.5, 0.25, 0.25});
  blocks.find_best(batch);
  EXPECT_EQ(batch.best(0).index, 0);
}

TEST(VectorBlocks, TinyProbabilitiesCount) {
  // A state that a float cannot hold decides between vectors that are otherwise equal.
  VectorSets vectors(1, 2);
  vectors.add(0, std::vector<double>{0.0, -1.0}, 0);
  vectors.add(0, std::vector<double>{0.0, 1.0}, 1);
  const VectorBlocks blocks(vectors);
  BeliefBatch batch;
  batch.add(0, std::vector<double>{1.0, 1e-150});
  blocks.find_best(batch);
  EXPECT_EQ(batch.best(0).index, 1);
}

}  // namespace
}  // namespace bpo
