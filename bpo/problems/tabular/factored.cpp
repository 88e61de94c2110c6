#include "bpo/problems/tabular/factored.h"

#include <algorithm>

namespace bpo {
namespace {

using Kind = VariableRef::Kind;

/// The values of all variables around one step.
struct Step {
  std::vector<int> before, after, sight;

  int value(const VariableRef& ref) const {
    const auto& of = ref.kind == Kind::kBefore ? before : ref.kind == Kind::kAfter ? after : sight;
    return of[ref.index];
  }
};

/// Goes through what is possible, variable by variable.
class Combiner {
 public:
  Combiner(const FactoredModel& model, const TableLimits& limits, const std::string& where)
      : model_(model),
        seen_(model.state, true),
        hidden_(model.state, false),
        sights_(model.sight),
        limits_(limits),
        where_(where) {
    at_.before.resize(model.state.size());
    at_.after.resize(model.state.size());
    at_.sight.resize(model.sight.size());
    move_order_ = parents_first(model.transition, Kind::kAfter);
    sight_order_ = parents_first(model.observation, Kind::kSight);
    start_order_ = parents_first(model.initial, Kind::kBefore);
  }

  TabularModel combine() {
    const double states = seen_.size() * hidden_.size(), actions = model_.action.size();
    check_sizes(states, actions, sights_.size(), limits_, where_);
    const double names = seen_.name_bytes(model_.state) + hidden_.name_bytes(model_.state) +
                         sights_.name_bytes(model_.sight);
    if (names > limits_.names) {
      throw bad_input(
          fmt::format("{}: the names of all combinations would take {:.0f} MB, {:.0f} are the "
                      "limit; shorter names of variables and values help",
                      where_, 1e-6 * names, 1e-6 * limits_.names));
    }
    m_ = {.states = static_cast<int>(states),
          .actions = model_.action.size(),
          .observations = static_cast<int>(sights_.size()),
          .visible = static_cast<int>(seen_.size()),
          .discount = model_.discount,
          .horizon = model_.horizon,
          .transition = std::vector<SparseRows>(model_.action.size()),
          .observation = std::vector<SparseRows>(model_.action.size()),
          .initial = std::vector<double>(static_cast<std::size_t>(states))};
    m_.names = {seen_.names(model_.state), hidden_.names(model_.state), model_.action.values,
                sights_.names(model_.sight)};
    m_.reward.resize(static_cast<std::size_t>(m_.states) * m_.actions);
    go_through(0, start_order_, model_.initial, Kind::kBefore, 0, 1.0,
               [&](double p) { m_.initial[state(at_.before)] += p; });
    for (int a = 0; a < m_.actions; ++a) add_action(a);
    return std::move(m_);
  }

 private:
  int state(std::span<const int> values) const {
    return seen_.index(values) * m_.hidden() + hidden_.index(values);
  }
  void set_state(int s, std::span<int> values) const {
    seen_.values(s / m_.hidden(), values);
    hidden_.values(s % m_.hidden(), values);
  }

  /// Calls each(p) for every way the variables from the i-th of `order` on can turn out.
  template <class Each>
  void go_through(std::size_t i, const std::vector<int>& order,
                  const std::vector<FactorTable>& tables, Kind kind, int a, double p,
                  const Each& each) {
    if (i == order.size()) return each(p);
    std::vector<int>& to = kind == Kind::kBefore  ? at_.before
                           : kind == Kind::kAfter ? at_.after
                                                  : at_.sight;
    const int variable = order[i];
    for (const auto& [value, q] : row(tables[variable].of(a))) {
      to[variable] = value;
      go_through(i + 1, order, tables, kind, a, p * q, each);
    }
  }
  std::span<const SparseRows::Entry> row(const FactorTable::Case& of) const {
    int index = 0;
    for (const VariableRef& ref : of.parents) {
      index = index * model_.variable(ref).size() + at_.value(ref);
    }
    return of.rows.row(index);
  }

  void add_action(int a) {
    for (int s = 0; s < m_.states; ++s) {
      set_state(s, at_.after);
      entries_.clear();
      go_through(0, sight_order_, model_.observation, Kind::kSight, a, 1.0, [&](double p) {
        entries_.push_back({sights_.index(at_.sight), p});
      });
      add_row(m_.observation[a]);
    }
    const bool by_sight = rewards_see(a, Kind::kSight);
    const bool ahead = by_sight || rewards_see(a, Kind::kAfter);
    for (int s = 0; s < m_.states; ++s) {
      set_state(s, at_.before);
      entries_.clear();
      go_through(0, move_order_, model_.transition, Kind::kAfter, a, 1.0, [&](double p) {
        entries_.push_back({state(at_.after), p});
      });
      add_row(m_.transition[a]);
      if (!ahead) reward(s, a) = reward_here(a);
    }
    if (ahead) look_ahead(a, by_sight);
  }

