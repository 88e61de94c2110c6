// The map of theta: every parameter belongs to exactly one tensor, in any combination of inputs.
#include "bpo/nn/network.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "tests/support/networks.h"

namespace bpo {
namespace {

std::vector<NetworkSpec> specs() {
  std::vector<NetworkSpec> out;
  for (bool encoders : {true, false}) {
    for (bool gaussian : {true, false}) {
      for (const auto& [states, beliefs] : {std::pair{5, 10}, {3, 0}, {0, 7}, {8, 16}, {1, 1}}) {
        for (int hidden : {8, 32}) {
          out.push_back({.state_dim = states,
                         .belief_dim = beliefs,
                         .outputs = 3,
                         .hidden = hidden,
                         .encoders = encoders,
                         .gaussian = gaussian});
        }
      }
    }
  }
  return out;
}

TEST(Network, TensorsCoverThetaOnce) {
  for (const NetworkSpec& spec : specs()) {
    const Network network(spec);
    std::vector<int> owners(network.parameters(), 0);
    std::set<std::string> names;
    for (const TensorInfo& t : network.tensors()) {
      EXPECT_TRUE(names.insert(t.name).second) << t.name;
      for (std::size_t i = 0; i < t.size(); ++i) ++owners.at(t.offset + i);
    }
    for (int n : owners) ASSERT_EQ(n, 1);
    EXPECT_EQ(names.count("log_std"), spec.gaussian ? 1u : 0u);
    EXPECT_EQ(names.count("state_encoder.0.weight"), spec.encoders && spec.state_dim > 0 ? 1u : 0u);
    EXPECT_EQ(names.count("belief_encoder.1.bias"), spec.encoders && spec.belief_dim > 0 ? 1u : 0u);
  }
}

TEST(Network, HasThePapersSize) {
  // Two encoders of two layers each, joined, two layers, a head; 32 units.
  const Network network({.state_dim = 3, .belief_dim = 2, .outputs = 3, .hidden = 32});
  const std::size_t square = 32 * 32 + 32;
  EXPECT_EQ(network.parameters(), (3 * 32 + 32) + square + (2 * 32 + 32) + square + (64 * 32 + 32) +
                                      square + (3 * 32 + 3));
  const Network plain(
      {.state_dim = 3, .belief_dim = 2, .outputs = 3, .hidden = 32, .encoders = false});
  EXPECT_EQ(plain.parameters(), (5 * 32 + 32) + square + (3 * 32 + 3));
}

TEST(Network, WeightsAreGlorotUniformAndBiasesZero) {
  const Network network(
      {.state_dim = 40, .belief_dim = 100, .outputs = 4, .hidden = 64, .gaussian = true});
  for (float scale : {1.0f, 0.01f}) {
    const std::vector<float> theta = network.initialize(3, scale);
    for (const TensorInfo& t : network.tensors()) {
      double largest = 0.0, squares = 0.0;
      for (std::size_t i = 0; i < t.size(); ++i) {
        const double x = theta[t.offset + i];
        largest = std::max(largest, std::abs(x));
        squares += x * x / static_cast<double>(t.size());
      }
      if (t.shape.size() == 1) {
        EXPECT_EQ(largest, 0.0) << t.name;
        continue;
      }
      double bound = std::sqrt(6.0 / static_cast<double>(t.shape[0] + t.shape[1]));
      if (t.name == "head.weight") bound *= scale;
      EXPECT_LE(largest, bound * (1 + 1e-6)) << t.name;
      EXPECT_GT(largest, 0.97 * bound) << t.name;
      // Var U(-c,c) = c^2/3; the sample's relative deviation is sqrt(0.8/n): false alarm 1e-6.
      EXPECT_NEAR(squares / (bound * bound / 3.0), 1.0,
                  4.9 * std::sqrt(0.8 / static_cast<double>(t.size())))
          << t.name;
    }
  }
  EXPECT_EQ(network.initialize(3), network.initialize(3));
  EXPECT_NE(network.initialize(3), network.initialize(4));
}

TEST(Network, UnpackPutsEveryEntryInItsPlaceOnce) {
  for (const NetworkSpec& spec : specs()) {
    const Network network(spec);
    const std::size_t trained = network.parameters() - (spec.gaussian ? spec.outputs : 0);
    // One padded entry at a time goes to one parameter or, if padding, to none.
    std::vector<float> padded(network.gradient_size(), 0.0f);
    std::vector<int> reached(network.parameters(), 0);
    std::vector<double> gradient(network.parameters());
    for (std::size_t i = 0; i < padded.size(); ++i) {
      padded[i] = 1.0f;
      std::fill(gradient.begin(), gradient.end(), 0.0);
      network.unpack(padded, gradient);
      padded[i] = 0.0f;
      const double sum = std::accumulate(gradient.begin(), gradient.end(), 0.0);
      ASSERT_TRUE(sum == 0.0 || sum == 1.0);
      for (std::size_t k = 0; k < gradient.size(); ++k) reached[k] += gradient[k] == 1.0;
      if (padded.size() > 3000) i += 6;  // the large ones: a sample
    }
    if (padded.size() > 3000) continue;
    for (std::size_t k = 0; k < trained; ++k) ASSERT_EQ(reached[k], 1) << k;
    for (std::size_t k = trained; k < reached.size(); ++k) ASSERT_EQ(reached[k], 0) << k;
  }
}

TEST(Network, UnpackAdds) {
  const Network network({.state_dim = 3, .belief_dim = 2, .outputs = 3, .hidden = 8});
  const auto padded = test::random_floats(network.gradient_size(), 1);
  std::vector<double> once(network.parameters(), 0.0), twice = once;
  network.unpack(padded, once);
  network.unpack(padded, twice);
  network.unpack(padded, twice);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_DOUBLE_EQ(twice[i], 2.0 * once[i]);
}

}  // namespace
}  // namespace bpo
