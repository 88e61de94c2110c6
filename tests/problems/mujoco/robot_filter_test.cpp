// Filters of robots that see only what the policy sees, have particles, or know that latents
// change.
#include "bpo/problems/mujoco/robot_filter.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>

#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/robot_coverage.h"
#include "tests/problems/mujoco/spring_cart.h"

namespace bpo {
namespace {

using test::spring_cart;
const std::string kMass = test::cart_mass(6);

struct Episode {
  std::vector<OwnRobot::Observation> o;
  std::vector<std::vector<float>> a;
  std::vector<std::vector<double>> latents;
};

Episode play(const OwnRobot& robot, OwnRobot::Latent phi, std::uint64_t seed, int steps,
             double away = 0.0) {
  Episode out;
  Rng rng(seed, Use::kWorld, 0);
  OwnRobot::State s = robot.sample_state(phi, rng);
  for (double& x : s.x) x += away;
  out.o.push_back(robot.observe(s, phi, rng));
  for (int t = 0; t < steps; ++t) {
    out.a.push_back({static_cast<float>(2.0 * rng.uniform() - 1.0)});
    robot.change(phi, rng);
    EXPECT_FALSE(robot.step(s, phi, out.a.back(), rng).fault);
    out.o.push_back(robot.observe(s, phi, rng));
    out.latents.push_back(phi.values);
  }
  return out;
}

RobotFilter::Weights believe(const RobotFilter& filter, const Episode& e) {
  auto w = filter.make_weights();
  filter.begin(w, e.o[0]);
  for (std::size_t t = 0; t < e.a.size(); ++t) {
    EXPECT_TRUE(filter.update(w, e.o[t], e.a[t], e.o[t + 1]));
  }
  return w;
}

TEST(RobotFilter, IsChosenByWhatIsSeen) {
  const auto sees = [](const std::string& observe) {
    return spring_cart(observe + kMass).file->sees_state;
  };
  EXPECT_TRUE(sees(""));
  EXPECT_TRUE(sees("[observe]\nterms = [\"qvel\", \"qpos\", \"sensor:felt\"]\n"));
  EXPECT_FALSE(sees("[observe]\nterms = [\"qvel\"]\n"));
  EXPECT_FALSE(sees("[observe]\nnoise = { qvel = 0.1 }\n"));
  EXPECT_TRUE(sees("[observe]\nnoise = { qvel = 0.1 }\n[filter]\nsees = \"state\"\n"));
  const OwnRobot robot(spring_cart("[observe]\nterms = [\"qvel\"]\n" + kMass));
  EXPECT_EQ(robot.observation_size(), 1);  // an agent has no more to tell
  EXPECT_EQ(robot.view().observation, std::vector<std::string>{"rail velocity"});
}

/// The textbook: for each mass a Kalman filter over (position, velocity) in full, from where an
/// episode begins, or from anywhere.
TEST(RobotFilter, ByNoisyPositionsIsABankOfKalmanFilters) {
  for (const bool anywhere : {false, true}) {
    OwnRobotOptions noisy = spring_cart(
        "[observe]\nterms = [\"qpos\"]\nnoise = { qpos = 0.01 }\n[filter]\n"
        "sigma = 0.002\n" +
        kMass);
    if (anywhere) noisy.start = "anywhere";
    const OwnRobot robot(noisy);
    const RobotFilter filter(robot);
    const Episode e = play(robot, robot.latent({1.3}), 7, 40, anywhere ? 3.0 : 0.0);
    std::vector<double> log_weight;
    for (int c = 0; c < robot.cells(); ++c) {
      using Vec = Eigen::Vector2d;
      using Mat = Eigen::Matrix2d;
      const OwnRobot::Latent& phi = robot.cell(c);
      const auto move = [&](Vec x, float a) {
        OwnRobot::Prediction job{&phi, {x.data(), 2}};
        const std::vector<float> sent{a};
        robot.predict({&job, 1}, sent);
        return x;
      };
      const Vec first = anywhere ? Vec(1.0, 100.0) : Vec(0.2 * 0.2 / 3.0, 0.01);
      Mat f, p = first.asDiagonal();
      f << move(Vec(1, 0), 0) - move(Vec(0, 0), 0), move(Vec(0, 1), 0) - move(Vec(0, 0), 0);
      Vec x(anywhere ? e.o[0][0] : 0.0, 0.0);
      double l = 0.0, last = 0.0;
      for (std::size_t t = 0; t <= e.a.size(); ++t) {
        if (t > 0) {
          x = move(x, e.a[t - 1][0]);
          p = f * p * f.transpose() + 4e-6 * Mat::Identity();
        }
        const double s = p(0, 0) + 1e-4, miss = e.o[t][0] - x[0];
        l -= 0.5 * (miss * miss / s + std::log(s));
        last = miss / std::sqrt(s);
        const Vec k = p.col(0) / s;
        x += k * miss;
        p -= k * p.row(0).eval();
      }
      log_weight.push_back(l);
      // Alone, a model has a covariance of its own.
      const std::vector<double> missed = believe(RobotFilter(robot, &phi), e).missed;
      ASSERT_EQ(missed.size(), 1u);
      EXPECT_NEAR(missed[0], last, 1e-4 * (1.0 + std::abs(last))) << c;
    }
    const double top = *std::max_element(log_weight.begin(), log_weight.end());
    double sum = 0.0;
    for (double& l : log_weight) sum += l = std::exp(l - top);
    const auto w = believe(filter, e);
    // What is shared is the leader's covariance: the others' are a little different.
    for (int c = 0; c < robot.cells(); ++c) EXPECT_NEAR(w.p[c], log_weight[c] / sum, 0.02) << c;
    EXPECT_GT(*std::max_element(w.p.begin(), w.p.end()), 0.3);  // it has learnt something
  }
}

TEST(RobotFilter, FollowsALatentThatChangesAsTheForwardAlgorithmDoes) {
  const OwnRobot robot(
      spring_cart("[filter]\nsigma = 0.02\n" + kMass + "changes = { rate = 0.05 }\n"));
  ASSERT_FALSE(robot.file().on_plain_grid());
  const RobotFilter filter(robot);
  const Episode e = play(robot, robot.latent({0.6}), 3, 60);
  int changes = 0;
  for (std::size_t t = 1; t < e.latents.size(); ++t) changes += e.latents[t] != e.latents[t - 1];
  EXPECT_GT(changes, 0);
  const int cells = robot.cells();
  std::vector<double> p(static_cast<std::size_t>(cells), 1.0 / cells), missed(2);
  auto w = filter.make_weights();
  filter.begin(w, e.o[0]);
  for (std::size_t t = 0; t < e.a.size(); ++t) {
    double sum = 0.0;
    for (int c = 0; c < cells; ++c) {
      ASSERT_TRUE(robot.residual(robot.cell(c), e.o[t], e.a[t], e.o[t + 1], missed));
      p[c] = (0.95 * p[c] + 0.05 / cells) * std::exp(robot.log_density(missed));
      sum += p[c];
    }
    for (double& x : p) x /= sum;
    ASSERT_TRUE(filter.update(w, e.o[t], e.a[t], e.o[t + 1]));
    for (int c = 0; c < cells; ++c) ASSERT_NEAR(w.p[c], p[c], 1e-9) << t;
  }
}

TEST(RobotFilter, ParticlesHaveTheMomentsOfAFineGrid) {
  const std::string two = kMass + R"(
[[latent]]
name = "strength"
edit = "strength"
of = "push"
prior = { uniform = [0.5, 1.5] }
bins = 30
)";
  std::string fine = two;
  fine.replace(fine.find("bins = 6"), 8, "bins = 30");
  for (const char* seen :
       {"[filter]\nsigma = 0.2\nsees = \"state\"\n",
        "[observe]\nnoise = { qpos = 0.1, qvel = 0.2 }\n[filter]\nsigma = 0.02\n"}) {
    const OwnRobot grid(spring_cart(seen + fine));
    const OwnRobot cloud(
        spring_cart(seen + std::string("kind = \"particle\"\nparticles = 1000\n") + two));
    const Episode e = play(grid, grid.latent({1.4, 0.8}), 11, 30);
    const RobotFilter by_grid(grid), by_particles(cloud);
    const auto w = believe(by_grid, e);
    std::vector<double> mean(2, 0.0), square(2, 0.0);
    double product = 0.0;
    for (int c = 0; c < grid.cells(); ++c) {
      const auto& values = grid.cell_factors(c);
      for (int f = 0; f < 2; ++f) {
        mean[f] += w.p[c] * values[f];
        square[f] += w.p[c] * values[f] * values[f];
      }
      product += w.p[c] * values[0] * values[1];
    }
    std::vector<float> moments(static_cast<std::size_t>(by_particles.belief_dim()));
    ASSERT_EQ(moments.size(), cloud.file().sees_state ? 5u : 7u);
    by_particles.belief(believe(by_particles, e), moments);
    std::vector<double> sd;
    for (int f = 0; f < 2; ++f) {
      sd.push_back(std::sqrt(square[f] - mean[f] * mean[f]));
      EXPECT_NEAR(moments[f], mean[f], 0.25 * sd[f]) << seen << f;
      EXPECT_NEAR(moments[2 + f], sd[f], 0.25 * sd[f]) << seen << f;
    }
    const double together = (product - mean[0] * mean[1]) / (sd[0] * sd[1]);
    EXPECT_NEAR(moments[4], together, 0.2) << seen;
    if (grid.file().sees_state) continue;
    // A grid that estimates the state tells the same moments, spread over its cells.
    std::vector<float> told(7);
    ASSERT_EQ(by_grid.belief_dim(), 7);
    by_grid.belief(w, told);
    for (int f = 0; f < 2; ++f) {
      EXPECT_NEAR(told[f], mean[f], 1e-3);
      const double width = (f == 0 ? 1.5 : 1.0) / 30;
      EXPECT_NEAR(told[2 + f], std::sqrt(sd[f] * sd[f] + width * width / 12.0), 1e-3);
    }
    EXPECT_NEAR(told[4], together, 0.02);
  }
}

/// Positions are read with noise and velocities not at all.
TEST(RobotFilter, TellsThePolicyWhereTheRobotMostLikelyIs) {
  OwnRobotOptions noisy = spring_cart(
      "[observe]\nterms = [\"qpos\"]\nnoise = { qpos = 0.05 }\n[filter]\nsigma = 0.002\n" + kMass);
  EXPECT_EQ(RobotFilter(OwnRobot(noisy)).estimate_dim(), 1);
  noisy.estimate = "state";
  const OwnRobot robot(noisy);
  const RobotFilter filter(robot);
  const auto moments = filter.moments();
  ASSERT_TRUE(moments.has_value());
  EXPECT_EQ(moments->factors(), 1);
  EXPECT_NEAR(moments->prior[0].mean, 1.25, 1e-9);
  EXPECT_NEAR(moments->prior[0].sd, 1.5 / std::sqrt(12.0), 1e-3);
  EXPECT_EQ(moments->state, (std::vector<std::string>{"rail", "rail velocity"}));
  ASSERT_EQ(filter.belief_dim(), 4);
  ASSERT_EQ(filter.estimate_dim(), 3);
  std::vector<float> belief(4), best(3);
  double read = 0.0, told = 0.0, told_speed = 0.0, speed = 0.0;
  const OwnRobot::Latent phi = robot.latent({1.3});
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed, Use::kWorld, 0);
    OwnRobot::State s = robot.sample_state(phi, rng);
    auto o = robot.observe(s, phi, rng);
    auto w = filter.make_weights();
    filter.begin(w, o);
    for (int t = 0; t < 40; ++t) {
      const std::vector<float> a{static_cast<float>(2.0 * rng.uniform() - 1.0)};
      robot.step(s, phi, a, rng);
      const auto next = robot.observe(s, phi, rng);
      ASSERT_TRUE(filter.update(w, o, a, next));
      o = next;
      filter.belief(w, belief);
      filter.estimate(w, best);
      EXPECT_NEAR(best[1], belief[2], 0.05);
      const auto square = [](double x) { return x * x; };
      read += square(o[0] - s.x[0]);
      told += square(belief[2] - s.x[0]);
      told_speed += square(belief[3] - s.x[1]);
      speed += square(s.x[1]);
    }
  }
  EXPECT_LT(told, 0.25 * read);
  EXPECT_LT(told_speed, 0.25 * speed);
}

