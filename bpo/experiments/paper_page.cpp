#include "bpo/experiments/paper_page.h"

#include <fmt/format.h>

#include <map>

#include "bpo/core/file.h"
#include "bpo/core/text.h"
#include "bpo/experiments/results.h"
#include "bpo/experiments/sheet.h"
#include "bpo/runs/cache.h"
#include "bpo/runs/result.h"

namespace bpo::experiments {
namespace {

/// What a reader must know before any number.
void preface(const Scale& scale, Sheet& sheet) {
  if (scale.quick) {
    sheet.paragraph(
        "Made with --quick: fewer seeds and much shorter trainings (the table at the end has them "
        "all), so these numbers show that everything works, not how well the methods do.");
  }
  if (!scale.sets.empty()) {
    sheet.paragraph(fmt::format("Every training was changed by {}.", fmt::join(scale.sets, " ")));
  }
  if (!problems().contains("ant")) {
    sheet.paragraph("This program was built without MuJoCo: there are no robots.");
  }
}

/// Every series: its settings, its seeds, what it took, and what diverged.
void provenance(const std::vector<Task>& tasks, Sheet& sheet) {
  sheet.heading("Where the numbers come from");
  const Machine machine = this_machine();
  sheet.paragraph(fmt::format(
      "bpo {} on {}, {} cores, {}, {}. Every method has the same episodes: those of "
      "`bpo compare --seed 0`, and of seed 100 for tuning.",
      machine.commit, machine.cpu, machine.cores, machine.instruction_set, machine.compiler));
  struct Total {
    int seeds = 0;
    double seconds = 0.0;
    std::int64_t steps = 0, faults = 0;
    std::string episodes, diverged;
  };
  std::map<std::string, Total> totals;
  double seconds = 0.0;
  for (const Task& task : tasks) {
    Total& total = totals[task.series.directory()];
    ++total.seeds;
    total.episodes = fmt::to_string(task.protocols.front().episodes);
    total.faults += recall(task.directory, task.protocols.front())->faults;
    if (divergence(task.directory)) total.diverged += fmt::format(" {}", task.seed);
    const auto training = stored_result(task.directory)->training;
    if (!training) continue;
    total.seconds += training->seconds;
    total.steps += training->steps;
    seconds += training->seconds;
  }
  report::Rows rows{
      {"series", "seeds", "steps a seed", "seconds a seed", "measured on", "faults", "diverged"}};
  for (const auto& [series, t] : totals) {
    rows.push_back({series, fmt::to_string(t.seeds),
                    t.steps > 0 ? short_count(static_cast<double>(t.steps) / t.seeds) : "-",
                    t.steps > 0 ? fmt::format("{:.1f}", t.seconds / t.seeds) : "planned",
                    t.episodes + " episodes", fmt::to_string(t.faults),
                    t.diverged.empty() ? "-" : "seeds" + t.diverged});
  }
  sheet.table(rows, {1, 2, 3, 4, 5});
  sheet.paragraph(
      fmt::format("{} runs, {} of training in all. What diverged is represented by its best policy "
                  "before that. Faults are "
                  "episodes that ended because the simulation broke down.",
                  tasks.size(), short_time(seconds)));
}

}  // namespace

Written write_page(const std::string& out, const std::vector<const Experiment*>& items,
                   const std::vector<Task>& tasks, const CampaignEnd& end, const Scale& scale) {
  const Findings findings(scale, gather(tasks));
  report::Page page("Bayesian Policy Optimization: the paper's results and ours");
  Sheet sheet(page);
  preface(scale, sheet);
  refuse_link(out + "/results");
  make_directories(out + "/results");
  Written written{.page = out + "/index.html", .text = {}, .results = Json::array()};
  for (const Experiment* item : items) {
    sheet.heading(item->title);
    sheet.paragraph("The paper: " + item->paper);
    item->render(findings, sheet);
    written.results.push_back(results_json(*item, findings));
    write_file_atomic(fmt::format("{}/results/{}.json", out, item->name),
                      json_text(written.results.back()));
  }
  provenance(tasks, sheet);
  sheet.paragraph(fmt::format("This command made {} of the {} runs in {}; threads: {}.", end.made,
                              tasks.size(), short_time(end.seconds), end.threads));
  write_file_atomic(written.page, page.html());
  written.text = sheet.text();
  return written;
}

}  // namespace bpo::experiments
