// The batched network against plain double: outputs, gradients J'd against central differences, and
// the Gauss-Newton product J'M J v against J by central differences.
#include "bpo/nn/pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/networks.h"

namespace bpo {
namespace {

using kernels::kColumns;
using test::NaiveNetwork;
using test::random_floats;
using test::random_inputs;
using test::random_theta;
using test::relative_distance;
using test::to_double;

struct Case {
  const char* name;
  NetworkSpec spec;
  int states, beliefs, pairs;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"Encoders", {.state_dim = 3, .belief_dim = 10, .outputs = 3, .hidden = 8}, 5, 30, 77},
    {"Plain",
     {.state_dim = 3, .belief_dim = 10, .outputs = 2, .hidden = 8, .encoders = false},
     9,
     70,
     130},
    {"Wider", {.state_dim = 9, .belief_dim = 17, .outputs = 1, .hidden = 16}, 3, 8, 20},
    {"NoBelief", {.state_dim = 4, .belief_dim = 0, .outputs = 2, .hidden = 8}, 90, 1, 200},
    {"NoBeliefPlain",
     {.state_dim = 4, .belief_dim = 0, .outputs = 2, .hidden = 8, .encoders = false},
     6,
     1,
     10},
    {"NoState", {.state_dim = 0, .belief_dim = 5, .outputs = 3, .hidden = 8}, 1, 40, 100},
    {"OneColumn", {.state_dim = 2, .belief_dim = 2, .outputs = 3, .hidden = 8}, 1, 1, 1},
    {"Gaussian",
     {.state_dim = 2, .belief_dim = 3, .outputs = 2, .hidden = 8, .gaussian = true},
     70,
     70,
     100},
};

class Pass : public testing::TestWithParam<Case> {
 protected:
  Network network_{GetParam().spec};
  NaiveNetwork naive_{network_};
  Inputs inputs_ =
      random_inputs(GetParam().spec, GetParam().states, GetParam().beliefs, GetParam().pairs, 11);
  std::vector<float> theta_ = random_theta(network_, 5);
  int outputs_ = GetParam().spec.outputs;
  // What is pulled back, by column and output; and a metric's weights.
  std::vector<float> d_ = random_floats(static_cast<std::size_t>(inputs_.size()) * outputs_, 6);
  ThreadPool pool_{1};

  static NetworkPass::BlockFunction filler(const NetworkPass& pass, const std::vector<float>& d,
                                           int outputs) {
    return [&pass, &d, outputs](int block, float* to) {
      for (int a = 0; a < outputs; ++a) {
        for (int j = 0; j < kColumns; ++j) {
          const std::size_t c = static_cast<std::size_t>(block) * kColumns + j;
          to[a * kColumns + j] = j < pass.columns_in(block) ? d[c * outputs + a] : 0.0f;
        }
      }
    };
  }

  /// J'd by central differences.
  std::vector<double> pulled(const std::vector<double>& d) const {
    const auto f = [&](std::span<const double> theta) {
      const auto out = naive_.outputs(theta, inputs_);
      double sum = 0.0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += d[i] * out[i];
      return sum;
    };
    std::vector<double> gradient(theta_.size());
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      gradient[i] = test::slope(f, to_double(theta_), i);
    }
    return gradient;
  }
};

TEST_P(Pass, Forward) {
  NetworkPass pass(network_, pool_);
  pass.bind(inputs_);
  ASSERT_EQ(pass.columns(), inputs_.size());
  for (bool for_gradient : {true, false}) {
    pass.forward(theta_, for_gradient);
    const auto expected = naive_.outputs(to_double(theta_), inputs_);
    for (int c = 0; c < inputs_.size(); ++c) {
      for (int a = 0; a < outputs_; ++a) {
        ASSERT_NEAR(pass.output(c / kColumns)[a * kColumns + c % kColumns],
                    expected[c * outputs_ + a], 2e-5)
            << c;
      }
    }
  }
}

TEST_P(Pass, BackwardIsTheGradient) {
  NetworkPass pass(network_, pool_);
  pass.bind(inputs_);
  pass.forward(theta_);
  std::vector<double> gradient(theta_.size(), 0.0);
  pass.backward(theta_, filler(pass, d_, outputs_), gradient);
  const auto expected = pulled(to_double(d_));
  EXPECT_LT(relative_distance(gradient, expected), 3e-6);
  double largest = 0.0;
  for (double g : expected) largest = std::max(largest, std::abs(g));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(gradient[i], expected[i], 1e-5 * largest) << i;
  }
  // It adds.
  const auto once = gradient;
  pass.backward(theta_, filler(pass, d_, outputs_), gradient);
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_DOUBLE_EQ(gradient[i], 2.0 * once[i]);
}

