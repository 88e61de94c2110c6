// Whether a difference between two methods is more than the luck of their seeds, and how large it
// is: Welch's test, Holm's correction for a family of comparisons, Hedges' g.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bpo::report {

/// P(|T| > |t|) of Student's t.
double t_two_sided(double t, double degrees);

/// The two-sided p-value of mean(a) = mean(b) by Welch's test; nothing where no seed differs from
/// another, for the test has no measure then. There must be at least two of each.
std::optional<double> welch_p(std::span<const double> a, std::span<const double> b);

/// Holm's p-values (1979): with them, the chance of any false claim in the family is at most the
/// level. Absent ones stay absent and do not count.
std::vector<std::optional<double>> holm(const std::vector<std::optional<double>>& family);

/// Hedges' g: mean(a) - mean(b) in pooled standard deviations, corrected for few seeds; nothing
/// without spread.
std::optional<double> hedges_g(std::span<const double> a, std::span<const double> b);

/// A p-value as a cell: "0.031", "< 0.001", or "-" for none.
std::string p_cell(const std::optional<double>& p);

}  // namespace bpo::report
