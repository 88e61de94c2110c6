// A finite problem whose state is several variables, each of which moves by a table of its own:
//   P(s' | s, a) = prod_i P(s'_i | parents of s'_i),   likewise observations; rewards are a sum.
// Which parents matter may depend on the action. It is what POMDPX files hold; planners get its
// tables over all combinations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bpo/problems/tabular/file_tables.h"

namespace bpo {

struct Variable {
  std::string name;
  std::vector<std::string> values;
  bool seen = false;  // the agent always sees it

  int size() const { return static_cast<int>(values.size()); }
};

/// A variable of the state before or after a step, or one of the observation after it.
struct VariableRef {
  enum class Kind { kBefore, kAfter, kSight };
  Kind kind = Kind::kBefore;
  int index = 0;

  bool operator==(const VariableRef&) const = default;
};

/// P(variable | parents) or, with one column, a reward. A row is a combination of the parents, the
/// last of which changes fastest.
struct FactorTable {
  struct Case {
    std::vector<VariableRef> parents;
    SparseRows rows;
  };
  std::vector<Case> cases;
  std::vector<int> case_of;  // by action; of an initial belief, one entry

  const Case& of(int action) const { return cases[case_of[action]]; }
};

struct FactoredModel {
  double discount = 1.0;
  int horizon = 0;  // steps of an episode, which no format can say; 0: it goes on
  Variable action;
  std::vector<Variable> state, sight;
  // A table for each variable, whose parents are: of `initial` kBefore, of `transition` kBefore and
  // kAfter, of `observation` kAfter and kSight. None is its own ancestor.
  std::vector<FactorTable> initial, transition, observation;
  std::vector<FactorTable> rewards;  // any number of them

  const Variable& variable(const VariableRef& ref) const {
    return ref.kind == VariableRef::Kind::kSight ? sight[ref.index] : state[ref.index];
  }
};

/// Values of all variables of some kind as one number, the last variable changing fastest.
class Combined {
 public:
  explicit Combined(const std::vector<Variable>& all);
  Combined(const std::vector<Variable>& all, bool seen);
  double size() const { return size_; }
  int index(std::span<const int> values) const;
  void values(int index, std::span<int> out) const;
  /// "n=3,m=2"; a variable alone is named by its value.
  std::vector<std::string> names(const std::vector<Variable>& all) const;
  /// Bytes in all names, about.
  double name_bytes(const std::vector<Variable>& all) const;

 private:
  struct Digit {
    int variable, size;
  };
  std::vector<Digit> digits_;
  double size_ = 1.0;
};

/// Throws bad_input, opening with `where`, if tables over all combinations would be too large.
/// `observations`, too, is a product.
void check_sizes(double states, double actions, double observations, const TableLimits& limits,
                 const std::string& where);

/// An order in which no variable comes before its parents of its own kind; empty if there is none.
std::vector<int> parents_first(const std::vector<FactorTable>& tables, VariableRef::Kind kind);

/// Tables over all combinations, the variables that are seen making x. Throws bad_input, opening
/// with `where`, if they would be too large.
TabularModel combine(const FactoredModel& model, const TableLimits& limits,
                     const std::string& where);

}  // namespace bpo
