// Values of states that bound those of beliefs, for every key, action and hidden state:
//   MDP    Q(s, a) = r(s, a) + gamma sum_s' T(s' | s, a) max_a' Q(s', a'), as if all were seen;
//   FIB    Q(s, a) = r(s, a) + gamma sum_o max_a' sum_s' T(s' | s, a) O(o | a, s') Q(s', a'),
//          the fast informed bound (Hauskrecht 2000), never above the first;
//   blind  r(s, a) + gamma sum_s' T(s' | s, a) Q(s', a), the value of doing a for ever.
// The first two are upper bounds and the last a lower one however long they were iterated: with
// V' = H V for an operator H that is monotone and contracts by gamma, V' + gamma/(1-gamma) max(0,
// max(V' - V)) is above the fixed point.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bpo/core/parallel.h"
#include "bpo/core/wire.h"
#include "bpo/planners/point_based/model.h"

namespace bpo {

class ActionValues {
 public:
  ActionValues() = default;
  explicit ActionValues(const PointModel& model)
      : hidden_(model.hidden()),
        actions_(model.actions()),
        values_(static_cast<std::size_t>(model.keys()) * actions_ * hidden_) {}

  std::span<double> row(int key, int a) { return {values_.data() + at(key, a), size()}; }
  std::span<const double> row(int key, int a) const {
    return {values_.data() + at(key, a), size()};
  }
  double bytes() const { return 8.0 * values_.size(); }
  /// out[y] = max_a Q(key, a, y)
  void maximum(int key, std::span<double> out) const;
  /// max_a sum_y b(y) Q(key, a, y)
  double best(int key, std::span<const double> b) const;
  void visit(Wire& wire) { wire(values_); }

 private:
  std::size_t at(int key, int a) const {
    return (static_cast<std::size_t>(key) * actions_ + a) * hidden_;
  }
  std::size_t size() const { return static_cast<std::size_t>(hidden_); }

  int hidden_ = 0, actions_ = 0;
  std::vector<double> values_;
};

/// Sweeps over all states towards one of the three. They may stop after any: what they have come to
/// is a bound once slack() is added to it.
class ValueSweeps {
 public:
  enum class Kind { kMdp, kFib, kBlind };
  ValueSweeps(const PointModel& model, ThreadPool& pool, Kind kind);

  bool done() const { return done_; }
  /// All that there is, or one stage where there is an end.
  void sweep();
  const ActionValues& values() const { return values_; }
  ActionValues take() && { return std::move(values_); }
  /// Infinite before the first sweep; 0 when done.
  double slack() const;
  std::int64_t sweeps() const { return sweeps_; }
  /// Multiplications and additions of the next sweep, about.
  double work() const { return now_ == Kind::kFib ? fib_work_ : mdp_work_; }
  double bytes() const { return values_.bytes() + next_.bytes() + 8.0 * maxima_.size(); }
  void visit(Wire& wire);

 private:
  void sweep_key(int key, int thread, const ActionValues& after, ActionValues& out);
  void fib_branch(int key, const StepBranch& branch, int thread, const ActionValues& after,
                  std::span<double> q);
  void fill_with_most(double reward);
  void find_change();
  void finish();
  std::span<double> maximum(int x) {
    const auto hidden = static_cast<std::size_t>(model_.hidden());
    return std::span(maxima_).subspan(x * hidden, hidden);
  }

  const PointModel& model_;
  ThreadPool& pool_;
  const Kind goal_;
  Kind now_;                     // the fast informed bound begins with the MDP's values
  ActionValues values_, next_;   // the next ones only where there is no end
  std::vector<double> maxima_;   // max_a Q of what follows, by x
  std::vector<double> scratch_;  // two rows for each thread
  double mdp_work_ = 0.0, fib_work_ = 0.0;
  std::int64_t sweeps_ = 0;
  int of_kind_ = 0;  // sweeps towards what is computed now
  double least_change_ = 0.0, most_change_ = 0.0;
  bool done_ = false;
};

/// What they say of an episode's beginning; of the first two, an upper bound.
double initial_value(const PointModel& model, const ActionValues& values);

/// All sweeps.
ActionValues mdp_values(const PointModel& model, ThreadPool& pool);
ActionValues fib_values(const PointModel& model, ThreadPool& pool);
ActionValues blind_values(const PointModel& model, ThreadPool& pool);

}  // namespace bpo
