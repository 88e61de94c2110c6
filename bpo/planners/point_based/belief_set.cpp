#include "bpo/planners/point_based/belief_set.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace bpo {
namespace {

/// So many multiplications take as long as waking another thread, about.
constexpr double kLittleWork = 2e4;

}  // namespace

void PointBackup::follow(int key, const BeliefView& b, const VectorSets& vectors) {
  followers_.clear();
  if (model_.last(key)) return;
  double work = 0.0;
  for (int a = 0; a < model_.actions(); ++a) {
    for (const StepBranch& branch : model_.branches(model_.x_of(key), a)) {
      followers_.push_back({.branch = &branch});
      work += b.work() * (2 + vectors.size(model_.next(key, branch)));
    }
  }
  work_ += work;
  const auto one = [&](int i, int thread) {
    Follower& f = followers_[i];
    f.p = scratch_[thread].advance(model_.matrix(*f.branch), b);
    if (f.p > 0.0) f.best = vectors.best(model_.next(key, *f.branch), scratch_[thread].view());
  };
  const int count = static_cast<int>(followers_.size());
  if (pool_ != nullptr && work > kLittleWork) return pool_->run(count, one);
  for (int i = 0; i < count; ++i) one(i, 0);
}

double PointBackup::operator()(int key, const BeliefView& b, const VectorSets& vectors) {
  const int x = model_.x_of(key);
  follow(key, b, vectors);
  double most = -std::numeric_limits<double>::infinity();
  std::size_t end = 0, chosen = 0;
  for (int a = 0; a < model_.actions(); ++a) {
    const std::size_t first = end;
    double value = inner(model_.reward(x, a), b);
    if (!model_.last(key)) end += model_.branches(x, a).size();
    for (std::size_t i = first; i < end; ++i) {
      value += model_.discount() * followers_[i].p * followers_[i].best.value;
    }
    if (value > most) {
      most = value;
      action_ = a;
      chosen = first;
    }
  }
  const auto r = model_.reward(x, action_);
  std::copy(r.begin(), r.end(), alpha_.begin());
  if (model_.last(key)) return most;
  for (const StepBranch& branch : model_.branches(x, action_)) {
    const auto later = vectors.vector(model_.next(key, branch), followers_[chosen++].best.index);
    model_.matrix(branch).backward(later, model_.discount(), alpha_);
  }
  return most;
}

BeliefSetSearch::BeliefSetSearch(const PointModel& model, ThreadPool& pool)
    : model_(model),
      pool_(pool),
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

void BeliefSetSearch::improve(int key, VectorSets& next) {
  const int fresh = next.size(0);
  for (int i = 0; i < vectors_.size(key); ++i) {
    const auto old = vectors_.vector(key, i);
    bool covered = false;
    for (int k = 0; k < fresh && !covered; ++k) {
      covered = std::ranges::equal(next.vector(0, k), old, std::greater_equal<>());
    }
    if (!covered) next.add(0, old, vectors_.action(key, i));
  }
  vectors_.replace(key, next);
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
