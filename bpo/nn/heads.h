// Action distributions over blocks of network outputs (rows x 64): categorical for discrete
// actions, diagonal Gaussian with a free log standard deviation for boxes.
#pragma once

#include <span>

#include "bpo/core/rng.h"

namespace bpo {

/// Softmax down the rows of a block, in place; n columns, padded to 8.
void softmax(int actions, int n, float* block);

/// Sum over actions of p log(p / q) in one column (stride 64).
double categorical_kl(int actions, const float* p, const float* q);
double categorical_entropy(int actions, const float* p);

/// An index drawn with probabilities p (contiguous, summing to about 1), or the most probable one.
int sample_index(std::span<const float> p, Rng& rng);
int most_probable(std::span<const float> p);

/// Of N(mean, diag exp(2 log_std)); mean has stride 64.
double gaussian_log_density(int dim, const float* mean, const float* log_std, const float* a);
double gaussian_kl(int dim, const float* mean, const float* log_std, const float* other_mean,
                   const float* other_log_std);
double gaussian_entropy(int dim, const float* log_std);

}  // namespace bpo
