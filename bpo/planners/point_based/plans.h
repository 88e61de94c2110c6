// What vectors rest on. A vector that a backup made promises its value as long as those that follow
// it, one for each branch of its action, are there. What a search drops is kept here while another
// vector rests on it, out of the search's way: with all of them V <= HV at every belief, so that
// their policy is worth what they say, on the search's beliefs and off.
#pragma once

#include <vector>

#include "bpo/planners/point_based/vectors.h"

namespace bpo {

class PlanBook {
 public:
  /// The blind vectors of a search's beginning, each of which rests on those of its own action.
  explicit PlanBook(const PointModel& model);

  int serial(int key, int i) const { return serials_[key][i]; }
  /// A vector was added to a key; `next` are the serials that it rests on.
  void add(int key, int action, const std::vector<int>& next);
  /// Takes over the vectors of a key that are about to be dropped.
  void retire(int key, const std::vector<bool>& keep, const VectorSets& vectors);
  /// Forgets what no vector in use rests on.
  void clean();
  /// The vectors in use, and all that they rest on.
  VectorSets with(const VectorSets& used) const;
  double bytes() const { return bytes_; }
  void visit(Wire& wire);

 private:
  struct Plan {
    int serial = 0, key = 0, action = 0;
    std::vector<int> next;
    std::vector<double> alpha;  // once it was dropped

    double bytes() const { return sizeof(Plan) + 4.0 * next.size() + 8.0 * alpha.size(); }
    void visit(Wire& wire);
  };
  std::size_t find(int serial) const;

  std::vector<Plan> plans_;                // by serial
  std::vector<std::vector<int>> serials_;  // serial numbers of the vectors in use, by key
  int made_ = 0;
  double bytes_ = 0.0;
};

}  // namespace bpo
