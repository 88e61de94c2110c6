// What the runs of a study achieved.
#include <fmt/format.h>

#include <algorithm>

#include "bpo/report/bar_chart.h"
#include "bpo/report/result_text.h"
#include "bpo/report/scatter_chart.h"
#include "bpo/report/study_figures.h"
#include "bpo/report/study_lines.h"
#include "bpo/report/table.h"

namespace bpo::report {
namespace {

constexpr std::size_t kMostEpisodes = 400;

/// With an interval where there are enough seeds for one.
std::string shown_over_seeds(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const Mean mean = over_seeds(values);
  return values.size() >= kEnoughSeeds ? rounded(mean) : rounded(mean.mean) + " (too few seeds)";
}

void add_table(Page& page, const Study& study) {
  Rows rows{{"method", "runs", "seeds", "mean over seeds", "over episodes", "best seed",
             "first - this, paired", "exact, over seeds"}};
  const Group& first = study.subjects.front().group;
  for (const Subject& s : study.subjects) {
    const std::vector<double> means = s.group.means();
    const std::size_t best = best_of(means);
    rows.push_back({s.label, s.group.directory, fmt::to_string(means.size()),
                    shown_over_seeds(means), rounded(over_episodes(s.group.returns())),
                    fmt::format("{} (seed {})", rounded(means[best]), s.group.runs[best].run.seed),
                    &s.group == &first || !s.group.differs.empty()
                        ? "-"
                        : rounded(paired_difference(first.returns(), s.group.returns())),
                    shown_over_seeds(s.group.exact() ? s.group.values() : std::vector<double>{})});
  }
  if (study.optimum) {
    rows.push_back({"optimum", "", "", "", "", "", "", rounded(*study.optimum)});
  } else {
    for (auto& row : rows) row.pop_back();
  }
  page.table(rows, {2, 3, 4, 5, 6, 7});
}

void add_bars(Page& page, const Study& study) {
  BarChart chart{.title = "Return", .x_label = "mean return", .groups = {{}}};
  bool seeds = true;
  for (const Subject& s : study.subjects) {
    const Mean mean =
        enough_seeds(s) ? over_seeds(s.group.means()) : over_episodes(s.group.returns());
    seeds = seeds && enough_seeds(s);
    chart.series.push_back(s.label);
    chart.groups[0].bars.push_back(Bar{mean.mean, mean.half, study.optimum});
  }
  if (study.optimum) chart.reference = "optimum " + rounded(*study.optimum);
  page.figure(draw(chart),
              fmt::format("{}. Whiskers: 95 % intervals over {}.", about_episodes(study),
                          seeds ? "seeds" : "seeds, or over episodes where seeds are too few"));
}

void add_scatters(Page& page, const Study& study) {
  const Subject& first = study.subjects.front();
  ScatterChart chart{.title = "Episode by episode",
                     .x_label = fmt::format("return of {}", first.label),
                     .y_label = study.subjects.size() == 2
                                    ? fmt::format("return of {}", study.subjects[1].label)
                                    : "return of the other",
                     .first_style = 1};
  const std::size_t n = std::min(first.group.returns().size(), kMostEpisodes);
  for (std::size_t k = 1; k < study.subjects.size(); ++k) {
    const Subject& other = study.subjects[k];
    if (!other.group.differs.empty()) continue;
    const auto head = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    };
    chart.clouds.push_back({other.label, head(first.group.returns()), head(other.group.returns())});
  }
  if (chart.clouds.empty()) return;
  page.figure(draw(chart),
              fmt::format("The first {} of {}, means over seeds. Both meet the same latent and the "
                          "same noise in an episode; below the line {} did better.",
                          n, about_episodes(study), first.label));
}

}  // namespace

void add_results(Page& page, const Study& study) {
  page.paragraph(
      fmt::format("{} on common random numbers; 95 % intervals. Differences are paired by episode.",
                  about_episodes(study)));
  if (!study.protocol.sets.empty()) {
    page.paragraph(fmt::format("In another world than in training: {}.",
                               fmt::join(study.protocol.sets, ", ")));
  }
  for (const Subject& s : study.subjects) {
    if (!s.group.differs.empty()) {
      page.paragraph(
          fmt::format("{} is in another world than {} ({}): their episodes are not the same, so "
                      "differences and "
                      "a common optimum are left out.",
                      s.label, study.subjects.front().label, s.group.differs));
    }
    const std::string faults =
        fault_notice(s.label, s.group.faults(),
                     study.protocol.episodes * static_cast<std::int64_t>(s.group.seeds()));
    if (!faults.empty()) page.paragraph(faults + ".");
  }
  add_table(page, study);
  add_bars(page, study);
  add_scatters(page, study);
}

}  // namespace bpo::report
