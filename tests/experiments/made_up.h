// Findings that nobody measured: what an item would get, with numbers that can be told apart.
#pragma once

#include <string>

#include "bpo/experiments/findings.h"
#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/sheet.h"
#include "tests/support/walk.h"

namespace bpo::experiments {

inline Trace made_up_trace(const std::string& problem) {
  if (problem != "lightdark") return test::walk(Camera::kSide, 30);
  Trace trace{.spec = {.name = problem}, .total = -12.5};
  trace.view.room = Room{-1, 7, -2, 4, 5, 2, 0.1};
  const Sight sight{.obs = {3, 1, 0.5f, 0.5f}, .belief = {3, 1, 0.25f}, .latent = {2.5f, 1}};
  for (int t = 0; t < 30; ++t) trace.moments.push_back({.t = t, .sight = sight});
  trace.end = sight;
  return trace;
}

/// Episodes return `base`, the seed, and noise that all have in common.
inline Measurement made_up_run(const Request& request, int seed, double base) {
  Evaluation evaluation;
  for (std::int64_t e = 0; e < request.protocol.episodes; ++e) {
    evaluation.returns.push_back(base + seed + static_cast<double>(e % 7));
  }
  Measurement m;
  take(evaluation, m);
  if (request.protocol.exactness == Exactness::kValue && request.series.problem != "lightdark") {
    m.exact_value = base + seed;
    m.optimum = 400.25;
    m.bayes_policy = 399.5;
  }
  if (request.protocol.curves) m.curves = Curves{std::vector<double>(201, 0.5 + seed), {}};
  if (request.protocol.curves) m.curves->so_far.assign(200, base);
  if (request.protocol.episode) m.trace = made_up_trace(request.series.problem);
  m.run = {request.series.problem, request.series.method, seed};
  m.machine.commit = "abc";
  if (solvers(SolverKind::kAlgorithm).contains(request.series.method)) m.training.emplace();
  return m;
}

/// All that the item asks for. Methods are 100 apart, in the order of the paper's table, DR is at
/// 250; LightDark is negative.
inline Findings made_up(const Experiment& item, const Scale& scale) {
  Findings out(scale);
  for (Request& request : item.requests(scale)) {
    double base = 600.0;
    for (std::size_t k = 0; k < paper_methods().size(); ++k) {
      if (paper_methods()[k].method == request.series.method) {
        base = 500.0 - 100.0 * static_cast<double>(k);
      }
    }
    if (request.series.method == "dr") base = 250.0;
    if (request.series.problem == "lightdark") base -= 1000.0;
    Group group{.directory = request.series.directory()};
    for (int k = 0; k < request.series.seeds; ++k) {
      const int seed = k + static_cast<int>(request.series.first_seed);
      group.runs.push_back(made_up_run(request, seed, base));
    }
    out.add(request, std::move(group));
  }
  return out;
}

struct Rendered {
  std::string text, html;
};

inline Rendered rendered(const Experiment& item, const Findings& findings) {
  report::Page page("made up");
  Sheet sheet(page);
  item.render(findings, sheet);
  return {sheet.text(), page.html()};
}

}  // namespace bpo::experiments
