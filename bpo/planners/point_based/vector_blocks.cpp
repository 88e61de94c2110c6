#include "bpo/planners/point_based/vector_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "bpo/core/simd.h"

namespace bpo {
namespace {

constexpr int kWidth = simd::kWidth;
/// So many sums of eight stay in registers while a belief's states go by.
constexpr int kMostGroups = 8;
constexpr int kBlock = kMostGroups * kWidth;
/// Below every difference, which are in [-1, 1].
constexpr float kNoVector = -2.0f;
/// A float's error by state that is possible, and the same of doubles; both on the safe side.
constexpr double kFloatError = 0x1p-22, kDoubleError = 0x1p-50;
/// States that have less than this together are left to the doubles. More would save more sums, but
/// leave more vectors.
constexpr double kLeftOut = 0x1p-7;
/// A float may lose a probability altogether only where it is smaller than this.
constexpr double kLeast = 1e-30;

/// sums[i] = sum_y p(y) d_i(y) for the vectors of one block; returns the largest of each eighth of
/// them.
template <int kGroups>
simd::Vec weigh(const float* block, std::span<const float> p, const std::uint32_t* state,
                float* sums) {
  std::array<simd::Vec, kGroups> sum{};
  for (std::size_t t = 0; t < p.size(); ++t) {
    const float* row = block + static_cast<std::size_t>(state[t]) * (kGroups * kWidth);
    const simd::Vec weight = simd::broadcast(p[t]);
    for (int g = 0; g < kGroups; ++g) {
      sum[g] = simd::fma(simd::load(row + g * kWidth), weight, sum[g]);
    }
  }
  simd::Vec top = sum[0];
  for (int g = 0; g < kGroups; ++g) {
    if (sums != nullptr) simd::store(sums + g * kWidth, sum[g]);
    top = simd::max(sum[g], top);
  }
  return top;
}

constexpr std::array kWeigh{&weigh<1>, &weigh<2>, &weigh<3>, &weigh<4>,
                            &weigh<5>, &weigh<6>, &weigh<7>, &weigh<8>};
static_assert(kWeigh.size() == kMostGroups);

}  // namespace

void BeliefBatch::clear() {
  asked_.clear();
  p_.clear();
  state_.clear();
}

void BeliefBatch::add(int key, std::span<const double> b) {
  const std::size_t first = p_.size();
  std::size_t end = first;
  p_.resize(first + b.size());
  state_.resize(first + b.size());
  for (std::uint32_t y = 0; y < b.size(); ++y) {
    p_[end] = b[y];
    state_[end] = y;
    end += b[y] != 0.0;
  }
  p_.resize(end);
  state_.resize(end);
  asked_.push_back({.key = key, .first = first, .count = end - first});
}

VectorBlocks::VectorBlocks(const VectorSets& vectors)
    : vectors_(vectors), hidden_(vectors.hidden()), keys_(vectors.keys()) {
  std::size_t size = 0;
  for (int key = 0; key < vectors.keys(); ++key) {
    keys_[key] = {size, simd::round_up(vectors.size(key))};
    size += static_cast<std::size_t>(keys_[key].padded) * hidden_;
    most_blocks_ = std::max(most_blocks_, blocks(key));
  }
  values_.assign(size, kNoVector);
  errors_.resize(static_cast<std::size_t>(vectors.keys()) * hidden_);
  for (int key = 0; key < vectors.keys(); ++key) lay_out(key);
}

int VectorBlocks::blocks(int key) const { return (keys_[key].padded + kBlock - 1) / kBlock; }

void VectorBlocks::lay_out(int key) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const int n = vectors_.size(key);
  std::vector<double> least(hidden_, kInfinity), most(hidden_, -kInfinity);
  for (int i = 0; i < n; ++i) {
    const auto alpha = vectors_.vector(key, i);
    for (int y = 0; y < hidden_; ++y) {
      least[y] = std::min(least[y], alpha[y]);
      most[y] = std::max(most[y], alpha[y]);
    }
  }
  const auto middle = [&](int y) { return 0.5 * least[y] + 0.5 * most[y]; };
  double widest = 0.0;
  for (int y = 0; y < hidden_; ++y) widest = std::max(widest, most[y] - middle(y));
  // A power of two changes no digit and keeps floats away from their limits.
  constexpr double kMostExponent = 1000.0;
  const double exponent = widest > 0.0 ? std::ceil(std::log2(widest)) : 0.0;
  const double scale = std::exp2(-std::clamp(exponent, -kMostExponent, kMostExponent));
  for (int y = 0; y < hidden_; ++y) {
    const double spread = std::max(most[y] - middle(y), middle(y) - least[y]);
    const double size = std::max(std::abs(least[y]), std::abs(most[y]));
    errors_[static_cast<std::size_t>(key) * hidden_ + y] =
        scale * (kFloatError * spread + kDoubleError * size);
  }
  for (int i = 0; i < n; ++i) {
    const int first = i / kBlock * kBlock;
    const std::size_t wide = std::min(kBlock, keys_[key].padded - first);
    float* to = values_.data() + keys_[key].first + static_cast<std::size_t>(first) * hidden_;
    const auto alpha = vectors_.vector(key, i);
    for (int y = 0; y < hidden_; ++y) {
      to[y * wide + (i - first)] = static_cast<float>(scale * (alpha[y] - middle(y)));
    }
  }
}

