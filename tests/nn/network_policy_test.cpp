// The actor computes the same distributions as the optimiser's pass over the batch, to the bit.
#include "bpo/nn/network_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bpo/core/simulate.h"
#include "bpo/nn/heads.h"
#include "bpo/nn/pass.h"
#include "tests/support/networks.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using kernels::kColumns;
using test::make_problem;
using test::random_theta;

/// By column, from the pass.
std::vector<float> distributions(const Network& network, const std::vector<float>& theta,
                                 const Inputs& inputs) {
  ThreadPool pool(1);
  NetworkPass pass(network, pool);
  pass.bind(inputs);
  pass.forward(theta);
  const int n = network.spec().outputs;
  std::vector<float> out;
  for (int block = 0; block < pass.blocks(); ++block) {
    std::vector<float> values(pass.output(block), pass.output(block) + pass.output_block());
    if (!network.spec().gaussian) softmax(n, padded_columns(pass.columns_in(block)), values.data());
    for (int j = 0; j < pass.columns_in(block); ++j) {
      for (int a = 0; a < n; ++a) out.push_back(values[a * kColumns + j]);
    }
  }
  return out;
}

class Policies : public testing::TestWithParam<std::tuple<const char*, Sees, bool>> {};

TEST_P(Policies, ActorAndPassAgreeToTheBit) {
  const auto [name, sees, encoders] = GetParam();
  const auto problem = make_problem(name, {"problem.horizon=40"});
  const Network network(network_spec(problem->spec(), sees, encoders, 32));
  const auto theta = random_theta(network, 3);
  const auto world = problem->make_world();
  NetworkActor actor(network, theta, sees, false);
  for (int tile = 0; tile < 2; ++tile) {
    simulate(*world, actor, {5, static_cast<std::uint64_t>(64 * tile), 64}, LatentSource::kPrior,
             nullptr, nullptr);
  }
  const Inputs& inputs = actor.inputs();
  ASSERT_GT(inputs.size(), 2);
  const auto expected = distributions(network, theta, inputs);
  const std::size_t n = network.spec().outputs;
  for (int c = 0; c < inputs.size(); ++c) {
    const auto mine = actor.distribution(c);
    for (std::size_t a = 0; a < n; ++a) ASSERT_EQ(mine[a], expected[c * n + a]) << c;
  }
}

TEST_P(Policies, ProbabilitiesAreWhatTheActorDrawsFrom) {
  const auto [name, sees, encoders] = GetParam();
  const auto problem = make_problem(name, {"problem.horizon=10"});
  const ProblemSpec& spec = problem->spec();
  const auto network = std::make_shared<const Network>(network_spec(spec, sees, encoders, 16));
  const NetworkPolicy policy(network, random_theta(*network, 4), sees);
  const NetworkPolicy greedy(network, policy.theta(), sees, true);
  const int n = spec.actions.size();
  PolicyInputs in(spec);
  std::vector<float> p(kLanes * n), best(kLanes * n);
  if (sees == Sees::kLatent) {
    EXPECT_EQ(policy.probabilities(), nullptr) << "it is not a function of these inputs";
    return;
  }
  const auto world = problem->make_world();
  NetworkActor actor(*network, policy.theta(), sees, false);
  NetworkActor greedy_actor(*network, policy.theta(), sees, true);
  Actions greedy_actions;
  int lanes = 0;
  simulate(
      *world, actor, {1, 0, 50}, LatentSource::kPrior,
      [&](const World& w, const Actions& actions) {
        in.episodes.count = 50;
        for (int lane = 0; lane < 50; ++lane) {
          std::copy_n(w.obs()[lane].data(), spec.obs_dim, in.obs[lane].data());
          std::copy_n(w.belief()[lane].data(), spec.belief_dim, in.belief[lane].data());
          std::copy_n(w.estimate()[lane].data(), spec.estimate_dim, in.estimate[lane].data());
        }
        policy.probabilities()->compute(in, p);
        greedy.probabilities()->compute(in, best);
        greedy_actor.act(w.inputs(), greedy_actions);
        for (int lane = 0; lane < 50; ++lane) {
          const auto d = actor.distribution(actor.column(lane));
          double total = 0.0;
          for (int a = 0; a < n; ++a) {
            ASSERT_EQ(p[lane * n + a], d[a]);
            total += d[a];
          }
          ASSERT_NEAR(total, 1.0, 1e-6);
          Rng rng(1, Use::kAction, lane, static_cast<std::uint32_t>(w.time()));
          ASSERT_EQ(actions.index[lane], sample_index(d, rng));
          const int top = most_probable(d);
          ASSERT_EQ(greedy_actions.index[lane], top);
          for (int a = 0; a < n; ++a) ASSERT_EQ(best[lane * n + a], a == top ? 1.0f : 0.0f);
          ++lanes;
        }
      },
      nullptr);
  EXPECT_EQ(lanes, 500);
}

