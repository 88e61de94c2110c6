// Planning on a set of beliefs that is given or grows: what PBVI and Perseus have in common. A
// backup at b (Pineau et al. 2003, Eq. (8)) is
//   alpha_a = r(x, a) + gamma sum over branches of M argmax_alpha (b M . alpha),
// of which the one with the largest alpha_a . b stays. Vectors begin with the blind ones, so all
// are lower bounds; the upper bound is the fast informed one and stays as it is.
// DEVIATION: old vectors stay unless a new one is nowhere below them. The papers drop them, so that
// away from their beliefs nothing may be left of what other vectors promise: with few beliefs
// Perseus' policy for Chain was worth 238 where its vectors said 348. With them V <= HV, and a
// policy is worth what its vectors say.
#pragma once

#include <unordered_set>
#include <vector>

#include "bpo/planners/point_based/solution.h"

namespace bpo {

/// Backups, one after the other. Given a pool, each uses all of its threads.
class PointBackup {
 public:
  explicit PointBackup(const PointModel& model, ThreadPool* pool = nullptr)
      : model_(model),
        pool_(pool),
        scratch_(pool == nullptr ? 1 : pool->threads(), BeliefScratch(model.hidden())),
        alpha_(model.hidden()) {}

  /// The value at b; alpha() and action() are what goes with it.
  double operator()(int key, const BeliefView& b, const VectorSets& vectors);
  std::span<const double> alpha() const { return alpha_; }
  int action() const { return action_; }
  double work() const { return work_; }

 private:
  /// What follows an action: how likely it is and which vector is best then.
  struct Follower {
    const StepBranch* branch = nullptr;
    double p = 0.0;
    BestVector best{0, 0.0};  // where the belief excludes the branch any will do
  };
  void follow(int key, const BeliefView& b, const VectorSets& vectors);

  const PointModel& model_;
  ThreadPool* pool_;
  std::vector<BeliefScratch> scratch_;  // by thread
  std::vector<double> alpha_;
  std::vector<Follower> followers_;  // by action
  int action_ = 0;
  double work_ = 0.0;
};

class BeliefSetSearch : public PointSearch {
 public:
  BeliefSetSearch(const PointModel& model, ThreadPool& pool);

  int size() const override { return vectors_.total(); }
  VectorSets policy_vectors() const override { return vectors_; }
  double lower() const override { return initial_value(model_, vectors_); }
  double upper() const override { return upper_; }
  std::int64_t trials() const override { return rounds_; }
  std::int64_t backups() const override { return backups_; }
  double bytes() const override { return model_.bytes() + vectors_.bytes() + beliefs_.bytes(); }
  double work() const override { return work_; }
  bool exhausted() const override { return exhausted_; }
  void visit(Wire& wire) override;

 protected:
  /// Whether the belief in the scratch was not there yet.
  bool add_belief(int key, const BeliefScratch& scratch);
  /// Puts the vectors of `next`, its only key, and the old ones that they do not cover in the place
  /// of a key's.
  void improve(int key, VectorSets& next);
  int beliefs() const { return beliefs_.size(); }
  double best(int key, int belief) const { return vectors_.best(key, beliefs_.view(belief)).value; }

  const PointModel& model_;
  ThreadPool& pool_;
  VectorSets vectors_;
  BeliefPool beliefs_;
  std::vector<std::vector<int>> of_key_;  // beliefs by key
  std::int64_t rounds_ = 0, backups_ = 0;
  double work_ = 0.0;
  bool exhausted_ = false;

 private:
  double upper_;
  std::vector<std::uint64_t> hashes_;
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace bpo
