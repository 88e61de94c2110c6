#include "bpo/report/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/report/statistics.h"

namespace bpo::report {
namespace {

/// The continued fraction of the incomplete beta function by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  constexpr int kMostTerms = 1000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), h = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
    double change = 1.0;
    for (double term : {even, odd}) {
      d = 1.0 / away_from_zero(1.0 + term * d);
      c = away_from_zero(1.0 + term / c);
      change = c * d;
      h *= change;
    }
    if (std::abs(change - 1.0) < kEnough) break;
  }
  return h;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double squares_around_mean(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (double x : values) sum += (x - mean) * (x - mean);
  return sum;
}

}  // namespace

double t_two_sided(double t, double degrees) {
  return incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
}

std::optional<double> welch_p(std::span<const double> a, std::span<const double> b) {
  const Welch w = welch(a, b);
  if (!(w.error > 0.0)) return std::nullopt;
  return t_two_sided(w.difference / w.error, w.degrees);
}

std::vector<std::optional<double>> holm(const std::vector<std::optional<double>>& family) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < family.size(); ++k) {
    if (family[k]) order.push_back(k);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return *family[a] < *family[b]; });
  std::vector<std::optional<double>> out(family.size());
  double largest = 0.0;  // a claim stands only if all that are easier stand
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, left * *family[order[rank]]));
    out[order[rank]] = largest;
  }
  return out;
}

std::optional<double> hedges_g(std::span<const double> a, std::span<const double> b) {
  const double degrees = static_cast<double>(a.size() + b.size()) - 2.0;
  const double variance = (squares_around_mean(a) + squares_around_mean(b)) / degrees;
  if (!(variance > 0.0)) return std::nullopt;
  const double correction = 1.0 - 3.0 / (4.0 * degrees - 1.0);
  return correction * (mean_of(a) - mean_of(b)) / std::sqrt(variance);
}

std::string p_cell(const std::optional<double>& p) {
  if (!p) return "-";
  return *p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", *p);
}

}  // namespace bpo::report
