#include "bpo/cli/study_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/cli/progress.h"
#include "bpo/cli/result.h"
#include "bpo/core/trace.h"
#include "bpo/experiments/curves.h"
#include "bpo/report/axes.h"
#include "bpo/report/bar_chart.h"
#include "bpo/report/belief.h"
#include "bpo/report/line_chart.h"
#include "bpo/report/room.h"
#include "bpo/report/scatter_chart.h"
#include "bpo/report/statistics.h"

namespace bpo::cli {
namespace {

using report::Line;
using report::LineChart;
using report::Mean;
using report::Page;

constexpr std::size_t kMostPoints = 200, kMostEpisodes = 400;

std::string shown(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "not finite"; }

std::string shown(const Mean& x) {
  if (!x.has_interval()) return shown(x.mean) + " (one)";
  return fmt::format("{} {} {}", shown(x.mean), report::kPlusMinus, shown(x.half));
}

bool enough(const Subject& s) { return s.group.seed_means.size() >= report::kEnoughSeeds; }

/// The curves of several runs as one: the mean, and with enough runs its 95 % interval. Of many
/// points neighbours are averaged.
Line line_over_runs(const std::string& name, const std::vector<std::map<double, double>>& runs) {
  std::vector<double> xs;
  for (const auto& run : runs) {
    for (const auto& [x, y] : run) xs.push_back(x);
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  const std::size_t width = (xs.size() + kMostPoints - 1) / kMostPoints;
  Line line{.name = name};
  for (std::size_t i = 0; i < xs.size(); i += width) {
    const std::size_t last = std::min(i + width, xs.size()) - 1;
    std::vector<double> means;  // by run
    for (const auto& run : runs) {
      double sum = 0.0, count = 0.0;
      for (auto at = run.lower_bound(xs[i]); at != run.end() && at->first <= xs[last]; ++at) {
        sum += at->second;
        ++count;
      }
      if (count > 0.0) means.push_back(sum / count);
    }
    const Mean mean = report::over_seeds(means);
    line.x.push_back(0.5 * (xs[i] + xs[last]));
    line.y.push_back(mean.mean);
    if (runs.size() < report::kEnoughSeeds) continue;
    line.low.push_back(mean.mean - mean.half);
    line.high.push_back(mean.mean + mean.half);
  }
  return line;
}

/// How the lines of a chart came about, for its caption.
std::string about_lines(const Study& study) {
  std::vector<std::string> all;
  bool bands = false;
  for (const Subject& s : study.subjects) {
    all.push_back(fmt::format("{}: {}", s.label, s.seeds()));
    bands = bands || enough(s);
  }
  return fmt::format("{}. {}", fmt::join(all, "; "),
                     bands ? fmt::format("Mean over seeds; bands are its 95 % interval (from {} "
                                         "seeds on).",
                                         report::kEnoughSeeds)
                           : "Mean over seeds; too few for an interval.");
}

std::string about_episodes(const Study& study) {
  return fmt::format("{} episodes of seed {}{}", study.episodes.count, study.episodes.seed,
                     study.episodes.greedy ? ", greedy" : "");
}

/// Likewise of a chart over iterations.
std::string about_iterations(const Study& study) {
  std::size_t most = 1;
  for (const Subject& s : study.subjects) {
    for (const StudiedRun& run : s.runs) {
      for (const auto& [metric, values] : run.history) most = std::max(most, values.size());
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
    for (const StudiedRun& run : s.runs) {
      const auto found = run.history.find(metric);
      if (found != run.history.end()) runs.push_back(found->second);
    }
    any = any || !runs.empty();
    // A subject without this metric keeps its place, so that colours mean the same everywhere.
    chart.lines.push_back(line_over_runs(s.label, runs));
  }
  if (!any) chart.lines.clear();
  return chart;
}

/// With an interval where there are enough seeds for one.
std::string shown_over_seeds(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const Mean mean = report::over_seeds(values);
  return values.size() >= report::kEnoughSeeds ? shown(mean)
                                               : shown(mean.mean) + " (too few seeds)";
}

void add_table(Page& page, const Study& study) {
  report::Rows rows{{"method", "runs", "seeds", "mean over seeds", "over episodes", "best seed",
                     "first - this, paired", "exact, over seeds"}};
  const Group& first = study.subjects.front().group;
  for (const Subject& s : study.subjects) {
    const std::vector<double>& means = s.group.seed_means;
    const std::size_t best = report::best_of(means);
    rows.push_back({s.label, s.group.directory, fmt::to_string(means.size()),
                    shown_over_seeds(means), shown(report::over_episodes(s.group.returns)),
                    fmt::format("{} (seed {})", shown(means[best]), s.runs[best].loaded.run.seed),
                    &s.group == &first || !s.group.differs.empty()
                        ? "-"
                        : shown(report::paired_difference(first.returns, s.group.returns)),
                    shown_over_seeds(s.exact)});
  }
  if (study.optimum) {
    rows.push_back({"optimum", "", "", "", "", "", "", shown(*study.optimum)});
  } else {
    for (auto& row : rows) row.pop_back();
  }
  page.table(rows, {2, 3, 4, 5, 6, 7});
}

void add_bars(Page& page, const Study& study) {
  report::BarChart chart{.title = "Return", .x_label = "mean return", .groups = {{}}};
  bool seeds = true;
  for (const Subject& s : study.subjects) {
    const Mean mean =
        enough(s) ? report::over_seeds(s.group.seed_means) : report::over_episodes(s.group.returns);
    seeds = seeds && enough(s);
    chart.series.push_back(s.label);
    chart.groups[0].bars.push_back(report::Bar{mean.mean, mean.half, study.optimum});
  }
  if (study.optimum) chart.reference = "optimum " + shown(*study.optimum);
  page.figure(report::draw(chart),
              fmt::format("{}. Whiskers: 95 % intervals over {}.", about_episodes(study),
                          seeds ? "seeds" : "seeds, or over episodes where seeds are too few"));
}

void add_scatters(Page& page, const Study& study) {
  const Subject& first = study.subjects.front();
  report::ScatterChart chart{.title = "Episode by episode",
                             .x_label = fmt::format("return of {}", first.label),
                             .y_label = study.subjects.size() == 2
                                            ? fmt::format("return of {}", study.subjects[1].label)
                                            : "return of the other",
                             .first_style = 1};
  const std::size_t n = std::min(first.group.returns.size(), kMostEpisodes);
  for (std::size_t k = 1; k < study.subjects.size(); ++k) {
    const Subject& other = study.subjects[k];
    if (!other.group.differs.empty()) continue;
    const auto head = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    };
    chart.clouds.push_back({other.label, head(first.group.returns), head(other.group.returns)});
  }
  if (chart.clouds.empty()) return;
  page.figure(report::draw(chart),
              fmt::format("The first {} of {}, means over seeds. Both meet the same latent and the "
                          "same noise in an episode; below the line {} did better.",
                          n, about_episodes(study), first.label));
}

void add_entropy(Page& page, const Study& study) {
  LineChart chart{"Entropy of the belief", "step", "nats, mean over episodes", {}};
  ThreadPool pool(1);  // a tile is all there is
  for (const Subject& s : study.subjects) {
    std::vector<std::map<double, double>> runs;
    for (const StudiedRun& run : s.runs) {
      std::map<double, double>& points = runs.emplace_back();
      const auto curves = experiments::curves_of(*run.loaded.problem, *run.loaded.policy,
                                                 study.seed(), study.watched(), pool);
      for (const double h : curves.entropy) {
        points.emplace(static_cast<double>(points.size()), h);
      }
    }
    chart.lines.push_back(line_over_runs(s.label, runs));
  }
  page.figure(report::draw(chart),
              fmt::format("How fast the policies learn about the world: the first {} episodes of "
                          "seed {}. {}",
                          study.watched(), study.episodes.seed, about_lines(study)));
}

void add_actions(Page& page, const Subject& s) {
  std::vector<std::vector<std::map<double, double>>> runs;  // by action, by run
  for (const StudiedRun& run : s.runs) {
    const auto probabilities = action_probabilities(run.loaded);
    if (probabilities.empty()) return;
    runs.resize(static_cast<std::size_t>(s.spec().actions.size()));
    for (auto& action : runs) action.emplace_back();
    for (const auto& [belief, p] : probabilities) {
      for (std::size_t a = 0; a < p.size(); ++a) runs[a].back()[belief] = p[a];
    }
  }
  const ProblemSpec& spec = s.spec();
  LineChart chart{
      fmt::format("Actions of {}", s.label),
      fmt::format("P({} = {})", report::factor_name(spec, 0), report::value_name(spec, 0, 0)),
      "probability of the action",
      {}};
  chart.x_range = {0.0, 1.0};
  for (std::size_t a = 0; a < runs.size(); ++a) {
    Line line = line_over_runs(spec.actions.names[a], runs[a]);
    for (double& p : line.low) p = std::max(p, 0.0);
    for (double& p : line.high) p = std::min(p, 1.0);
    chart.lines.push_back(std::move(line));
  }
  page.figure(report::draw(chart),
              fmt::format("What {} does at each belief that is possible after eight steps, mean "
                          "over what it may have seen last and over {}.",
                          s.label, s.seeds()));
}

}  // namespace

void add_results(Page& page, const Study& study) {
  page.paragraph(
      fmt::format("{} on common random numbers; 95 % intervals. Differences are paired by episode.",
                  about_episodes(study)));
  if (!study.episodes.sets.empty()) {
    page.paragraph(fmt::format("In another world than in training: {}.",
                               fmt::join(study.episodes.sets, ", ")));
  }
  for (const Subject& s : study.subjects) {
    if (!s.group.differs.empty()) {
      page.paragraph(
          fmt::format("{} is in another world than {} ({}): their episodes are not the same, so "
                      "differences and "
                      "a common optimum are left out.",
                      s.label, study.subjects.front().label, s.group.differs));
    }
    const std::string faults = fault_notice(
        s.label, s.group.faults, study.episodes.count * static_cast<std::int64_t>(s.runs.size()));
    if (!faults.empty()) page.paragraph(faults + ".");
  }
  add_table(page, study);
  add_bars(page, study);
  add_scatters(page, study);
}

void add_learning(Page& page, const Study& study) {
  LineChart validation = metric_chart(study, "validation", "Validation", "mean return");
  LineChart training = metric_chart(study, "return", "Return in training", "mean return");
  if (validation.lines.empty() && training.lines.empty()) return;
  page.heading(3, "Learning");
  // The first policies can be so bad that nothing could be told of the others.
  validation.early = training.early = 0.15;
  if (study.optimum) validation.levels.push_back({"optimum", *study.optimum});
  if (!validation.lines.empty()) {
    page.figure(report::draw(validation),
                fmt::format("The policy on validation episodes while it is trained; early values "
                            "may lie outside. {}",
                            about_iterations(study)));
  }
  page.figure(
      report::draw(training),
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
    page.figure(report::draw(chart), about_iterations(study));
  }
}

void add_beliefs(Page& page, const Study& study) {
  page.heading(3, "Belief");
  const Waiting waiting(fmt::format("{}: watching beliefs", study.problem), false);
  add_entropy(page, study);
  for (const Subject& s : study.subjects) add_actions(page, s);
}

void add_episode(Page& page, const Study& study, std::uint64_t episode) {
  page.heading(3, fmt::format("Episode {} of seed {}", episode, study.episodes.seed));
  const Waiting waiting(fmt::format("{}: playing an episode", study.problem), false);
  for (const Subject& s : study.subjects) {
    const StudiedRun& run = s.runs.front();
    const Trace trace =
        trace_episode(*run.loaded.problem, *run.loaded.policy, study.seed(), episode);
    const std::string title = fmt::format("{}, seed {}", s.label, run.loaded.run.seed);
    const std::string caption =
        fmt::format("{}: {} steps, return {}.", title, trace.moments.size(), shown(trace.total));
    const ProblemSpec& spec = trace.spec;
    if (spec.stage) {
      page.replay(report::replay_of(trace, title),
                  fmt::format("{} The belief is over the factors of two lengths; the outlined cell "
                              "is the true one. Lines on the floor are a metre apart.",
                              caption));
    } else if (spec.room) {
      const report::RoomPanel panel = report::room_panel(trace, title, run.directory);
      page.figure(
          report::room_figure(
              {&panel, 1},
              fmt::format("{}, episode {} of seed {}", study.problem, episode, study.episodes.seed),
              fmt::format("{}-{}", study.problem, &s - study.subjects.data())),
          caption, true);
    } else if (spec.grid && !spec.grid->joint) {
      for (int factor = 0; factor < spec.latent_dim; ++factor) {
        report::HeatMap map = report::belief_over_time(trace, factor);
        map.title += fmt::format(": {}", title);
        page.figure(report::draw(map), caption);
      }
    }
  }
}

}  // namespace bpo::cli
