#include "bpo/core/solver.h"

#include <chrono>
#include <stdexcept>

#include "bpo/core/ranks.h"

namespace bpo {

void RunIdentity::visit(OptionVisitor& v) {
  v.choice("problem", problem, problems().names(), "the problem that is to be solved");
  std::vector<std::string> ways = solvers(SolverKind::kAlgorithm).names();
  for (const std::string& planner : solvers(SolverKind::kPlanner).names()) ways.push_back(planner);
  v.choice("algorithm", algorithm, ways, "the algorithm or the planner that solves it");
  v.integer("seed", seed, {0, 9e18}, "the seed that every random number follows from");
}

Pieces Solution::checkpoint(const RunIdentity& run, const RunPosition& at) const {
  std::string bytes = checkpoint_bytes(run, at);
  if (bytes.empty()) return {};
  return [bytes = std::move(bytes)](const auto& write) { write(bytes); };
}

RunPosition Solution::restore(const std::string& path, const RunIdentity& run) {
  throw std::logic_error(path + ": " + run.algorithm + " saves no checkpoints");
}

Registry<SolverEntry> solvers(SolverKind kind) {
  Registry<SolverEntry> out(kind == SolverKind::kAlgorithm ? "algorithm" : "planner");
  for (const auto& [name, entry] : solvers().entries()) {
    if (entry.kind == kind) out.add(entry);
  }
  return out;
}

void solve(Solution& solution, const Budget& budget, Log& log) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (bool first = true; !solution.finished(); first = false) {
    const Training so_far = solution.training().value_or(Training{});
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    const bool spent = budget.interrupted() || so_far.iterations >= budget.iterations ||
                       so_far.steps >= budget.steps ||
                       (!first && elapsed.count() >= budget.seconds);
    if (any_rank(spent)) return;
    const Metrics metrics = solution.iterate();
    log.iteration(metrics);
    if (metrics["gap"] <= budget.gap) return;  // never where there is no gap: it is NaN
  }
}

}  // namespace bpo
