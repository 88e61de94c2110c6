#include "bpo/filters/grid.h"

#include "bpo/core/error.h"
#include "bpo/core/simd.h"

namespace bpo {

bool LogWeights::add(std::span<double> w, const double* evidence) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < w.size(); ++i) top = std::max(top, w[i] + evidence[i]);
  if (!(top > -std::numeric_limits<double>::infinity())) return false;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = w[i] + evidence[i] - top;
  return true;
}

void LogWeights::probabilities(std::span<const double> w, std::span<float> b) {
  using simd::Vec;
  const int n = static_cast<int>(w.size());
  Vec total{};
  for (int i = 0; i < n; i += simd::kWidth) {
    const int part = std::min(simd::kWidth, n - i);
    Vec x = simd::broadcast(-std::numeric_limits<float>::infinity());
    for (int j = 0; j < part; ++j) x[j] = static_cast<float>(w[i + j]);
    const Vec e = x > static_cast<float>(kFloor) ? simd::exp(x) : Vec{};
    simd::store_part(&b[i], e, part);
    total += e;
  }
  const float scale = 1.0f / simd::sum(total);
  for (float& x : b) x *= scale;
}

int LogWeights::best(std::span<const double> w) {
  return static_cast<int>(std::max_element(w.begin(), w.end()) - w.begin());
}

double LogWeights::entropy(std::span<const double> w) {
  double total = 0.0, weighted = 0.0;  // H = log Z - sum w exp(w) / Z
  for (double x : w) {
    if (x <= kFloor) continue;
    const double e = std::exp(x);
    total += e;
    weighted += x * e;
  }
  return std::log(total) - weighted / total;
}

void LogWeights::shift(std::span<double> w) {
  const double top = *std::max_element(w.begin(), w.end());
  if (!(top > -std::numeric_limits<double>::infinity())) {
    throw bad_input(
        "exact evaluation needs a grid on which some cell can explain every history; "
        "use more bins or grid = centres");
  }
  for (double& x : w) x -= top;
}

}  // namespace bpo
