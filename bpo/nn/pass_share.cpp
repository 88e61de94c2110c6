// Who computes what of a network's pass: slices of its blocks, and what ranks tell each other.
#include <algorithm>
#include <utility>

#include "bpo/nn/pass.h"
#include "bpo/nn/pass_blocks.h"

namespace bpo {

using namespace kernels;
using namespace pass;

namespace {

// A product J'MJv is four passes of a multiplication and an addition per weight and column, at
// about this many a second.
constexpr double kPasses = 4.0, kMultiplications = 1e10;
constexpr int kExchanges = 4;  // exchanges in one Fisher product

/// The rank of each of so many blocks, whose slice `slice` is chunk chunk_of(slice) of `chunks`.
template <class ChunkOf>
std::vector<int> ranks_of_blocks(int blocks, int chunks, ChunkOf chunk_of) {
  std::vector<int> out(blocks);
  const int slices = slices_of(blocks);
  for (int slice = 0; slice < slices; ++slice) {
    const int rank = ThreadPool::rank_of(chunk_of(slice), chunks);
    std::fill(out.begin() + slice_begin(slice, slices, blocks),
              out.begin() + slice_begin(slice + 1, slices, blocks), rank);
  }
  return out;
}

}  // namespace

int NetworkPass::trunk_slices() const { return slices_of(blocks()); }

NetworkPass::SideSlice NetworkPass::side_slice(int i) {
  const auto [of_belief, slice] = order_[i];
  Side& side = of_belief ? belief_ : state_;
  const int slices = slices_of(side.blocks());
  return {side, slice, slice_begin(slice, slices, side.blocks()),
          slice_begin(slice + 1, slices, side.blocks())};
}

void NetworkPass::each_block(int slice, const std::function<void(int block)>& work) const {
  const int slices = trunk_slices(), end = slice_begin(slice + 1, slices, blocks());
  for (int block = slice_begin(slice, slices, blocks()); block < end; ++block) work(block);
}

void NetworkPass::tell(Wire& wire, std::vector<float>& data, const ToldRows& told,
                       int chunk) const {
  const auto width = static_cast<std::size_t>(network_.spec().hidden);
  const std::span<const int> rows = told.of(chunk);
  for (std::size_t first = 0, next = 0; first < rows.size(); first = next) {
    for (next = first + 1; next < rows.size() && rows[next] == rows[next - 1] + 1;) ++next;
    wire(std::span(data.data() + rows[first] * width, (next - first) * width));
  }
}

double NetworkPass::product_seconds() const {
  const auto weights = [](const Branch& branch) {
    double sum = static_cast<double>(branch.join.in) * branch.join.out;
    for (const Dense& d : branch.layers) sum += static_cast<double>(d.in) * d.out;
    return sum;
  };
  const Dense &middle = network_.middle(), &head = network_.head();
  double sum = columns_ * static_cast<double>(middle.in * middle.out + head.in * head.out);
  for (const Side* side : {&state_, &belief_}) sum += side->columns * weights(*side->branch);
  return kPasses * sum / kMultiplications;
}

/// Slices of both encoders are ordered by where they are in the batch, so that a rank has those
/// inputs that its part of the batch saw first.
void NetworkPass::divide() {
  order_.clear();
  const int beliefs = slices_of(belief_.blocks()), states = slices_of(state_.blocks());
  for (int slice = 0; slice < beliefs; ++slice) order_.emplace_back(true, slice);
  for (int slice = 0; slice < states; ++slice) order_.emplace_back(false, slice);
  const auto place = [&](const std::pair<bool, int>& one) {
    return (2 * one.second + 1) * (one.first ? states : beliefs);
  };
  std::stable_sort(order_.begin(), order_.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  share_ = pool_.share_of(product_seconds(), 0.0, kExchanges);
  if (divided() && trunk_slices() < 2) share_ = Share::kAll;
  if (!divided()) return;
  find_told();
  const double rows = static_cast<double>(told_columns_.rows.size() + told_pairs_.rows.size());
  const double floats = rows * network_.spec().hidden +
                        static_cast<double>(slices_.size() * network_.gradient_size());
  find_pieces();
  share_ = pool_.share_of(product_seconds(), sizeof(float) * floats, kExchanges);
}

void NetworkPass::find_told() {
  for (Side* side : {&state_, &belief_}) {
    side->rank_of = ranks_of_blocks(side->blocks(), side_slices(), [&](int slice) {
      const std::pair one(side == &belief_, slice);
      return static_cast<int>(std::find(order_.begin(), order_.end(), one) - order_.begin());
    });
  }
  const std::vector<int> pair_rank =
      ranks_of_blocks(blocks(), trunk_slices(), [](int slice) { return slice; });
  told_columns_ = {{}, {0}};
  for (int i = 0; i < side_slices(); ++i) {
    const auto [side, slice, begin, end] = side_slice(i);
    for (int c = begin * kColumns; c < std::min(end * kColumns, side.columns); ++c) {
      const bool needed = std::any_of(
          side.pairs.begin() + side.first[c], side.pairs.begin() + side.first[c + 1],
          [&](int pair) { return pair_rank[pair / kColumns] != side.rank_of[c / kColumns]; });
      if (needed) told_columns_.rows.push_back(c);
    }
    told_columns_.first.push_back(static_cast<int>(told_columns_.rows.size()));
  }
  const auto elsewhere = [](const Side& side, int pair, int rank) {
    return side.columns > 0 && side.rank_of[(*side.column_of)[pair] / kColumns] != rank;
  };
  told_pairs_ = {{}, {0}};
  for (int slice = 0; slice < trunk_slices(); ++slice) {
    each_block(slice, [&](int block) {
      for (int j = 0; j < columns_in(block); ++j) {
        const int pair = block * kColumns + j, rank = pair_rank[block];
        if (elsewhere(state_, pair, rank) || elsewhere(belief_, pair, rank)) {
          told_pairs_.rows.push_back(pair);
        }
      }
    });
    told_pairs_.first.push_back(static_cast<int>(told_pairs_.rows.size()));
  }
}

/// The parts of the padded gradient, and who has which slice of them.
void NetworkPass::find_pieces() {
  pieces_.clear();
  std::vector<SlicePiece> layers, joins;
  for (Side* side : {&state_, &belief_}) {
    std::vector<int> ranks;
    for (int slice = 0; slice < slices_of(side->blocks()); ++slice) {
      ranks.push_back(side->rank_of[slice_begin(slice, slices_of(side->blocks()), side->blocks())]);
    }
    const Branch& branch = *side->branch;
    if (!branch.layers.empty()) {
      const Dense& last = branch.layers.back();
      layers.push_back({branch.layers.front().grad, last.grad_bias + last.out, ranks});
    }
    const Dense& join = branch.join;
    joins.push_back(
        {join.grad, join.grad + static_cast<std::size_t>(join.grad_stride) * join.out, ranks});
  }
  pieces_ = std::move(layers);
  pieces_.insert(pieces_.end(), joins.begin(), joins.end());
  std::vector<int> ranks;
  for (int slice = 0; slice < trunk_slices(); ++slice) {
    ranks.push_back(ThreadPool::rank_of(slice, trunk_slices()));
  }
  pieces_.push_back({network_.join_bias_grad(), network_.gradient_size(), ranks});
}

}  // namespace bpo
