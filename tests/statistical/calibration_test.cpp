// Calibration: over many episodes, of the cells to which the posterior gives probability p, a share
// p holds the true latent. One cell per episode is looked at, so the looks are independent; in each
// bucket of stated probabilities z = sum(hit - p) / sqrt(sum p(1-p)) is standard normal, and
// |z| < 4.9 fails by chance once in a million.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/problems.h"
#include "tests/support/toy_problem.h"

namespace bpo {
namespace {

using test::make_problem;
using test::ToyOptions;
using test::ToyProblem;

constexpr double kZ = 4.9;
constexpr int kEpisodes = 64 * 400;

class Buckets {
 public:
  void add(double stated, double probability, bool hit) {
    Bucket& b = buckets_[std::min(9, static_cast<int>(10.0 * stated))];
    b.n += 1.0;
    b.gap += hit - probability;
    b.variance += probability * (1.0 - probability);
  }
  void expect_calibrated(int filled) const {
    int used = 0;
    for (int k = 0; k < 10; ++k) {
      const Bucket& b = buckets_[k];
      if (!b.enough()) continue;
      ++used;
      EXPECT_LT(b.z(), kZ) << "bucket " << k << ": " << b.n << " looks, off by " << b.gap / b.n
                           << " on average";
    }
    EXPECT_GE(used, filled);
  }
  double worst() const {
    double z = 0.0;
    for (const Bucket& b : buckets_) z = std::max(z, b.enough() ? b.z() : 0.0);
    return z;
  }