/// One step of every three is looked at, and counts three times.
TEST(RobotFilter, LooksAtEverySoManySteps) {
  const std::string each = "[filter]\nsigma = 0.3\n", third = each + "every = 3\n";
  const std::string changes = "changes = { rate = 0.05 }\n";
  for (const bool changing : {false, true}) {
    const std::string latent = kMass + (changing ? changes : "");
    const OwnRobot one(spring_cart(each + latent)), three(spring_cart(third + latent));
    const Episode e = play(one, one.latent({0.8}), 5, 12);
    std::vector<double> p(6, 1.0 / 6.0), missed(2);
    std::vector<float> told(6);
    const ModelGridFilter<OwnRobot> bounded(three, 0.0);
    const RobotFilter bank(three);
    auto w = bounded.make_weights();
    auto v = bank.make_weights();
    bounded.reset(w);
    bank.begin(v, e.o[0]);
    for (std::size_t t = 0; t < e.a.size(); ++t) {
      double sum = 0.0;
      for (int c = 0; c < 6; ++c) {
        if (changing) p[c] = 0.95 * p[c] + 0.05 / 6.0;
        ASSERT_TRUE(one.residual(one.cell(c), e.o[t], e.a[t], e.o[t + 1], missed));
        if (t % 3 == 0) p[c] *= std::exp(3.0 * one.log_density(missed));
        sum += p[c];
      }
      for (double& x : p) x /= sum;
      changing ? bank.update(v, e.o[t], e.a[t], e.o[t + 1])
               : bounded.update(w, e.o[t], e.a[t], e.o[t + 1]);
      changing ? bank.belief(v, told) : bounded.belief(w, told);
      for (int c = 0; c < 6; ++c) ASSERT_NEAR(told[c], p[c], 1e-3) << changing << t;
    }
    EXPECT_EQ(changing ? v.simulations : w.simulations, 4 * 6);
  }
}

