// A network on all distinct inputs of a batch: outputs, gradients J'd and exact Gauss-Newton
// products J'M J v (forward-over-reverse; with M the Fisher information of the head this is the
// Fisher-vector product of TRPO). Each encoder runs on its own distinct inputs only.
//
// All loops are over the same slices of blocks. Where they are divided among ranks, a rank keeps
// the activations of its slices, and tells the others the gradient of every slice, the outputs, and
// those rows alone that one of the others needs: an encoder's projection of an input of theirs, or
// a pair's gradient at the join where the encoder is theirs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bpo/core/inputs.h"
#include "bpo/core/parallel.h"
#include "bpo/core/rank_sum.h"
#include "bpo/nn/blocks.h"
#include "bpo/nn/network.h"

namespace bpo {

class NetworkPass {
 public:
  /// Works on a block of outputs (rows x 64) in place, and on nothing else.
  using BlockFunction = std::function<void(int block, float* values)>;
  /// Works on a block of outputs in place and fills the block's own share of further sums.
  using SummingFunction = std::function<void(int block, float* values, std::span<double> sums)>;

  NetworkPass(const Network& network, ThreadPool& pool);

  /// The inputs every later call is about: column j is the pair (state_of[j], belief_of[j]). They
  /// must not change until the next bind().
  void bind(const InputView& inputs);
  void bind(const Inputs& inputs) { bind(inputs.view()); }
  int columns() const { return columns_; }
  int blocks() const { return (columns_ + kernels::kColumns - 1) / kernels::kColumns; }
  int columns_in(int block) const;

  /// Computes the outputs; backward() and curvature() need one that was made `for_gradient`.
  void forward(std::span<const float> theta, bool for_gradient = true);
  /// After forward(): outputs x 64; columns beyond columns_in(block) are arbitrary.
  const float* output(int block) const { return outputs_.data() + block * output_block(); }

  /// gradient += J'd, where fill(block, d) writes d and leaves 0 beyond columns_in(block). theta is
  /// that of the last forward().
  void backward(std::span<const float> theta, const BlockFunction& fill,
                std::span<double> gradient);
  /// backward() with further `sums`, as many for every block; they are added to what is there.
  void backward(std::span<const float> theta, const SummingFunction& fill, std::span<double> sums,
                std::span<double> gradient);

  /// out += J' M J v; metric(block, t) replaces t = J v by M t and 0 beyond columns_in(block).
  void curvature(std::span<const float> theta, std::span<const float> v,
                 const BlockFunction& metric, std::span<double> out);

  std::size_t output_block() const {
    return static_cast<std::size_t>(network_.spec().outputs) * kernels::kColumns;
  }

 private:
  // One encoder on its distinct inputs. `t` marks a transposed copy (64 x rows), kept because every
  // conjugate-gradient step needs it again.
  struct Side {
    const Branch* branch = nullptr;
    int columns = 0;
    const std::vector<int>* column_of = nullptr;  // by pair
    Block x, x_t;
    std::vector<Block> h, h_t;
    Block p, tangent_p;
    std::vector<float> join_t, tangent_join_t;
    std::vector<int> first, pairs;  // the pairs of a column, in order
    std::vector<int> rank_of;       // by block, where loops are divided

    int blocks() const { return (columns + kernels::kColumns - 1) / kernels::kColumns; }
    int width_padded() const;
    const float* top(int block) const;
    const float* top_t(int block) const;
  };
  struct Scratch {
    Block z, a, b, c, out;
  };

  void bind_side(Side& side, const Branch& branch, const ColumnSet& columns,
                 const std::vector<int>& column_of);
  void fill_inputs(Side& side, const ColumnSet& columns, int block);
  void divide();
  void find_told();
  void find_pieces();
  double product_seconds() const;
  void forward_side(Side& side, const float* theta, int block, bool for_gradient);
  void forward_trunk(const float* theta, int block, bool for_gradient, Scratch& s);
  void tangent_side(Side& side, const float* theta, const float* v, int block, Scratch& s);
  void tangent_trunk(const float* theta, const float* v, int block, Scratch& s);
  void backward_trunk(const float* theta, int block, Scratch& s, float* gradient);
  void backward_side(const Side& side, const float* theta, int block, Scratch& s, float* gradient);
  void pull(std::span<const float> theta, const std::function<void(int, Scratch&)>& seed,
            std::span<double> sums, std::span<double> gradient);
  void sum_slices(std::span<double> gradient);
  /// What belongs to a slice of the gradient: that of the trunk, of an encoder, of its join.
  std::span<float> trunk_slice(int slice);
  std::span<float> layers_slice(const Branch& branch, int slice);
  std::span<float> join_slice(const Branch& branch, int slice);

  /// A slice of the blocks of one of the encoders.
  struct SideSlice {
    Side& side;
    int slice, begin, end;  // blocks
  };
  void pull_side(const SideSlice& of, const float* theta, Scratch& s);
  int side_slices() const { return static_cast<int>(order_.size()); }
  SideSlice side_slice(int i);
  int trunk_slices() const;
  /// Calls work(block) for the blocks of a slice of the trunk.
  void each_block(int slice, const std::function<void(int block)>& work) const;
  /// Rows that other ranks need of what is made by chunk, hidden floats each.
  struct ToldRows {
    std::vector<int> rows, first;  // first: by chunk
    std::span<const int> of(int chunk) const {
      return std::span(rows).subspan(first[chunk], first[chunk + 1] - first[chunk]);
    }
  };
  void tell(Wire& wire, std::vector<float>& data, const ToldRows& told, int chunk) const;
  /// How loops are shared that tell nothing but such rows.
  Share share_rows(const ToldRows& told) const {
    return share_ == Share::kTold && told.rows.empty() ? Share::kKept : share_;
  }
  bool divided() const { return share_ == Share::kTold; }

  const Network& network_;
  ThreadPool& pool_;
  int columns_ = 0;
  Side state_, belief_;
  Block h1_, h1_t_, h2_, h2_t_, outputs_;
  std::vector<float> dz_;  // a pair's gradient at the joining layer, hidden floats each
  std::vector<Scratch> scratch_;
  std::vector<std::vector<float>> slices_;
  std::vector<std::pair<bool, int>>
      order_;  // the encoders' slices: whether the belief's, and which
  Share share_ = Share::kAsPays;
  ToldRows told_columns_, told_pairs_;  // by order_, by slice of the trunk
  std::vector<SlicePiece> pieces_;      // the gradient's parts, where loops are divided
  std::vector<double> padded_;
};

}  // namespace bpo
