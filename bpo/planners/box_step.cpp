#include "bpo/planners/box_step.h"

#include <cmath>

namespace bpo {
namespace {

/// The Newton direction of the entries that are free; the others stay.
Eigen::VectorXd newton(const Eigen::MatrixXd& h, const Eigen::VectorXd& slope,
                       const Eigen::VectorXd& free) {
  // Rows and columns of a held entry become those of the identity.
  Eigen::MatrixXd reduced = free.asDiagonal() * h * free.asDiagonal();
  reduced.diagonal().array() += 1.0 - free.array();
  return reduced.llt().solve(-slope.cwiseProduct(free));
}

}  // namespace

Eigen::VectorXd box_step(const Eigen::MatrixXd& h, const Eigen::VectorXd& g,
                         const Eigen::VectorXd& low, const Eigen::VectorXd& high) {
  constexpr int kRounds = 50;
  constexpr double kSufficient = 0.1, kShortest = 1e-4, kTolerance = 1e-12;
  const auto value = [&](const Eigen::VectorXd& d) { return g.dot(d) + 0.5 * d.dot(h * d); };
  Eigen::VectorXd d = Eigen::VectorXd::Zero(g.size()).cwiseMax(low).cwiseMin(high);
  Eigen::VectorXd free(g.size());
  for (int round = 0; round < kRounds; ++round) {
    const Eigen::VectorXd slope = g + h * d;
    for (int i = 0; i < g.size(); ++i) {
      const bool held = (d[i] <= low[i] && slope[i] > 0.0) || (d[i] >= high[i] && slope[i] < 0.0);
      free[i] = held ? 0.0 : 1.0;
    }
    const Eigen::VectorXd direction = newton(h, slope, free);
    const double before = value(d);
    if (slope.dot(direction) > -kTolerance * (1.0 + std::abs(before))) break;
    double length = 1.0;
    for (; length > kShortest; length *= 0.5) {
      const Eigen::VectorXd next = (d + length * direction).cwiseMax(low).cwiseMin(high);
      if (value(next) > before + kSufficient * slope.dot(next - d)) continue;
      d = next;
      break;
    }
    if (length <= kShortest) break;
  }
  return d;
}

}  // namespace bpo
