#include "bpo/planners/point_based/sawtooth.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bpo {
namespace {

/// min over y of b(y) / b_i(y), or something at most `enough` as soon as that is clear.
double ratio(const BeliefView& point, std::span<const double> b, double enough, double* work) {
  constexpr std::size_t kBlock = 16;
  double least = std::numeric_limits<double>::infinity();
  const std::size_t n = point.p.size();
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return point.dense() ? b[k] : b[point.index[k]]; };
  while (i < n && least > enough) {
    const std::size_t end = std::min(n, i + kBlock);
    for (; i < end; ++i) {
      if (point.p[i] > 0.0) least = std::min(least, at(i) / point.p[i]);
    }
  }
  *work += static_cast<double>(i);
  return least;
}

}  // namespace

std::uint64_t support_of(const BeliefView& b) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < b.p.size(); ++i) {
    if (b.p[i] > 0.0) bits |= std::uint64_t{1} << ((b.dense() ? i : b.index[i]) % 64);
  }
  return bits;
}

void Sawtooth::add(int key, int node, int belief, const BeliefView& b, std::span<const double> q,
                   double f) {
  sets_[key].push_back({node, belief, support_of(b), f, q_.size()});
  q_.insert(q_.end(), q.begin(), q.end());
  ++count_;
}

double Sawtooth::bound(int key, const AskedBelief& asked, const BeliefPool& pool, int from,
                       double so_far, double* work) const {
  const std::vector<Point>& set = sets_[key];
  const auto top = std::max_element(asked.q.begin(), asked.q.end()) - asked.q.begin();
  const double u0 = asked.q[top];
  double least = std::min(so_far, u0);
  for (std::size_t i = from; i < set.size(); ++i) {
    const Point& point = set[i];
    if ((point.support & ~asked.support) != 0) continue;  // c = 0
    const double* q = q_.data() + point.q;
    // The action that is best for b alone says how large c must be to be of use.
    const double slope = q[top] - point.f;
    if (!(slope > 0.0)) continue;
    const double enough = (u0 - least) / slope;
    if (enough >= 1.0) continue;
    const double c = std::min(1.0, ratio(pool.view(point.belief), asked.dense, enough, work));
    if (!(c > enough)) continue;
    double rest = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < actions_; ++a) rest = std::max(rest, asked.q[a] - c * q[a]);
    least = std::min(least, c * point.f + rest);
  }
  return least;
}

void Sawtooth::keep(int key, const std::vector<bool>& keep) {
  std::vector<Point>& set = sets_[key];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (keep[i]) set[kept++] = set[i];
  }
  count_ -= set.size() - kept;
  set.resize(kept);
  // What the others' q leave free is closed once it is half of all.
  if (q_.size() <= 2 * count_ * actions_) return;
  std::vector<double> q;
  q.reserve(count_ * actions_);
  for (auto& points : sets_) {
    for (Point& point : points) {
      const auto from = q_.begin() + static_cast<std::ptrdiff_t>(point.q);
      point.q = q.size();
      q.insert(q.end(), from, from + actions_);
    }
  }
  q_ = std::move(q);
}

void Sawtooth::visit(Wire& wire) {
  wire(sets_);
  wire(q_);
  count_ = 0;
  for (const auto& set : sets_) count_ += set.size();
}

}  // namespace bpo