/// Finds, for each belief, its likely states in floats, how far those may be wrong, and its place
/// among the beliefs of its key.
void VectorBlocks::prepare(BeliefBatch& batch) const {
  batch.likely_p_.resize(batch.p_.size());
  batch.likely_state_.resize(batch.p_.size());
  std::size_t end = 0;
  batch.tops_.resize(static_cast<std::size_t>(batch.size()) * most_blocks_);
  batch.by_key_.resize(batch.size());
  std::iota(batch.by_key_.begin(), batch.by_key_.end(), 0);
  std::sort(batch.by_key_.begin(), batch.by_key_.end(),
            [&](int i, int j) { return batch.asked_[i].key < batch.asked_[j].key; });
  for (BeliefBatch::Asked& a : batch.asked_) {
    const double* errors = errors_.data() + static_cast<std::size_t>(a.key) * hidden_;
    const BeliefView b = batch.view(a);
    const double unlikely = kLeftOut / static_cast<double>(a.count);
    double error = 0.0, left_out = 0.0;
    a.from = end;
    for (std::size_t t = 0; t < a.count; ++t) {
      const double e = (b.p[t] + kLeast) * errors[b.index[t]];
      error += e;
      const bool likely = b.p[t] >= unlikely;
      batch.likely_p_[end] = static_cast<float>(b.p[t]);
      batch.likely_state_[end] = b.index[t];
      end += likely;
      left_out += likely ? 0.0 : e;
    }
    a.likely = end - a.from;
    a.slack = error * static_cast<double>(a.count + 4) + 2.0 * left_out / kFloatError + kLeast;
    a.most = -std::numeric_limits<float>::infinity();
  }
}

float VectorBlocks::add_up(int key, int block, const BeliefBatch& batch, int i, float* sums) const {
  const BeliefBatch::Asked& a = batch.asked_[i];
  const int first = block * kBlock, groups = std::min(kBlock, keys_[key].padded - first) / kWidth;
  const simd::Vec top = kWeigh[groups - 1](
      values_.data() + keys_[key].first + static_cast<std::size_t>(first) * hidden_,
      std::span(batch.likely_p_).subspan(a.from, a.likely), batch.likely_state_.data() + a.from,
      sums);
  float most = top[0];
  for (int k = 1; k < kWidth; ++k) most = std::max(most, top[k]);
  return most;
}

void VectorBlocks::find_best(BeliefBatch& batch) const {
  prepare(batch);
  const std::vector<int>& order = batch.by_key_;
  for (auto from = order.begin(), to = from; from != order.end(); from = to) {
    const int key = batch.asked_[*from].key;
    to = std::find_if(from, order.end(), [&](int i) { return batch.asked_[i].key != key; });
    for (int block = 0; block < blocks(key); ++block) {
      for (auto i = from; i != to; ++i) {
        const float top = add_up(key, block, batch, *i, nullptr);
        batch.tops_[static_cast<std::size_t>(*i) * most_blocks_ + block] = top;
        batch.asked_[*i].most = std::max(batch.asked_[*i].most, top);
      }
    }
  }
  for (int i = 0; i < batch.size(); ++i) decide(batch, i);
}

/// In doubles, among the vectors that floats leave, in their order.
void VectorBlocks::decide(BeliefBatch& batch, int i) const {
  BeliefBatch::Asked& a = batch.asked_[i];
  // Rounded downwards, so that a comparison of floats drops none.
  const float enough =
      std::nextafter(static_cast<float>(a.most - a.slack), -std::numeric_limits<float>::infinity());
  const float* tops = batch.tops_.data() + static_cast<std::size_t>(i) * most_blocks_;
  alignas(32) std::array<float, kBlock> sums;
  for (int block = 0; block < blocks(a.key); ++block) {
    if (tops[block] < enough) continue;
    add_up(a.key, block, batch, i, sums.data());
    const int first = block * kBlock, end = std::min(first + kBlock, vectors_.size(a.key));
    for (int v = first; v < end; ++v) {
      if (sums[v - first] < enough) continue;
      const double value = inner(vectors_.vector(a.key, v), batch.view(a));
      if (a.best.index < 0 || value > a.best.value) a.best = {v, value};
    }
  }
}

}  // namespace bpo
