#include "bpo/nn/pass.h"

#include <algorithm>

#include "bpo/core/simd.h"
#include "bpo/nn/pass_blocks.h"

namespace bpo {

using namespace kernels;
using namespace pass;

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
  int most = trunk_slices();
  for (const Side* side : {&state_, &belief_}) most = std::max(most, slices_of(side->blocks()));
  slices_.resize(most);
  for (auto& slice : slices_) slice.resize(network_.gradient_size());
  divide();
  const auto filled = [&](int i) {
    return Parts{[this, i](Wire& wire) {
      const auto [side, slice, begin, end] = side_slice(i);
      const int dim = side.branch->dim;
      wire(part(side.x, dim, begin, end - begin));
      wire(part(side.x_t, simd::round_up(dim), begin, end - begin));
    }};
  };
  const auto fill = [&](int i, int) {
    const auto [side, slice, begin, end] = side_slice(i);
    const ColumnSet& columns = &side == &state_ ? inputs.states : inputs.beliefs;
    for (int block = begin; block < end; ++block) fill_inputs(side, columns, block);
  };
  map_reduce(pool_, side_slices(), filled, fill, divided() ? Share::kKept : share_);
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

void NetworkPass::fill_inputs(Side& side, const ColumnSet& columns, int block) {
  const Branch& branch = *side.branch;
  const int n = columns_in_block(side.columns, block), padded = simd::round_up(branch.dim);
  float* x_t = at(side.x_t, padded, block);
  for (int j = 0; j < n; ++j) {
    const float* from = columns[block * kColumns + j];
    for (int k = 0; k < branch.dim; ++k) x_t[j * padded + k] = branch.scale * from[k];
  }
  transpose(n, branch.dim, x_t, padded, at(side.x, branch.dim, block), kColumns);
}

void NetworkPass::forward(std::span<const float> theta, bool for_gradient) {
  for (Side* side : {&state_, &belief_})
    side->join_t = transposed_join(*side->branch, theta.data());
  const auto encoded = [&](int i) {
    return Parts{[=, this](Wire& wire) {
      const auto [side, slice, begin, end] = side_slice(i);
      if (divided()) return tell(wire, side.p, told_columns_, i);
      wire(part(side.p, side.branch->join.out, begin, end - begin));
      for (std::size_t l = 0; l < side.h.size(); ++l) {
        const int rows = side.branch->layers[l].out;
        wire(part(side.h[l], rows, begin, end - begin));
        if (for_gradient) wire(part(side.h_t[l], rows, begin, end - begin));
      }
    }};
  };
  const auto encode = [&](int i, int) {
    const auto [side, slice, begin, end] = side_slice(i);
    for (int block = begin; block < end; ++block) {
      forward_side(side, theta.data(), block, for_gradient);
    }
  };
  map_reduce(pool_, side_slices(), encoded, encode, share_rows(told_columns_));
  const auto joined = [&](int slice) {
    return Parts{[=, this](Wire& wire) {
      each_block(slice, [&](int block) {
        wire(part(outputs_, network_.spec().outputs, block));
        if (divided() || !for_gradient) return;
        for (Block* h : {&h1_, &h1_t_, &h2_, &h2_t_}) {
          wire(part(*h, network_.spec().hidden, block));
        }
      });
    }};
  };
  const auto join = [&](int slice, int thread) {
    each_block(slice, [&](int block) {
      forward_trunk(theta.data(), block, for_gradient, scratch_[thread]);
    });
  };
  map_reduce(pool_, trunk_slices(), joined, join, share_);
}

void NetworkPass::forward_trunk(const float* theta, int block, bool for_gradient, Scratch& s) {
  const int hidden = network_.spec().hidden, columns = columns_in(block);
  const int n = padded_columns(columns);
  std::fill(s.z.begin() + columns * hidden, s.z.begin() + n * hidden, 0.0f);
  gather(hidden, columns, state_.columns ? state_.p.data() : nullptr,
         state_.column_of->data() + block * kColumns, belief_.columns ? belief_.p.data() : nullptr,
         belief_.column_of->data() + block * kColumns, s.z.data());
  float* h1 = at(h1_, hidden, block);
  float* h2 = at(h2_, hidden, block);
  trunk_forward(network_, theta, n, s.z.data(), h1, h2,
                at(outputs_, network_.spec().outputs, block));
  if (!for_gradient) return;
  transpose(hidden, n, h1, kColumns, at(h1_t_, hidden, block), hidden);
  transpose(hidden, n, h2, kColumns, at(h2_t_, hidden, block), hidden);
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

}  // namespace bpo
