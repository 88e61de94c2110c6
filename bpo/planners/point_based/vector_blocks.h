// A policy's vectors as they are chosen from fastest: by hidden state, eight vectors side by side,
// so that one instruction takes a state's probability to all eight, and in blocks that stay in the
// cache while beliefs go by. They are floats, which only rule out: whatever could be the best in
// doubles is left, and doubles decide among those. With d_i(y) = alpha_i(y) - m(y), for an m that
// all vectors share, and k states that are possible,
//   |float(d_i . b) - d_i . b| <= (k + 2) 2^-24 sum_y b(y) max_i |d_i(y)|   (to first order),
// so a vector that is behind the first by more than twice that, and the rounding of doubles, is
// not the best. States that together hardly matter are left out of the floats and counted as error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpo/planners/point_based/vectors.h"

namespace bpo {

/// Beliefs, each of a key, and the best vector of each. It is kept and filled again: room for more
/// is made only where beliefs are more, or over more states, than ever before.
class BeliefBatch {
 public:
  void clear();
  /// Takes in the states that are possible.
  void add(int key, std::span<const double> b);
  int size() const { return static_cast<int>(asked_.size()); }
  const BestVector& best(int i) const { return asked_[i].best; }

 private:
  friend class VectorBlocks;
  struct Asked {
    int key = 0;
    std::size_t first = 0, count = 0;  // its states
    std::size_t from = 0, likely = 0;  // columns that floats look at
    double slack = 0.0;                // how far behind a float may be and yet be first
    float most = 0.0f;
    BestVector best;
  };
  BeliefView view(const Asked& a) const {
    return {std::span(p_).subspan(a.first, a.count), std::span(state_).subspan(a.first, a.count)};
  }

  std::vector<Asked> asked_;
  std::vector<double> p_;
  std::vector<float> likely_p_;
  std::vector<std::uint32_t> state_, likely_state_;
  std::vector<int> by_key_;  // beliefs, those of a key together
  std::vector<float> tops_;  // the largest sum in each block, by belief
};

class VectorBlocks {
 public:
  /// Refers to the vectors.
  explicit VectorBlocks(const VectorSets& vectors);

  /// VectorSets::best of each belief over its possible states, to the bit.
  void find_best(BeliefBatch& batch) const;

 private:
  struct Key {
    std::size_t first = 0;  // in values_
    int padded = 0;         // vectors, rounded up
  };
  void lay_out(int key);
  int blocks(int key) const;
  void prepare(BeliefBatch& batch) const;
  void decide(BeliefBatch& batch, int i) const;
  float add_up(int key, int block, const BeliefBatch& batch, int i, float* sums) const;

  const VectorSets& vectors_;
  int hidden_, most_blocks_ = 0;
  std::vector<Key> keys_;
  std::vector<float> values_;   // by key, block of vectors, state, vector
  std::vector<double> errors_;  // by key and state: of a sum, by probability and states
};

}  // namespace bpo
