// Alpha vectors by key: V(key, b) = max over the key's vectors of alpha . b, each with the action
// that it begins with. Those of one key lie one after the other.
#pragma once

#include <span>
#include <vector>

#include "bpo/core/wire.h"
#include "bpo/planners/point_based/beliefs.h"
#include "bpo/planners/point_based/values.h"

namespace bpo {

/// The best vector for a belief; -1 where none was looked at.
struct BestVector {
  int index = -1;
  double value = 0.0;
};

class VectorSets {
 public:
  VectorSets(int keys, int hidden) : hidden_(hidden), sets_(keys) {}

  int keys() const { return static_cast<int>(sets_.size()); }
  int hidden() const { return hidden_; }
  int size(int key) const { return static_cast<int>(sets_[key].action.size()); }
  int total() const { return total_; }
  double bytes() const { return total_ * (8.0 * hidden_ + sizeof(int)); }

  std::span<const double> vector(int key, int i) const {
    return {sets_[key].values.data() + static_cast<std::size_t>(i) * hidden_,
            static_cast<std::size_t>(hidden_)};
  }
  int action(int key, int i) const { return sets_[key].action[i]; }

  void add(int key, std::span<const double> alpha, int action);
  /// The vectors of another's only key in place of a key's own.
  void replace(int key, const VectorSets& other);
  /// Keeps those of a key for which `keep` says so, in their order.
  void keep(int key, const std::vector<bool>& keep);

  /// The best for b among those from `from` on and `so_far`; of equals the first.
  BestVector best(int key, const BeliefView& b, int from = 0, BestVector so_far = {}) const;
  BestVector best(int key, std::span<const double> b) const { return best(key, BeliefView{b, {}}); }

  void visit(Wire& wire) {
    wire(total_);
    wire(sets_);
  }

 private:
  struct Set {
    std::vector<double> values;
    std::vector<int> action;

    void visit(Wire& wire) {
      wire(values);
      wire(action);
    }
  };
  int hidden_, total_ = 0;
  std::vector<Set> sets_;
};

/// One vector per key and action.
VectorSets vectors_of(const PointModel& model, const ActionValues& values);

/// What a policy of these vectors is worth at the beginning, if each is a lower bound.
double initial_value(const PointModel& model, const VectorSets& vectors);

}  // namespace bpo
