// The small pieces of text: belief bars, traces, and what is said of several seeds.
#include <gtest/gtest.h>

#include "bpo/report/belief_bars.h"
#include "bpo/report/group_text.h"
#include "bpo/report/trace_text.h"

namespace bpo::report {
namespace {

TEST(BeliefBars, FewCellsAreBars) {
  EXPECT_EQ(belief_bars(std::vector<float>{0.5f, 0.5f}, 1), "[####....] [####....]");
  EXPECT_EQ(belief_bars(std::vector<float>{1.0f, 0.0f}, 1), "[########] [........]");
}

TEST(BeliefBars, ManyCellsAreShades) {
  EXPECT_EQ(belief_bars(std::vector<float>{0.0f, 0.5f, 0.25f, 0.25f, 0.0f}, 1), "[ @++ ]");
  std::vector<float> thousand(1000, 0.0f);
  thousand[999] = 1.0f;
  EXPECT_EQ(belief_bars(thousand, 1), "[" + std::string(15, ' ') + "@]");
  thousand.assign(1000, 0.001f);
  EXPECT_EQ(belief_bars(thousand, 1), "[" + std::string(16, '@') + "]");
  EXPECT_EQ(belief_bars(std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1}, 2), "[@   ] [   @]");
}

TEST(TraceText, AJointBeliefIsAPosteriorPerFactor) {
  ProblemSpec spec;
  spec.estimate_dim = 2;
  spec.actions.dim = 1;
  spec.grid = BeliefGrid{.axes = {{1, 2, 3, 4}, {1, 2, 3, 4}}, .joint = true};
  Moment moment{.sight = {.obs = {0.5f}, .belief = std::vector<float>(16, 0.0f), .latent = {1, 2}},
                .box = {0.0f}};
  moment.sight.belief[14] = 1.0f;
  const auto shown = [&] { return trace_text({.spec = spec, .moments = {moment}}); };
  EXPECT_NE(shown().find("[   @] [  @ ]"), std::string::npos) << shown();
  spec.grid->joint = false;
  EXPECT_NE(shown().find("[        ] ["), std::string::npos) << shown();
}

TEST(Compact, OneHotIsItsIndex) {
  EXPECT_EQ(compact(std::vector<float>{0, 0, 1}), "#2");
  EXPECT_EQ(compact(std::vector<float>{0.5f, 1.0f}), "(0.5 1)");
  EXPECT_EQ(compact(std::vector<float>{1.0f}), "(1)");
}

TEST(Seeds, MeanIntervalAndBest) {
  Group group{.runs = std::vector<Measurement>(3)};
  for (int i = 0; i < 3; ++i) group.runs[i].mean = i;
  group.runs[1].exact_value = 4.0;  // stronger than a mean: 0, 4, 2 have the standard deviation 2
  group.runs[1].run.seed = 7;
  const Json told = group_json(group);
  EXPECT_DOUBLE_EQ(told["mean"].get<double>(), 2.0);
  EXPECT_NEAR(told["ci95"].get<double>(), 4.3027 * 2.0 / std::sqrt(3.0), 1e-3);
  EXPECT_EQ(told["best"], (Json{{"seed", 7}, {"value", 4.0}}));
}

}  // namespace
}  // namespace bpo::report
