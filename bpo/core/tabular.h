// A finite problem as tables, for planners that enumerate it:
//   s' ~ T(s' | s, a),  o ~ O(o | a, s'),  r(s, a) in expectation.
// Mixed observability (Ong et al. 2010): a state is a pair (x, y), of which the agent always sees
// x,
//   s = x * (states / visible) + y,
// and its belief is over y alone. Where a latent is unknown, y is the latent's cell.
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

/// What files and figures call things; empty where nothing has a name. A state is named by its x,
/// where there are several, and its y.
struct TabularNames {
  std::vector<std::string> seen, hidden, actions, observations;
};

struct TabularModel {
  int states = 0, actions = 0, observations = 0;
  int visible = 1;  // values of x, seen at the start and after each step, beside o; 1: only o is
  double discount = 1.0;
  int horizon = 0;                      // steps per episode; 0 where it never ends
  std::vector<SparseRows> transition;   // by action: from s to s'
  std::vector<SparseRows> observation;  // by action: from s' to o
  std::vector<double> reward;           // states x actions
  std::vector<double> initial;          // over all states, before the first x is seen
  TabularNames names = {};

  int hidden() const { return states / visible; }  // values of y
};

/// A finite problem. Latents are the cells of its grid: the model is the one the agent believes in.
/// A policy for the tables reads PolicyInputs: `belief` is over y (a grid's has the marginals of
/// its factors), and where `visible` is not 1, `obs` begins with a one-hot of x.
template <class P>
concept HasTables = requires(const P& p) {
  { p.tabular() } -> std::same_as<TabularModel>;
};

/// Refuses more states than tables are good for; `option` is what makes them many.
void check_states(double states, const std::string& option);

/// Throws bad_input where a size, a sum of probabilities or a number is wrong, and says where.
void check(const TabularModel& model, const std::string& name);

}  // namespace bpo
