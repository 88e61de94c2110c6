#include "python/src/own_evidence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bpo/filters/grid.h"

namespace bpo::python {

bool gaussian_evidence(std::span<const double> next, std::span<const double> mean,
                       std::span<const double> precision, std::size_t dim, std::size_t cells,
                       std::span<double> out) {
  const bool shared = precision.size() < mean.size();  // then their constant is shared, too
  const double *m = mean.data(), *p = precision.data();
  for (std::size_t first = 0; first < out.size(); first += cells) {
    double* row = out.data() + first;
    const double* o = next.data() + first / cells * dim;
    if (shared) {
      std::fill_n(row, cells, 0.0);
      for (std::size_t i = 0; i < dim; ++i) {
        for (std::size_t k = 0; k < cells; ++k) {
          const double z = (o[i] - m[k * dim + i]) * p[i];
          row[k] += z * z;
        }
      }
      for (std::size_t k = 0; k < cells; ++k) row[k] = 0.0 - 0.5 * row[k];
      m += cells * dim;
      continue;
    }
    for (std::size_t k = 0; k < cells; ++k, m += dim, p += dim) {
      double sum = 0.0, density = 1.0;
      for (std::size_t i = 0; i < dim; ++i) {
        const double z = (o[i] - m[i]) * p[i];
        sum += z * z;
        density *= p[i];
      }
      row[k] = std::log(density) - 0.5 * sum;
    }
  }
  if (all_finite(out)) {
    // As LogWeights::quantize, without the question that keeps it from taking four at a time.
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
  if (row.size() == 1) return std::fill_n(to, times, row[0]);
  std::copy(row.begin(), row.end(), to);
  const std::size_t all = row.size() * times;
  for (std::size_t done = row.size(); done < all;) {
    const std::size_t more = std::min(done, all - done);
    std::memcpy(to + done, to, more * sizeof(double));
    done += more;
  }
  return to + all;
}

}  // namespace bpo::python