INSTANTIATE_TEST_SUITE_P(All, Policies,
                         testing::Values(std::tuple{"tiger", Sees::kBelief, true},
                                         std::tuple{"tiger", Sees::kEstimate, false},
                                         std::tuple{"tiger", Sees::kNothing, false},
                                         std::tuple{"chain", Sees::kBelief, true},
                                         std::tuple{"chain", Sees::kBelief, false},
                                         std::tuple{"chain", Sees::kLatent, true}));

TEST(NetworkActor, OtherParametersTakeEffectAtOnce) {
  const auto problem = make_problem("chain", {"problem.horizon=5"});
  const Network network(network_spec(problem->spec(), Sees::kBelief, true, 16));
  const auto first = random_theta(network, 1), second = random_theta(network, 2);
  NetworkActor changed(network, first, Sees::kBelief, false);
  NetworkActor fresh(network, second, Sees::kBelief, false);
  const auto world = problem->make_world();
  simulate(*world, changed, {1, 0, 64}, LatentSource::kPrior, nullptr, nullptr);
  changed.set_theta(second);
  std::vector<int> a, b;
  for (NetworkActor* actor : {&changed, &fresh}) {
    simulate(
        *world, *actor, {2, 0, 64}, LatentSource::kPrior,
        [&](const World&, const Actions& actions) {
          auto& to = actor == &fresh ? b : a;
          to.insert(to.end(), actions.index.begin(), actions.index.end());
        },
        nullptr);
  }
  EXPECT_EQ(a, b);
}

TEST(NetworkSpec, FollowsWhatThePolicySees) {
  const auto problem = make_problem("chain", {"problem.bins=7", "problem.tying=semi"});
  const ProblemSpec& spec = problem->spec();
  EXPECT_EQ(network_spec(spec, Sees::kBelief, true, 8).belief_dim, 14);
  EXPECT_EQ(network_spec(spec, Sees::kEstimate, true, 8).belief_dim, 2);
  EXPECT_EQ(network_spec(spec, Sees::kLatent, true, 8).belief_dim, 2);
  EXPECT_EQ(network_spec(spec, Sees::kNothing, true, 8).belief_dim, 0);
  EXPECT_EQ(network_spec(spec, Sees::kNothing, true, 8).state_dim, spec.obs_dim);
  EXPECT_EQ(network_spec(spec, Sees::kNothing, true, 8).outputs, 2);
  EXPECT_FALSE(network_spec(spec, Sees::kNothing, true, 8).gaussian);
}

const Tile* belief_tile(const World& world, Sees sees) {
  return sees == Sees::kBelief     ? &world.belief()
         : sees == Sees::kEstimate ? &world.estimate()
         : sees == Sees::kLatent   ? &world.latent()
                                   : nullptr;
}

class HiddenState : public testing::TestWithParam<Sees> {};

