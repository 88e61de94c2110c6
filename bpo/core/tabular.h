// A finite problem as tables, for planners that enumerate it:
//   s' ~ T(s' | s, a),  o ~ O(o | a, s'),  r(s, a) in expectation.
// Where a latent is unknown, a state is a pair of what is seen and the latent's cell.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bpo {

/// Rows of (column, value) pairs, added one after the other.
class SparseRows {
 public:
  struct Entry {
    int column = 0;
    double value = 0.0;
  };

  void add_row(std::span<const Entry> entries);
  int rows() const { return static_cast<int>(start_.size()) - 1; }
  std::span<const Entry> row(int i) const {
    return {entries_.data() + start_[i], start_[i + 1] - start_[i]};
  }

 private:
  std::vector<std::size_t> start_{0};
  std::vector<Entry> entries_;
};

struct TabularModel {
  int states = 0, actions = 0, observations = 0;
  double discount = 1.0;
  int horizon = 0;                      // steps per episode; 0 where it never ends
  std::vector<SparseRows> transition;   // by action: from s to s'
  std::vector<SparseRows> observation;  // by action: from s' to o
  std::vector<double> reward;           // states x actions
  std::vector<double> initial;          // the belief an episode begins with
};

/// A finite problem. Latents are the cells of its grid: the model is the one the agent believes in.
template <class P>
concept HasTables = requires(const P& p) {
  { p.tabular() } -> std::same_as<TabularModel>;
};

/// Refuses more states than tables are good for; `option` is what makes them many.
void check_states(double states, const std::string& option);

/// Throws bad_input where a size, a sum of probabilities or a number is wrong, and says where.
void check(const TabularModel& model, const std::string& name);

}  // namespace bpo
