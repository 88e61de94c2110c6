// mdp, qmdp and fib: upper bounds from values of states, and the policies that follow from them.
// They act as if the state were known (mdp: the most likely one) or would be known after this step
// (qmdp; Littman et al. 1995), or was informed by one observation (fib; Hauskrecht 2000).
#include <limits>

#include "bpo/planners/point_based/solution.h"

namespace bpo {
namespace {

struct InformedOptions : PointOptions {
  void visit(OptionVisitor& v) {
    v.number("precision", precision, {1e-12, 1e12},
             "a horizon that changes values by less than this is left out");
    v.number("memory", memory, {1.0, 1e9},
             "planning is finished once so many megabytes are in use");
  }
};

/// A step is a sweep over all states.
class Informed final : public PointSearch {
 public:
  Informed(const PointModel& model, ValueSweeps::Kind kind, Look look, ThreadPool& pool)
      : model_(model), look_(look), sweeps_(model, pool, kind) {}

  void step() override {
    work_ += sweeps_.work();
    sweeps_.sweep();
  }
  int size() const override { return model_.keys() * model_.actions(); }
  VectorSets policy_vectors() const override { return vectors_of(model_, sweeps_.values()); }
  Look look() const override { return look_; }
  double lower() const override { return -std::numeric_limits<double>::infinity(); }
  /// What mdp knows at the beginning is the state itself.
  double upper() const override {
    const ActionValues& values = sweeps_.values();
    return sweeps_.slack() +
           (look_ == Look::kBelief ? initial_value(model_, values) : known(values));
  }
  std::int64_t trials() const override { return sweeps_.sweeps(); }
  std::int64_t backups() const override {
    const int each = model_.endless() ? model_.keys() : model_.visible();
    return sweeps_.sweeps() * each * model_.actions();
  }
  double bytes() const override { return model_.bytes() + sweeps_.bytes(); }
  double work() const override { return work_; }
  bool exhausted() const override { return sweeps_.done(); }
  void visit(Wire& wire) override {
    wire(sweeps_);
    wire(work_);
  }

 private:
  double known(const ActionValues& values) const {
    double out = 0.0;
    std::vector<double> v(model_.hidden());
    for (const PointModel::Start& start : model_.starts()) {
      values.maximum(start.key, v);
      out += start.probability * inner(v, start.belief);
    }
    return out;
  }

  const PointModel& model_;
  const Look look_;
  ValueSweeps sweeps_;
  double work_ = 0.0;
};

SolverEntry entry(const std::string& name, const std::string& summary, ValueSweeps::Kind kind,
                  Look look) {
  return point_planner<InformedOptions>(
      name, summary,
      [=](const PointModel& model, const InformedOptions&, std::uint64_t, ThreadPool& pool) {
        return std::make_unique<Informed>(model, kind, look, pool);
      });
}

const RegisterPlanner kMdp{
    entry("mdp", "value iteration as if the state were seen; acts for the most likely state",
          ValueSweeps::Kind::kMdp, Look::kMostLikely)};
const RegisterPlanner kQmdp{entry("qmdp",
                                  "value iteration as if the state were seen after one step",
                                  ValueSweeps::Kind::kMdp, Look::kBelief)};
const RegisterPlanner kFib{entry("fib", "the fast informed bound: an upper bound below QMDP's",
                                 ValueSweeps::Kind::kFib, Look::kBelief)};

}  // namespace
}  // namespace bpo
