#include "bpo/planners/point_based/belief_set.h"

#include <algorithm>
#include <limits>

namespace bpo {

double PointBackup::operator()(int key, const BeliefView& b, const VectorSets& vectors) {
  const int x = model_.x_of(key);
  double most = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < model_.actions(); ++a) {
    double value = inner(model_.reward(x, a), b);
    chosen_.clear();
    if (!model_.last(key)) {
      for (const StepBranch& branch : model_.branches(x, a)) {
        const double p = scratch_.advance(model_.matrix(branch), b);
        const int next = model_.next(key, branch);
        BestVector best{0, 0.0};  // where the belief excludes the branch any will do
        if (p > 0.0) best = vectors.best(next, scratch_.view());
        value += model_.discount() * p * best.value;
        chosen_.push_back(best.index);
        work_ += b.work() * (2 + vectors.size(next));
      }
    }
    if (value > most) {
      most = value;
      action_ = a;
      best_.swap(chosen_);
    }
  }
  const auto r = model_.reward(x, action_);
  std::copy(r.begin(), r.end(), alpha_.begin());
  if (model_.last(key)) return most;
  const auto branches = model_.branches(x, action_);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto later = vectors.vector(model_.next(key, branches[i]), best_[i]);
    model_.matrix(branches[i]).backward(later, model_.discount(), alpha_);
  }
  return most;
}

BeliefSetSearch::BeliefSetSearch(const PointModel& model, ThreadPool& pool)
    : model_(model),
      vectors_(vectors_of(model, blind_values(model, pool))),
      of_key_(model.keys()),
      upper_(initial_value(model, fib_values(model, pool))) {
  const StepMatrix same{.diagonal = true, .value = std::vector<double>(model.hidden(), 1.0)};
  BeliefScratch scratch(model.hidden());
  for (const PointModel::Start& start : model.starts()) {
    scratch.advance(same, {start.belief, {}});
    add_belief(start.key, scratch);
  }
}

bool BeliefSetSearch::add_belief(int key, const BeliefScratch& scratch) {
  const std::uint64_t hash = scratch.hash(key);
  if (!known_.insert(hash).second) return false;
  hashes_.push_back(hash);
  of_key_[key].push_back(beliefs_.add(scratch.view()));
  return true;
}

void BeliefSetSearch::visit(Wire& wire) {
  wire(vectors_);
  wire(beliefs_);
  wire(of_key_);
  wire(hashes_);
  wire(rounds_);
  wire(backups_);
  wire(work_);
  wire(exhausted_);
  known_ = {hashes_.begin(), hashes_.end()};
}

}  // namespace bpo
