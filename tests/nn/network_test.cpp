// The map of theta: every parameter belongs to exactly one tensor, in any combination of inputs.
// Whitening: the first layers see standardised inputs, and nothing else changes.
#include "bpo/nn/network.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "bpo/nn/pass.h"
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
  for (const InitialScale& scale : {InitialScale{}, {.hidden = 0.5f, .head = 0.01f}}) {
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
      bound *= t.name == "head.weight" ? scale.head : scale.hidden;
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

class Whitening : public testing::TestWithParam<bool> {
 protected:
  static constexpr int kConstantState = 1, kConstantBelief = 2;

  /// Pairs that visit a few states and beliefs unequally often. Features differ in size and centre;
  /// the constant ones vary as rounding does.
  static Inputs raw_inputs(const NetworkSpec& spec) {
    const auto o = test::random_floats(9 * spec.state_dim, 1);
    const auto b = test::random_floats(17 * spec.belief_dim, 2);
    Inputs inputs(spec.state_dim, spec.belief_dim);
    for (int j = 0; j < 40; ++j) {
      const float jitter = j % 2 == 0 ? 0.0f : 1e-7f;
      std::vector<float> x(spec.state_dim), y(spec.belief_dim);
      for (int k = 0; k < spec.state_dim; ++k) {
        x[k] = k == kConstantState ? 0.7f + jitter
                                   : std::pow(4.0f, k) * (2 + o[j * j % 9 * x.size() + k]);
      }
      for (int k = 0; k < spec.belief_dim; ++k) {
        y[k] = k == kConstantBelief ? 0.3f + jitter : 0.1f * (k - 1 + b[j % 17 * y.size() + k]);
      }
      inputs.add(x.data(), y.data());
    }
    return inputs;
  }

  /// By pair: (x - mean) / sd; what does not vary is only scaled.
  static std::vector<std::vector<double>> standardised(const ColumnSet& columns,
                                                       const std::vector<int>& column_of,
                                                       double scale, int constant) {
    const auto n = static_cast<double>(column_of.size());
    std::vector<std::vector<double>> out(column_of.size(), std::vector<double>(columns.dim()));
    for (int k = 0; k < columns.dim(); ++k) {
      double mean = 0.0, variance = 0.0;
      for (int c : column_of) mean += columns[c][k] / n;
      for (int c : column_of) variance += std::pow(columns[c][k] - mean, 2) / n;
      for (std::size_t j = 0; j < out.size(); ++j) {
        const double x = columns[column_of[j]][k];
        out[j][k] = k == constant ? scale * x : (x - mean) / std::sqrt(variance);
      }
    }
    return out;
  }

  const Network network_{{.state_dim = 4,
                          .belief_dim = 3,
                          .belief_scale = 2.5f,
                          .outputs = 2,
                          .hidden = 16,
                          .encoders = GetParam(),
                          .gaussian = true}};
  const Inputs inputs_ = raw_inputs(network_.spec());
  const std::vector<float> before_ = test::random_theta(network_, 3);
  std::vector<float> after_ = before_;

  const std::vector<std::vector<double>> states_ =
      standardised(inputs_.states, inputs_.state_of, 1.0, kConstantState);
  const std::vector<std::vector<double>> beliefs_ =
      standardised(inputs_.beliefs, inputs_.belief_of, 2.5, kConstantBelief);
};

TEST_P(Whitening, FirstLayersSeeStandardisedInputs) {
  network_.whiten(inputs_.view(), after_);
  const auto add = [](const std::vector<float>& theta, const Dense& d, const auto& x, double scale,
                      int row) {
    double sum = 0.0;
    for (int k = 0; k < d.in; ++k) {
      sum += theta[d.weight + static_cast<std::size_t>(row) * d.stride + k] * scale * x[k];
    }
    return sum;
  };
  const bool encoders = GetParam();
  const auto first = [&](const Branch& b) -> const Dense& {
    return encoders ? b.layers.front() : b.join;
  };
  const Dense& on_state = first(network_.state());
  const Dense& on_belief = first(network_.belief());
  for (int j = 0; j < inputs_.size(); ++j) {
    const float* o = inputs_.states[inputs_.state_of[j]];
    const float* b = inputs_.beliefs[inputs_.belief_of[j]];
    for (int r = 0; r < network_.spec().hidden; ++r) {
      const double state = add(after_, on_state, o, 1.0, r);
      const double belief = add(after_, on_belief, b, 2.5, r);
      const double wanted_state = add(before_, on_state, states_[j], 1.0, r);
      const double wanted_belief = add(before_, on_belief, beliefs_[j], 1.0, r);
      if (encoders) {
        ASSERT_NEAR(state + after_[on_state.bias + r], wanted_state + before_[on_state.bias + r],
                    1e-5);
        ASSERT_NEAR(belief + after_[on_belief.bias + r],
                    wanted_belief + before_[on_belief.bias + r], 1e-5);
      } else {  // one layer adds them up
        ASSERT_NEAR(state + belief + after_[network_.join_bias() + r],
                    wanted_state + wanted_belief + before_[network_.join_bias() + r], 1e-5);
      }
    }
  }
}

TEST_P(Whitening, OutputsAreThoseOfStandardisedInputs) {
  network_.whiten(inputs_.view(), after_);
  ThreadPool pool(1);
  NetworkPass pass(network_, pool);
  pass.bind(inputs_);
  pass.forward(after_);
  const test::NaiveNetwork naive(network_);
  for (int j = 0; j < inputs_.size(); ++j) {
    const std::vector<float> o(states_[j].begin(), states_[j].end());
    const std::vector<float> b(beliefs_[j].begin(), beliefs_[j].end());
    const auto wanted = naive.outputs(test::to_double(before_), o.data(), b.data());
    for (int i = 0; i < 2; ++i) {
      const int column = j % kernels::kColumns;
      ASSERT_NEAR(pass.output(j / kernels::kColumns)[i * kernels::kColumns + column], wanted[i],
                  1e-4);
    }
  }
}

TEST_P(Whitening, LeavesConstantFeaturesAndAllOtherLayersAsTheyAre) {
  network_.whiten(inputs_.view(), after_);
  std::vector<bool> may_change(before_.size(), false);
  for (const auto& [branch, constant] : {std::pair{&network_.state(), kConstantState},
                                         std::pair{&network_.belief(), kConstantBelief}}) {
    const Dense& d = GetParam() ? branch->layers.front() : branch->join;
    for (int r = 0; r < d.out; ++r) {
      may_change[(GetParam() ? d.bias : network_.join_bias()) + r] = true;
      for (int k = 0; k < d.in; ++k) may_change[d.weight + r * d.stride + k] = k != constant;
    }
  }
  for (std::size_t i = 0; i < before_.size(); ++i) {
    ASSERT_EQ(before_[i] != after_[i], may_change[i]) << i;
  }
}

/// What is said of an entry counts, whatever the batch looks like; an sd of 0 says nothing.
TEST_P(Whitening, TakesTheVariationThatABeliefIsExpectedToHave) {
  NetworkSpec spec = network_.spec();
  spec.belief_variation = {{0.5f, 2.0f}, {0.0f, 0.0f}, {-1.0f, 0.25f}};
  const Network told(spec);
  std::vector<float> theta = before_;
  told.whiten(inputs_.view(), theta);
  network_.whiten(inputs_.view(), after_);
  const Dense& d = GetParam() ? told.belief().layers.front() : told.belief().join;
  const auto weight = [&](const std::vector<float>& of, int r, int k) {
    return of[d.weight + static_cast<std::size_t>(r) * d.stride + k];
  };
  for (int r = 0; r < d.out; ++r) {
    EXPECT_FLOAT_EQ(weight(theta, r, 0), weight(before_, r, 0) / (2.5f * 2.0f));
    EXPECT_EQ(weight(theta, r, 1), weight(after_, r, 1));
    EXPECT_FLOAT_EQ(weight(theta, r, 2), weight(before_, r, 2) / (2.5f * 0.25f));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Whitening, testing::Bool(),
                         [](const auto& c) { return c.param ? "Encoders" : "Plain"; });

}  // namespace
}  // namespace bpo
