#include "python/src/own_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "bpo/filters/grid.h"

namespace bpo::python {

namespace {

/// Calls `work` with the number of numbers, as a constant where there are few.
template <class Work>
auto with_constant(std::size_t dim, Work work) {
  switch (dim) {
    case 1:
      return work(std::integral_constant<std::size_t, 1>{});
    case 2:
      return work(std::integral_constant<std::size_t, 2>{});
    case 3:
      return work(std::integral_constant<std::size_t, 3>{});
    case 4:
      return work(std::integral_constant<std::size_t, 4>{});
    default:
      return work(dim);
  }
}

/// -1/2 sum_i ((o_i - m_ki) p_i)^2 of the cells of one row, which share their precision.
void squares(const double* o, const double* m, const double* p, auto dim, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < dim; ++i) {
      const double z = (o[i] - m[k * dim + i]) * p[i];
      sum += z * z;
    }
    out[k] = 0.0 - 0.5 * sum;
  }
}

}  // namespace

bool gaussian_evidence(std::span<const double> next, std::span<const double> mean,
                       std::span<const double> precision, std::size_t dim, std::size_t cells,
                       std::span<double> out) {
  const bool shared = precision.size() < mean.size();  // then their constant is shared, too
  const double *o = next.data(), *m = mean.data(), *p = precision.data();
  if (shared) {
    with_constant(dim, [&](auto constant) {
      for (std::size_t first = 0; first < out.size(); first += cells) {
        squares(o, m, p, constant, out.subspan(first, cells));
        o += dim;
        m += cells * dim;
      }
    });
  }
  for (std::size_t k = 0; !shared && k < out.size(); ++k, m += dim, p += dim) {
    if (k > 0 && k % cells == 0) o += dim;
    double sum = 0.0, density = 1.0;
    for (std::size_t i = 0; i < dim; ++i) {
      const double z = (o[i] - m[i]) * p[i];
      sum += z * z;
      density *= p[i];
    }
    out[k] = std::log(density) - 0.5 * sum;
  }
  if (all_finite(out)) {
    // LogWeights::quantize without the question that keeps it from taking four at a time.
    for (double& x : out) {
      x = std::nearbyint(std::max(-0x1p20, std::min(x, 0x1p20)) * 0x1p32) * 0x1p-32;
    }
    return true;
  }
  for (double& x : out) x = LogWeights::quantize(x);
  return false;
}

bool all_finite(std::span<const double> numbers) {
  std::size_t wrong = 0;
  for (const double x : numbers) wrong += !(std::abs(x) <= std::numeric_limits<double>::max());
  return wrong == 0;
}

double* repeat(std::span<const double> row, std::size_t times, double* to) {
  with_constant(row.size(), [&](auto dim) {
    for (std::size_t k = 0; k < times; ++k) std::copy_n(row.data(), std::size_t{dim}, to + k * dim);
  });
  return to + row.size() * times;
}

float round_to(std::span<float> x, float grain) {
  const float scale = 1.0f / grain;
  for (float& one : x) one = grain * std::nearbyint(one * scale);
  constexpr std::size_t kAtOnce = 8;
  std::array<float, kAtOnce> sums{};
  std::size_t i = 0;
  for (; i + kAtOnce <= x.size(); i += kAtOnce) {
    for (std::size_t j = 0; j < kAtOnce; ++j) sums[j] += x[i + j];
  }
  for (; i < x.size(); ++i) sums[0] += x[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

}  // namespace bpo::python
