// Conjugate gradients (Hestenes and Stiefel 1952) for A x = b with A given by its products.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace bpo {

using Product = std::function<void(std::span<const double> v, std::span<double> out)>;

struct LinearSolution {
  std::vector<double> x;
  double quadratic = 0.0;  // x'Ax, which the residual gives for free
};

/// Stops after `iterations` or when the squared residual falls below `tolerance`. x starts at 0.
LinearSolution conjugate_gradient(const Product& product, std::span<const double> b, int iterations,
                                  double tolerance);

double dot(std::span<const double> a, std::span<const double> b);

}  // namespace bpo
