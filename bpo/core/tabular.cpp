#include "bpo/core/tabular.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr double kMostStates = 2e6, kSumTolerance = 1e-9;

void check_row(std::span<const SparseRows::Entry> row, int columns, const std::string& where) {
  double sum = 0.0;
  for (const auto& [column, value] : row) {
    if (column < 0 || column >= columns) {
      throw bad_input(fmt::format("{}: leads to {} of {}", where, column, columns));
    }
    if (!(value >= 0.0)) {
      throw bad_input(fmt::format("{}: {} is not a probability", where, value));
    }
    sum += value;
  }
  if (!(std::abs(sum - 1.0) <= kSumTolerance)) {
    throw bad_input(fmt::format("{}: the probabilities sum to {}, not 1", where, sum));
  }
}

void check_rows(const std::vector<SparseRows>& by_action, const TabularModel& model, int columns,
                const std::string& where) {
  if (std::ssize(by_action) != model.actions) {
    throw bad_input(
        fmt::format("{}: tables of {} actions, not {}", where, by_action.size(), model.actions));
  }
  for (int a = 0; a < model.actions; ++a) {
    if (by_action[a].rows() != model.states) {
      throw bad_input(fmt::format("{} of action {}: {} rows, not {}", where, a, by_action[a].rows(),
                                  model.states));
    }
    for (int s = 0; s < model.states; ++s) {
      check_row(by_action[a].row(s), columns, fmt::format("{}, action {}, state {}", where, a, s));
    }
  }
}

}  // namespace

void SparseRows::add_row(std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.value != 0.0) entries_.push_back(entry);
  }
  start_.push_back(entries_.size());
}

void check_states(double states, const std::string& option) {
  if (states <= kMostStates) return;
  throw bad_input(fmt::format("{}: a table of {:.0f} states is too large; at most {:.0f}", option,
                              states, kMostStates));
}

void check(const TabularModel& model, const std::string& name) {
  if (model.visible < 1 || model.states % model.visible != 0) {
    throw bad_input(fmt::format("{}: {} states are not pairs with one of {} visible values", name,
                                model.states, model.visible));
  }
  check_rows(model.transition, model, model.states, name + ": transition");
  check_rows(model.observation, model, model.observations, name + ": observation");
  if (std::ssize(model.initial) != model.states) {
    throw bad_input(fmt::format("{}: an initial belief over {} states, not {}", name,
                                model.initial.size(), model.states));
  }
  for (const double p : model.initial) {
    if (!(p >= 0.0)) throw bad_input(fmt::format("{}: initial belief: {}", name, p));
  }
  const double sum = std::accumulate(model.initial.begin(), model.initial.end(), 0.0);
  if (!(std::abs(sum - 1.0) <= kSumTolerance)) {
    throw bad_input(fmt::format("{}: the initial belief sums to {}, not 1", name, sum));
  }
  if (model.reward.size() != static_cast<std::size_t>(model.states) * model.actions) {
    throw bad_input(fmt::format("{}: {} rewards, not states x actions", name, model.reward.size()));
  }
  for (const double r : model.reward) {
    if (!std::isfinite(r)) throw bad_input(name + ": a reward is not finite");
  }
}

}  // namespace bpo
