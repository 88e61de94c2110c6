#include "bpo/runs/finite.h"

#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/pomdp_writer.h"
#include "bpo/problems/tabular/pomdpx_reader.h"
#include "bpo/problems/tabular/pomdpx_writer.h"
#include "bpo/problems/tabular/rocksample.h"
#include "bpo/runs/settings.h"

namespace bpo {
namespace {

/// "n=7" means "problem.n=7" here, where there is nothing else to set.
Config problem_config(const std::vector<std::string>& sets) {
  std::vector<std::string> full;
  for (const std::string& set : sets) {
    const bool bare = set.substr(0, set.find('=')).find('.') == std::string::npos;
    full.push_back((bare ? "problem." : "") + set);
  }
  return config_of(full, "problem.");
}

TabularModel tables_of(const std::string& problem, Config& config) {
  const std::string name = open_problem(problem);
  const auto made = problems().at(name).make(config);
  config.finish();
  const auto tables = made->tabular();
  if (tables == nullptr) {
    throw bad_input(problem +
                    ": is not finite, so it has no tables; tiger, chain and rocksample do");
  }
  TabularModel m = *tables;
  const ProblemView& view = made->view();
  const auto borrow = [](std::vector<std::string>& to, const std::vector<std::string>& from,
                         int n) {
    if (to.empty() && std::ssize(from) == n) to = from;
  };
  borrow(m.names.actions, view.actions, m.actions);
  borrow(m.names.observations, view.observation_values, m.observations);
  borrow(m.names.hidden, view.latent_values, m.hidden());
  if (m.visible > 1) borrow(m.names.seen, view.observation_values, m.visible);
  return m;
}

}  // namespace

Examined examine_problem(const std::string& problem, const std::vector<std::string>& sets) {
  Examined out{.name = problem};
  Config config = problem_config(sets);
  const std::string kind = problems().contains(problem) ? "" : ending_of(problem);
  if (kind == ".pomdp" || kind == ".pomdpx") {
    if (!sets.empty()) throw bad_input("--set: a file is examined as it stands");
    const std::string text = read_problem_file(problem);
    out.tables = kind == ".pomdp" ? read_pomdp(text, problem) : read_pomdpx(text, problem);
  } else {
    out.tables.model = tables_of(problem, config);
  }
  if (out.tables.wrong == 0) {
    check(out.tables.model, problem);
    out.lint = lint(out.tables.model);
  }
  return out;
}

std::string problem_text(const std::string& problem, const std::vector<std::string>& sets,
                         const std::string& out) {
  Config config = problem_config(sets);
  const std::string to = ending_of(out);
  if (to != ".pomdp" && to != ".pomdpx") {
    throw bad_input(out +
                    ": a problem is written as .pomdp or .pomdpx; end the name in one of them");
  }
  if (problem != "rocksample") {
    const TabularModel m = tables_of(problem, config);
    return to == ".pomdp" ? pomdp_text(m, problem) : pomdpx_text(factored(m), problem);
  }
  // Its rocks are variables of their own, which tables do not show.
  RockSampleOptions options{.flat = to == ".pomdp"};
  config.read("problem", options);
  config.finish();
  return to == ".pomdp" ? pomdp_text(rocksample_tables(options), problem)
                        : pomdpx_text(rocksample(options), problem);
}

}  // namespace bpo
