#include "bpo/planners/planner.h"

#include <stdexcept>

#include "bpo/planners/point_based/alpha_file.h"

namespace bpo {
namespace {

/// There is nothing to do but to act.
class Planned final : public Solution {
 public:
  explicit Planned(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}
  bool finished() const override { return true; }
  Metrics iterate() override { throw std::logic_error("a plan that is made has no iterations"); }
  std::shared_ptr<const Policy> policy() const override { return policy_; }

 private:
  std::shared_ptr<const Policy> policy_;
};

class Planner final : public Solver {
 public:
  explicit Planner(StartPlanning start) : start_(std::move(start)) {}

  std::unique_ptr<Solution> start(const AnyProblem& problem, std::uint64_t seed,
                                  ThreadPool& pool) const override {
    return start_(problem, seed, pool);
  }
  /// What planners keep are vectors; a policy of them has no other way to act than greedily.
  std::shared_ptr<const Policy> read(const TensorFile& file, const AnyProblem& problem, bool,
                                     const std::string& path) const override {
    return load_vectors(file, problem.spec(), path);
  }

 private:
  StartPlanning start_;
};

}  // namespace

std::unique_ptr<Solution> as_solution(std::unique_ptr<Policy> policy) {
  return std::make_unique<Planned>(std::move(policy));
}

std::shared_ptr<const Solver> make_planner(StartPlanning start) {
  return std::make_shared<Planner>(std::move(start));
}

}  // namespace bpo
