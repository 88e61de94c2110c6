// What makes policies: a method that trains one, a planner that plans one. To the rest of the
// program both are the same: options resolve to a Solver, it starts a Solution of a problem, and
// solve(solution, budget, log) goes on until there is a policy. A solver's file ends in its
// registration.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/budget.h"
#include "bpo/core/file.h"
#include "bpo/core/log.h"
#include "bpo/core/parallel.h"
#include "bpo/core/policy.h"

namespace bpo {

class TensorFile;

/// Which run something belongs to; the [run] table of config.toml. The algorithm may be a planner.
struct RunIdentity {
  std::string problem, algorithm = "bpo";
  std::int64_t seed = 0;
  std::string settings;  // settings_hash() of its config.toml; not an option

  void visit(OptionVisitor& v);
};

/// How a policy came about.
struct Training {
  std::int64_t iterations = 0, steps = 0, best_iteration = 0;
  double seconds = 0.0;
};

/// Where a run stood when its solution was saved.
struct RunPosition {
  std::uint64_t metrics_bytes = 0;  // how long metrics.jsonl was then
  double seconds = 0.0;             // spent in training so far
};

/// A problem that is being solved, in iterations or all at once.
class Solution {
 public:
  virtual ~Solution() = default;
  /// Whether nothing is left to do, as from the beginning where actions are planned one by one.
  virtual bool finished() const = 0;
  virtual Metrics iterate() = 0;
  /// The best so far; it may refer to the problem.
  virtual std::shared_ptr<const Policy> policy() const = 0;
  /// What it took so far; nothing where there are no iterations.
  virtual std::optional<Training> training() const { return std::nullopt; }

  /// The content of a file from which it can be restored; empty where there is none.
  virtual std::string checkpoint_bytes(const RunIdentity&, const RunPosition&) const { return {}; }
  /// The same in pieces, for a solution that would not fit into memory twice; empty where there is
  /// none.
  virtual Pieces checkpoint(const RunIdentity& run, const RunPosition& at) const;
  /// Goes back to where the checkpoint was saved.
  virtual RunPosition restore(const std::string& path, const RunIdentity& run);
};

/// A way to make policies with its options read and checked; nothing is built yet.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Throws bad_input where the problem lacks what the solver needs. The solution refers to the
  /// problem and the pool.
  virtual std::unique_ptr<Solution> start(const AnyProblem& problem, std::uint64_t seed,
                                          ThreadPool& pool) const = 0;
  /// The policy of a solution that a run kept in the file at `path`; bad_input says what does not
  /// fit. It may refer to the problem.
  virtual std::shared_ptr<const Policy> read(const TensorFile& file, const AnyProblem& problem,
                                             bool greedy, const std::string& path) const = 0;
  /// Refuses, before anything is made, what is known not to fit into memory.
  virtual void check_memory(const AnyProblem&, int /*threads*/) const {}
  /// About how many there will be.
  virtual std::int64_t iterations() const { return 1; }
};

enum class SolverKind { kAlgorithm, kPlanner };

/// The options of a problem and a solver, resolved together: their defaults depend on each other.
struct SolverSetup {
  ResolvedProblem problem;
  std::shared_ptr<const Solver> solver;
};

struct SolverEntry {
  std::string name, summary;
  SolverKind kind = SolverKind::kPlanner;
  /// Reads "problem.*" and the solver's own groups, and refuses whatever else is set.
  std::function<SolverSetup(const std::string& problem, Config&)> resolve;
  std::function<std::vector<OptionRow>()> options;
  /// Whether a run keeps its policies in a file; otherwise the settings say everything, and loading
  /// is solving again.
  bool keeps_policy = false;
};

inline Registry<SolverEntry>& solvers() {
  static Registry<SolverEntry> registry("solver");
  return registry;
}

/// The solvers of one kind; a name that is not there is an unknown algorithm or an unknown planner.
Registry<SolverEntry> solvers(SolverKind kind);

/// Goes on until the solution is finished or the budget is spent, and tells every iteration.
void solve(Solution& solution, const Budget& budget, Log& log);

}  // namespace bpo
