#include "bpo/report/comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/core/text.h"
#include "bpo/report/bounds_text.h"
#include "bpo/report/hypotheses.h"
#include "bpo/report/result_text.h"

namespace bpo::report {
namespace {

ComparisonRow row_of(const Group& g, const Group& first) {
  const std::vector<double> means = g.means(), returns = g.returns();
  ComparisonRow row{.group = &g,
                    .over_episodes = over_episodes(returns),
                    .mean = mean_of(means),
                    .best = means[best_of(means)],
                    .iqm = interquartile_mean(means)};
  if (g.differs.empty()) row.paired = paired_difference(first.returns(), returns);
  if (means.size() < kEnoughSeeds) return row;
  row.over_seeds = over_seeds(means);
  if (means.size() >= kEnoughForBootstrap) {
    row.iqm_interval = bootstrap(std::vector<Stratum>{means},
                                 [](std::span<const Stratum> s) { return interquartile_mean(s); });
  }
  if (&g == &first || first.seeds() < kEnoughSeeds || !row.paired) return row;
  row.seed_difference = seed_difference(first.means(), means);
  row.better = probability_of_improvement(means, first.means());
  row.g = hedges_g(first.means(), means);
  row.p = welch_p(first.means(), means);
  return row;
}

std::string shown(const Mean& x) {
  return x.has_interval() ? fmt::format("{:.2f} +- {:.2f}", x.mean, x.half)
                          : fmt::format("{:.2f} (one)", x.mean);
}

Json row_json(const ComparisonRow& r) {
  const auto interval = [](const std::optional<Mean>& x) {
    return x ? Json{{"mean", x->mean}, {"ci95", x->half}} : Json();
  };
  const auto estimate = [](const std::optional<Estimate>& x) {
    return x ? Json{{"value", x->value}, {"low", x->low}, {"high", x->high}} : Json();
  };
  return {{"run", r.group->directory},
          {"problem", r.group->problem()},
          {"algorithm", r.group->algorithm()},
          {"seed_means", r.group->means()},
          {"over_seeds", interval(r.over_seeds)},
          {"over_episodes", interval(r.over_episodes)},
          {"best_seed", r.best},
          {"iqm", r.iqm},
          {"iqm_interval", estimate(r.iqm_interval)},
          {"better_than_first", estimate(r.better)},
          {"first_minus_this", interval(r.paired)},
          {"first_minus_this_over_seeds", interval(r.seed_difference)},
          {"optimum_minus_this", r.missing ? Json{{"low", number_or_null(r.missing->lower)},
                                                  {"high", number_or_null(r.missing->upper)}}
                                           : Json()},
          {"hedges_g", number_or_null(r.g)},
          {"p_holm", number_or_null(r.p)},
          {"differs_from_first", r.group->differs},
          {"faults", r.group->faults()}};
}

}  // namespace

std::optional<Bounds> optimum_bounds(const std::vector<Group>& groups) {
  std::optional<Bounds> out;
  for (const Group& g : groups) {
    if (g.differs.empty()) out = tightest(out, g.bounds());
  }
  return out;
}

Comparison compare(const std::vector<Group>& groups) {
  Comparison out;
  std::vector<std::optional<double>> family;
  const std::optional<Bounds> optimum = optimum_bounds(groups);
  for (const Group& g : groups) {
    ComparisonRow& row = out.emplace_back(row_of(g, groups.front()));
    if (optimum && g.differs.empty()) {
      row.missing = optimum->beyond(row.mean);
    }
    family.push_back(out.back().p);
  }
  family = holm(family);
  for (std::size_t k = 0; k < out.size(); ++k) out[k].p = family[k];
  return out;
}

const std::vector<int>& comparison_right() {
  static const std::vector<int> kRight{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  return kRight;
}

std::vector<std::string> comparison_notes(const std::vector<Group>& groups) {
  std::vector<std::string> out;
  for (const Group& g : groups) {
    if (!g.differs.empty()) {
      out.push_back(fmt::format("{} is not paired with {}, whose world is another: it has {}",
                                printable(g.directory), printable(groups.front().directory),
                                g.differs));
    }
    if (const Measurement& m = g.runs.front(); m.bounds && m.cut_weight) {
      out.push_back(fmt::format(
          "the bounds of {} are of the problem that goes on, but its episodes are cut off when "
          "rewards still weigh {:.3g}: there is no gap to tell",
          printable(g.directory), *m.cut_weight));
    }
    const auto episodes = g.runs.front().episodes * static_cast<std::int64_t>(g.seeds());
    if (g.faults() > 0) {
      out.push_back(fault_notice(printable(g.directory), g.faults(), episodes));
    }
  }
  return out;
}

std::string bounds_sentence(const Comparison& rows) {
  const ComparisonRow& r = rows.front();
  if (!r.missing) return "";
  return optimum_text(r.missing->beyond(-r.mean)) + ", by the bounds of the planners\n";
}

Rows comparison_table(const Comparison& rows) {
  Rows out{{"run", "method", "seeds", "mean, over seeds", "over episodes", "best seed", "IQM",
            "P(> first)", "first - this", "+- over seeds", "g", "p (Holm)"}};
  for (const ComparisonRow& r : rows) {
    const bool first = &r == &rows.front();
    out.push_back(
        {r.group->directory, r.group->algorithm(), fmt::to_string(r.group->seeds()),
         r.over_seeds ? shown(*r.over_seeds) : fmt::format("{:.2f} (not enough seeds)", r.mean),
         shown(r.over_episodes), fmt::format("{:.2f}", r.best), fmt::format("{:.2f}", r.iqm),
         r.better ? fmt::format("{:.2f}", r.better->value) : "-",
         r.paired && !first ? shown(*r.paired) : "-",
         r.seed_difference ? fmt::format("{:.2f}", r.seed_difference->half) : "-",
         r.g ? fmt::format("{:.1f}", *r.g) : "-", p_cell(r.p)});
    if (rows.front().missing) {
      out.back().push_back(r.missing ? range_text(*r.missing, 3) : "-");
    }
  }
  if (rows.front().missing) out.front().push_back("optimum - this");
  return out;
}

Rows comparison_numbers(const Comparison& rows) {
  Rows out{{"run",
            "problem",
            "method",
            "seeds",
            "mean",
            "ci95_over_seeds",
            "ci95_over_episodes",
            "best_seed",
            "iqm",
            "iqm_low",
            "iqm_high",
            "p_better_than_first",
            "p_low",
            "p_high",
            "first_minus_this",
            "ci95_paired_by_episode",
            "ci95_difference_over_seeds",
            "hedges_g",
            "p_holm",
            "faults",
            "optimum_minus_this_low",
            "optimum_minus_this_high"}};
  const auto cell = [](std::optional<double> x) {
    return x && std::isfinite(*x) ? fmt::to_string(*x) : "";
  };
  const auto half = [](const std::optional<Mean>& x) {
    return x ? std::optional(x->half) : std::nullopt;
  };
  const auto part = [](const std::optional<Estimate>& x, double Estimate::*which) {
    return x ? std::optional((*x).*which) : std::nullopt;
  };
  for (const ComparisonRow& r : rows) {
    out.push_back({r.group->directory,
                   r.group->problem(),
                   r.group->algorithm(),
                   fmt::to_string(r.group->seeds()),
                   cell(r.mean),
                   cell(half(r.over_seeds)),
                   cell(r.over_episodes.half),
                   cell(r.best),
                   cell(r.iqm),
                   cell(part(r.iqm_interval, &Estimate::low)),
                   cell(part(r.iqm_interval, &Estimate::high)),
                   cell(part(r.better, &Estimate::value)),
                   cell(part(r.better, &Estimate::low)),
                   cell(part(r.better, &Estimate::high)),
                   cell(r.paired ? std::optional(r.paired->mean) : std::nullopt),
                   cell(half(r.paired)),
                   cell(half(r.seed_difference)),
                   cell(r.g),
                   cell(r.p),
                   fmt::to_string(r.group->faults()),
                   cell(r.missing ? std::optional(r.missing->lower) : std::nullopt),
                   cell(r.missing ? std::optional(r.missing->upper) : std::nullopt)});
  }
  return out;
}

Json comparison_json(const Comparison& rows, const Protocol& protocol) {
  Json out{{"episodes", rows.front().group->runs.front().episodes},
           {"eval_seed", protocol.seed},
           {"greedy", protocol.greedy}};
  for (const ComparisonRow& r : rows) out["runs"].push_back(row_json(r));
  return out;
}

}  // namespace bpo::report
