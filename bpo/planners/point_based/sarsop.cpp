// SARSOP (Kurniawati, Hsu, Lee 2008): trials from the initial belief that follow the action with
// the best upper bound and the observation that leaves most open, and backups on the way back;
// vectors that are best nowhere, and actions that cannot be best, are dropped.
// DEVIATION: how deep a trial goes. The paper predicts a belief's value from others with the same
// entropy and asks whether it would raise the root's lower bound. Here most trials end where a
// share of the root's gap is left (HSVI's rule with a target that moves; Smith, Simmons 2005),
// which lowers the upper bound, and every few go on to the precision that is asked for, which
// raises the lower one. Beliefs that are reached on several ways are one node, and the sawtooth is
// a tighter one.
#include <algorithm>
#include <cmath>

#include "bpo/planners/point_based/graph.h"
#include "bpo/planners/point_based/solution.h"

namespace bpo {
namespace {

struct SarsopOptions : PointOptions {
  double aim = 0.5;

  void visit(OptionVisitor& v) {
    PointOptions::visit(v);
    v.number("aim", aim, {0.0, 0.99},
             "share of the gap between the root's bounds at which three of four trials end");
  }
};

class Sarsop final : public PointSearch {
 public:
  Sarsop(const PointModel& model, const SarsopOptions& options, ThreadPool& pool)
      : graph_(model, pool), precision_(options.precision), aim_(options.aim) {}

  void step() override;
  int size() const override { return graph_.vectors().total(); }
  VectorSets policy_vectors() const override { return graph_.policy_vectors(); }
  double lower() const override { return graph_.lower(); }
  double upper() const override { return graph_.upper(); }
  std::int64_t trials() const override { return trials_; }
  std::int64_t backups() const override { return graph_.backups(); }
  double bytes() const override { return graph_.bytes(); }
  double work() const override { return graph_.work(); }
  bool exhausted() const override { return exhausted_; }
  void visit(Wire& wire) override {
    graph_.visit(wire);
    wire(trials_);
    wire(exhausted_);
  }

 private:
  static constexpr int kMostTries = 30, kDeepEvery = 4;
  void trial(double target);
  int begin() const;
  int next(const GraphNode& node, double target) const;

  BeliefGraph graph_;
  const double precision_, aim_;
  std::int64_t trials_ = 0;
  bool exhausted_ = false;  // all that can be reached is as near as rounding lets it come
  std::vector<int> path_;
};

/// The start that leaves most open.
int Sarsop::begin() const {
  int best = 0;
  double most = -1.0;
  for (std::size_t i = 0; i < graph_.roots().size(); ++i) {
    const int root = graph_.roots()[i];
    const double open = graph_.model().starts()[i].probability * graph_.node(root).gap();
    if (open > most) {
      most = open;
      best = root;
    }
  }
  return best;
}

/// Where the trial goes from an expanded node; -1 where nothing more than `target` is open.
int Sarsop::next(const GraphNode& node, double target) const {
  const GraphSlot* best = nullptr;
  for (const GraphSlot& slot : graph_.slots(node)) {
    if (slot.pruned == 0 && (best == nullptr || slot.upper > best->upper)) best = &slot;
  }
  double most = 0.0;
  int child = -1;
  for (const GraphEdge& edge : graph_.edges(*best)) {
    const double open = edge.probability * (graph_.node(edge.child).gap() - target);
    if (open > most) {
      most = open;
      child = edge.child;
    }
  }
  return child;
}

void Sarsop::step() {
  const double share = trials_ % kDeepEvery == kDeepEvery - 1 ? 0.0 : aim_;
  double target = std::max(precision_, share * (upper() - lower()));
  // What a backup gains may be lost to rounding: a trial then ends before it comes to what is new.
  const std::int64_t before = graph_.changes();
  for (int tries = 0; tries < kMostTries && graph_.changes() == before; ++tries, target /= 2) {
    trial(target);
  }
  exhausted_ = graph_.changes() == before;
  ++trials_;
  graph_.prune();
}

void Sarsop::trial(double target) {
  path_.clear();
  for (int n = begin(); n >= 0;) {
    path_.push_back(n);
    if (!graph_.node(n).expanded()) graph_.expand(n);
    graph_.backup(n);
    target /= graph_.model().discount();
    n = next(graph_.node(n), target);
  }
  for (auto n = path_.rbegin() + 1; n < path_.rend(); ++n) graph_.backup(*n);
}

const RegisterPlanner kSarsop{point_planner<SarsopOptions>(
    "sarsop", "point-based planning with bounds, near what an optimal policy reaches",
    [](const PointModel& model, const SarsopOptions& options, std::uint64_t, ThreadPool& pool) {
      return std::make_unique<Sarsop>(model, options, pool);
    })};

}  // namespace
}  // namespace bpo
