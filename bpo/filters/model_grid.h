// The categorical filter of Eq. (2) where a likelihood costs a simulation: each cell of the grid is
// a model, and log p(o' | o, a, cell) <= 0 up to a constant that all cells share. It simulates only
// what can matter. A cell's sum over the transitions simulated so far is an upper bound of its
// log-weight, since what is missing can only lower it; a cell is left alone while its bound is more
// than T below the best complete sum. When the best falls back, a cell catches up on transitions it
// has skipped, those first that earlier simulations found hardest to explain, until it is complete
// or again out of reach. So skipping never changes evidence; it only postpones it. Where a problem
// simulates several models at the cost of one, the next most promising come along, and so do those
// of other lanes. Where it can tell that cells which are twins explain a transition alike, to the
// bit, one answer serves them all. Where it asks to look at every so many steps, the others are
// passed over, and its likelihoods count for them.
//
// Error. Let w_i = exp(L_i - L_best) be the true weights and v_i the ones reported, from bounds.
// Complete cells have v_i = w_i, others 0 <= v_i - w_i <= exp(-T), and sum w >= 1. Then
//   |v / sum v - w / sum w|_1 <= 2 sum (v - w) <= 2 cells exp(-T) = kTolerance.
// What the policy sees is rounded to multiples of kGrain, and the best cell takes the rest: an
// error of at most cells kGrain more. Beliefs that are all but sure are then equal, and equal
// inputs are computed once (core/inputs.h).
//
// Where an update may simulate but so many models (`most`), cells that are left incomplete are
// believed by their bounds: evidence counts later, never wrongly, and the belief is flatter until
// then. An episode that outlasts the horizon goes on from its bounds as a new prior.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bpo/core/belief_tracker.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/problem.h"
#include "bpo/filters/grid.h"

namespace bpo {

template <class P>
requires HasModelGrid<P>
class ModelGridFilter {
 public:
  static constexpr double kTolerance = 1e-3;
  static constexpr float kGrain = 0x1p-14f;

  /// The evidence of a lane's episode. Bounds are shifted so that the best complete cell is at 0.
  struct Weights {
    std::vector<double> bound;                     // [cell]
    std::vector<int> missing;                      // [cell]: transitions not simulated yet
    std::vector<char> simulated;                   // [cell][transition]
    std::vector<double> loss;                      // [transition]: the largest of any cell
    std::vector<typename P::Observation> o, next;  // [transition]: from where to where
    std::vector<float> a;                          // [transition][dim]
    std::vector<char> alike;  // [transition]: whether a cell's twins were like it
    int transitions = 0;
    int turn = 0;                  // steps since the episode began
    bool passes = false;           // it does not look at the present step
    bool frozen = false;           // it has been sure enough, and looks at nothing any more
    std::vector<int> promising;    // cells to simulate next, as many as are simulated together
    std::vector<int> asked;        // transitions of the queries about them
    int count = 0;                 // how many queries there are
    double best = 0.0;             // the best complete cell's weight in this update
    std::int64_t simulations = 0;  // since construction
    int most = 0;                  // models that an update may simulate; 0: all that matter
    int spent = 0;                 // how many this update has simulated
  };
  using Step = Evidence<P, ModelGridFilter>;

  explicit ModelGridFilter(const P& problem) : ModelGridFilter(problem, tolerance_of(problem)) {}
  ModelGridFilter(const P& problem, double tolerance)
      : problem_(problem),
        cells_(problem.cells()),
        horizon_(problem.spec().horizon),
        dim_(problem.spec().actions.dim),
        reach_(std::log(2.0 * cells_ / tolerance)) {
    assert(problem.together() <= kMostTogether);
    if constexpr (requires { problem.freeze(); }) freeze_ = problem.freeze();
    if constexpr (requires { problem.every(); }) every_ = problem.every();
  }

  int belief_dim() const { return cells_; }
  int estimate_dim() const { return problem_.factors(); }
  /// The factor sqrt(cells), by which a uniform belief over any number of cells becomes a vector of
  /// length 1.
  double belief_scale() const { return std::sqrt(static_cast<double>(cells_)); }

