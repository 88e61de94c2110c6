// The network on one block of up to 64 columns: the pieces that acting and training share.
#pragma once

#include <vector>

#include "bpo/nn/kernels.h"
#include "bpo/nn/network.h"

namespace bpo {

using Block = std::vector<float>;  // rows x 64, feature-major

inline int padded_columns(int n) { return (n + 7) / 8 * 8; }

/// W_s or W_b of the joining layer transposed (width x hidden): the layout projecting needs.
std::vector<float> transposed_join(const Branch& branch, const float* theta);

/// out = W x + c
void dense_forward(const Dense& d, const float* theta, int n, const float* x, float* out,
                   kernels::Finish finish = {});

/// One encoder and the joining layer's share of it: `h[l]` receives layer l's activations, `p`
/// (64 x hidden, a column's values contiguous) the projection W_s h.
void branch_forward(const Branch& branch, const float* theta, const float* join_t, int n,
                    const float* x, float* const* h, float* p);

/// The layers behind the join, from the projections' sum z (64 x hidden).
void trunk_forward(const Network& network, const float* theta, int n, const float* z, float* h1,
                   float* h2, float* out);

/// z = the sum of two rows of projections per column; either may be null.
void gather(int hidden, int n, const float* p_state, const int* state_of, const float* p_belief,
            const int* belief_of, float* z);

}  // namespace bpo
