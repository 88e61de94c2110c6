#include "bpo/report/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "bpo/core/rng.h"

namespace bpo::report {
namespace {

constexpr double kNormalQuantile = 1.959963984540054;
constexpr std::uint64_t kBootstrapSeed = 20190422;

/// The standard error of the mean; NaN for a single value.
double standard_error(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean = mean_of(values);
  double squares = 0.0;
  for (double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (n - 1.0) / n);
}

/// A quantile, interpolated between order statistics; `sorted` must not be empty.
double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The share of resamples beyond either end of an interval. Resamples of n runs have n - 1 of n
/// parts of their variance, and the runs' own variance is known as well as Student's t says.
double expanded_tail(std::span<const Stratum> strata) {
  double runs = 0.0, degrees = 0.0;
  for (const Stratum& s : strata) {
    runs += static_cast<double>(s.size());
    degrees += static_cast<double>(s.size()) - 1.0;
  }
  if (degrees <= 0.0) return 0.025;
  return 0.5 * std::erfc(t_quantile(degrees) * std::sqrt(0.5 * runs / degrees));
}

double improvement(std::span<const double> x, std::span<const double> y) {
  double wins = 0.0;
  for (double a : x) {
    for (double b : y) wins += a > b ? 1.0 : a == b ? 0.5 : 0.0;
  }
  return wins / static_cast<double>(x.size() * y.size());
}

/// The variance of `improvement` where the true probability is p (Hanley and McNeil 1982, with
/// Newcombe's mean number of runs).
double improvement_variance(double p, double m, double n) {
  const double runs = 0.5 * (m + n) - 1.0;
  return p * (1.0 - p) * (1.0 + runs * ((1.0 - p) / (2.0 - p) + p / (1.0 + p))) / (m * n);
}

/// The probability between `found` and `end` from which `found` is 1.96 standard deviations away.
double improvement_limit(double found, double end, std::size_t m, std::size_t n) {
  double inside = found, outside = end;
  for (int k = 0; k < 60; ++k) {
    const double p = 0.5 * (inside + outside);
    const double sd =
        std::sqrt(improvement_variance(p, static_cast<double>(m), static_cast<double>(n)));
    (std::abs(p - found) <= kNormalQuantile * sd ? inside : outside) = p;
  }
  return 0.5 * (inside + outside);
}

}  // namespace

double t_quantile(double degrees) {
  constexpr std::array kTable{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                              2.3060,  2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
                              2.1314,  2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
  const double whole = std::max(1.0, std::floor(degrees));
  if (whole <= kTable.size()) return kTable[static_cast<std::size_t>(whole) - 1];
  const double z = kNormalQuantile, z3 = z * z * z, z5 = z3 * z * z;  // Cornish-Fisher
  return z + (z3 + z) / (4.0 * whole) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * whole * whole);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Mean over_seeds(std::span<const double> values) {
  const double degrees = static_cast<double>(values.size()) - 1.0;
  return {mean_of(values), t_quantile(degrees) * standard_error(values)};
}

Mean over_episodes(std::span<const double> values) {
  return {mean_of(values), kNormalQuantile * standard_error(values)};
}

std::size_t best_of(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Mean paired_difference(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  std::vector<double> gap(a.size());
  std::transform(a.begin(), a.end(), b.begin(), gap.begin(), std::minus<>());
  return over_episodes(gap);
}

Welch welch(std::span<const double> a, std::span<const double> b) {
  assert(a.size() >= 2 && b.size() >= 2);
  const double va = std::pow(standard_error(a), 2), vb = std::pow(standard_error(b), 2);
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  // Without any spread the degrees do not matter.
  const double spread = va * va / (na - 1.0) + vb * vb / (nb - 1.0);
  const double degrees = spread > 0.0 ? (va + vb) * (va + vb) / spread : na + nb - 2.0;
  return {mean_of(a) - mean_of(b), std::sqrt(va + vb), degrees};
}

Mean seed_difference(std::span<const double> a, std::span<const double> b) {
  const Welch w = welch(a, b);
  return {w.difference, t_quantile(w.degrees) * w.error};
}

double interquartile_mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto at = static_cast<double>(i);  // value i covers the ranks [i, i + 1] of [0, n]
    const double share = std::min(at + 1.0, 0.75 * n) - std::max(at, 0.25 * n);
    sum += std::max(share, 0.0) * sorted[i];
  }
  return sum / (0.5 * n);
}

double interquartile_mean(std::span<const Stratum> strata) {
  std::vector<double> all;
  for (const Stratum& s : strata) all.insert(all.end(), s.begin(), s.end());
  return interquartile_mean(all);
}

Estimate bootstrap(std::span<const Stratum> strata, const Statistic& statistic, int resamples) {
  std::vector<Stratum> drawn(strata.begin(), strata.end());
  std::vector<double> values;
  for (int r = 0; r < resamples; ++r) {
    Rng rng(kBootstrapSeed, Use::kBootstrap, static_cast<std::uint64_t>(r));
    for (std::size_t s = 0; s < strata.size(); ++s) {
      const int n = static_cast<int>(strata[s].size());
      for (double& x : drawn[s]) x = strata[s][static_cast<std::size_t>(rng.below(n))];
    }
    values.push_back(statistic(drawn));
  }
  std::sort(values.begin(), values.end());
  const double tail = expanded_tail(strata);
  return {statistic(strata), quantile(values, tail), quantile(values, 1.0 - tail)};
}

Estimate probability_of_improvement(std::span<const double> x, std::span<const double> y) {
  const double p = improvement(x, y);
  return {p, improvement_limit(p, 0.0, x.size(), y.size()),
          improvement_limit(p, 1.0, x.size(), y.size())};
}

std::vector<double> performance_profile(std::span<const Stratum> strata,
                                        std::span<const double> taus) {
  std::vector<double> out(taus.size());
  for (std::size_t k = 0; k < taus.size(); ++k) {
    for (const Stratum& s : strata) {
      const auto above = std::count_if(s.begin(), s.end(), [&](double x) { return x > taus[k]; });
      out[k] += static_cast<double>(above) / static_cast<double>(s.size() * strata.size());
    }
  }
  return out;
}

}  // namespace bpo::report
