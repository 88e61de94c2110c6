// What a network computes, hashed: the same bits at every optimisation level. tests/CMakeLists.txt
// compiles this file and all it needs at several of them. A commit that changes the bits on purpose
// changes the constant.
#include "tests/support/bits.h"

#include <gtest/gtest.h>

#include "bpo/nn/heads.h"
#include "bpo/nn/pass.h"
#include "tests/support/networks.h"

namespace bpo::test {
namespace {

TEST(NetworkBits, AreTheSameInEveryBuild) {
  const Network network({.state_dim = 3, .belief_dim = 6, .outputs = 3, .hidden = 16});
  const Inputs inputs = random_inputs(network.spec(), 20, 100, 300, 1);
  const auto theta = random_theta(network, 2), v = random_floats(theta.size(), 3);
  ThreadPool pool(1);
  NetworkPass pass(network, pool);
  pass.bind(inputs);
  pass.forward(theta);
  std::vector<float> p(pass.output(0), pass.output(0) + pass.output_block());
  softmax(network.spec().outputs, kernels::kColumns, p.data());
  std::vector<double> gradient(theta.size(), 0.0), product = gradient;
  pass.backward(
      theta, [&](int, float* d) { std::copy(p.begin(), p.end(), d); }, gradient);
  pass.curvature(
      theta, v, [](int, float*) {}, product);
  Hash hash;
  add(hash, p);
  add(hash, gradient);
  add(hash, product);
  EXPECT_EQ(hash.text(), "253b189a3c4f87a0");
}

}  // namespace
}  // namespace bpo::test