TEST(CosineBasis, IsOrthogonalWithSmoothFunctionsFirst) {
  const auto basis = cosine_basis(std::array{5, 5}, 25);
  const auto product = [&](int k, int l) {
    return std::inner_product(basis.begin() + 25 * k, basis.begin() + 25 * (k + 1),
                              basis.begin() + 25 * l, 0.0);
  };
  for (int k = 0; k < 25; ++k) {
    const int frequencies = k / 5 * (k / 5) + k % 5 * (k % 5);
    for (int l = 0; l < 25; ++l) {
      const double expected = k == l && k > 0 ? 25.0 / (frequencies * frequencies) : 0.0;
      EXPECT_NEAR(product(k, l), expected, 1e-5) << k << " " << l;
    }
  }
  // The first along the last factor falls with it and is the same for all values of the other.
  for (int cell = 0; cell < 25; ++cell) {
    EXPECT_NEAR(basis[25 + cell], std::sqrt(2.0) * std::cos(M_PI * (cell % 5 + 0.5) / 5), 1e-6);
  }
}

TEST(CosineBasis, IsHowBeliefsOnAJointGridAreSeen) {
  ProblemSpec problem{.actions = {.dim = 1, .low = -1.0, .high = 1.0}, .obs_dim = 2};
  problem.belief_dim = 9;
  problem.belief_scale = 3.0;
  problem.grid = BeliefGrid{{{0.0, 0.5, 1.0}, {0.0, 0.5, 1.0}}, true};
  const NetworkSpec spec = network_spec(problem, Sees::kBelief, true, 16);
  EXPECT_EQ(spec.belief_basis, cosine_basis(std::array{3, 3}, 9));
  EXPECT_EQ(spec.belief_scale, 1.0f);
  EXPECT_TRUE(network_spec(problem, Sees::kBelief, true, 16, false).belief_basis.empty());
  EXPECT_TRUE(network_spec(problem, Sees::kLatent, true, 16).belief_basis.empty());

  const Network network(spec);
  const auto theta = random_theta(network, 3);
  NetworkActor actor(network, theta, Sees::kBelief, false);
  const std::vector<float> o{0.5f, -1.0f}, b{0, 0, 0.25f, 0, 0.75f, 0, 0, 0, 0};
  const int column = actor.see(o, b.data());
  const float* seen = actor.inputs().beliefs[actor.inputs().belief_of[column]];
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(seen[k],
                0.25f * spec.belief_basis[9 * k + 2] + 0.75f * spec.belief_basis[9 * k + 4], 1e-6f);
  }
  problem.grid->joint = false;
  EXPECT_TRUE(network_spec(problem, Sees::kBelief, true, 16).belief_basis.empty());
  EXPECT_EQ(network_spec(problem, Sees::kBelief, true, 16).belief_scale, 3.0f);
}

