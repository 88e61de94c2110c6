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

int Renumber::add(int id) {
  if (id >= static_cast<int>(number_.size())) {
    number_.resize(std::max<std::size_t>(id + 1, 2 * number_.size()), -1);
  }
  order_.push_back(id);
  return number_[id] = static_cast<int>(order_.size()) - 1;
}

void Renumber::clear() {
  for (int id : order_) number_[id] = -1;
  order_.clear();
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

std::vector<int> Inputs::merge(const PlainInputs& from) {
  const auto insert = [](const std::vector<float>& columns, int count, ColumnSet& to) {
    std::vector<int> number(count);
    for (int i = 0; i < count; ++i) {
      number[i] = to.insert(columns.data() + static_cast<std::size_t>(i) * to.dim());
    }
    return number;
  };
  const std::vector<int> state = insert(from.states, from.state_count, states);
  const std::vector<int> belief = insert(from.beliefs, from.belief_count, beliefs);
  std::vector<int> out(from.state_of.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = pair(state[from.state_of[i]], belief[from.belief_of[i]]);
  }
  return out;
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

PlainInputs Extract::take(const Inputs& from) {
  PlainInputs out;
  for (int i : pairs_.order()) {
    out.state_of.push_back(states_(from.state_of[i]));
    out.belief_of.push_back(beliefs_(from.belief_of[i]));
  }
  const auto copy = [](const ColumnSet& columns, Renumber& chosen, std::vector<float>& to) {
    const int count = static_cast<int>(chosen.order().size());
    to.reserve(static_cast<std::size_t>(count) * columns.dim());
    for (int i : chosen.order()) to.insert(to.end(), columns[i], columns[i] + columns.dim());
    chosen.clear();
    return count;
  };
  out.state_count = copy(from.states, states_, out.states);
  out.belief_count = copy(from.beliefs, beliefs_, out.beliefs);
  pairs_.clear();
  return out;
}

}  // namespace bpo
