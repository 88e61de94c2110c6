// A planner of vectors as a Solution: what searches is told to go on, its bounds are told to the
// log, and all that it knows is saved as one block of bytes.
#pragma once

#include <memory>
#include <string>

#include "bpo/core/wire.h"
#include "bpo/planners/planner.h"
#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {

/// Improves a set of vectors step by step.
class PointSearch {
 public:
  virtual ~PointSearch() = default;
  /// The least that is worth a look at the bounds: a trial, a round of backups.
  virtual void step() = 0;
  /// How many vectors it has.
  virtual int size() const = 0;
  /// The vectors of its policy: those of the search, and whatever else it needs.
  virtual VectorSets policy_vectors() const = 0;
  virtual Look look() const { return Look::kBelief; }
  /// What the policy is worth at least; minus infinity where the search cannot tell.
  virtual double lower() const = 0;
  virtual double upper() const = 0;
  virtual std::int64_t trials() const = 0;
  virtual std::int64_t backups() const = 0;
  virtual double bytes() const = 0;
  /// Multiplications and additions so far, about; the clock that iterations are measured by.
  virtual double work() const = 0;
  /// Whether no step would change anything.
  virtual bool exhausted() const { return false; }
  virtual void visit(Wire& wire) = 0;
};

struct PointOptions {
  double precision = 1e-3, memory = 4000.0;

  void visit(OptionVisitor& v);
};

/// `make(model)` begins the search.
std::unique_ptr<Solution> point_solution(
    const AnyProblem& problem, const std::string& planner, const PointOptions& options,
    const std::function<std::unique_ptr<PointSearch>(const PointModel&)>& make);

/// The entry of a planner whose policy is kept in a file.
template <class Options, class Make>
SolverEntry point_planner(const std::string& name, const std::string& summary, Make make) {
  SolverEntry entry = planner_entry<Options>(
      name, summary,
      [=](const AnyProblem& problem, const Options& options, std::uint64_t seed,
          ThreadPool& pool) -> std::unique_ptr<Solution> {
        return point_solution(problem, name, options, [&](const PointModel& model) {
          return make(model, options, seed, pool);
        });
      });
  entry.keeps_policy = true;
  return entry;
}

}  // namespace bpo
