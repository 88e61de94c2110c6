// What a reader makes of a file that holds a finite problem: the tables, and remarks on what is
// wrong or was put right, with their places. Whoever wants to use the tables asks usable().
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/tabular.h"

namespace bpo {

struct Place {
  std::size_t line = 1, column = 1;
};
/// Where a byte of a text is; a byte order mark has no width.
Place place_of(std::string_view text, std::size_t at);

struct Remark {
  Place place;
  bool wrong = false;  // otherwise it was put right
  std::string text;
};

/// Probabilities that miss one by rounding are scaled to sum to one.
enum class RowSum { kOne, kRounded, kWrong };
RowSum settle(std::span<SparseRows::Entry> row, double& sum);

struct FileTables {
  TabularModel model;           // whole only if nothing is wrong
  std::vector<Remark> remarks;  // the first hundred
  std::size_t wrong = 0, put_right = 0;

  /// `place` and `text` are functions, for what is not kept needs neither.
  template <class PlaceOf, class Text>
  void add(bool is_wrong, const PlaceOf& place, const Text& text) {
    ++(is_wrong ? wrong : put_right);
    if (remarks.size() < 100) remarks.push_back({place(), is_wrong, text()});
  }
  /// Settles a row and remarks on it where that is due; `where` names it.
  template <class PlaceOf, class Where>
  void settle_row(std::span<SparseRows::Entry> row, const PlaceOf& place, const Where& where) {
    double sum = 0.0;
    const RowSum found = settle(row, sum);
    if (found == RowSum::kOne) return;
    const bool is_wrong = found == RowSum::kWrong;
    add(is_wrong, place, [&] {
      return fmt::format("{}: the probabilities sum to {}, not 1{}", where(), sum,
                         is_wrong ? "" : "; they were scaled");
    });
  }
};

/// The tables, or bad_input with the first thing that is wrong.
TabularModel usable(FileTables tables, const std::string& file);

/// "maze.pomdp:3:8: what".
Error bad_place(const std::string& file, Place place, const std::string& what);

/// What a file may ask for, checked before memory is.
struct TableLimits {
  double states = 2e6;
  double pairs = 2e7;    // pairs of a state and an action
  double numbers = 4e7;  // numbers of one kind that are not zero
  double names = 5e8;    // bytes of all names

  double actions() const { return states / 10.0; }
  double often() const { return 10.0 * numbers; }  // what only takes time
};

/// Larger rewards are taken for mistakes; sums of these stay finite.
inline constexpr double kMostReward = 1e100;

/// Combinations of a state, a next one and an observation that are possible under an action.
double combinations(const SparseRows& transition, const SparseRows& observation);
double combinations(const TabularModel& m);
/// Says that rewards cannot be summed over so many.
std::string too_many_rewards(double combinations, const TableLimits& limits);

/// The expected reward r(s, a), of rewards of steps: by(s, a, s', o), called for what is possible;
/// or, where none depends on what is observed, without a sum over that, which rounds otherwise.
template <class StepReward>
std::vector<double> expected_rewards(const TabularModel& m, bool over_observations,
                                     const StepReward& by) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(m.states) * m.actions);
  for (int s = 0; s < m.states; ++s) {
    for (int a = 0; a < m.actions; ++a) {
      double sum = 0.0;
      for (const auto& [next, p] : m.transition[a].row(s)) {
        if (!over_observations) {
          sum += p * by(s, a, next, 0);
          continue;
        }
        for (const auto& [o, q] : m.observation[a].row(next)) sum += p * q * by(s, a, next, o);
      }
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace bpo
