#include "bpo/problems/tabular/lint.h"

#include <algorithm>

namespace bpo {
namespace {

using Row = std::span<const SparseRows::Entry>;

bool same(const SparseRows& a, const SparseRows& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return x.column == y.column && x.value == y.value;
  };
  for (int i = 0; i < a.rows(); ++i) {
    const Row x = a.row(i), y = b.row(i);
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), equal)) return false;
  }
  return true;
}

std::vector<bool> reachable(const TabularModel& m) {
  std::vector<bool> out(m.states);
  std::vector<int> open;
  for (int s = 0; s < m.states; ++s) {
    if (m.initial[s] > 0.0) open.push_back(s);
  }
  for (const int s : open) out[s] = true;
  while (!open.empty()) {
    const int s = open.back();
    open.pop_back();
    for (int a = 0; a < m.actions; ++a) {
      for (const auto& [next, p] : m.transition[a].row(s)) {
        if (out[next]) continue;
        out[next] = true;
        open.push_back(next);
      }
    }
  }
  return out;
}

/// Which of two actions that move and show the same pays more: -1, 0 or 1; 2 if it depends.
int compare_rewards(const TabularModel& m, int a, int b) {
  bool less = false, more = false;
  for (int s = 0; s < m.states; ++s) {
    const double* r = m.reward.data() + static_cast<std::size_t>(s) * m.actions;
    less = less || r[a] < r[b];
    more = more || r[a] > r[b];
  }
  return less && more ? 2 : more - less;
}

}  // namespace

bool is_over(const TabularModel& m, int s) {
  for (int a = 0; a < m.actions; ++a) {
    const Row row = m.transition[a].row(s);
    if (m.reward[static_cast<std::size_t>(s) * m.actions + a] != 0.0) return false;
    if (row.size() != 1 || row[0].column != s) return false;
  }
  return true;
}

TableLint lint(const TabularModel& m) {
  TableLint out;
  const std::vector<bool> reached = reachable(m);
  std::vector<bool> seen(m.observations);
  for (int s = 0; s < m.states; ++s) {
    if (!reached[s]) out.unreachable.push_back(s);
    out.ends += is_over(m, s);
    for (int a = 0; a < m.actions; ++a) {
      out.transitions += m.transition[a].row(s).size();
      out.observations += m.observation[a].row(s).size();
      if (!reached[s]) continue;
      for (const auto& [o, p] : m.observation[a].row(s)) seen[o] = true;
    }
  }
  for (int o = 0; o < m.observations; ++o) {
    if (!seen[o]) out.never_seen.push_back(o);
  }
  for (int a = 0; a < m.actions; ++a) {
    for (int b = 0; b < a; ++b) {
      if (!same(m.transition[a], m.transition[b]) || !same(m.observation[a], m.observation[b])) {
        continue;
      }
      const int order = compare_rewards(m, a, b);
      if (order == 2) continue;
      if (order == 0) {
        out.duplicate.push_back({a, b});
      } else {
        out.dominated.push_back(order < 0 ? TableLint::Pair{a, b} : TableLint::Pair{b, a});
      }
      break;  // one reason is enough
    }
  }
  return out;
}

}  // namespace bpo
