// The surrogate's value, gradient (plain and clipped) and Fisher products against the plain
// objective over steps in double and its central differences.
#include "bpo/optimizers/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "tests/support/batches.h"

namespace bpo {
namespace {

using test::NaiveObjective;
using test::random_floats;
using test::relative_distance;
using test::to_double;

struct Case {
  const char* name;
  NetworkSpec spec;
  bool masked;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Objective : public testing::TestWithParam<Case> {
 protected:
  Network network_{GetParam().spec};
  ThreadPool pool_{2};
  Batch batch_ = test::random_batch(GetParam().spec, 60, 1, 7, 15);
  std::vector<double> advantages_ = test::random_advantages(batch_, 2);
  std::vector<std::uint8_t> keep_ = mask();
  Samples samples_ = make_samples(batch_, advantages_, keep_,
                                  GetParam().spec.gaussian ? 0 : GetParam().spec.outputs);
  std::vector<float> old_ = test::random_theta(network_, 3);
  std::vector<float> theta_ = moved(0.05);
  NaiveObjective naive_{network_, batch_, advantages_, keep_, old_};
  NetworkObjective objective_{network_, pool_};

  std::vector<std::uint8_t> mask() const {
    std::vector<std::uint8_t> keep;
    if (!GetParam().masked) return keep;
    for (int i = 0; i < batch_.steps(); ++i) keep.push_back(i % 3 != 0);
    return keep;
  }
  std::vector<float> moved(double by) const {
    std::vector<float> theta = old_;
    const auto noise = random_floats(theta.size(), 4, by);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += noise[i];
    return theta;
  }
  template <class F>
  std::vector<double> slopes(const std::vector<float>& at, const F& f, double h = 1e-5) const {
    std::vector<double> out(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) out[i] = test::slope(f, to_double(at), i, h);
    return out;
  }
};

TEST_P(Objective, Values) {
  const auto check = [&](const PolicyObjective::Value& value, const std::vector<float>& theta) {
    EXPECT_NEAR(value.surrogate, naive_.surrogate(to_double(theta)), 2e-5);
    EXPECT_NEAR(value.kl, naive_.kl(to_double(theta)), 2e-6);
    EXPECT_NEAR(value.entropy, naive_.entropy(to_double(theta)), 2e-5);
  };
  const auto start = objective_.bind(samples_, old_);
  check(start, old_);
  EXPECT_NEAR(start.kl, 0.0, 1e-12);
  check(objective_.evaluate(theta_), theta_);
  check(objective_.move(theta_), theta_);
  EXPECT_GT(naive_.kl(to_double(theta_)), 1e-3);
}

TEST_P(Objective, GradientAtTheStart) {
  objective_.bind(samples_, old_);
  std::vector<double> gradient(old_.size());
  objective_.gradient(0.0, gradient);
  const auto f = [&](std::span<const double> x) { return naive_.surrogate(x); };
  EXPECT_LT(relative_distance(gradient, slopes(old_, f)), 2e-5);
}

TEST_P(Objective, GradientElsewhere) {
  objective_.bind(samples_, old_);
  objective_.move(theta_);
  std::vector<double> gradient(old_.size(), 123.0);  // it replaces what is there
  objective_.gradient(0.0, gradient);
  const auto f = [&](std::span<const double> x) { return naive_.surrogate(x); };
  EXPECT_LT(relative_distance(gradient, slopes(theta_, f)), 2e-5);
}

TEST_P(Objective, ClippedGradient) {
  const double clip = 0.07;
  ASSERT_GT(naive_.distance_to_kink(to_double(theta_), clip), 1e-5) << "choose another clip";
  objective_.bind(samples_, old_);
  objective_.move(theta_);
  std::vector<double> clipped(old_.size()), plain(old_.size());
  objective_.gradient(clip, clipped);
  objective_.gradient(0.0, plain);
  const auto f = [&](std::span<const double> x) { return naive_.surrogate(x, clip); };
  EXPECT_LT(relative_distance(clipped, slopes(theta_, f, 1e-7)), 2e-4);
  EXPECT_GT(relative_distance(clipped, plain), 0.05) << "nothing was clipped";
}

TEST_P(Objective, FisherIsTheHessianOfTheKl) {
  objective_.bind(samples_, old_);
  const auto v = to_double(random_floats(old_.size(), 8));
  std::vector<double> product(old_.size(), 7.0);
  objective_.fisher(v, product);
  // d/dtheta of the directional derivative of the KL along v.
  const double e = 1e-4;
  const auto f = [&](std::span<const double> x) {
    std::vector<double> up(x.begin(), x.end()), down = up;
    for (std::size_t i = 0; i < up.size(); ++i) {
      up[i] += e * v[i];
      down[i] -= e * v[i];
    }
    return (naive_.kl(up) - naive_.kl(down)) / (2.0 * e);
  };
  EXPECT_LT(relative_distance(product, slopes(old_, f, 1e-4)), 2e-4);
}

TEST_P(Objective, FisherAfterAGradientAndAnEvaluationElsewhere) {
  // TRPO's order of calls: Fisher products at theta_old, then evaluations; then a new batch.
  const auto v = to_double(random_floats(old_.size(), 9));
  std::vector<double> first(old_.size()), second = first, gradient = first;
  objective_.bind(samples_, old_);
  objective_.fisher(v, first);
  objective_.gradient(0.0, gradient);
  objective_.evaluate(theta_);
  objective_.bind(samples_, old_);
  objective_.fisher(v, second);
  EXPECT_EQ(first, second);
}

TEST_P(Objective, UnitsAreTheInputsThatCount) {
  objective_.bind(samples_, old_);
  std::set<int> columns;
  for (int i = 0; i < batch_.steps(); ++i) {
    if (keep_.empty() || keep_[i]) columns.insert(batch_.column[i]);
  }
  ASSERT_EQ(objective_.units(), static_cast<int>(columns.size()));
  std::vector<int> all(columns.size());
  std::iota(all.begin(), all.end(), 0);
  const auto v = to_double(random_floats(old_.size(), 9));
  std::vector<double> whole(old_.size()), part = whole;
  objective_.fisher(v, whole);
  objective_.part(all, old_).fisher(v, part);
  EXPECT_LT(relative_distance(part, whole), 1e-5) << "what does not count adds nothing";
}

const Case kCases[] = {
    {"Categorical", {.state_dim = 2, .belief_dim = 3, .outputs = 3, .hidden = 8}, false},
    {"CategoricalMasked", {.state_dim = 2, .belief_dim = 3, .outputs = 3, .hidden = 8}, true},
    {"Plain",
     {.state_dim = 2, .belief_dim = 3, .outputs = 2, .hidden = 8, .encoders = false},
     false},
    {"Gaussian",
     {.state_dim = 2, .belief_dim = 3, .outputs = 2, .hidden = 8, .gaussian = true},
     false},
    {"GaussianMasked",
     {.state_dim = 2, .belief_dim = 3, .outputs = 2, .hidden = 8, .gaussian = true},
     true},
    {"OwnSpread",
     {.state_dim = 2,
      .belief_dim = 3,
      .outputs = 4,
      .hidden = 8,
      .gaussian = true,
      .own_spread = true},
     false},
    {"OwnSpreadMasked",
     {.state_dim = 2,
      .belief_dim = 3,
      .outputs = 4,
      .hidden = 8,
      .gaussian = true,
      .own_spread = true},
     true},
};

INSTANTIATE_TEST_SUITE_P(Heads, Objective, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace bpo
