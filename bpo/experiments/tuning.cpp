// Tuning: every method gets the same grid of settings on a problem, the same seeds and the same
// episodes, none of which is ever reported. What is best goes into the table of
// algorithms/chosen.cpp, by hand. One item per problem, made by its name alone.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bpo/algorithms/chosen.h"
#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"

namespace bpo::experiments {
namespace {

constexpr std::int64_t kFirstSeed = 100;
constexpr int kSeeds = 2;

/// A trial's share of a training's steps: a grid of whole trainings would take longer than all that
/// is reported.
constexpr double kShare = 1.0 / 3.0;

/// The problem's own settings first, then half and 6.25 times the batch (of a robot: fifty
/// episodes), for as many steps in all, and twice the trust region.
constexpr Choice kGrid[] = {{1.0, 1.0}, {0.5, 1.0}, {6.25, 1.0},
                            {0.5, 2.0}, {1.0, 2.0}, {6.25, 2.0}};

std::string name_of(const Choice& choice) {
  return fmt::format("batch x{}, KL x{}", choice.batch, choice.kl);
}

Request trial(const std::string& problem, const std::string& method, const Choice& choice,
              const Scale& scale) {
  Request out{plan(problem, method, {}, scale), protocol(problem, scale)};
  change(out.series.sets, settings_of(choice, problem, method, out.series.sets, kShare));
  out.series.seconds *= kShare;
  out.series.first_seed = kFirstSeed;
  out.series.seeds = scale.seeds.value_or(scale.quick ? 1 : kSeeds);
  out.protocol.seed = kFirstSeed;
  return out;
}

std::vector<PaperMethod> methods_for(const std::string& problem) {
  std::vector<PaperMethod> out;
  if (!problems().contains(problem)) return out;
  for (const PaperMethod& m : compared_methods()) {
    if (applies(problem, m.method)) out.push_back(m);
  }
  return out;
}

std::vector<Request> requests(const std::string& problem, const Scale& scale) {
  std::vector<Request> out;
  for (const PaperMethod& m : methods_for(problem)) {
    for (const Choice& choice : kGrid) out.push_back(trial(problem, m.method, choice, scale));
  }
  return out;
}

/// What a method's trials found, in the order of the grid.
struct Trials {
  std::vector<double> means;
  std::size_t best = 0;
};

/// The highest mean is the best, but it takes the place of the problem's own settings only if every
/// seed of it is above every seed of theirs: two seeds of a short training tell no less. Nothing
/// without runs.
std::optional<Trials> trials(const std::string& problem, const std::string& method,
                             const Findings& findings) {
  Trials out;
  std::vector<std::vector<double>> values;
  for (const Choice& choice : kGrid) {
    const Group* f = findings.find(trial(problem, method, choice, findings.scale()));
    if (f == nullptr) return {};
    out.means.push_back(f->mean());
    values.push_back(f->values());
  }
  const std::size_t highest = report::best_of(out.means);
  if (std::ranges::min(values[highest]) > std::ranges::max(values[0])) out.best = highest;
  return out;
}

void render(const std::string& problem, const Findings& findings, Sheet& sheet) {
  report::Rows rows{{"method"}};
  for (const Choice& choice : kGrid) rows[0].push_back(name_of(choice));
  rows[0].insert(rows[0].end(), {"best", "in the table"});
  for (const PaperMethod& m : methods_for(problem)) {
    const std::optional<Trials> found = trials(problem, m.method, findings);
    if (!found) continue;
    std::vector<std::string>& row = rows.emplace_back(std::vector{m.name});
    for (double mean : found->means) row.push_back(fmt::format("{:.2f}", mean));
    row.push_back(name_of(kGrid[found->best]));
    row.push_back(name_of(chosen(problem, m.method)));
  }
  if (rows.size() == 1) return sheet.paragraph("Nothing was run.");
  sheet.table(rows, {1, 2, 3, 4, 5, 6});
  sheet.paragraph(fmt::format(
      "Means over seeds from {} on, exact or on the episodes of seed {}: none of these is "
      "reported. "
      "Batch and KL are multiples of the problem's own; all trainings take as many steps, a third "
      "of those that are reported. Another choice than the problem's own is the best only if each "
      "of its seeds is above each of theirs.",
      kFirstSeed, kFirstSeed));
}

/// Which choice is best for each method.
Json numbers(const std::string& problem, const Findings& findings) {
  Json out = Json::object();
  for (const PaperMethod& m : methods_for(problem)) {
    const std::optional<Trials> found = trials(problem, m.method, findings);
    if (!found) continue;
    const Choice& best = kGrid[found->best];
    out[m.method] = {{"batch", best.batch}, {"kl", best.kl}, {"mean", found->means[found->best]}};
  }
  return out;
}

Experiment tuning(int place, const std::string& problem) {
  return {place,
          "tune-" + problem,
          "Tuning of all methods on " + problem,
          "it does not say how its methods were tuned.",
          [problem](const Scale& scale) { return requests(problem, scale); },
          [problem](const Findings& f, Sheet& sheet) { render(problem, f, sheet); },
          {},
          [problem](const Findings& f) { return numbers(problem, f); },
          /*only_by_name=*/true};
}

const RegisterExperiment kTunings[] = {
    RegisterExperiment(tuning(101, "tiger")),     RegisterExperiment(tuning(102, "chain")),
    RegisterExperiment(tuning(103, "lightdark")), RegisterExperiment(tuning(104, "half-cheetah")),
    RegisterExperiment(tuning(105, "swimmer")),   RegisterExperiment(tuning(106, "ant"))};

}  // namespace
}  // namespace bpo::experiments
