#include "bpo/core/inputs.h"

#include <algorithm>
#include <cstring>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

std::uint64_t hash_column(const float* column, int dim) {
  // Four independent chains: one chain of multiplications would wait for itself.
  std::uint64_t h[4] = {1, 2, 3, 4};
  int i = 0;
  for (; i + 8 <= dim; i += 8) {
    for (int k = 0; k < 4; ++k) {
      std::uint64_t word;
      std::memcpy(&word, column + i + 2 * k, sizeof(word));
      h[k] = (h[k] ^ word) * 0x9E3779B97F4A7C15ULL;
      h[k] ^= h[k] >> 29;
    }
  }
  for (; i < dim; ++i) {
    std::uint32_t word;
    std::memcpy(&word, column + i, sizeof(word));
    h[i % 4] = (h[i % 4] ^ word) * 0x9E3779B97F4A7C15ULL;
    h[i % 4] ^= h[i % 4] >> 29;
  }
  return derive_seed(h[0] + 3 * h[1] + 5 * h[2] + 7 * h[3], 0);
}

/// Memory for what is about to be indexed: if there is none, the index stays as it was.
template <class T>
void make_room(std::vector<T>& values, std::size_t more) {
  if (values.capacity() - values.size() >= more) return;
  values.reserve(std::max(2 * values.capacity(), values.size() + more));
}

}  // namespace

void HashIndex::clear() {
  slots_.assign(slots_.size(), {0, -1});
  used_ = 0;
}

void HashIndex::grow() {
  std::vector<Slot> old(2 * slots_.size(), {0, -1});
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id < 0) continue;
    std::size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].id >= 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

int ColumnSet::insert(const float* column) {
  ++calls_;
  if (dim_ == 0 && size_ == 1) return 0;
  make_room(data_, static_cast<std::size_t>(dim_));
  const int id = index_.find_or_add(hash_column(column, dim_), size_, [&](int other) {
    return std::memcmp((*this)[other], column, sizeof(float) * dim_) == 0;
  });
  return id == size_ ? append(column) : id;
}

int ColumnSet::append(const float* column) {
  data_.insert(data_.end(), column, column + dim_);
  return size_++;
}

void ColumnSet::clear() {
  size_ = 0;
  calls_ = 0;
  data_.clear();
  index_.clear();
}

int Inputs::pair(int state, int belief) {
  make_room(state_of, 1);
  make_room(belief_of, 1);
  // derive_seed() maps keys to hashes one to one: equal hashes are equal pairs.
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 32) | belief;
  const int id = index_.find_or_add(derive_seed(key, 1), size(), [](int) { return true; });
  if (id == size()) {
    state_of.push_back(state);
    belief_of.push_back(belief);
  }
  return id;
}

void Inputs::select(const InputView& from, const std::vector<int>& pairs) {
  clear();
  std::vector<int> state(from.states.size(), -1), belief(from.beliefs.size(), -1);
  const auto moved = [](int id, const ColumnSet& source, std::vector<int>& map, ColumnSet& to) {
    if (map[id] < 0) map[id] = to.append(source[id]);
    return map[id];
  };
  for (int i : pairs) {
    pair(moved(from.state_of[i], from.states, state, states),
         moved(from.belief_of[i], from.beliefs, belief, beliefs));
  }
}

void Inputs::clear() {
  states.clear();
  beliefs.clear();
  state_of.clear();
  belief_of.clear();
  index_.clear();
}

Transfer::Transfer(const InputView& from)
    : from_(from),
      pair_(from.state_of.size(), -1),
      state_(from.states.size(), -1),
      belief_(from.beliefs.size(), -1) {}

int Transfer::copy(int pair, Inputs& to) {
  const auto column = [](int id, const ColumnSet& from, std::vector<int>& known, ColumnSet& into) {
    if (known[id] < 0) known[id] = into.insert(from[id]);
    return known[id];
  };
  const int state = column(from_.state_of[pair], from_.states, state_, to.states);
  const int belief = column(from_.belief_of[pair], from_.beliefs, belief_, to.beliefs);
  return pair_[pair] = to.pair(state, belief);
}

}  // namespace bpo
