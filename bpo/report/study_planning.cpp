// How the planners of a study came to their bounds, and what their vectors say.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bpo/report/bounds_text.h"
#include "bpo/report/simplex.h"
#include "bpo/report/study_figures.h"
#include "bpo/report/study_lines.h"
#include "bpo/runs/planned.h"

namespace bpo::report {
namespace {

constexpr int kMostSlices = 3;
constexpr std::size_t kMostVectors = 100;

/// A metric of the first seed by the seconds that planning had taken; empty if it has none.
std::map<double, double> over_seconds(const Subject& s, const char* metric) {
  const History& history = s.histories.front();
  const auto values = history.find(metric), seconds = history.find("seconds");
  std::map<double, double> out;
  if (values == history.end() || seconds == history.end()) return out;
  for (const auto& [iteration, value] : values->second) {
    const auto at = seconds->second.find(iteration);
    if (at != seconds->second.end()) out[at->second] = value;
  }
  return out;
}

std::optional<Bounds> bounds_of_all(const Study& study) {
  std::optional<Bounds> out;
  for (const Subject& s : study.subjects) {
    if (s.group.differs.empty()) out = tightest(out, s.group.bounds());
  }
  return out;
}

void add_bounds(Page& page, const Study& study) {
  LineChart chart{
      .title = "Bounds", .x_label = "seconds of planning", .y_label = "value", .lines = {}};
  chart.log_x = true;
  for (const Subject& s : study.subjects) {
    for (const char* bound : {"upper", "lower"}) {
      const auto points = over_seconds(s, bound);
      if (points.empty()) continue;
      chart.lines.push_back(line_over_runs(fmt::format("{}, {}", s.label, bound), {points}));
    }
  }
  if (chart.lines.empty()) return;  // they were planned elsewhere
  if (study.optimum) chart.levels.push_back({"optimum", *study.optimum});
  if (const auto best = bounds_of_all(study)) {
    page.paragraph("By the bounds of the planners, " + optimum_text(*best) + ".");
  }
  page.figure(draw(chart),
              "What the planned policy is worth at least, and what no policy exceeds, while "
              "planning goes on (the first seed).");
}

/// The vectors of each action as one line with gaps. Over two states a place on the axis is a
/// belief, and the upper envelope is the value; over more it is a state.
LineChart vectors_chart(const PlannedSlice& slice, const std::string& title) {
  const bool two = slice.states.size() == 2;
  LineChart chart{.title = title,
                  .x_label = two ? fmt::format("P({})", slice.states[1]) : "hidden state",
                  .y_label = "value",
                  .lines = {}};
  constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t a = 0; a < slice.actions.size(); ++a) {
    Line line{.name = slice.actions[a], .x = {}, .y = {}};
    for (std::size_t i = 0; i < slice.vectors.size(); ++i) {
      if (slice.vector_actions[i] != static_cast<int>(a)) continue;
      for (std::size_t y = 0; y < slice.states.size(); ++y) {
        line.x.push_back(static_cast<double>(y));
        line.y.push_back(slice.vectors[i][y]);
      }
      line.x.push_back(kBreak);
      line.y.push_back(kBreak);
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

/// What the vectors over two states say: a planner that has no lower bound has vectors that no
/// policy reaches.
std::string reading(const Subject& s, const PlannedSlice& slice) {
  if (!slice.acts_on_belief) {
    return "The highest at a state tells the action wherever that state is the most likely.";
  }
  const auto bounds = s.group.runs.front().bounds;
  if (bounds && !bounds->has_lower()) {
    return "The highest at a belief tells the action, and no policy is worth more there.";
  }
  return "The highest at a belief tells the action, and what the policy is worth there at least.";
}

void add_vectors(Page& page, const Subject& s, const std::vector<PlannedSlice>& slices) {
  for (const PlannedSlice& slice : slices) {
    const std::size_t states = slice.states.size();
    const std::string where = slice.seen.empty() ? s.label : s.label + " at " + slice.seen;
    const std::string when =
        slice.stages > 0 ? fmt::format(" At the beginning, with {} steps to go.", slice.stages)
                         : "";
    if (states == 2 || states == 3) {
      page.figure(
          draw(SimplexMap{"Actions of " + where, slice.states, slice.actions, slice.action}),
          "The action at every belief." + when);
    }
    if (slice.vectors.empty() || slice.vectors.size() > kMostVectors) continue;
    page.figure(
        draw(vectors_chart(slice, "Alpha vectors of " + where)),
        fmt::format(
            "{} vectors, those that are best where two states are possible, coloured by the "
            "action that each begins with. {}{}",
            slice.vectors.size(),
            states == 2
                ? reading(s, slice)
                : fmt::format("The states are, from 0 on, {}.", fmt::join(slice.states, ", ")),
            when));
  }
}

}  // namespace

void add_planning(Page& page, const Study& study) {
  std::vector<std::vector<PlannedSlice>> slices;
  bool any = false;
  for (const Subject& s : study.subjects) {
    slices.push_back(planned_slices(s.policies.front(), kMostSlices));
    any = any || !slices.back().empty() || s.group.bounds();
  }
  if (!any) return;
  page.heading(3, "Planning");
  add_bounds(page, study);
  for (std::size_t k = 0; k < slices.size(); ++k) add_vectors(page, study.subjects[k], slices[k]);
}

}  // namespace bpo::report