  Weights make_weights() const {
    const auto cells = static_cast<std::size_t>(cells_),
               horizon = static_cast<std::size_t>(horizon_);
    Weights w;
    w.bound.resize(cells);
    w.missing.resize(cells);
    w.simulated.resize(cells * horizon);
    w.loss.resize(horizon);
    w.alike.resize(horizon);
    w.o.resize(horizon);
    w.next.resize(horizon);
    if constexpr (requires { w.o[0].reserve(1); }) {  // so that no step of an episode allocates
      const auto numbers = static_cast<std::size_t>(problem_.observation_size());
      for (auto* kept : {&w.o, &w.next}) {
        for (auto& o : *kept) o.reserve(numbers);
      }
    }
    w.a.resize(horizon * dim_);
    const auto together = static_cast<std::size_t>(problem_.together());
    w.promising.resize(together);
    w.asked.resize(together);
    return w;
  }

  void reset(Weights& w) const {
    std::fill(w.bound.begin(), w.bound.end(), 0.0);
    std::fill(w.missing.begin(), w.missing.end(), 0);
    w.transitions = w.turn = 0;
    w.frozen = w.passes = false;
  }

  /// The paper's psi: takes in a step. If no cell can explain what was seen, the belief falls back
  /// to the prior.
  bool update(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    Step step{&w, &o, a, &next};
    update_together({&step, 1});
    return step.alive;
  }
  void update_together(std::span<Step> steps) const {
    for (Step& step : steps) append(*step.w, *step.o, step.a, *step.next);
    std::array<ModelQuery<P>, kMostTogether * kLanes> queries;
    std::array<double, kMostTogether * kLanes> answers;
    std::array<bool, kMostTogether * kLanes> alike{};
    for (std::size_t count = 1; count > 0;) {
      count = 0;
      for (Step& step : steps) count += ask(*step.w, queries.data() + count);
      if (count > 0) {
        if constexpr (kHasTwins) {
          problem_.log_likelihoods({queries.data(), count}, answers, alike);
        } else {
          problem_.log_likelihoods({queries.data(), count}, answers);
        }
      }
      std::size_t first = 0;
      for (Step& step : steps) {
        const auto own = static_cast<std::size_t>(step.w->count);
        take(*step.w, std::span(queries).subspan(first, own), answers.data() + first,
             alike.data() + first);
        first += own;
      }
    }
    for (Step& step : steps) step.alive = settle(*step.w);
  }

  void belief(const Weights& w, std::span<float> out) const {
    LogWeights::probabilities(w.bound, out);
    float sum = 0.0f;  // exact, as all are multiples of the grain
    for (float& p : out) sum += p = kGrain * std::nearbyint(p / kGrain);
    out[LogWeights::best(w.bound)] += 1.0f - sum;
  }
  double entropy(const Weights& w) const { return LogWeights::entropy(w.bound); }
  /// phi_MLE: the factors of the best cell; ties go to the first.
  void estimate(const Weights& w, std::span<float> out) const {
    const auto& factors = problem_.cell_factors(LogWeights::best(w.bound));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(factors[i]);
  }

 private:
  static constexpr int kMostTogether = 8;
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  /// Whether a problem can tell that cells that are twins explain a step alike, to the bit.
  static constexpr bool kHasTwins = requires(const P& p) { p.twins(0); };

  static double tolerance_of(const P& problem) {
    if constexpr (requires { problem.tolerance(); }) return problem.tolerance();
    return kTolerance;
  }

  char& simulated(Weights& w, int cell, int t) const {
    return w.simulated[static_cast<std::size_t>(cell) * horizon_ + t];
  }

  void append(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    w.passes = w.turn++ % every_ != 0;
    if (w.frozen || w.passes) return;
    if (w.transitions == horizon_) {
      std::fill(w.missing.begin(), w.missing.end(), 0);
      w.transitions = 0;
    }
    const int t = w.transitions++;
    w.best = kNever;
    w.spent = 0;
    w.o[t] = o;
    w.next[t] = next;
    w.loss[t] = 0.0;
    w.alike[t] = false;
    std::copy(a.begin(), a.end(), w.a.begin() + static_cast<std::ptrdiff_t>(t) * dim_);
    for (int i = 0; i < cells_; ++i) {
      ++w.missing[i];
      simulated(w, i, t) = false;
    }
  }

