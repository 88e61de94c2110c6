#include "bpo/nn/blocks.h"

#include "bpo/core/simd.h"

namespace bpo {

using namespace kernels;

std::vector<float> transposed_join(const Branch& branch, const float* theta) {
  const Dense& d = branch.join;
  std::vector<float> out(static_cast<std::size_t>(d.in) * d.out);
  transpose(d.out, d.in, theta + d.weight, d.stride, out.data(), d.out);
  return out;
}

void dense_forward(const Dense& d, const float* theta, int n, const float* x, float* out,
                   Finish finish) {
  multiply_bias(d.out, n, d.in, {theta + d.weight, d.stride, 1}, theta + d.bias, x, kColumns, out,
                kColumns, finish);
}

void branch_forward(const Branch& branch, const float* theta, const float* join_t, int n,
                    const float* x, float* const* h, float* p) {
  const float* top = x;
  for (std::size_t l = 0; l < branch.layers.size(); ++l) {
    dense_forward(branch.layers[l], theta, n, top, h[l], {.tanh = true});
    top = h[l];
  }
  const int hidden = branch.join.out;
  multiply(n, hidden, branch.width(), {top, 1, kColumns}, join_t, hidden, p, hidden);
}

void trunk_forward(const Network& network, const float* theta, int n, const float* z, float* h1,
                   float* h2, float* out) {
  const int hidden = network.spec().hidden;
  transpose(n, hidden, z, hidden, h1, kColumns);
  add_rows(hidden, n, theta + network.join_bias(), h1);
  tanh_rows(hidden, n, h1);
  dense_forward(network.middle(), theta, n, h1, h2, {.tanh = true});
  dense_forward(network.head(), theta, n, h2, out);
}

void gather(int hidden, int n, const float* p_state, const int* state_of, const float* p_belief,
            const int* belief_of, float* z) {
  for (int j = 0; j < n; ++j) {
    float* to = z + static_cast<std::size_t>(j) * hidden;
    const float* s = p_state ? p_state + static_cast<std::size_t>(state_of[j]) * hidden : nullptr;
    const float* b =
        p_belief ? p_belief + static_cast<std::size_t>(belief_of[j]) * hidden : nullptr;
    for (int i = 0; i < hidden; i += 8) {
      simd::Vec v{};
      if (s) v += simd::load(s + i);
      if (b) v += simd::load(b + i);
      simd::store(to + i, v);
    }
  }
}

}  // namespace bpo