  void look_ahead(int a, bool by_sight) {
    sums_ += combinations(m_.transition[a], m_.observation[a]);
    // Tables that are small have their sums over observations whether they need them or not.
    const bool few = sums_ <= limits_.often();
    if (!few && by_sight) throw bad_input(where_ + ": " + too_many_rewards(sums_, limits_));
    for (int s = 0; s < m_.states; ++s) {
      set_state(s, at_.before);
      go_through(0, move_order_, model_.transition, Kind::kAfter, a, 1.0, [&](double p) {
        if (!few) {
          reward(s, a) += p * reward_here(a);
          return;
        }
        for (const auto& [o, q] : m_.observation[a].row(state(at_.after))) {
          sights_.values(o, at_.sight);
          reward(s, a) += p * q * reward_here(a);
        }
      });
    }
  }

  double& reward(int s, int a) { return m_.reward[static_cast<std::size_t>(s) * m_.actions + a]; }
  bool rewards_see(int a, Kind kind) const {
    for (const FactorTable& table : model_.rewards) {
      for (const VariableRef& ref : table.of(a).parents) {
        if (ref.kind == kind) return true;
      }
    }
    return false;
  }
  double reward_here(int a) const {
    double sum = 0.0;
    for (const FactorTable& table : model_.rewards) {
      for (const auto& [column, value] : row(table.of(a))) sum += value;
    }
    return sum;
  }
  void add_row(SparseRows& to) {
    const auto by_column = [](const auto& x, const auto& y) { return x.column < y.column; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), by_column)) {
      std::sort(entries_.begin(), entries_.end(), by_column);
    }
    numbers_ += static_cast<double>(entries_.size());
    if (numbers_ > limits_.numbers) {
      throw bad_input(
          fmt::format("{}: more than {:.0f} probabilities are not zero", where_, limits_.numbers));
    }
    to.add_row(entries_);
  }

  const FactoredModel& model_;
  Combined seen_, hidden_, sights_;
  const TableLimits& limits_;
  const std::string& where_;
  std::vector<int> move_order_, sight_order_, start_order_;
  Step at_;
  std::vector<SparseRows::Entry> entries_;
  double numbers_ = 0.0, sums_ = 0.0;
  TabularModel m_;
};

}  // namespace

Combined::Combined(const std::vector<Variable>& all) {
  for (int i = 0; i < std::ssize(all); ++i) {
    digits_.push_back({i, all[i].size()});
    size_ *= all[i].size();
  }
}

Combined::Combined(const std::vector<Variable>& all, bool seen) {
  for (int i = 0; i < std::ssize(all); ++i) {
    if (all[i].seen != seen) continue;
    digits_.push_back({i, all[i].size()});
    size_ *= all[i].size();
  }
}

int Combined::index(std::span<const int> values) const {
  int out = 0;
  for (const Digit& d : digits_) out = out * d.size + values[d.variable];
  return out;
}

void Combined::values(int index, std::span<int> out) const {
  for (std::size_t i = digits_.size(); i-- > 0;) {
    out[digits_[i].variable] = index % digits_[i].size;
    index /= digits_[i].size;
  }
}

std::vector<std::string> Combined::names(const std::vector<Variable>& all) const {
  if (digits_.empty()) return {};
  if (digits_.size() == 1) return all[digits_[0].variable].values;
  std::vector<std::string> out;
  std::vector<int> at(all.size());
  for (int i = 0; i < static_cast<int>(size_); ++i) {
    values(i, at);
    std::string name;
    for (const Digit& d : digits_) {
      const Variable& v = all[d.variable];
      name += fmt::format("{}{}={}", name.empty() ? "" : ",", v.name, v.values[at[d.variable]]);
    }
    out.push_back(std::move(name));
  }
  return out;
}

double Combined::name_bytes(const std::vector<Variable>& all) const {
  double bytes = 0.0;
  for (const Digit& d : digits_) {
    double values = 0.0;
    for (const std::string& value : all[d.variable].values) {
      values += static_cast<double>(value.size() + all[d.variable].name.size() + 2);
    }
    bytes += size_ / d.size * values;
  }
  return bytes;
}

void check_sizes(double states, double actions, double observations, const TableLimits& limits,
                 const std::string& where) {
  if (states <= limits.states && states * actions <= limits.pairs && actions <= limits.actions() &&
      observations <= limits.states) {
    return;
  }
  throw bad_input(fmt::format(
      "{}: {:.9g} states x {} actions and {:.9g} observations are too many: at most {:.0f} "
      "states, {:.0f} pairs of a state and an action, {:.0f} actions, {:.0f} observations",
      where, states, actions, observations, limits.states, limits.pairs, limits.actions(),
      limits.states));
}

std::vector<int> parents_first(const std::vector<FactorTable>& tables, Kind kind) {
  std::vector<int> out;
  std::vector<bool> done(tables.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < std::ssize(tables); ++i) {
      if (done[i]) continue;
      bool ready = true;
      for (const auto& c : tables[i].cases) {
        for (const VariableRef& ref : c.parents) ready &= ref.kind != kind || done[ref.index];
      }
      if (!ready) continue;
      done[i] = moved = true;
      out.push_back(i);
    }
  }
  if (out.size() != tables.size()) out.clear();
  return out;
}

TabularModel combine(const FactoredModel& model, const TableLimits& limits,
                     const std::string& where) {
  return Combiner(model, limits, where).combine();
}

}  // namespace bpo