  /// Chooses what to simulate next: for the most promising incomplete cells within reach, in turn,
  /// the hardest transition that they have not seen.
  int ask(Weights& w, ModelQuery<P>* queries) const {
    const int left = w.most > 0 ? w.most - w.spent : static_cast<int>(w.promising.size());
    if (w.frozen || w.passes || left == 0) return w.count = 0;
    const double least = w.best - reach_;
    const auto room = std::min<std::ptrdiff_t>(w.promising.size(), left);
    const auto first = w.promising.begin();
    auto last = first;
    for (int i = 0; i < cells_; ++i) {
      if (w.missing[i] == 0 || !(w.bound[i] > least)) continue;
      auto place = last;
      while (place != first && w.bound[i] > w.bound[place[-1]]) --place;
      if (place - first == room) continue;
      if (last - first < room) ++last;
      std::copy_backward(place, last - 1, last);
      *place = i;
    }
    // Cells whose bound is far below the first's will hardly be wanted once that is complete.
    while (last != first && w.bound[last[-1]] < w.bound[*first] - 2.0 * reach_) --last;
    int count = 0;
    for (int before = -1; count != before;) {
      before = count;
      for (auto cell = first; cell != last && count < room; ++cell) {
        if (w.missing[*cell] == 0) continue;
        const int t = hardest(w, *cell);
        if (is_asked(w, *cell, t, {queries, static_cast<std::size_t>(count)})) continue;
        w.asked[count] = t;
        queries[count++] = make_query(w, *cell, t);
      }
    }
    return w.count = count;
  }

  /// Whether a twin's answer will most likely serve this cell too.
  bool is_asked(const Weights& w, int cell, int t, std::span<const ModelQuery<P>> queries) const {
    if constexpr (kHasTwins) {
      if (!w.alike[t]) return false;
      for (std::size_t k = 0; k < queries.size(); ++k) {
        if (w.asked[k] == t && problem_.twins(queries[k].cell)[0] == problem_.twins(cell)[0]) {
          return true;
        }
      }
    }
    return false;
  }

  ModelQuery<P> make_query(Weights& w, int cell, int t) const {
    simulated(w, cell, t) = true;
    --w.missing[cell];
    return {
        .cell = cell,
        .o = &w.o[t],
        .a = {w.a.data() + static_cast<std::ptrdiff_t>(t) * dim_, static_cast<std::size_t>(dim_)},
        .next = &w.next[t]};
  }

  /// Takes the answers to its own queries.
  void take(Weights& w, std::span<const ModelQuery<P>> queries, const double* answers,
            const bool* alike) const {
    if (w.count == 0) return;
    for (std::size_t k = 0; k < queries.size(); ++k) {
      const double x = LogWeights::quantize(answers[k]);
      const int t = w.asked[k];
      assert(x <= 0.0);
      w.bound[queries[k].cell] += x;
      w.loss[t] = std::max(w.loss[t], -x);
      if constexpr (kHasTwins) {
        if (!alike[k]) continue;
        w.alike[t] = true;
        for (const int twin : problem_.twins(queries[k].cell)) {
          if (simulated(w, twin, t)) continue;
          simulated(w, twin, t) = true;
          --w.missing[twin];
          w.bound[twin] += x;
        }
      }
    }
    w.simulations += w.count;
    w.spent += w.count;
    for (int i = 0; i < cells_; ++i) {
      if (w.missing[i] == 0) w.best = std::max(w.best, w.bound[i]);
    }
  }

  bool settle(Weights& w) const {
    if (w.frozen || w.passes) return true;
    const double top = w.most > 0 ? *std::max_element(w.bound.begin(), w.bound.end()) : w.best;
    if (!(top > kNever)) {
      reset(w);
      return false;
    }
    for (double& x : w.bound) x -= top;
    w.frozen = freeze_ && best_probability(w) >= *freeze_;
    return true;
  }
  static double best_probability(const Weights& w) {
    double total = 0.0;
    for (double x : w.bound) total += std::exp(x);
    return 1.0 / total;
  }

  /// The hardest of the transitions that a cell has not simulated; of several, the latest.
  int hardest(Weights& w, int cell) const {
    int found = w.transitions - 1;
    if (w.missing[cell] == 1 && !simulated(w, cell, found)) return found;
    found = -1;
    for (int t = w.transitions - 1; t >= 0; --t) {
      if (!simulated(w, cell, t) && (found < 0 || w.loss[t] > w.loss[found])) found = t;
    }
    return found;
  }

  const P& problem_;
  int cells_, horizon_, dim_, every_ = 1;
  double reach_;                  // T
  std::optional<double> freeze_;  // the probability of a cell from which on it is sure enough
};

inline const RegisterFilter kModelGridEntry{
    {"model-grid", "a grid whose likelihoods are simulations: only those that matter run"}};

}  // namespace bpo
