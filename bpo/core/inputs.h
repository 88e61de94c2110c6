// The distinct inputs of a policy. Where evidence is discrete, thousands of steps see a handful of
// distinct (observation, belief) pairs, and fewer distinct observations and beliefs; a network
// needs to see each only once. Where inputs never repeat, the sets notice and stop looking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bpo {

/// Assigns 0, 1, 2, ... to keys as they first appear; open addressing on hash and equality.
class HashIndex {
 public:
  HashIndex() : slots_(64, {0, -1}) {}

  /// The id for which same(id) holds among those with this hash, or `fresh` once it is stored.
  template <class Same>
  int find_or_add(std::uint64_t hash, int fresh, Same same) {
    if (2 * static_cast<std::size_t>(used_) >= slots_.size()) grow();
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.id < 0) {
        slot = {hash, fresh};
        ++used_;
        return fresh;
      }
      if (slot.hash == hash && same(slot.id)) return slot.id;
    }
  }
  void clear();

 private:
  struct Slot {
    std::uint64_t hash;
    int id;
  };
  void grow();

  std::vector<Slot> slots_;
  int used_ = 0;
};

/// Distinct columns of `dim` floats; equality is equality of bits.
class ColumnSet {
 public:
  explicit ColumnSet(int dim = 0) : dim_(dim) {}

  int dim() const { return dim_; }
  int size() const { return size_; }
  const float* data() const { return data_.data(); }
  const float* operator[](int i) const { return data_.data() + static_cast<std::size_t>(i) * dim_; }

  int insert(const float* column);
  /// Adds it without looking whether it is there.
  int append(const float* column);
  /// insert() until over nine in ten of the first thousand or so were new, append() from then on.
  int add(const float* column) { return pointless() ? append(column) : insert(column); }
  bool pointless() const { return calls_ >= 1024 && 10LL * size_ > 9LL * calls_; }
  void clear();
  /// The columns alone: whoever reads them may look at them, and adds none.
  void visit(auto& wire) {
    wire(size_);
    wire(data_);
  }

 private:
  int dim_;
  int size_ = 0;
  std::int64_t calls_ = 0;
  std::vector<float> data_;
  HashIndex index_;
};

/// Pairs over two sets of columns, as a network sees them.
struct InputView {
  const ColumnSet& states;
  const ColumnSet& beliefs;
  const std::vector<int>& state_of;
  const std::vector<int>& belief_of;

  int size() const { return static_cast<int>(state_of.size()); }
};

/// Distinct (observation, belief) pairs over distinct observations and beliefs.
class Inputs {
 public:
  Inputs(int state_dim, int belief_dim) : states(state_dim), beliefs(belief_dim) {}

  int size() const { return static_cast<int>(state_of.size()); }
  /// The pair's number; `o` and `b` may be null where their dimension is 0.
  int add(const float* o, const float* b) { return pair(states.add(o), beliefs.add(b)); }
  int pair(int state, int belief);
  /// Becomes the chosen pairs of another set, in that order.
  void select(const InputView& from, const std::vector<int>& pairs);
  InputView view() const { return {states, beliefs, state_of, belief_of}; }
  void clear();
  /// Saves and loads like ColumnSet::visit().
  void visit(auto& wire) {
    wire(states);
    wire(beliefs);
    wire(state_of);
    wire(belief_of);
  }

  ColumnSet states, beliefs;
  std::vector<int> state_of, belief_of;

 private:
  HashIndex index_;
};

/// Copies pairs of one set into another as somebody asks for them, each column once. It always
/// looks for equal ones there: what there is twice depends on which thread saw what, and the result
/// must not. Neither set may change otherwise meanwhile.
class Transfer {
 public:
  explicit Transfer(const InputView& from);
  /// The number in `to` of a pair of the other set.
  int number(int pair, Inputs& to) { return pair_[pair] >= 0 ? pair_[pair] : copy(pair, to); }

 private:
  int copy(int pair, Inputs& to);
  InputView from_;
  std::vector<int> pair_, state_, belief_;  // by number in the other set; -1: not asked for yet
};

}  // namespace bpo
