#include "bpo/planners/point_based/beliefs.h"

#include <algorithm>

namespace bpo {
namespace {

/// A belief over fewer than this share of the hidden states is kept sparse.
constexpr double kSparseShare = 0.25;
/// Equal beliefs that were reached on different ways differ by the noise of rounding only, which
/// is far below a grain of probability.
constexpr double kGrain = 0x1p30;

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h = (h ^ word) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 31);
}

}  // namespace

double inner(std::span<const double> alpha, const BeliefView& b) {
  if (b.dense()) return inner(alpha, b.p);
  double even = 0.0, odd = 0.0;
  std::size_t i = 0;
  for (; i + 2 <= b.p.size(); i += 2) {
    even += alpha[b.index[i]] * b.p[i];
    odd += alpha[b.index[i + 1]] * b.p[i + 1];
  }
  if (i < b.p.size()) even += alpha[b.index[i]] * b.p[i];
  return even + odd;
}

double BeliefScratch::advance(const StepMatrix& m, const BeliefView& b) {
  if (!clean_) {
    if (index_.empty()) {
      std::fill(dense_.begin(), dense_.end(), 0.0);
    } else {
      for (const std::uint32_t y : index_) dense_[y] = 0.0;
    }
  }
  clean_ = false;
  index_.clear();
  double sum = 0.0;
  if (b.dense()) {
    sum = m.forward(b.p, dense_);
  } else {
    for (std::size_t k = 0; k < b.p.size(); ++k) {
      const std::uint32_t y = b.index[k];
      if (m.diagonal) {
        dense_[y] = b.p[k] * m.value[y];
        sum += dense_[y];
        if (dense_[y] > 0.0) index_.push_back(y);
        continue;
      }
      for (std::uint32_t i = m.start[y]; i < m.start[y + 1]; ++i) {
        const double p = b.p[k] * m.value[i];
        if (dense_[m.column[i]] == 0.0 && p > 0.0) index_.push_back(m.column[i]);
        dense_[m.column[i]] += p;
        sum += p;
      }
    }
    std::sort(index_.begin(), index_.end());
  }
  if (!(sum > 0.0)) return 0.0;
  const double scale = 1.0 / sum;
  if (b.dense()) {
    for (double& p : dense_) p *= scale;
    pack();
  } else {
    for (const std::uint32_t y : index_) dense_[y] *= scale;
    if (static_cast<double>(index_.size()) >= kSparseShare * dense_.size()) {
      index_.clear();
    } else {
      packed_.clear();
      for (const std::uint32_t y : index_) packed_.push_back(dense_[y]);
    }
  }
  return sum;
}

/// From dense to sparse, where few entries are left.
void BeliefScratch::pack() {
  const auto zeros = std::count(dense_.begin(), dense_.end(), 0.0);
  const auto left = static_cast<double>(dense_.size() - zeros);
  if (left >= kSparseShare * dense_.size()) return;
  packed_.clear();
  for (std::uint32_t y = 0; y < dense_.size(); ++y) {
    if (dense_[y] == 0.0) continue;
    index_.push_back(y);
    packed_.push_back(dense_[y]);
  }
}

std::uint64_t BeliefScratch::hash(int key) const {
  std::uint64_t h = mix(0x243F6A8885A308D3ULL, static_cast<std::uint64_t>(key));
  const auto take = [&](std::uint64_t y, double p) {
    const auto grains = static_cast<std::uint64_t>(p * kGrain + 0.5);
    if (grains != 0) h = mix(h, (y << 32) ^ grains);
  };
  if (index_.empty()) {
    for (std::size_t y = 0; y < dense_.size(); ++y) take(y, dense_[y]);
  } else {
    for (std::size_t i = 0; i < index_.size(); ++i) take(index_[i], packed_[i]);
  }
  return h;
}

int BeliefPool::add(const BeliefView& b) {
  places_.push_back({p_.size(), b.dense() ? kDense : index_.size(), b.p.size()});
  p_.insert(p_.end(), b.p.begin(), b.p.end());
  index_.insert(index_.end(), b.index.begin(), b.index.end());
  return size() - 1;
}

}  // namespace bpo
