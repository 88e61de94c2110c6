// What the policies of a study believe and do, over many episodes and in one.
#include <fmt/format.h>

#include <algorithm>

#include "bpo/core/trace.h"
#include "bpo/report/belief.h"
#include "bpo/report/belief_moments.h"
#include "bpo/report/room.h"
#include "bpo/report/study_figures.h"
#include "bpo/report/study_lines.h"
#include "bpo/runs/curves.h"

namespace bpo::report {
namespace {

void add_entropy(Page& page, const Study& study) {
  LineChart chart{"Entropy of the belief", "step", "nats, mean over episodes", {}};
  ThreadPool pool(1);  // a tile is all there is
  for (const Subject& s : study.subjects) {
    std::vector<std::map<double, double>> runs;
    for (const LoadedPolicy& run : s.policies) {
      std::map<double, double>& points = runs.emplace_back();
      const auto curves = curves_of(*run.problem, *run.policy, study.protocol.episode_seed(),
                                    study.watched(), pool);
      for (const double h : curves.entropy) {
        points.emplace(static_cast<double>(points.size()), h);
      }
    }
    chart.lines.push_back(line_over_runs(s.label, runs));
  }
  page.figure(draw(chart),
              fmt::format("How fast the policies learn about the world: the first {} episodes of "
                          "seed {}. {}",
                          study.watched(), study.protocol.seed, about_lines(study)));
}

void add_actions(Page& page, const Subject& s) {
  std::vector<std::vector<std::map<double, double>>> runs;  // by action, by run
  for (const LoadedPolicy& run : s.policies) {
    const auto probabilities = action_probabilities(run);
    if (probabilities.empty()) return;
    runs.resize(static_cast<std::size_t>(s.spec().actions.size()));
    for (auto& action : runs) action.emplace_back();
    for (const auto& [belief, p] : probabilities) {
      for (std::size_t a = 0; a < p.size(); ++a) runs[a].back()[belief] = p[a];
    }
  }
  const ProblemView& view = s.policies.front().problem->view();
  LineChart chart{
      fmt::format("Actions of {}", s.label),
      fmt::format("P({} = {})", view.latents[0], value_name(view, s.spec().grid->axes[0], 0, 0)),
      "probability of the action",
      {}};
  chart.x_range = {0.0, 1.0};
  for (std::size_t a = 0; a < runs.size(); ++a) {
    Line line = line_over_runs(view.actions[a], runs[a]);
    for (double& p : line.low) p = std::max(p, 0.0);
    for (double& p : line.high) p = std::min(p, 1.0);
    chart.lines.push_back(std::move(line));
  }
  page.figure(draw(chart),
              fmt::format("What {} does at each belief that is possible after eight steps, mean "
                          "over what it may have seen last and over {}.",
                          s.label, s.seeds()));
}

/// How the posterior of each factor narrows in the course of an episode.
void add_posteriors(Page& page, const Trace& trace, const std::string& title,
                    const std::string& caption) {
  const bool moments = trace.spec.moments.has_value();
  const int factors = trace.spec.grid || moments ? trace.spec.latent_dim : 1;
  for (int factor = 0; factor < factors; ++factor) {
    if (moments) {
      LineChart chart = moments_over_time(trace, factor);
      chart.title += fmt::format(": {}", title);
      page.figure(draw(chart), caption);
      continue;
    }
    HeatMap map = belief_over_time(trace, factor);
    map.title += fmt::format(": {}", title);
    page.figure(draw(map), caption);
  }
}

}  // namespace

void add_beliefs(Page& page, const Study& study, Log& log) {
  page.heading(3, "Belief");
  const Activity activity(log, fmt::format("{}: watching beliefs", study.problem));
  add_entropy(page, study);
  for (const Subject& s : study.subjects) add_actions(page, s);
}

void add_episode(Page& page, const Study& study, std::uint64_t episode, Log& log) {
  page.heading(3, fmt::format("Episode {} of seed {}", episode, study.protocol.seed));
  const Activity activity(log, fmt::format("{}: playing an episode", study.problem));
  for (const Subject& s : study.subjects) {
    const LoadedPolicy& run = s.policies.front();
    const Trace trace =
        trace_episode(*run.problem, *run.policy, study.protocol.episode_seed(), episode);
    const std::string title = fmt::format("{}, seed {}", s.label, run.run.seed);
    const std::string caption =
        fmt::format("{}: {} steps, return {}.", title, trace.moments.size(), rounded(trace.total));
    const ProblemSpec& spec = trace.spec;
    if (trace.view.stage) {
      page.replay(replay_of(trace, title),
                  fmt::format("{} The belief is over {}{}. Lines on the floor are a metre apart.",
                              caption, fmt::join(trace.view.latents, ", "),
                              spec.grid ? "; the outlined cell is the true one" : ""));
      if (spec.grid ? spec.grid->axes.size() != 2 : spec.moments.has_value()) {
        add_posteriors(page, trace, title, caption);
      }
    } else if (trace.view.room) {
      const RoomPanel panel = room_panel(trace, title, run.directory);
      page.figure(room_figure({&panel, 1},
                              fmt::format("{}, episode {} of seed {}", study.problem, episode,
                                          study.protocol.seed),
                              fmt::format("{}-{}", study.problem, &s - study.subjects.data())),
                  caption, true);
    } else if (has_named_states(trace) || (spec.grid && !spec.grid->joint)) {
      add_posteriors(page, trace, title, caption);
    }
  }
}

}  // namespace bpo::report
