// Tables of a finite problem as those of two variables, x that is seen and y that is hidden:
//   P(x', y' | x, y, a) = P(x' | x, y, a) P(y' | x, y, x', a).
#include <algorithm>
#include <cmath>

#include "bpo/problems/tabular/file_names.h"
#include "bpo/problems/tabular/pomdpx_writer.h"

namespace bpo {
namespace {

using Kind = VariableRef::Kind;
using Entries = std::vector<SparseRows::Entry>;

class Splitter {
 public:
  explicit Splitter(const TabularModel& m) : m_(m), x_(m.visible > 1), y_(m.hidden() > 1 || !x_) {}

  FactoredModel split() {
    FactoredModel out{.discount = m_.discount, .horizon = m_.horizon};
    out.action = {"action", file_names(m_.names.actions, "a", m_.actions)};
    out.sight = {{"observation", file_names(m_.names.observations, "o", m_.observations)}};
    if (x_) {
      out.state.push_back(
          {x_ && y_ ? "seen" : "state", file_names(m_.names.seen, "s", m_.visible), true});
    }
    if (y_) {
      out.state.push_back(
          {x_ && y_ ? "hidden" : "state", file_names(m_.names.hidden, "s", m_.hidden()), false});
    }
    if (x_) out.initial.push_back({{{{}, start_x()}}, {0}});
    if (y_) out.initial.push_back(start_y());
    if (x_)
      out.transition.push_back(by_action(
          Kind::kBefore, [&](int a, int s) { return marginal(m_.transition[a].row(s)); }));
    if (y_) out.transition.push_back(move_y());
    out.observation.push_back(by_action(Kind::kAfter, [&](int a, int s) {
      const auto row = m_.observation[a].row(s);
      return Entries(row.begin(), row.end());
    }));
    out.rewards.push_back(by_action(Kind::kBefore, [&](int a, int s) {
      return Entries{{0, m_.reward[static_cast<std::size_t>(s) * m_.actions + a]}};
    }));
    return out;
  }

 private:
  std::vector<VariableRef> state(Kind kind) const {
    std::vector<VariableRef> out{{kind, 0}};
    if (x_ && y_) out.push_back({kind, 1});
    return out;
  }

  template <class RowOf>
  FactorTable by_action(Kind kind, const RowOf& row_of) const {
    FactorTable out;
    for (int a = 0; a < m_.actions; ++a) {
      FactorTable::Case c{state(kind), {}};
      for (int s = 0; s < m_.states; ++s) c.rows.add_row(row_of(a, s));
      out.cases.push_back(std::move(c));
      out.case_of.push_back(a);
    }
    return out;
  }

  /// P(x') of a row over states, in order of x'.
  Entries marginal(std::span<const SparseRows::Entry> row) const {
    Entries out;
    for (const auto& [next, p] : row) {
      const int x = next / m_.hidden();
      if (out.empty() || out.back().column != x) out.push_back({x, 0.0});
      out.back().value += p;
    }
    return out;
  }
  /// P(y' | x') of a row over states; anything where x' cannot be.
  Entries given(std::span<const SparseRows::Entry> row, int x) const {
    Entries out;
    double sum = 0.0;
    for (const auto& [next, p] : row) {
      if (next / m_.hidden() != x) continue;
      out.push_back({next % m_.hidden(), p});
      sum += p;
    }
    if (out.empty()) return {{0, 1.0}};
    for (auto& e : out) e.value = out.size() == 1 ? 1.0 : e.value / sum;
    return out;
  }

  /// Where y' depends on x' beyond x and y, x' is a parent too.
  FactorTable move_y() const {
    if (!x_) {
      return by_action(Kind::kBefore, [&](int a, int s) {
        const auto row = m_.transition[a].row(s);
        return Entries(row.begin(), row.end());
      });
    }
    FactorTable out;
    for (int a = 0; a < m_.actions; ++a) {
      FactorTable::Case alone{state(Kind::kBefore), {}}, with_x = alone;
      with_x.parents.push_back({Kind::kAfter, 0});
      bool apart = true;
      for (int s = 0; s < m_.states && apart; ++s) {
        const auto row = m_.transition[a].row(s);
        const Entries first = given(row, row[0].column / m_.hidden());
        for (const auto& [x, p] : marginal(row)) apart &= near(given(row, x), first);
        alone.rows.add_row(first);
      }
      for (int s = 0; s < m_.states && !apart; ++s) {
        for (int x = 0; x < m_.visible; ++x) with_x.rows.add_row(given(m_.transition[a].row(s), x));
      }
      out.cases.push_back(apart ? std::move(alone) : std::move(with_x));
      out.case_of.push_back(a);
    }
    return out;
  }
  static bool near(const Entries& a, const Entries& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.column == y.column && std::abs(x.value - y.value) < 1e-15;
    });
  }

  Entries start() const {
    Entries out;
    for (int s = 0; s < m_.states; ++s) {
      if (m_.initial[s] > 0.0) out.push_back({s, m_.initial[s]});
    }
    return out;
  }
  SparseRows start_x() const {
    SparseRows out;
    out.add_row(marginal(start()));
    return out;
  }
  FactorTable start_y() const {
    FactorTable out{{{{}, {}}}, {0}};
    if (!x_) {
      out.cases[0].rows.add_row(start());
      return out;
    }
    out.cases[0].parents = {{Kind::kBefore, 0}};
    for (int x = 0; x < m_.visible; ++x) out.cases[0].rows.add_row(given(start(), x));
    return out;
  }

  const TabularModel& m_;
  bool x_, y_;
};

}  // namespace

FactoredModel factored(const TabularModel& model) { return Splitter(model).split(); }

}  // namespace bpo