TEST(RobotFilter, ParticlesFollowAChangeAndAreTheSameEveryTime) {
  const std::string filter_table =
      "[observe]\nterms = [\"qpos\", \"sensor:felt\"]\nnoise = { qpos = 0.02, sensor = 0.1 }\n"
      "[filter]\nsigma = 0.01\nkind = \"particle\"\n";
  const OwnRobot robot(spring_cart(filter_table + kMass + "changes = { rate = 0.02 }\n"));
  const RobotFilter filter(robot), other(robot);
  Rng rng(2, Use::kWorld, 0);
  OwnRobot::Latent phi = robot.nominal_latent();
  phi.values[0] = 0.6;
  phi = robot.latent(phi.values);
  OwnRobot::State s = robot.sample_state(phi, rng);
  auto o = robot.observe(s, phi, rng);
  auto w = filter.make_weights(), v = other.make_weights();
  filter.begin(w, o);
  other.begin(v, o);
  std::vector<float> estimate(static_cast<std::size_t>(filter.estimate_dim()));
  for (int t = 0; t < 80; ++t) {
    if (t == 40) phi = robot.latent({1.8});
    const std::vector<float> a{t % 4 < 2 ? 1.0f : -1.0f};
    robot.step(s, phi, a, rng);
    const auto next = robot.observe(s, phi, rng);
    ASSERT_TRUE(filter.update(w, o, a, next));
    ASSERT_TRUE(other.update(v, o, a, next));
    ASSERT_EQ(w.p, v.p);
    ASSERT_EQ(w.u, v.u);
    o = next;
    filter.estimate(w, estimate);
    if (t == 39) EXPECT_NEAR(estimate[0], 0.6, 0.15);
  }
  EXPECT_NEAR(estimate[0], 1.8, 0.3);
}

}  // namespace
}  // namespace bpo
