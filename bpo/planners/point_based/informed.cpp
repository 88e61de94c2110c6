// mdp, qmdp and fib: upper bounds from values of states, and the policies that follow from them.
// They act as if the state were known (mdp: the most likely one) or would be known after this step
// (qmdp; Littman et al. 1995), or was informed by one observation (fib; Hauskrecht 2000).
#include <utility>

#include "bpo/planners/planner.h"
#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {
namespace {

constexpr double kMostBytes = 4e9;

struct InformedOptions {
  double precision = 1e-3;

  void visit(OptionVisitor& v) {
    v.number("precision", precision, {1e-12, 1e12},
             "a horizon that changes values by less than this is left out");
  }
};

/// One iteration computes everything.
class Informed final : public Solution {
 public:
  using Compute = ActionValues (*)(const PointModel&, ThreadPool&);
  Informed(const AnyProblem& problem, const std::string& name, const InformedOptions& options,
           Compute compute, Look look, ThreadPool& pool)
      : problem_(problem, name, options.precision), compute_(compute), look_(look), pool_(pool) {
    check_tables(problem_.model, kMostBytes);
  }

  bool finished() const override { return policy_ != nullptr; }
  Metrics iterate() override {
    const PointModel& model = problem_.model;
    const ActionValues values = compute_(model, pool_);
    // What mdp knows at the beginning is the state itself.
    const double upper = look_ == Look::kBelief ? initial_value(model, values) : known(values);
    auto vectors = std::make_shared<VectorSets>(vectors_of(model, values));
    const double megabytes = 1e-6 * (model.bytes() + values.bytes() + vectors->bytes());
    const Metrics out{1,
                      {{"upper", upper},
                       {"vectors", static_cast<double>(vectors->total())},
                       {"memory", megabytes}}};
    policy_ =
        std::make_shared<AlphaPolicy>(problem_.reader, std::move(vectors), model.actions(), look_);
    return out;
  }
  std::shared_ptr<const Policy> policy() const override { return policy_; }

 private:
  double known(const ActionValues& values) const {
    double out = 0.0;
    std::vector<double> v(problem_.model.hidden());
    for (const PointModel::Start& start : problem_.model.starts()) {
      values.maximum(start.key, v);
      out += start.probability * inner(v, start.belief);
    }
    return out;
  }

  PointProblem problem_;
  Compute compute_;
  Look look_;
  ThreadPool& pool_;
  std::shared_ptr<const Policy> policy_;
};

SolverEntry entry(const std::string& name, const std::string& summary, Informed::Compute compute,
                  Look look) {
  return planner_entry<InformedOptions>(
      name, summary,
      [=](const AnyProblem& problem, const InformedOptions& options, std::uint64_t,
          ThreadPool& pool) -> std::unique_ptr<Solution> {
        return std::make_unique<Informed>(problem, name, options, compute, look, pool);
      });
}

const RegisterPlanner kMdp{
    entry("mdp", "value iteration as if the state were seen; acts for the most likely state",
          mdp_values, Look::kMostLikely)};
const RegisterPlanner kQmdp{entry(
    "qmdp", "value iteration as if the state were seen after one step", mdp_values, Look::kBelief)};
const RegisterPlanner kFib{entry("fib", "the fast informed bound: an upper bound below QMDP's",
                                 fib_values, Look::kBelief)};

}  // namespace
}  // namespace bpo
