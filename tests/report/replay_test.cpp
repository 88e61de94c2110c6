// Replays and beliefs of an episode that is made up, so that every number is known.
#include "bpo/report/replay.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bpo/report/belief.h"
#include "tests/support/walk.h"
#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using nlohmann::json;
using test::occurrences;
using test::walk;
using test::xml_fault;

TEST(Replay, CamerasLookAlongTheirAxes) {
  const std::array<double, 3> place{1.0, 2.0, 3.0};
  const Seen side = seen_by(Camera::kSide, place), top = seen_by(Camera::kTop, place);
  EXPECT_NEAR(side.at.x, 1000.0, 1e-9);
  EXPECT_NEAR(side.at.y, -3000.0, 1e-9) << "down is positive on a screen";
  EXPECT_NEAR(side.near, -2.0, 1e-9);
  EXPECT_NEAR(top.at.x, 1000.0, 1e-9);
  EXPECT_NEAR(top.at.y, -2000.0, 1e-9);
  EXPECT_NEAR(top.near, 3.0, 1e-9);
  // An orthographic camera keeps lengths: right, down and near are an orthogonal frame.
  for (int axis = 0; axis < 3; ++axis) {
    std::array<double, 3> unit{};
    unit[axis] = 1.0;
    const Seen s = seen_by(Camera::kCorner, unit);
    EXPECT_NEAR(std::hypot(s.at.x / 1000.0, s.at.y / 1000.0, s.near), 1.0, 1e-9);
  }
  EXPECT_LT(seen_by(Camera::kCorner, {0, 0, 1}).at.y, 0.0) << "up is up";
  EXPECT_GT(seen_by(Camera::kCorner, {0, -1, 0}).near, 0.0) << "it stands on the side of -y";
}

TEST(Replay, FramesAreTheEpisode) {
  const Trace trace = walk(Camera::kSide, 100);
  const Replay replay = replay_of(trace, "<b>");
  EXPECT_EQ(replay.frames, 101u);
  const json data = json::parse(replay.data);
  ASSERT_EQ(data["frames"].size(), 101u);
  EXPECT_EQ(data["radius"], json({250, 50}));
  EXPECT_EQ(data["seconds"], 0.02);
  for (const int t : {0, 37, 100}) {
    const json& frame = data["frames"][t];
    EXPECT_EQ(frame["t"], t);
    EXPECT_EQ(frame["solids"], json({10 * t, -500, 10 * t, -500, 10 * t, -500, 10 * t + 300, 0}));
    EXPECT_EQ(frame["total"], 100 * t);
    EXPECT_NEAR(frame["belief"][2].get<double>(), 250.0 + 2.5 * t, 0.51);
    const double half = data["width"].get<double>() / 2;
    for (int k = 0; k < 8; k += 2) {
      EXPECT_LT(std::abs(frame["solids"][k].get<double>() - frame["at"][0].get<double>()), half);
    }
  }
  EXPECT_EQ(replay.data.find("nan"), std::string::npos);
}

TEST(Replay, StripAndBeliefAreWellFormed) {
  const Replay replay = replay_of(walk(Camera::kTop, 10), "<b>");
  EXPECT_EQ(xml_fault(replay.strip), "");
  EXPECT_EQ(occurrences(replay.strip, "class=\"still\""), 6);
  EXPECT_EQ(occurrences(replay.strip, "stroke-linecap=\"round\""), 6 * 2 * 2);
  EXPECT_EQ(occurrences(replay.strip, "&lt;b&gt;"), 2);
  EXPECT_EQ(occurrences(replay.strip, "t = 10<"), 1) << "the last moment is shown";
  EXPECT_EQ(xml_fault(replay.belief), "");
  EXPECT_EQ(occurrences(replay.belief, "data-cell="), 4);
}

TEST(Replay, LongEpisodesAreThinnedAndTheNearestIsDrawnLast) {
  const Replay replay = replay_of(walk(Camera::kCorner, 1000), "");
  EXPECT_LE(replay.frames, 200u);
  EXPECT_GE(replay.frames, 150u);
  const json data = json::parse(replay.data);
  EXPECT_EQ(data["frames"][1]["t"].get<int>() - data["frames"][0]["t"].get<int>(), 6);
  EXPECT_EQ(data["frames"][0]["order"], json({1, 0})) << "the ball is higher, and so nearer";
  EXPECT_LT(replay.data.size(), 100'000u);
}

TEST(Belief, JointBeliefMarksTheTrueCell) {
  const Trace trace = walk(Camera::kSide, 100);
  const HeatMap map = joint_belief(trace, trace.end);
  EXPECT_EQ(map.marked, (std::vector<Cell>{{1, 0}})) << "1.2 is nearest to 1.1, 0.85 to 0.9";
  EXPECT_NEAR(map.rows[1][0], 0.5, 1e-6)
      << "belief[2] is the second of the first, first of the second";
  EXPECT_EQ(map.row_names, (std::vector<std::string>{"0.9", "1.1"}));
}

TEST(Belief, OverTimeSharesRowsAndKeepsTheSum) {
  Trace trace;
  trace.spec.grid = BeliefGrid{{{}, {}}, false};
  trace.spec.latent_dim = 2;
  trace.view.latents = {"factor 1", "factor 2"};
  for (auto& axis : trace.spec.grid->axes) {
    for (int i = 0; i < 100; ++i) axis.push_back(i);
  }
  const auto look = [](float truth) {
    Sight sight{.latent = {truth, 3.0f}};
    sight.belief.assign(200, 0.01f);
    return sight;
  };
  for (int t = 0; t < 300; ++t) trace.moments.push_back({.t = t, .sight = look(t < 150 ? 7 : 93)});
  trace.end = look(93);
  const HeatMap map = belief_over_time(trace, 0);
  EXPECT_EQ(map.rows.size(), 20u);
  ASSERT_EQ(map.column_names.size(), 151u);
  EXPECT_EQ(map.column_names.back(), "300");
  double sum = 0.0;
  for (const auto& row : map.rows) sum += row.at(77);
  EXPECT_NEAR(sum, 1.0, 1e-6);
  EXPECT_EQ(map.marked.front(), (Cell{1, 0}));
  EXPECT_EQ(map.marked.back(), (Cell{18, 150}));
  EXPECT_EQ(xml_fault(draw(map)), "");
}

}  // namespace
}  // namespace bpo::report
