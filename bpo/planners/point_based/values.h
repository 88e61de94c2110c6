// Values of states that bound those of beliefs, for every key, action and hidden state:
//   MDP    Q(s, a) = r(s, a) + gamma sum_s' T(s' | s, a) max_a' Q(s', a'), as if all were seen;
//   FIB    Q(s, a) = r(s, a) + gamma sum_o max_a' sum_s' T(s' | s, a) O(o | a, s') Q(s', a'),
//          the fast informed bound (Hauskrecht 2000), never above the first;
//   blind  r(s, a) + gamma sum_s' T(s' | s, a) Q(s', a), the value of doing a for ever.
// The first two are upper bounds and the last a lower one however long they were iterated: with
// V' = H V for an operator H that is monotone and contracts by gamma, V' + gamma/(1-gamma) max(0,
// max(V' - V)) is above the fixed point.
#pragma once

#include <span>
#include <vector>

#include "bpo/core/parallel.h"
#include "bpo/planners/point_based/model.h"

namespace bpo {

class ActionValues {
 public:
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

 private:
  std::size_t at(int key, int a) const {
    return (static_cast<std::size_t>(key) * actions_ + a) * hidden_;
  }
  std::size_t size() const { return static_cast<std::size_t>(hidden_); }

  int hidden_, actions_;
  std::vector<double> values_;
};

ActionValues mdp_values(const PointModel& model, ThreadPool& pool);
ActionValues fib_values(const PointModel& model, ThreadPool& pool);
ActionValues blind_values(const PointModel& model, ThreadPool& pool);

/// What they say of an episode's beginning; of the first two, an upper bound.
double initial_value(const PointModel& model, const ActionValues& values);

/// Refuses, before anything is made, tables of more bytes than `limit`.
void check_tables(const PointModel& model, double limit);

}  // namespace bpo
