#include "bpo/problems/tabular/pomdp_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bpo/problems/tabular/file_names.h"

namespace bpo {
namespace {

using Row = std::span<const SparseRows::Entry>;

bool same(Row a, Row b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.column == y.column && x.value == y.value;
  });
}

class Writer {
 public:
  explicit Writer(const TabularModel& m)
      : m_(m),
        actions_(file_names(m.names.actions, "a", m.actions)),
        observations_(file_names(m.names.observations, "o", m.observations)) {
    if (!m.names.hidden.empty()) states_ = file_names(m.names.hidden, "s", m.states);
  }

  std::string write(const std::string& name) {
    put("# {}\n", name);
    if (m_.horizon > 0)
      put("# Episodes have {} steps, which this format cannot say.\n", m_.horizon);
    put("discount: {}\nvalues: reward\n", m_.discount);
    if (states_.empty()) {
      put("states: {}\n", m_.states);
    } else {
      put("states: {}\n", fmt::join(states_, " "));
    }
    put("actions: {}\nobservations: {}\n", fmt::join(actions_, " "), fmt::join(observations_, " "));
    start();
    for (int a = 0; a < m_.actions; ++a) {
      transitions(a);
      sights(a);
      rewards(a);
    }
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }
  std::string state(int s) const { return states_.empty() ? fmt::to_string(s) : states_[s]; }

  void start() {
    const auto at = std::find(m_.initial.begin(), m_.initial.end(), 1.0);
    if (m_.states > 1 && at != m_.initial.end()) {
      put("start: {}\n", state(static_cast<int>(at - m_.initial.begin())));
    } else {
      put("start: {}\n", fmt::join(m_.initial, " "));
    }
  }
  void transitions(int a) {
    bool stays = true;
    for (int s = 0; s < m_.states && stays; ++s) {
      const Row row = m_.transition[a].row(s);
      stays = row.size() == 1 && row[0].column == s && row[0].value == 1.0;
    }
    if (stays) return put("T: {} identity\n", actions_[a]);
    for (int s = 0; s < m_.states; ++s) {
      for (const auto& [next, p] : m_.transition[a].row(s)) {
        put("T: {} : {} : {} {}\n", actions_[a], state(s), state(next), p);
      }
    }
  }
  void sights(int a) {
    const auto put_row = [&](const std::string& where, Row row) {
      for (const auto& [o, p] : row) {
        put("O: {} : {} : {} {}\n", actions_[a], where, observations_[o], p);
      }
    };
    bool one = true;
    for (int s = 1; s < m_.states && one; ++s) {
      one = same(m_.observation[a].row(s), m_.observation[a].row(0));
    }
    if (one) return put_row("*", m_.observation[a].row(0));
    for (int s = 0; s < m_.states; ++s) put_row(state(s), m_.observation[a].row(s));
  }
  void rewards(int a) {
    const auto r = [&](int s) { return m_.reward[static_cast<std::size_t>(s) * m_.actions + a]; };
    bool one = true;
    for (int s = 1; s < m_.states && one; ++s) one = r(s) == r(0);
    if (one && r(0) != 0.0) put("R: {} : * : * : * {}\n", actions_[a], r(0));
    for (int s = 0; s < m_.states && !one; ++s) {
      if (r(s) != 0.0) put("R: {} : {} : * : * {}\n", actions_[a], state(s), r(s));
    }
  }

  const TabularModel& m_;
  std::vector<std::string> states_, actions_, observations_;
  std::string out_;
};

}  // namespace

TabularModel told_by_observations(const TabularModel& m) {
  if (m.visible == 1) return m;
  TabularModel out = m;
  out.visible = 1;
  // Pairs (x, o) that occur are numbered in order.
  std::vector<int> number(static_cast<std::size_t>(m.visible) * m.observations, -1);
  for (int a = 0; a < m.actions; ++a) {
    for (int s = 0; s < m.states; ++s) {
      for (const auto& [o, p] : m.observation[a].row(s)) {
        number[static_cast<std::size_t>(s / m.hidden()) * m.observations + o] = 0;
      }
    }
  }
  out.observations = 0;
  out.names.observations.clear();
  const bool named = !m.names.seen.empty() && !m.names.observations.empty();
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = out.observations++;
    if (named) {
      out.names.observations.push_back(m.names.seen[i / m.observations] + "." +
                                       m.names.observations[i % m.observations]);
    }
  }
  out.names.seen.clear();
  out.names.hidden.clear();
  std::vector<SparseRows::Entry> row;
  for (int a = 0; a < m.actions; ++a) {
    out.observation[a] = {};
    for (int s = 0; s < m.states; ++s) {
      row.clear();
      for (const auto& [o, p] : m.observation[a].row(s)) {
        row.push_back({number[static_cast<std::size_t>(s / m.hidden()) * m.observations + o], p});
      }
      out.observation[a].add_row(row);
    }
  }
  return out;
}

std::string pomdp_text(const TabularModel& model, const std::string& name) {
  return Writer(told_by_observations(model)).write(name);
}

}  // namespace bpo
