// The derivatives of a network over a batch: J v forward, J'd back, sums by slices.
#include <algorithm>
#include <tuple>

#include "bpo/core/simd.h"
#include "bpo/nn/pass.h"
#include "bpo/nn/pass_blocks.h"

namespace bpo {

using namespace kernels;
using namespace pass;

namespace {

/// Gradients of a dense layer's weights and bias from d (out x n) and its input x_t (n x in).
void dense_gradient(const Dense& d, int n, const float* delta, const float* x_t, float* gradient) {
  multiply_add(d.out, d.grad_stride, n, {delta, kColumns, 1}, x_t, d.grad_stride, gradient + d.grad,
               d.grad_stride);
  if (d.has_bias) sum_rows(d.out, n, delta, gradient + d.grad_bias);
}

/// out (in x n) = W' d, through the tanh whose values are h
void dense_backward(const Dense& d, const float* theta, int n, const float* delta, const float* h,
                    float* out) {
  multiply(d.in, n, d.out, {theta + d.weight, 1, d.stride}, delta, kColumns, out, kColumns,
           {.slope_of = h});
}

/// out = V x + v_c + W t, through the tanh whose values are h (null: none). Null t: there is none.
void dense_tangent(const Dense& d, const float* theta, const float* v, int n, const float* x,
                   const float* t, const float* h, float* out) {
  if (t == nullptr) return dense_forward(d, v, n, x, out, {.slope_of = h});
  dense_forward(d, v, n, x, out);
  multiply_add(d.out, n, d.in, {theta + d.weight, d.stride, 1}, t, kColumns, out, kColumns,
               {.slope_of = h});
}

}  // namespace

void NetworkPass::tangent_side(Side& side, const float* theta, const float* v, int block,
                               Scratch& s) {
  const Branch& branch = *side.branch;
  const int n = padded_columns(columns_in_block(side.columns, block));
  const int hidden = branch.join.out;
  float* p = at(side.tangent_p, hidden, block);
  multiply(n, hidden, branch.width(), {side.top(block), 1, kColumns}, side.tangent_join_t.data(),
           hidden, p, hidden);
  const float* x = at(side.x, branch.dim, block);
  const float* tangent = nullptr;
  float* into = s.a.data();
  for (std::size_t l = 0; l < branch.layers.size(); ++l) {
    const Dense& d = branch.layers[l];
    const float* h = at(side.h[l], d.out, block);
    dense_tangent(d, theta, v, n, x, tangent, h, into);
    x = h;
    tangent = into;
    into = into == s.a.data() ? s.b.data() : s.a.data();
  }
  if (tangent == nullptr) return;
  multiply_add(n, hidden, branch.width(), {tangent, 1, kColumns}, side.join_t.data(), hidden, p,
               hidden);
}

void NetworkPass::tangent_trunk(const float* theta, const float* v, int block, Scratch& s) {
  const int hidden = network_.spec().hidden, columns = columns_in(block);
  const int n = padded_columns(columns);
  std::fill(s.z.begin() + columns * hidden, s.z.begin() + n * hidden, 0.0f);
  gather(hidden, columns, state_.columns ? state_.tangent_p.data() : nullptr,
         state_.column_of->data() + block * kColumns,
         belief_.columns ? belief_.tangent_p.data() : nullptr,
         belief_.column_of->data() + block * kColumns, s.z.data());
  const float* h1 = at(h1_, hidden, block);
  const float* h2 = at(h2_, hidden, block);
  transpose(n, hidden, s.z.data(), hidden, s.a.data(), kColumns);
  add_rows(hidden, n, v + network_.join_bias(), s.a.data());
  scale_by_tanh_slope(hidden, n, h1, s.a.data());
  dense_tangent(network_.middle(), theta, v, n, h1, s.a.data(), h2, s.b.data());
  dense_tangent(network_.head(), theta, v, n, h2, s.b.data(), nullptr, s.out.data());
}

void NetworkPass::backward_trunk(const float* theta, int block, Scratch& s, float* gradient) {
  const int hidden = network_.spec().hidden;
  const int n = padded_columns(columns_in(block));
  dense_gradient(network_.head(), n, s.out.data(), at(h2_t_, hidden, block), gradient);
  dense_backward(network_.head(), theta, n, s.out.data(), at(h2_, hidden, block), s.a.data());
  dense_gradient(network_.middle(), n, s.a.data(), at(h1_t_, hidden, block), gradient);
  dense_backward(network_.middle(), theta, n, s.a.data(), at(h1_, hidden, block), s.b.data());
  sum_rows(hidden, n, s.b.data(), gradient + network_.join_bias_grad());
  transpose(hidden, n, s.b.data(), kColumns, at(dz_, hidden, block), hidden);
}

void NetworkPass::backward_side(const Side& side, const float* theta, int block, Scratch& s,
                                float* gradient) {
  const Branch& branch = *side.branch;
  const int hidden = branch.join.out;
  const int columns = columns_in_block(side.columns, block), n = padded_columns(columns);
  std::fill(s.z.begin(), s.z.end(), 0.0f);
  for (int j = 0; j < columns; ++j) {
    float* sum = s.z.data() + j * hidden;
    const int c = block * kColumns + j;
    for (int k = side.first[c]; k < side.first[c + 1]; ++k) {
      const float* add = dz_.data() + static_cast<std::size_t>(side.pairs[k]) * hidden;
      for (int i = 0; i < hidden; i += 8) {
        simd::store(sum + i, simd::load(sum + i) + simd::load(add + i));
      }
    }
  }
  float* delta = s.a.data();
  float* spare = s.b.data();
  transpose(n, hidden, s.z.data(), hidden, delta, kColumns);
  dense_gradient(branch.join, n, delta, side.top_t(block), gradient);
  const Dense* above = &branch.join;
  for (int l = static_cast<int>(branch.layers.size()) - 1; l >= 0; --l) {
    const Dense& d = branch.layers[l];
    dense_backward(*above, theta, n, delta, at(side.h[l], d.out, block), spare);
    std::swap(delta, spare);
    const float* below =
        l > 0 ? at(side.h_t[l - 1], d.grad_stride, block) : at(side.x_t, d.grad_stride, block);
    dense_gradient(d, n, delta, below, gradient);
    above = &d;
  }
}

std::span<float> NetworkPass::trunk_slice(int slice) {
  return std::span(slices_[slice]).subspan(network_.join_bias_grad());
}

std::span<float> NetworkPass::layers_slice(const Branch& branch, int slice) {
  if (branch.layers.empty()) return {};
  const Dense& last = branch.layers.back();
  const std::size_t begin = branch.layers.front().grad, end = last.grad_bias + last.out;
  return std::span(slices_[slice]).subspan(begin, end - begin);
}

std::span<float> NetworkPass::join_slice(const Branch& branch, int slice) {
  const Dense& join = branch.join;
  return std::span(slices_[slice])
      .subspan(join.grad, static_cast<std::size_t>(join.grad_stride) * join.out);
}

void NetworkPass::pull_side(const SideSlice& of, const float* theta, Scratch& s) {
  const auto& [side, slice, begin, end] = of;
  for (auto values : {layers_slice(*side.branch, slice), join_slice(*side.branch, slice)}) {
    std::fill(values.begin(), values.end(), 0.0f);
  }
  for (int block = begin; block < end; ++block) {
    backward_side(side, theta, block, s, slices_[slice].data());
  }
}

void NetworkPass::pull(std::span<const float> theta, const std::function<void(int, Scratch&)>& seed,
                       std::span<double> sums, std::span<double> gradient) {
  const std::size_t each = blocks() > 0 ? sums.size() / blocks() : 0;
  const auto trunk = [&](int slice) {
    return Parts{[=, this](Wire& wire) {
      if (divided()) {
        tell(wire, dz_, told_pairs_, slice);
      } else {
        wire(trunk_slice(slice));
      }
      each_block(slice, [&](int block) {
        if (!divided()) wire(part(dz_, network_.spec().hidden, block));
        wire(sums.subspan(block * each, each));
      });
    }};
  };
  map_reduce(
      pool_, trunk_slices(), trunk,
      [&](int slice, int thread) {
        const std::span<float> own = trunk_slice(slice);
        std::fill(own.begin(), own.end(), 0.0f);
        each_block(slice, [&](int block) {
          seed(block, scratch_[thread]);
          backward_trunk(theta.data(), block, scratch_[thread], slices_[slice].data());
        });
      },
      sums.empty() ? share_rows(told_pairs_) : share_);
  const auto encoder = [&](int i) {
    const auto [side, slice, begin, end] = side_slice(i);
    return std::tuple(layers_slice(*side.branch, slice), join_slice(*side.branch, slice));
  };
  map_reduce(
      pool_, side_slices(), encoder,
      [&](int i, int thread) { pull_side(side_slice(i), theta.data(), scratch_[thread]); },
      divided() ? Share::kKept : share_);
  sum_slices(gradient);
}

void NetworkPass::sum_slices(std::span<double> gradient) {
  if (divided()) {
    padded_.resize(network_.gradient_size());
    for (const auto& [at, theta, count] : network_.runs()) {
      std::copy_n(gradient.data() + theta, count, padded_.data() + at);
    }
    rank_sum(pieces_, slices_, padded_);
    for (const auto& [at, theta, count] : network_.runs()) {
      std::copy_n(padded_.data() + at, count, gradient.data() + theta);
    }
    return;
  }
  for (int slice = 0; slice < trunk_slices(); ++slice) {
    network_.unpack_trunk(slices_[slice], gradient);
  }
  for (int i = 0; i < side_slices(); ++i) {
    const auto [side, slice, begin, end] = side_slice(i);
    network_.unpack(*side.branch, slices_[slice], gradient);
  }
}

void NetworkPass::backward(std::span<const float> theta, const BlockFunction& fill,
                           std::span<double> gradient) {
  pull(
      theta, [&](int block, Scratch& s) { fill(block, s.out.data()); }, {}, gradient);
}

void NetworkPass::backward(std::span<const float> theta, const SummingFunction& fill,
                           std::span<double> sums, std::span<double> gradient) {
  const std::size_t each = blocks() > 0 ? sums.size() / blocks() : 0;
  pull(
      theta,
      [&](int block, Scratch& s) { fill(block, s.out.data(), sums.subspan(block * each, each)); },
      sums, gradient);
}

void NetworkPass::curvature(std::span<const float> theta, std::span<const float> v,
                            const BlockFunction& metric, std::span<double> out) {
  for (Side* side : {&state_, &belief_}) {
    side->tangent_join_t = transposed_join(*side->branch, v.data());
  }
  const auto projected = [&](int i) {
    return Parts{[=, this](Wire& wire) {
      const auto [side, slice, begin, end] = side_slice(i);
      if (divided()) return tell(wire, side.tangent_p, told_columns_, i);
      wire(part(side.tangent_p, side.branch->join.out, begin, end - begin));
    }};
  };
  const auto project = [&](int i, int thread) {
    const auto [side, slice, begin, end] = side_slice(i);
    for (int block = begin; block < end; ++block) {
      tangent_side(side, theta.data(), v.data(), block, scratch_[thread]);
    }
  };
  map_reduce(pool_, side_slices(), projected, project, share_rows(told_columns_));
  pull(
      theta,
      [&](int block, Scratch& s) {
        tangent_trunk(theta.data(), v.data(), block, s);
        metric(block, s.out.data());
      },
      {}, out);
}

}  // namespace bpo