TEST_P(HiddenState, ObservationAndBeliefShareOneInput) {
  const Sees sees = GetParam();
  const auto problem = make_problem("lightdark", {"problem.horizon=5"});
  const ProblemSpec& spec = problem->spec();
  ASSERT_FALSE(spec.state_observed);
  const auto world = problem->make_world();
  const Tile* beliefs = belief_tile(*world, sees);
  const int joined_dim = spec.obs_dim + (beliefs != nullptr ? beliefs->dim() : 0);
  for (bool encoders : {true, false}) {
    const Network network(network_spec(spec, sees, encoders, 16));
    EXPECT_EQ(network.spec().state_dim, 0);
    ASSERT_EQ(network.spec().belief_dim, joined_dim);
    const auto theta = random_theta(network, 3);
    NetworkActor actor(network, theta, sees, false);
    Inputs joined(0, joined_dim);
    std::vector<std::vector<float>> seen;  // by pair
    simulate(
        *world, actor, {5, 0, 20}, LatentSource::kPrior,
        [&](const World& w, const Actions&) {
          for (int lane = 0; lane < 20; ++lane) {
            if (w.done(lane)) continue;
            std::vector<float> x(w.obs()[lane].begin(), w.obs()[lane].end());
            if (beliefs != nullptr) {
              x.insert(x.end(), (*beliefs)[lane].begin(), (*beliefs)[lane].end());
              for (int i = 0; i < 2; ++i) x[spec.obs_dim + i] -= x[spec.goal_at + i];
            }
            if (sees == Sees::kBelief) x.back() = std::log(x.back());  // the variance
            const auto d = actor.distribution(actor.column(lane));
            const std::size_t pair = joined.add(nullptr, x.data());
            if (pair == seen.size()) seen.emplace_back(d.begin(), d.end());
          }
        },
        nullptr);
    ASSERT_GT(seen.size(), 50u);
    const auto expected = distributions(network, theta, joined);
    const auto naive = test::NaiveNetwork(network).outputs(test::to_double(theta), joined);
    for (std::size_t c = 0; c < seen.size(); ++c) {
      for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_EQ(seen[c][i], expected[2 * c + i]);
        ASSERT_NEAR(seen[c][i], naive[2 * c + i], 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HiddenState,
                         testing::Values(Sees::kBelief, Sees::kEstimate, Sees::kLatent,
                                         Sees::kNothing));

/// A box world without dynamics: one lane's observation is its time.
class BoxWorld final : public World {
 public:
  BoxWorld() : World({.name = "box", .horizon = 200, .actions = {.dim = 2}, .obs_dim = 1}) {}
  void reset(const Episodes& episodes, LatentSource) override {
    inputs_.episodes = episodes;
    inputs_.time = 0;
    inputs_.done.fill(false);
    write();
  }
  void step(const Actions&) override {
    ++inputs_.time;
    inputs_.done.fill(inputs_.time >= spec_.horizon);
    write();
  }
  double belief_entropy(int) const override { return 0.0; }

 private:
  void write() {
    for (int lane = 0; lane < kLanes; ++lane)
      inputs_.obs[lane][0] = 0.01f * static_cast<float>(inputs_.time);
  }
};

class BoxActions : public testing::TestWithParam<bool> {};

TEST_P(BoxActions, AreGaussian) {
  const bool own_spread = GetParam();
  BoxWorld world;
  const Network network(network_spec(world.spec(), Sees::kNothing, false, 8, true, own_spread));
  auto theta = random_theta(network, 1);
  const std::vector<float> log_std = {-0.5f, 0.7f};
  std::copy(log_std.begin(), log_std.end(), theta.begin() + network.log_std());
  for (bool greedy : {true, false}) {
    NetworkActor actor(network, theta, Sees::kNothing, greedy);
    Actions actions(2);
    double sum[2] = {}, squares[2] = {}, n = 0.0;
    world.reset({3, 0, kLanes}, LatentSource::kPrior);
    actor.begin(world.inputs());
    while (!world.all_done()) {
      actor.act(world.inputs(), actions);
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto d = actor.distribution(actor.column(lane));
        ASSERT_EQ(d.size(), own_spread ? 4u : 2u);
        for (int i = 0; i < 2; ++i) {
          const double z =
              (actions.box[lane][i] - d[i]) / std::exp(own_spread ? d[2 + i] : log_std[i]);
          sum[i] += z;
          squares[i] += z * z;
        }
        n += 1.0;
      }
      world.step(actions);
    }
    for (int i = 0; i < 2; ++i) {  // false alarm 1e-6 each
      EXPECT_NEAR(sum[i] / n, 0.0, greedy ? 0.0 : 4.9 / std::sqrt(n));
      EXPECT_NEAR(squares[i] / n, greedy ? 0.0 : 1.0, greedy ? 0.0 : 4.9 * std::sqrt(2.0 / n));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Spreads, BoxActions, testing::Bool(),
                         [](const auto& p) { return p.param ? "Own" : "Shared"; });

}  // namespace
}  // namespace bpo