TEST_P(Pass, CurvatureIsJMJ) {
  NetworkPass pass(network_, pool_);
  pass.bind(inputs_);
  pass.forward(theta_);
  const auto v = random_floats(theta_.size(), 7);
  // M: a different full symmetric matrix for every column, weight (I + 11').
  const auto weight = [](int column) { return 0.1f + static_cast<float>(column % 7); };
  std::vector<double> product(theta_.size(), 0.0);
  pass.curvature(
      theta_, v,
      [&](int block, float* t) {
        for (int j = 0; j < kColumns; ++j) {
          float sum = 0.0f;
          for (int a = 0; a < outputs_; ++a) sum += t[a * kColumns + j];
          const float w = j < pass.columns_in(block) ? weight(block * kColumns + j) : 0.0f;
          for (int a = 0; a < outputs_; ++a) {
            t[a * kColumns + j] = w == 0.0f ? 0.0f : w * (t[a * kColumns + j] + sum);
          }
        }
      },
      product);

  std::vector<double> up = to_double(theta_), down = up;
  const double h = 1e-6;
  for (std::size_t i = 0; i < up.size(); ++i) {
    up[i] += h * v[i];
    down[i] -= h * v[i];
  }
  std::vector<double> t = naive_.outputs(up, inputs_);
  const auto low = naive_.outputs(down, inputs_);
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = (t[i] - low[i]) / (2.0 * h);
  for (int c = 0; c < inputs_.size(); ++c) {
    double sum = 0.0;
    for (int a = 0; a < outputs_; ++a) sum += t[c * outputs_ + a];
    for (int a = 0; a < outputs_; ++a) {
      t[c * outputs_ + a] = weight(c) * (t[c * outputs_ + a] + sum);
    }
  }
  EXPECT_LT(relative_distance(product, pulled(t)), 1e-5);
}

TEST_P(Pass, RepeatedInputsChangeNothing) {
  // The same pairs over an input set in which nothing is shared.
  Inputs expanded(GetParam().spec.state_dim, GetParam().spec.belief_dim);
  for (int j = 0; j < inputs_.size(); ++j) {
    expanded.pair(expanded.states.append(inputs_.states[inputs_.state_of[j]]),
                  expanded.beliefs.append(inputs_.beliefs[inputs_.belief_of[j]]));
  }
  ASSERT_EQ(expanded.size(), inputs_.size());
  std::vector<double> gradient[2];
  std::vector<float> outputs[2];
  const Inputs* sets[2] = {&inputs_, &expanded};
  for (int k = 0; k < 2; ++k) {
    NetworkPass pass(network_, pool_);
    pass.bind(*sets[k]);
    pass.forward(theta_);
    for (int c = 0; c < pass.columns(); ++c) {
      for (int a = 0; a < outputs_; ++a) {
        outputs[k].push_back(pass.output(c / kColumns)[a * kColumns + c % kColumns]);
      }
    }
    gradient[k].assign(theta_.size(), 0.0);
    pass.backward(theta_, filler(pass, d_, outputs_), gradient[k]);
  }
  EXPECT_EQ(outputs[0], outputs[1]);  // to the bit
  EXPECT_LT(relative_distance(gradient[0], gradient[1]), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Pass, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

TEST(PassThreads, ManyBlocksGiveTheSameBitsForAnyNumberOfThreads) {
  const Network network({.state_dim = 3, .belief_dim = 6, .outputs = 3, .hidden = 16});
  const Inputs inputs = random_inputs(network.spec(), 60, 1500, 2500, 3);
  ASSERT_GT(inputs.size(), 17 * kColumns);  // more blocks than slices
  const auto theta = random_theta(network, 1), v = random_floats(theta.size(), 2);
  std::vector<double> first_gradient, first_product;
  std::vector<float> first_output;
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    NetworkPass pass(network, pool);
    // A smaller batch before: nothing of it may remain.
    const Inputs other = random_inputs(network.spec(), 90, 90, 1300, 4);
    pass.bind(other);
    pass.forward(theta);
    std::vector<double> gradient(theta.size(), 0.0), product = gradient;
    const auto scale = [&](int block, float* t) {
      for (std::size_t i = 0; i < pass.output_block(); ++i) {
        const int j = static_cast<int>(i % kColumns);
        t[i] = j < pass.columns_in(block) ? 0.01f * static_cast<float>(block + j) : 0.0f;
      }
    };
    pass.backward(theta, scale, gradient);
    pass.bind(inputs);
    pass.forward(theta);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    pass.backward(theta, scale, gradient);
    pass.curvature(
        theta, v,
        [&](int block, float* t) {
          for (std::size_t i = 0; i < pass.output_block(); ++i) {
            if (static_cast<int>(i % kColumns) >= pass.columns_in(block)) t[i] = 0.0f;
          }
        },
        product);
    const std::vector<float> output(pass.output(0), pass.output(0) + 3 * kColumns);
    if (threads == 1) {
      first_gradient = gradient;
      first_product = product;
      first_output = output;
      // And right: against central differences on a few parameters.
      const NaiveNetwork naive(network);
      const auto f = [&](std::span<const double> x) {
        const auto out = naive.outputs(x, inputs);
        double sum = 0.0;
        for (int c = 0; c < inputs.size(); ++c) {
          const double w = 0.01f * static_cast<float>(c / kColumns + c % kColumns);
          for (int a = 0; a < 3; ++a) sum += w * out[c * 3 + a];
        }
        return sum;
      };
      double size = 0.0;
      for (double g : gradient) size = std::max(size, std::abs(g));
      for (std::size_t i = 0; i < theta.size(); i += 97) {
        EXPECT_NEAR(gradient[i], test::slope(f, to_double(theta), i), 1e-5 * size) << i;
      }
    }
    EXPECT_EQ(gradient, first_gradient) << threads;
    EXPECT_EQ(product, first_product) << threads;
    EXPECT_EQ(output, first_output) << threads;
  }
}

}  // namespace
}  // namespace bpo
