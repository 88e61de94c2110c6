#include "bpo/nn/heads.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bpo/core/simd.h"
#include "bpo/nn/kernels.h"

namespace bpo {
namespace {

constexpr double kTiny = 1e-38;

}  // namespace

void softmax(int actions, int n, float* block) {
  for (int j = 0; j < n; j += simd::kWidth) {
    float* top = block + j;
    simd::Vec most = simd::load(top);
    for (int a = 1; a < actions; ++a)
      most = simd::max(most, simd::load(top + a * kernels::kColumns));
    simd::Vec total{};
    for (int a = 0; a < actions; ++a) {
      float* p = top + a * kernels::kColumns;
      const simd::Vec e = simd::exp(simd::load(p) - most);
      simd::store(p, e);
      total += e;
    }
    const simd::Vec scale = 1.0f / total;
    for (int a = 0; a < actions; ++a) {
      float* p = top + a * kernels::kColumns;
      simd::store(p, simd::load(p) * scale);
    }
  }
}

double categorical_kl(int actions, const float* p, const float* q) {
  double sum = 0.0;
  for (int a = 0; a < actions; ++a) {
    const double pa = p[a * kernels::kColumns], qa = q[a * kernels::kColumns];
    if (pa > 0.0) sum += pa * std::log(pa / std::max(qa, kTiny));
  }
  return sum;
}

double categorical_entropy(int actions, const float* p) {
  double sum = 0.0;
  for (int a = 0; a < actions; ++a) {
    const double pa = p[a * kernels::kColumns];
    if (pa > 0.0) sum -= pa * std::log(pa);
  }
  return sum;
}

int sample_index(std::span<const float> p, Rng& rng) {
  const double u = rng.uniform();
  double below = 0.0;
  for (std::size_t a = 0; a + 1 < p.size(); ++a) {
    below += p[a];
    if (u < below) return static_cast<int>(a);
  }
  return static_cast<int>(p.size()) - 1;
}

int most_probable(std::span<const float> p) {
  return static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin());
}

double gaussian_log_density(int dim, const float* mean, const float* log_std, const float* a) {
  double sum = -0.5 * dim * std::log(2.0 * std::numbers::pi);
  for (int i = 0; i < dim; ++i) {
    const double z = (a[i] - mean[i * kernels::kColumns]) * std::exp(-double{log_std[i]});
    sum -= 0.5 * z * z + log_std[i];
  }
  return sum;
}

double gaussian_kl(int dim, const float* mean, const float* log_std, const float* other_mean,
                   const float* other_log_std) {
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) {
    const double gap = mean[i * kernels::kColumns] - other_mean[i * kernels::kColumns];
    const double variance = std::exp(2.0 * log_std[i]);
    const double other = std::exp(2.0 * other_log_std[i]);
    sum += other_log_std[i] - log_std[i] + (variance + gap * gap) / (2.0 * other) - 0.5;
  }
  return sum;
}

double gaussian_entropy(int dim, const float* log_std) {
  double sum = 0.5 * dim * std::log(2.0 * std::numbers::pi * std::numbers::e);
  for (int i = 0; i < dim; ++i) sum += log_std[i];
  return sum;
}

}  // namespace bpo
