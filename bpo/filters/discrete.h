// The exact filter of a hidden state y that moves, on sparse tables (core/tabular.h):
//   b'(y') = eta O(o | a, s') sum_y b(y) T(s' | s, a),   s = (x, y), s' = (x', y'),
// where x and x' are seen. It goes through the states that are possible and no others. What a
// policy sees is rounded to 18 binary digits, so that equal evidence in another order gives equal
// inputs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "bpo/core/closed_form.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/problem.h"
#include "bpo/core/tabular.h"

namespace bpo {

/// A problem of finitely many states. Rows of its tables are sorted by column.
template <class P>
concept HasStateTables = requires(const P& p, const typename P::Observation& o) {
  { p.tables() } -> std::same_as<const TabularModel&>;
  { p.seen(o) } -> std::same_as<int>;   // x
  { p.heard(o) } -> std::same_as<int>;  // o, of one that follows a step
  { p.estimate_size() } -> std::same_as<int>;
};

template <class P>
requires HasStateTables<P>
class DiscreteFilter {
 public:
  struct Weights {
    std::vector<double> p, next;    // by y; `next` is all zeros between updates
    std::vector<int> possible, to;  // where p and next are not zero
  };
  /// Smaller probabilities are dropped: an explicit floor instead of denormals.
  static constexpr double kFloor = 1e-200;

  explicit DiscreteFilter(const P& problem)
      : problem_(problem), tables_(problem.tables()), hidden_(tables_.hidden()) {}

  int belief_dim() const { return hidden_; }
  int estimate_dim() const { return problem_.estimate_size(); }
  double belief_scale() const { return std::sqrt(static_cast<double>(hidden_)); }
  Footprint footprint() const {
    return {(2.0 * sizeof(double) + 2.0 * sizeof(int)) * hidden_, "states"};
  }
  Weights make_weights() const {
    Weights w{std::vector<double>(hidden_), std::vector<double>(hidden_), {}, {}};
    w.possible.reserve(hidden_);
    w.to.reserve(hidden_);
    return w;
  }

  /// Before anything is seen.
  void reset(Weights& w) const {
    clear(w);
    for (int x = 0; x < tables_.visible; ++x) add_first(w, x);
    finish(w);
  }
  /// An episode begins with an x that is seen.
  void begin(Weights& w, const typename P::Observation& o) const {
    clear(w);
    add_first(w, problem_.seen(o));
    if (!finish(w)) reset(w);
  }

  bool update(Weights& w, const typename P::Observation& o, int a,
              const typename P::Observation& next) const {
    const SparseRows& moves = tables_.transition[a];
    const SparseRows& sights = tables_.observation[a];
    const int from = problem_.seen(o) * hidden_, to = problem_.seen(next) * hidden_;
    const int heard = problem_.heard(next);
    for (const int y : w.possible) {
      const auto row = moves.row(from + y);
      for (auto e = first_from(row, to); e != row.end() && e->column < to + hidden_; ++e) {
        add(w, e->column - to, w.p[y] * e->value);
      }
      w.p[y] = 0.0;
    }
    for (const int y : w.to) {
      const auto row = sights.row(to + y);
      const auto e = first_from(row, heard);
      w.next[y] *= e != row.end() && e->column == heard ? e->value : 0.0;
    }
    if (finish(w)) return true;
    reset(w);
    return false;
  }

  void belief(const Weights& w, std::span<float> out) const {
    std::fill(out.begin(), out.end(), 0.0f);
    for (const int y : w.possible) out[y] = rounded(static_cast<float>(w.p[y]));
  }
  /// The most probable state; ties go to the first.
  void estimate(const Weights& w, std::span<float> out) const {
    int best = w.possible.front();
    for (const int y : w.possible) {
      const float p = rounded(static_cast<float>(w.p[y]));
      const float top = rounded(static_cast<float>(w.p[best]));
      if (p > top || (p == top && y < best)) best = y;
    }
    problem_.encode_latent(best, out);
  }
  double entropy(const Weights& w) const {
    double sum = 0.0;
    for (const int y : w.possible) sum -= w.p[y] * std::log(w.p[y]);
    return sum;
  }
  StateForm form(const ProblemSpec&) const requires requires(const P& p) {
    { p.seen_at() } -> std::same_as<int>;
    { p.heard_at() } -> std::same_as<int>;
  }
  { return {tables_, problem_.seen_at(), problem_.heard_at(), estimate_dim()}; }

 private:
  using Row = std::span<const SparseRows::Entry>;

  static Row::iterator first_from(Row row, int column) {
    return std::lower_bound(row.begin(), row.end(), column,
                            [](const SparseRows::Entry& e, int c) { return e.column < c; });
  }
  static float rounded(float p) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(p) + 0x20u) & ~0x3fu);
  }
  static void clear(Weights& w) {
    for (const int y : w.possible) w.p[y] = 0.0;
    for (const int y : w.to) w.next[y] = 0.0;
    w.possible.clear();
    w.to.clear();
  }
  static void add(Weights& w, int y, double p) {
    if (w.next[y] == 0.0 && p > 0.0) w.to.push_back(y);
    w.next[y] += p;
  }
  void add_first(Weights& w, int x) const {
    for (int y = 0; y < hidden_; ++y) {
      add(w, y, tables_.initial[static_cast<std::size_t>(x) * hidden_ + y]);
    }
  }
  /// Normalises `next`, makes it the belief and empties it; false if nothing is possible.
  bool finish(Weights& w) const {
    double sum = 0.0;
    for (const int y : w.to) sum += w.next[y];
    w.possible.clear();
    for (const int y : w.to) {
      const double p = sum > 0.0 ? w.next[y] / sum : 0.0;
      w.next[y] = 0.0;
      w.p[y] = p > kFloor ? p : 0.0;
      if (p > kFloor) w.possible.push_back(y);
    }
    w.to.clear();
    return !w.possible.empty();
  }

  const P& problem_;
  const TabularModel& tables_;
  int hidden_;
};

inline const RegisterFilter kDiscreteEntry{
    {"discrete", "exact posterior of a hidden state that moves by sparse tables"}};

}  // namespace bpo
