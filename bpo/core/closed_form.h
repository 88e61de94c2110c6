// What an agent computes beside its network, as plain data: how an observation becomes the
// network's inputs, and a filter's update. A policy can then be written out for a machine that has
// none of this program. Where a filter needs more than tables and a few numbers, such as a
// simulator, there is no form of it.
#pragma once

#include <array>
#include <concepts>
#include <utility>
#include <variant>
#include <vector>

#include "bpo/core/tabular.h"

namespace bpo {

/// One input of a network: a number of the observation, less another where `minus` is one, or
/// whether that number is the index `equals`.
struct InputTerm {
  int number = 0, minus = -1, equals = -1;
};

/// Appends an input for each of the `count` values of an index.
inline void add_one_hot(std::vector<InputTerm>& terms, int number, int count) {
  for (int i = 0; i < count; ++i) terms.push_back({.number = number, .equals = i});
}
/// Appends the numbers from `first` on, as they are.
inline void add_copies(std::vector<InputTerm>& terms, int first, int count) {
  for (int i = 0; i < count; ++i) terms.push_back({.number = first + i});
}

/// The categorical filter of Eq. (2), whose evidence is of finitely many kinds (filters/grid.h).
struct GridForm {
  int factors = 0, cells = 0, kinds = 0, observations = 0, actions = 0;
  std::vector<double> prior;       // log-weights [factor][cell]
  std::vector<double> evidence;    // [kind][factor][cell]
  std::vector<double> values;      // [cell]
  std::vector<int> kind;           // [o][a][o']
  std::vector<int> move;           // [kind]: the transition that follows, or -1
  std::vector<double> transition;  // [transition][from][to]
};

/// A hidden state that moves by sparse tables (filters/discrete.h). Of the numbers of an
/// observation, `seen_at` is the state that is seen and `heard_at` what is heard; -1 if neither.
struct StateForm {
  TabularModel tables;
  int seen_at = -1, heard_at = -1, estimate_size = 0;
};

/// N(mean, variance I) over a place in a room: strides move it, and its measurement has the
/// standard deviation |x - light| / sqrt(2) + least_sd, or the one that the observation tells
/// (`leak`). By the extended Kalman filter (filters/ekf.h), or by moments (filters/moment.h).
struct LightForm {
  std::array<double, 2> mean{}, low{}, high{};
  double variance = 0.0, light = 0.0, least_sd = 0.0, longest = 0.0;
  bool leak = false, moment = false;
};

using FilterForm = std::variant<std::monostate, GridForm, StateForm, LightForm>;

struct ClosedForm {
  std::vector<InputTerm> inputs;  // without the clock; empty where they cannot be told so
  FilterForm filter;
};

/// A problem whose `encode` is such terms.
template <class P>
concept HasInputTerms = requires(const P& p) {
  { p.input_terms() } -> std::same_as<std::vector<InputTerm>>;
};

}  // namespace bpo
