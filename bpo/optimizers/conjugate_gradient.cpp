#include "bpo/optimizers/conjugate_gradient.h"

#include <utility>

namespace bpo {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  }
  for (; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

LinearSolution conjugate_gradient(const Product& product, std::span<const double> b, int iterations,
                                  double tolerance) {
  const std::size_t n = b.size();
  std::vector<double> x(n, 0.0), r(b.begin(), b.end()), p = r, q(n);
  double squared = dot(r, r);
  for (int k = 0; k < iterations && squared > tolerance; ++k) {
    product(p, q);
    const double curvature = dot(p, q);
    if (!(curvature > 0.0)) break;  // rounding, or NaN
    const double step = squared / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
    }
    const double next = dot(r, r);
    const double ratio = next / squared;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + ratio * p[i];
    squared = next;
  }
  const double quadratic = dot(x, b) - dot(x, r);
  return {std::move(x), quadratic};
}

}  // namespace bpo
