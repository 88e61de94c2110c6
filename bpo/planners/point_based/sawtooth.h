// An upper bound from points (b_i, f_i) with f_i >= V(b_i), and the fast informed bound
// U0(b) = max_a Q_a . b. With c = min over y of b(y) / b_i(y), b is c b_i and a rest, and V is
// convex, so
//   V(b) <= c f_i + max_a (Q_a . b - c Q_a . b_i).
// The sawtooth bound (Hauskrecht 2000) has the values of the simplex's corners for the rest; this
// one is never above it, and costs a few more numbers per point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpo/planners/point_based/beliefs.h"

namespace bpo {

/// What the bound needs of a belief that is asked for: its entries by y, those of Q_a . b, and
/// which y it has, folded to 64 bits.
struct AskedBelief {
  BeliefView b;
  std::span<const double> dense, q;
  std::uint64_t support = 0;
};

std::uint64_t support_of(const BeliefView& b);

class Sawtooth {
 public:
  Sawtooth(int keys, int actions) : actions_(actions), sets_(keys) {}

  int size(int key) const { return static_cast<int>(sets_[key].size()); }
  double bytes() const { return sizeof(Point) * static_cast<double>(count_) + 8.0 * q_.size(); }

  /// `belief` is its number in the pool, `node` whose point it is: an earlier point of the same
  /// node is void from now on.
  void add(int key, int node, int belief, const BeliefView& b, std::span<const double> q, double f);

  /// The bound by the points from `from` on, or `so_far` if that is less.
  double bound(int key, const AskedBelief& asked, const BeliefPool& pool, int from, double so_far,
               double* work) const;

  struct Point {
    int node = 0, belief = 0;
    std::uint64_t support = 0;
    double f = 0.0;
    std::size_t q = 0;  // where Q_a . b_i begin
  };
  const std::vector<Point>& points(int key) const { return sets_[key]; }
  /// Keeps those of a key for which `keep` says so, in their order.
  void keep(int key, const std::vector<bool>& keep);
  void visit(Wire& wire);

 private:
  int actions_;
  std::size_t count_ = 0;  // points of all keys
  std::vector<std::vector<Point>> sets_;
  std::vector<double> q_;
};

}  // namespace bpo
