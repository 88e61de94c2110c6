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

Spread::Spread(std::span<const float> log_std) {
  for (float x : log_std) {
    inverse_.push_back(std::exp(-double{x}));
    log_volume_ += x;
  }
}

void Spread::read(const float* log_std) {
  log_volume_ = 0.0;
  for (std::size_t i = 0; i < inverse_.size(); ++i) {
    const float x = log_std[i * kernels::kColumns];
    inverse_[i] = std::exp(-double{x});
    log_volume_ += x;
  }
}

double gaussian_log_density(const Spread& sd, const float* mean, const float* a) {
  double squares = 0.0;
  for (int i = 0; i < sd.dim(); ++i) {
    const double z = (a[i] - mean[i * kernels::kColumns]) * sd.inverse(i);
    squares += z * z;
  }
  return -0.5 * squares - sd.log_volume() - 0.5 * sd.dim() * std::log(2.0 * std::numbers::pi);
}

double gaussian_kl(const Spread& sd, const float* mean, const Spread& other_sd,
                   const float* other_mean) {
  double sum = 0.0;
  for (int i = 0; i < sd.dim(); ++i) {
    const double gap = mean[i * kernels::kColumns] - other_mean[i * kernels::kColumns];
    const double z = gap * other_sd.inverse(i), ratio = other_sd.inverse(i) / sd.inverse(i);
    sum += 0.5 * (ratio * ratio + z * z - 1.0);
  }
  return sum + other_sd.log_volume() - sd.log_volume();
}

double gaussian_entropy(const Spread& sd) {
  return 0.5 * sd.dim() * std::log(2.0 * std::numbers::pi * std::numbers::e) + sd.log_volume();
}

}  // namespace bpo
