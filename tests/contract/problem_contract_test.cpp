// What every registered problem promises, whatever it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bpo/core/simulate.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

class ProblemContract : public testing::TestWithParam<std::string> {
 protected:
  const ProblemEntry& entry_ = problems().at(GetParam());
  Config config_;
  std::unique_ptr<AnyProblem> problem_ = entry_.make(config_);
  const ProblemSpec& spec_ = problem_->spec();
  const ProblemView& view_ = problem_->view();

  /// Everything a lane shows from reset to its end under random actions.
  struct Lane {
    std::vector<float> shown;
    std::vector<double> rewards;
    bool operator==(const Lane&) const = default;
  };
  static void show(const World& world, int lane, Lane& to) {
    for (const Tile* tile : {&world.obs(), &world.belief(), &world.estimate(), &world.latent()}) {
      to.shown.insert(to.shown.end(), (*tile)[lane].begin(), (*tile)[lane].end());
    }
  }
  void act(const World& world, Actions& actions) const {
    for (int lane = 0; lane < world.episodes().count; ++lane) {
      Rng rng(77, Use::kAction, world.episodes().first + lane,
              static_cast<std::uint32_t>(world.time()));
      if (spec_.actions.discrete()) actions.index[lane] = rng.below(spec_.actions.size());
      for (float& x : actions.box[lane]) {
        x = static_cast<float>(spec_.actions.low +
                               (spec_.actions.high - spec_.actions.low) * rng.uniform());
      }
    }
  }
  std::vector<Lane> run(World& world, const Episodes& episodes) const {
    std::vector<Lane> lanes(episodes.count);
    Actions actions(spec_.actions.dim);
    world.reset(episodes, LatentSource::kPrior);
    for (int lane = 0; lane < episodes.count; ++lane) show(world, lane, lanes[lane]);
    while (!world.all_done()) {
      act(world, actions);
      std::vector<bool> active(episodes.count);
      for (int lane = 0; lane < episodes.count; ++lane) active[lane] = !world.done(lane);
      world.step(actions);
      for (int lane = 0; lane < episodes.count; ++lane) {
        if (!active[lane]) continue;
        show(world, lane, lanes[lane]);
        lanes[lane].rewards.push_back(world.reward(lane));
      }
    }
    return lanes;
  }
};

TEST_P(ProblemContract, WhatFiguresNeedIsConsistent) {
  if (spec_.grid) {
    ASSERT_EQ(spec_.grid->axes.size(), static_cast<std::size_t>(spec_.latent_dim));
    std::size_t product = 1, sum = 0;
    for (const auto& axis : spec_.grid->axes) {
      product *= axis.size();
      sum += axis.size();
      EXPECT_TRUE(std::is_sorted(axis.begin(), axis.end()));
      EXPECT_TRUE(view_.latent_values.empty() || view_.latent_values.size() == axis.size());
    }
    EXPECT_EQ(static_cast<std::size_t>(spec_.belief_dim), spec_.grid->joint ? product : sum);
  }
  EXPECT_EQ(view_.latents.size(), static_cast<std::size_t>(spec_.latent_dim));
  EXPECT_EQ(view_.actions.size(), static_cast<std::size_t>(spec_.actions.size()));
  EXPECT_EQ(view_.observation.size(),
            static_cast<std::size_t>(problem_->make_tracker()->observation_size()));
  const auto world = problem_->make_world();
  world->reset({1, 0, 1}, LatentSource::kPrior);
  EXPECT_EQ(world->scene(0).empty(), !view_.stage);
}

/// Another value of an option, of whatever kind: the first of the usual ones that is accepted and
/// is not the default.
std::string another_value(const OptionRow& row) {
  for (const char* value : {"3", "true", "false", "endpoints", "particle", "0.7"}) {
    const std::string quoted = "\"" + std::string(value) + "\"";
    if (row.value == value || row.value == quoted) continue;
    const bool word = row.accepts.find("'" + std::string(value) + "'") != std::string::npos;
    const bool flag = row.accepts == "true or false" && (value[0] == 't' || value[0] == 'f');
    const bool share = row.accepts.find("[0, 1]") != std::string::npos;
    const bool number =
        row.accepts.find(" in ") != std::string::npos && value[0] < (share ? '1' : 'A');
    if (word || flag || number) return value;
  }
  return "";
}

