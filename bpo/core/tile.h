// A tile: 64 lanes that one thread advances together, one episode each. A lane's features are
// contiguous; the networks turn the lanes they have not seen yet into feature-major blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bpo {

inline constexpr int kLanes = 64;

class Tile {
 public:
  explicit Tile(int dim = 0) : dim_(dim), data_(static_cast<std::size_t>(kLanes) * dim) {}

  int dim() const { return dim_; }
  std::span<float> operator[](int lane) { return {data_.data() + offset(lane), size()}; }
  std::span<const float> operator[](int lane) const {
    return {data_.data() + offset(lane), size()};
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(dim_); }
  std::size_t offset(int lane) const { return static_cast<std::size_t>(lane) * size(); }

  int dim_;
  std::vector<float> data_;
};

/// One action per lane: an index where actions are discrete, a row of `box` where they are not.
struct Actions {
  explicit Actions(int box_dim = 0) : box(box_dim) {}
  std::array<int, kLanes> index{};
  Tile box;
};

}  // namespace bpo
