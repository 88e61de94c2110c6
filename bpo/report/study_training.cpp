// How the runs of a study were trained: learning curves, and whether the training was well.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bpo/report/study_figures.h"
#include "bpo/report/study_lines.h"

namespace bpo::report {
namespace {

/// How the lines of a chart over iterations came about.
std::string about_iterations(const Study& study) {
  std::size_t most = 1;
  for (const Subject& s : study.subjects) {
    for (const History& history : s.histories) {
      for (const auto& [metric, values] : history) most = std::max(most, values.size());
    }
  }
  const std::size_t width = (most + kMostPoints - 1) / kMostPoints;
  return about_lines(study) +
         (width > 1 ? fmt::format(" A point is the mean of up to {} iterations.", width) : "");
}

/// A metric of all trainings; no lines if none has it.
LineChart metric_chart(const Study& study, const std::string& metric, const std::string& title,
                       const std::string& unit) {
  LineChart chart{title, "iteration", unit, {}};
  bool any = false;
  for (const Subject& s : study.subjects) {
    std::vector<std::map<double, double>> runs;
    for (const History& history : s.histories) {
      const auto found = history.find(metric);
      if (found != history.end()) runs.push_back(found->second);
    }
    any = any || !runs.empty();
    // A subject without this metric keeps its place, so that colours mean the same everywhere.
    chart.lines.push_back(line_over_runs(s.label, runs));
  }
  if (!any) chart.lines.clear();
  return chart;
}

}  // namespace

void add_learning(Page& page, const Study& study) {
  LineChart validation = metric_chart(study, "validation", "Validation", "mean return");
  LineChart training = metric_chart(study, "return", "Return in training", "mean return");
  if (validation.lines.empty() && training.lines.empty()) return;
  page.heading(3, "Learning");
  // The first policies can be so bad that nothing could be told of the others.
  validation.early = training.early = 0.15;
  if (study.optimum) validation.levels.push_back({"optimum", *study.optimum});
  if (!validation.lines.empty()) {
    page.figure(draw(validation),
                fmt::format("The policy on validation episodes while it is trained; early values "
                            "may lie outside. {}",
                            about_iterations(study)));
  }
  page.figure(
      draw(training),
      fmt::format(
          "Of the batches that are learnt from, not discounted; early values may lie outside. {}",
          about_iterations(study)));
}

void add_health(Page& page, const Study& study) {
  struct Kind {
    const char *metric, *title, *unit;
    bool always;  // or only where it is not zero
  };
  constexpr std::array kKinds{
      Kind{"kl", "KL divergence of an update", "nats", true},
      Kind{"entropy", "Entropy of the actions", "nats", true},
      Kind{"belief_entropy", "Entropy of the belief in training", "nats", true},
      Kind{"explained_variance", "Explained variance of the baseline", "share", true},
      Kind{"rejected", "Updates taken back", "so far", false},
      Kind{"filter_fallbacks", "Vanished posteriors", "so far", false},
      Kind{"faults", "Simulations that broke down", "so far", false}};
  bool begun = false;
  for (const Kind& kind : kKinds) {
    const LineChart chart = metric_chart(study, kind.metric, kind.title, kind.unit);
    const bool any = std::any_of(chart.lines.begin(), chart.lines.end(), [&](const Line& line) {
      return std::any_of(line.y.begin(), line.y.end(),
                         [&](double y) { return kind.always || y != 0.0; });
    });
    if (!any) continue;
    if (!begun) page.heading(3, "Training health");
    begun = true;
    page.figure(draw(chart), about_iterations(study));
  }
}

}  // namespace bpo::report
