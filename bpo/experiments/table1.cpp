// Table 1: Chain with ten bins, tied and semi-tied, against the solvers of discrete Bayesian
// reinforcement learning. Policies trained at the defaults (slip ~ U[0,1], 100 steps) are run at
// slip 0.2 for 1000 steps, and returns divided by 10.
#include <fmt/format.h>

#include "bpo/core/solver.h"
#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"

namespace bpo::experiments {
namespace {

constexpr double kScale = 0.1;

/// Planners of the paper's table and of its kin; those that are registered take part.
const std::vector<std::string> kSolvers = {"perseus", "beetle", "mcbrl", "bamcp", "psrl"};

Request at_slip(const std::string& method, bool tied, const Scale& scale) {
  if (method == "perseus") return perseus_on_chain(tied, scale);
  const std::string set = tied ? "problem.bins=10" : "problem.tying=semi";
  Request out{plan("chain", method, {set}, scale), protocol("chain", scale)};
  out.protocol.sets = {"problem.slip=0.2", "problem.horizon=1000"};
  return out;
}

std::vector<std::string> our_methods() {
  std::vector<std::string> out{"bpo"};
  for (const std::string& name : kSolvers) {
    if (solvers().contains(name)) out.push_back(name);
  }
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const std::string& method : our_methods()) {
    for (bool tied : {true, false}) out.push_back(at_slip(method, tied, scale));
  }
  return out;
}

std::string scaled(const Group& f) {
  std::vector<double> values = f.values();
  for (double& x : values) x *= kScale;
  if (!enough_seeds(f)) {
    return fmt::format("{:.2f} (not enough seeds)", report::mean_of(values));
  }
  const report::Mean mean = report::over_seeds(values);
  return fmt::format("{:.2f} +- {:.2f}", mean.mean, mean.half);
}

/// Adds the exact optimum. Who knows the slip does as well tied as semi-tied, for both are then one
/// world.
void add_optimum(const Group* tied, bool semi, report::Rows& rows) {
  if (tied == nullptr || !tied->optimum()) return;
  const std::string how = "exact, by dynamic programming";
  const std::string prior = semi ? "semi-tied" : "tied";
  rows.push_back({prior, "slip known to the agent",
                  fmt::format("{:.2f}", *tied->optimum() * kScale), "-", how});
  if (semi || !tied->runs[0].bayes_policy) return;
  rows.push_back({prior, "Bayes-optimal policy for U[0,1]",
                  fmt::format("{:.2f}", *tied->runs[0].bayes_policy * kScale), "-", how});
}

report::Table table(const Findings& findings) {
  report::Rows rows{{"prior", "solver", "return / 10", "best seed", "where from"}};
  const Group* known = findings.find(at_slip("bpo", true, findings.scale()));
  for (bool tied : {true, false}) {
    const std::string prior = tied ? "tied" : "semi-tied";
    for (const std::string& method : our_methods()) {
      const Group* f = findings.find(at_slip(method, tied, findings.scale()));
      if (f == nullptr) continue;
      rows.push_back({prior, method, scaled(*f), fmt::format("{:.2f}", f->best().value() * kScale),
                      fmt::format("ours, seeds: {}, {}", f->seeds(), how_cell(f))});
    }
    for (const ChainValue& v : table1_values()) {
      if (v.tied != tied) continue;
      rows.push_back({prior, v.solver, fmt::format("{:.1f} +- {:.1f}", v.value.mean, v.value.half),
                      "-", v.source + (v.reread ? "" : " (r)")});
    }
    add_optimum(known, !tied, rows);
  }
  return {rows, {2, 3}};
}

void render(const Findings& findings, Sheet& sheet) {
  sheet.table(table(findings));
  sheet.paragraph(
      "(r): commonly quoted, not re-read in the original. The paper divides means by 10 and the "
      "intervals of BEETLE and Perseus by 100. Protocol: slip 0.2 in both actions, 1000 "
      "undiscounted steps from s1; the agent's prior is U[0,1]. One run has a standard deviation "
      "near 27 on this scale, so that differences of 1 need thousands of runs unless they are "
      "exact.");
}

const RegisterExperiment kTable1{
    {3, "table1", "Table 1: Chain against solvers of discrete Bayesian reinforcement learning",
     "BPO is on a par with BEETLE, Perseus and MCBRL, tied and semi-tied.", requests, render,
     table}};

}  // namespace
}  // namespace bpo::experiments
