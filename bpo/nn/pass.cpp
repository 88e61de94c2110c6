#include "bpo/nn/pass.h"

#include <algorithm>

#include "bpo/core/simd.h"

namespace bpo {

using namespace kernels;

namespace {

// Gradients are summed within a slice of blocks and then over slices in order, whatever the number
// of threads.
constexpr int kSlices = 16;

int slices_of(int blocks) { return std::min(blocks, kSlices); }
int slice_begin(int slice, int slices, int blocks) { return slice * blocks / slices; }

float* at(Block& data, std::size_t rows, int block) {
  return data.data() + rows * kColumns * static_cast<std::size_t>(block);
}
const float* at(const Block& data, std::size_t rows, int block) {
  return data.data() + rows * kColumns * static_cast<std::size_t>(block);
}

int columns_in_block(int columns, int block) {
  return std::min(kColumns, columns - block * kColumns);
}

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

int NetworkPass::Side::width_padded() const { return simd::round_up(branch->width()); }
const float* NetworkPass::Side::top(int block) const {
  return at(h.empty() ? x : h.back(), branch->width(), block);
}
const float* NetworkPass::Side::top_t(int block) const {
  return at(h.empty() ? x_t : h_t.back(), width_padded(), block);
}

NetworkPass::NetworkPass(const Network& network, ThreadPool& pool)
    : network_(network), pool_(pool), scratch_(pool.threads()) {
  const NetworkSpec& spec = network.spec();
  const int rows = std::max({spec.hidden, spec.outputs, spec.state_dim, spec.belief_dim});
  for (Scratch& s : scratch_) {
    s.z.resize(static_cast<std::size_t>(spec.hidden) * kColumns);
    for (Block* b : {&s.a, &s.b, &s.c}) b->resize(static_cast<std::size_t>(rows) * kColumns);
    s.out.resize(output_block());
  }
}

int NetworkPass::columns_in(int block) const { return columns_in_block(columns_, block); }

void NetworkPass::bind(const InputView& inputs) {
  columns_ = inputs.size();
  bind_side(state_, network_.state(), inputs.states, inputs.state_of);
  bind_side(belief_, network_.belief(), inputs.beliefs, inputs.belief_of);
  const std::size_t cells = static_cast<std::size_t>(blocks()) * kColumns;
  for (Block* b : {&h1_, &h1_t_, &h2_, &h2_t_, &dz_}) b->resize(cells * network_.spec().hidden);
  outputs_.resize(cells * network_.spec().outputs);
  int most = slices_of(blocks());
  for (const Side* side : {&state_, &belief_}) most = std::max(most, slices_of(side->blocks()));
  slices_.resize(most);
  for (auto& slice : slices_) slice.resize(network_.gradient_size());
}

void NetworkPass::bind_side(Side& side, const Branch& branch, const ColumnSet& columns,
                            const std::vector<int>& column_of) {
  side.branch = &branch;
  side.columns = branch.dim > 0 ? columns.size() : 0;
  side.column_of = &column_of;
  const std::size_t cells = static_cast<std::size_t>(side.blocks()) * kColumns;
  const int padded = simd::round_up(branch.dim);
  side.x.assign(cells * branch.dim, 0.0f);
  side.x_t.assign(cells * padded, 0.0f);
  side.h.resize(branch.layers.size());
  side.h_t.resize(branch.layers.size());
  for (std::size_t l = 0; l < branch.layers.size(); ++l) {
    side.h[l].resize(cells * branch.layers[l].out);
    side.h_t[l].resize(cells * branch.layers[l].out);
  }
  side.p.resize(cells * network_.spec().hidden);
  side.tangent_p.resize(cells * network_.spec().hidden);
  pool_.run(side.blocks(), [&](int block, int) {
    const int n = columns_in_block(side.columns, block);
    float* x_t = at(side.x_t, padded, block);
    for (int j = 0; j < n; ++j) {
      const float* from = columns[block * kColumns + j];
      for (int k = 0; k < branch.dim; ++k) x_t[j * padded + k] = branch.scale * from[k];
    }
    transpose(n, branch.dim, x_t, padded, at(side.x, branch.dim, block), kColumns);
  });
  if (side.columns == 0) return;
  side.first.assign(side.columns + 1, 0);
  for (int c : column_of) ++side.first[c + 1];
  for (int c = 0; c < side.columns; ++c) side.first[c + 1] += side.first[c];
  side.pairs.resize(column_of.size());
  std::vector<int> next(side.first.begin(), side.first.end() - 1);
  for (std::size_t j = 0; j < column_of.size(); ++j) {
    side.pairs[next[column_of[j]]++] = static_cast<int>(j);
  }
}

void NetworkPass::each_side_block(const std::function<void(Side&, int, int)>& task) {
  pool_.run(state_.blocks() + belief_.blocks(), [&](int i, int thread) {
    if (i < belief_.blocks()) {
      task(belief_, i, thread);
    } else {
      task(state_, i - belief_.blocks(), thread);
    }
  });
}

void NetworkPass::forward(std::span<const float> theta, bool for_gradient) {
  for (Side* side : {&state_, &belief_})
    side->join_t = transposed_join(*side->branch, theta.data());
  each_side_block(
      [&](Side& side, int block, int) { forward_side(side, theta.data(), block, for_gradient); });
  pool_.run(blocks(), [&](int block, int thread) {
    Scratch& s = scratch_[thread];
    const int hidden = network_.spec().hidden, columns = columns_in(block);
    const int n = padded_columns(columns);
    std::fill(s.z.begin() + columns * hidden, s.z.begin() + n * hidden, 0.0f);
    gather(hidden, columns, state_.columns ? state_.p.data() : nullptr,
           state_.column_of->data() + block * kColumns,
           belief_.columns ? belief_.p.data() : nullptr,
           belief_.column_of->data() + block * kColumns, s.z.data());
    float* h1 = at(h1_, hidden, block);
    float* h2 = at(h2_, hidden, block);
    trunk_forward(network_, theta.data(), n, s.z.data(), h1, h2,
                  at(outputs_, network_.spec().outputs, block));
    if (!for_gradient) return;
    transpose(hidden, n, h1, kColumns, at(h1_t_, hidden, block), hidden);
    transpose(hidden, n, h2, kColumns, at(h2_t_, hidden, block), hidden);
  });
}

void NetworkPass::forward_side(Side& side, const float* theta, int block, bool for_gradient) {
  const Branch& branch = *side.branch;
  const int n = padded_columns(columns_in_block(side.columns, block));
  float* h[2] = {nullptr, nullptr};
  for (std::size_t l = 0; l < side.h.size(); ++l) h[l] = at(side.h[l], branch.layers[l].out, block);
  branch_forward(branch, theta, side.join_t.data(), n, at(side.x, branch.dim, block), h,
                 at(side.p, branch.join.out, block));
  if (!for_gradient) return;
  for (std::size_t l = 0; l < side.h.size(); ++l) {
    const int rows = branch.layers[l].out;
    transpose(rows, n, h[l], kColumns, at(side.h_t[l], rows, block), rows);
  }
}

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

void NetworkPass::pull(std::span<const float> theta, const std::function<void(int, Scratch&)>& seed,
                       std::span<double> gradient) {
  pool_.run(static_cast<int>(slices_.size()),
            [&](int i, int) { std::fill(slices_[i].begin(), slices_[i].end(), 0.0f); });
  const int slices = slices_of(blocks());
  pool_.run(slices, [&](int slice, int thread) {
    Scratch& s = scratch_[thread];
    for (int block = slice_begin(slice, slices, blocks());
         block < slice_begin(slice + 1, slices, blocks()); ++block) {
      seed(block, s);
      backward_trunk(theta.data(), block, s, slices_[slice].data());
    }
  });
  const int belief_slices = slices_of(belief_.blocks()), state_slices = slices_of(state_.blocks());
  pool_.run(belief_slices + state_slices, [&](int i, int thread) {
    const bool is_belief = i < belief_slices;
    const Side& side = is_belief ? belief_ : state_;
    const int slice = is_belief ? i : i - belief_slices;
    const int count = is_belief ? belief_slices : state_slices;
    for (int block = slice_begin(slice, count, side.blocks());
         block < slice_begin(slice + 1, count, side.blocks()); ++block) {
      backward_side(side, theta.data(), block, scratch_[thread], slices_[slice].data());
    }
  });
  for (const auto& slice : slices_) network_.unpack(slice, gradient);
}

void NetworkPass::backward(std::span<const float> theta, const BlockFunction& fill,
                           std::span<double> gradient) {
  pull(
      theta, [&](int block, Scratch& s) { fill(block, s.out.data()); }, gradient);
}

void NetworkPass::curvature(std::span<const float> theta, std::span<const float> v,
                            const BlockFunction& metric, std::span<double> out) {
  for (Side* side : {&state_, &belief_}) {
    side->tangent_join_t = transposed_join(*side->branch, v.data());
  }
  each_side_block([&](Side& side, int block, int thread) {
    tangent_side(side, theta.data(), v.data(), block, scratch_[thread]);
  });
  pull(
      theta,
      [&](int block, Scratch& s) {
        tangent_trunk(theta.data(), v.data(), block, s);
        metric(block, s.out.data());
      },
      out);
}

}  // namespace bpo