TEST_P(ProblemContract, OptionsOfTheAgentLeaveTheWorldAsItIs) {
  const std::vector<OptionRow> rows = entry_.options();
  const auto played = [&](const std::string& set) {
    Config config;
    config.set(spec_.simulated ? "problem.horizon=5" : "problem.horizon=20");
    if (!set.empty()) config.set(set);
    const auto world = entry_.make(config)->make_plain_world();
    std::vector<double> out;
    Actions actions(spec_.actions.dim);
    world->reset({5, 0, 4}, LatentSource::kPrior);
    while (!world->all_done()) {
      act(*world, actions);
      world->step(actions);
      for (int lane = 0; lane < 4; ++lane) {
        out.push_back(world->reward(lane));
        out.push_back(world->done(lane));
        const auto latent = world->latent()[lane];
        out.insert(out.end(), latent.begin(), latent.end());
      }
    }
    return out;
  };
  for (const std::string& name : entry_.agent_options) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const OptionRow& r) { return r.key == "problem." + name; });
    ASSERT_NE(row, rows.end()) << name;
    const std::string value = another_value(*row);
    ASSERT_NE(value, "") << row->key << " accepts " << row->accepts;
    EXPECT_EQ(played(row->key + "=" + value), played("")) << row->key << " = " << value;
  }
}

TEST_P(ProblemContract, TheSpecIsConsistent) {
  EXPECT_EQ(entry_.name, GetParam());
  EXPECT_FALSE(entry_.summary.empty());
  EXPECT_EQ(spec_.name, GetParam());
  EXPECT_GT(spec_.horizon, 0);
  EXPECT_GT(spec_.discount, 0.0);
  EXPECT_LE(spec_.discount, 1.0);
  EXPECT_GT(spec_.actions.size(), 0);
  EXPECT_LT(spec_.actions.low, spec_.actions.high);
  std::set<std::string> names(view_.actions.begin(), view_.actions.end());
  EXPECT_EQ(names.size(), view_.actions.size());
  EXPECT_EQ(names.count(""), 0u);
  for (int dim : {spec_.obs_dim, spec_.belief_dim, spec_.estimate_dim, spec_.latent_dim}) {
    EXPECT_GT(dim, 0);
  }
  const auto world = problem_->make_world();
  EXPECT_EQ(world->spec().belief_dim, spec_.belief_dim);
  EXPECT_EQ(world->obs().dim(), spec_.obs_dim);
  EXPECT_EQ(world->latent().dim(), spec_.latent_dim);
}

TEST_P(ProblemContract, OptionsAreListedAndRoundTrip) {
  const std::vector<OptionRow> rows = entry_.options();
  EXPECT_FALSE(rows.empty());
  for (const OptionRow& row : rows) {
    EXPECT_EQ(row.key.rfind("problem.", 0), 0u) << row.key;
    EXPECT_FALSE(row.help.empty()) << row.key;
    EXPECT_FALSE(row.accepts.empty()) << row.key;
  }
  const std::string text = config_.to_toml();
  Config again = Config::from_toml(text, "defaults");
  entry_.make(again);
  again.finish();
  EXPECT_EQ(again.to_toml(), text);
  Config strange;
  strange.set("problem.no_such_option=1");
  entry_.make(strange);
  EXPECT_THROW(strange.finish(), Error);
}