 private:
  struct Bucket {
    double n = 0.0, gap = 0.0, variance = 0.0;
    bool enough() const { return variance > 20.0; }  // for the normal law
    double z() const { return std::abs(gap) / std::sqrt(variance); }
  };
  std::array<Bucket, 10> buckets_;
};

/// Runs episodes of `steps` steps and shows each lane's end.
void run(const AnyProblem& problem, int steps, const std::function<int(const World&, int)>& choose,
         const std::function<void(const World&, int lane, std::int64_t episode)>& look,
         const std::function<void(const World&, int lane)>& after_step = nullptr) {
  const auto world = problem.make_world();
  Actions actions;
  for (int first = 0; first < kEpisodes; first += kLanes) {
    world->reset({11, static_cast<std::uint64_t>(first), kLanes}, LatentSource::kPrior);
    for (int t = 0; t < steps; ++t) {
      for (int lane = 0; lane < kLanes; ++lane) actions.index[lane] = choose(*world, lane);
      world->step(actions);
      for (int lane = 0; after_step && lane < kLanes; ++lane) after_step(*world, lane);
    }
    for (int lane = 0; lane < kLanes; ++lane) look(*world, lane, first + lane);
  }
  EXPECT_EQ(world->filter_fallbacks(), 0);
}

const std::vector<std::vector<double>> kSymbols = {
    {0.10, 0.25, 0.30, 0.05, 0.20}, {0.60, 0.25, 0.40, 0.55, 0.10}, {0.30, 0.50, 0.30, 0.40, 0.70}};

TEST(Calibration, OfALatentOnTheGridIsExact) {
  const std::vector<std::vector<double>> drift = {{0.6, 0.4, 0.0, 0.0, 0.0},
                                                  {0.0, 0.5, 0.5, 0.0, 0.0},
                                                  {0.1, 0.0, 0.6, 0.3, 0.0},
                                                  {0.0, 0.2, 0.0, 0.2, 0.6},
                                                  {0.7, 0.0, 0.0, 0.0, 0.3}};
  for (bool moving : {false, true}) {
    ToyOptions options{.symbol = kSymbols};
    if (moving) options.transition = drift;
    const ProblemWith<ToyProblem, GridFilter<ToyProblem>> problem(options);
    for (int steps : {3, 25}) {
      Buckets buckets;
      double gap = 0.0, squares = 0.0;
      run(
          problem, steps, [](const World&, int) { return 0; },
          [&](const World& world, int lane, std::int64_t episode) {
            const auto b = world.belief()[lane];
            const int truth = static_cast<int>(world.latent()[lane][0]);
            const int cell = static_cast<int>(episode % 5);
            buckets.add(b[cell], b[cell], truth == cell);
            // The surprise -log b(truth) has the belief's entropy as its mean.
            const double excess = -std::log(double{b[truth]}) - world.belief_entropy(lane);
            gap += excess;
            squares += excess * excess;
          });
      buckets.expect_calibrated(4);
      EXPECT_LT(std::abs(gap), kZ * std::sqrt(squares)) << "mean surprise is not the entropy";
    }
  }
}

TEST(Calibration, OfTigerIsExact) {
  const auto tiger = make_problem("tiger");
  Buckets buckets;
  run(
      *tiger, 14,
      [](const World& world, int lane) {
        Rng rng(5, Use::kAction, world.episodes().first + lane,
                static_cast<std::uint32_t>(world.time()));
        return rng.uniform() < 0.85 ? 0 : 1 + rng.below(2);
      },
      [&](const World& world, int lane, std::int64_t episode) {
        const int door = static_cast<int>(episode % 2);
        const double stated = world.belief()[lane][door];
        buckets.add(stated, stated, static_cast<int>(world.latent()[lane][0]) == door);
      });
  buckets.expect_calibrated(4);
}

/// The share of Beta(slips + 1, kept + 1) in [k/10, (k+1)/10], by Simpson's rule.
std::array<double, 10> cell_masses(int kept, int slips) {
  std::array<double, 10> mass{};
  double total = 0.0;
  constexpr int kParts = 40;
  for (int k = 0; k < 10; ++k) {
    for (int i = 0; i <= kParts; ++i) {
      const double x = (k + static_cast<double>(i) / kParts) / 10.0;
      const double weight = i == 0 || i == kParts ? 1.0 : (i % 2 ? 4.0 : 2.0);
      mass[k] += weight * std::pow(x, slips) * std::pow(1.0 - x, kept);
    }
    total += mass[k];
  }
  for (double& m : mass) m /= total;
  return mass;
}

TEST(Calibration, OfChainIsThatOfItsCells) {
  // The latent is continuous and a cell is judged by its centre, so stated probabilities are off by
  // what the centre hides. Frequencies must match the cells' exact masses, and stated probabilities
  // these within the error of the centres, which is computed.
  constexpr int kSteps = 25;
  std::array<std::array<double, 10>, kSteps + 1> exact;
  for (int slips = 0; slips <= kSteps; ++slips) exact[slips] = cell_masses(kSteps - slips, slips);
  const auto chain = make_problem("chain", {"problem.bins=10"});
  Buckets buckets;
  std::array<int, kLanes> slips{}, from{}, tried{};
  double worst = 0.0, off = 0.0, hidden = 0.0;
  const auto state = [](const World& world, int lane) {
    const auto o = world.obs()[lane];
    return static_cast<int>(std::max_element(o.begin(), o.begin() + 5) - o.begin());
  };
  run(
      *chain, kSteps,
      [&](const World& world, int lane) {
        if (world.time() == 0) slips[lane] = 0;
        from[lane] = state(world, lane);
        return tried[lane] = test::random_action(world.inputs(), lane, 2);
      },
      [&](const World& world, int lane, std::int64_t episode) {
        const int cell = static_cast<int>(episode % 10);
        const double stated = world.belief()[lane][cell], mass = exact[slips[lane]][cell];
        const bool hit = std::min(9, static_cast<int>(10.0f * world.latent()[lane][0])) == cell;
        buckets.add(stated, mass, hit);
        worst = std::max(worst, std::abs(stated - mass));
        off += hit - stated;
        hidden += mass - stated;
      },
      [&](const World& world, int lane) {
        const int expected = tried[lane] == 1 ? 0 : std::min(from[lane] + 1, 4);
        slips[lane] += state(world, lane) != expected;
      });
  buckets.expect_calibrated(5);
  EXPECT_LT(worst, 0.07);  // the worst cell over all histories of 25 steps
  EXPECT_NEAR(off, hidden, kZ * std::sqrt(kEpisodes * 0.1 * 0.9));
}

TEST(Calibration, TheTestSeesAnOverconfidentFilter) {
  Rng rng(1, Use::kWorld, 0);
  Buckets buckets;
  for (int i = 0; i < kEpisodes; ++i) buckets.add(0.85, 0.85, rng.uniform() < 0.83);
  EXPECT_GT(buckets.worst(), kZ);
}

}  // namespace
}  // namespace bpo
