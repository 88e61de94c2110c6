// Beliefs over hidden states, dense or as rows of (index, probability), and a pool that keeps them
// one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpo/core/wire.h"
#include "bpo/planners/point_based/model.h"

namespace bpo {

/// A belief that somebody else keeps; one without indices is dense.
struct BeliefView {
  std::span<const double> p;
  std::span<const std::uint32_t> index;

  bool dense() const { return index.empty(); }
  double work() const { return static_cast<double>(p.size()); }
};

double inner(std::span<const double> alpha, const BeliefView& b);

/// A belief that is being made: b M of one that is there. It is sparse where that pays.
class BeliefScratch {
 public:
  explicit BeliefScratch(int hidden) : dense_(hidden) {}

  /// Takes in b M, normalised, and returns its probability; 0: nothing was taken in.
  double advance(const StepMatrix& m, const BeliefView& b);
  BeliefView view() const {
    return {index_.empty() ? std::span<const double>(dense_) : packed_, index_};
  }
  /// A hash that beliefs share if they differ by the noise of rounding, and in practice no others.
  std::uint64_t hash(int key) const;

 private:
  void pack();

  std::vector<double> dense_, packed_;
  std::vector<std::uint32_t> index_;
  bool clean_ = true;  // dense_ is zero
};

class BeliefPool {
 public:
  int add(const BeliefView& b);
  BeliefView view(int i) const {
    const Place& place = places_[i];
    const std::span<const double> p{p_.data() + place.first, place.count};
    if (place.index == kDense) return {p, {}};
    return {p, {index_.data() + place.index, place.count}};
  }
  int size() const { return static_cast<int>(places_.size()); }
  double bytes() const {
    return 8.0 * p_.size() + 4.0 * index_.size() + sizeof(Place) * places_.size();
  }
  void visit(Wire& wire) {
    wire(places_);
    wire(p_);
    wire(index_);
  }

 private:
  static constexpr std::uint64_t kDense = ~std::uint64_t{0};
  struct Place {
    std::uint64_t first = 0, index = kDense, count = 0;
  };
  std::vector<Place> places_;
  std::vector<double> p_;
  std::vector<std::uint32_t> index_;
};

}  // namespace bpo