TEST_P(ProblemContract, EverythingIsFiniteAndTheBeliefADistribution) {
  const auto world = problem_->make_world();
  Actions actions(spec_.actions.dim);
  world->reset({1, 0, kLanes}, LatentSource::kPrior);
  int steps = 0;
  const auto check = [&] {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (const Tile* tile :
           {&world->obs(), &world->belief(), &world->estimate(), &world->latent()}) {
        for (float x : (*tile)[lane]) ASSERT_TRUE(std::isfinite(x));
      }
      ASSERT_TRUE(std::isfinite(world->reward(lane)));
      const double entropy = world->belief_entropy(lane);
      ASSERT_TRUE(std::isfinite(entropy));
      if (!spec_.grid) continue;
      // One distribution per factor, or one over all their combinations.
      ASSERT_GE(entropy, -1e-12);
      const int parts = spec_.grid->joint ? 1 : spec_.estimate_dim;
      const int cells = spec_.belief_dim / parts;
      ASSERT_LE(entropy, parts * std::log(cells) + 1e-9);
      for (int f = 0; f < parts; ++f) {
        double total = 0.0;
        for (float p : world->belief()[lane].subspan(f * cells, cells)) {
          ASSERT_GE(p, 0.0f);
          total += p;
        }
        ASSERT_NEAR(total, 1.0, 1e-5);
      }
    }
  };
  check();
  while (!world->all_done()) {
    act(*world, actions);
    world->step(actions);
    check();
    ASSERT_LE(++steps, spec_.horizon);
  }
}

TEST_P(ProblemContract, SameSeedSameBits) {
  const int lanes = spec_.actions.discrete() ? kLanes : 16;  // robots take their time
  const auto world = problem_->make_world(), other = problem_->make_world();
  const auto first = run(*world, {5, 100, lanes});
  EXPECT_EQ(run(*other, {5, 100, lanes}), first);
  run(*world, {6, 0, lanes / 2});                  // whatever was there before
  EXPECT_EQ(run(*world, {5, 100, lanes}), first);  // a reset clears it
  EXPECT_NE(run(*world, {6, 100, lanes}), first);
}

TEST_P(ProblemContract, LanesAreIndependent) {
  const auto world = problem_->make_world();
  const auto tile = run(*world, {5, 100, kLanes});
  for (int lane : {0, 1, 31, 63}) {
    const auto alone = run(*world, {5, 100 + static_cast<std::uint64_t>(lane), 1});
    EXPECT_EQ(alone[0], tile[lane]) << lane;
  }
}

TEST_P(ProblemContract, TheNominalLatentIsOneWorld) {
  const auto world = problem_->make_world();
  if (!problem_->has_nominal()) {
    EXPECT_THROW(world->reset({1, 0, 4}, LatentSource::kNominal), Error);
    return;
  }
  world->reset({1, 0, 4}, LatentSource::kNominal);
  for (int lane = 1; lane < 4; ++lane) {
    EXPECT_TRUE(std::equal(world->latent()[0].begin(), world->latent()[0].end(),
                           world->latent()[lane].begin()));
  }
}

TEST_P(ProblemContract, InformationStatesGoOnWithinTheirBounds) {
  const InformationModel* model = problem_->information();
  if (model == nullptr) GTEST_SKIP() << "no finite information state";
  ASSERT_LT(model->start(), model->size(0));
  Rng rng(3, Use::kWorld, 0);
  for (int round = 0; round < 20; ++round) {
    std::size_t at = model->start();
    for (int t = 0; t < std::min(spec_.horizon, 40); ++t) {
      std::vector<Outcome> out(kMaxOutcomes);
      const int action = rng.below(spec_.actions.size());
      const int n = model->outcomes(t, at, action, Perspective::kBelieved, out);
      ASSERT_GT(n, 0);
      ASSERT_LE(n, kMaxOutcomes);
      double total = 0.0;
      for (int k = 0; k < n; ++k) {
        ASSERT_GE(out[k].probability, 0.0);
        ASSERT_LT(out[k].next, model->size(t + 1));
        total += out[k].probability;
      }
      ASSERT_NEAR(total, 1.0, 1e-9);
      do {
        at = static_cast<std::size_t>(rng.below(n));
      } while (out[at].probability == 0.0);
      at = out[at].next;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ProblemContract, testing::ValuesIn(problems().names()),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Registry, HasWhatThePaperNeeds) {
  for (const char* name : {"tiger", "chain"}) EXPECT_TRUE(problems().contains(name)) << name;
  try {
    problems().at("tigr");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'tiger'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace bpo
