// What predictions say about the next observation: plain loops over numbers, compiled to be fast.
#pragma once

#include <cstddef>
#include <span>

namespace bpo::python {

/// log N(next; mean, diag(precision^-2)) of every row and cell, without the constant that all have
/// in common, rounded as LogWeights::quantize does. mean[row][cell][number], next[row][number], and
/// precisions one per number of an observation, or one for each number of the means. Returns false
/// where a result is not finite, as it is if a mean is not.
bool gaussian_evidence(std::span<const double> next, std::span<const double> mean,
                       std::span<const double> precision, std::size_t dim, std::size_t cells,
                       std::span<double> out);

bool all_finite(std::span<const double> numbers);

/// Rounds to multiples of `grain`, a power of two; returns their sum, in whatever order, for it is
/// exact where it is below 2^24 grains.
float round_to(std::span<float> x, float grain);

/// Writes a row so many times; returns the end.
double* repeat(std::span<const double> row, std::size_t times, double* to);

}  // namespace bpo::python
