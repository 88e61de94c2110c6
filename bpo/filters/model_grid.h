// The categorical filter of Eq. (2) where a likelihood costs a simulation: each cell of the grid is
// a model, and log p(o' | o, a, cell) <= 0 up to a constant that all cells share. It simulates only
// what can matter. A cell's sum over the transitions simulated so far is an upper bound of its
// log-weight, since what is missing can only lower it; a cell is left alone while its bound is more
// than T below the best complete sum. When the best falls back, a cell catches up on transitions it
// has skipped, those first that earlier simulations found hardest to explain, until it is complete
// or again out of reach. So skipping never changes evidence; it only postpones it. Where a problem
// simulates several models at the cost of one, the next most promising come along, and so do those
// of other lanes.
//
// Error. Let w_i = exp(L_i - L_best) be the true weights and v_i the ones reported, from bounds.
// Complete cells have v_i = w_i, others 0 <= v_i - w_i <= exp(-T), and sum w >= 1. Then
//   |v / sum v - w / sum w|_1 <= 2 sum (v - w) <= 2 cells exp(-T) = kTolerance.
// What the policy sees is rounded to multiples of kGrain, and the best cell takes the rest: an
// error of at most cells kGrain more. Beliefs that are all but sure are then equal, and equal
// inputs are computed once (core/inputs.h).
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
    std::vector<double> bound;               // [cell]
    std::vector<int> missing;                // [cell]: transitions not simulated yet
    std::vector<char> simulated;             // [cell][transition]
    std::vector<double> loss;                // [transition]: the largest of any cell
    std::vector<typename P::Observation> o;  // [transition], and where the last one led
    std::vector<float> a;                    // [transition][dim]
    int transitions = 0;
    bool frozen = false;           // it has been sure enough, and looks at nothing any more
    std::vector<int> promising;    // cells to simulate next, as many as are simulated together
    std::vector<int> asked;        // transitions of the queries about them
    int count = 0;                 // of the queries
    double best = 0.0;             // of the complete cells, during an update
    std::int64_t simulations = 0;  // since construction
  };
  using Step = Evidence<P, ModelGridFilter>;

  explicit ModelGridFilter(const P& problem, double tolerance = kTolerance)
      : problem_(problem),
        cells_(problem.cells()),
        horizon_(problem.spec().horizon),
        dim_(problem.spec().actions.dim),
        reach_(std::log(2.0 * cells_ / tolerance)) {
    assert(problem.together() <= kMostTogether);
    if constexpr (requires { problem.freeze(); }) freeze_ = problem.freeze();
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
    w.o.resize(horizon + 1);
    w.a.resize(horizon * dim_);
    const auto together = static_cast<std::size_t>(problem_.together());
    w.promising.resize(together);
    w.asked.resize(together);
    return w;
  }

  void reset(Weights& w) const {
    std::fill(w.bound.begin(), w.bound.end(), 0.0);
    std::fill(w.missing.begin(), w.missing.end(), 0);
    w.transitions = 0;
    w.frozen = false;
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
    for (std::size_t count = 1; count > 0;) {
      count = 0;
      for (Step& step : steps) count += ask(*step.w, queries.data() + count);
      if (count > 0) problem_.log_likelihoods({queries.data(), count}, answers);
      const ModelQuery<P>* query = queries.data();
      const double* answer = answers.data();
      for (Step& step : steps) take(*step.w, query, answer);
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

  char& simulated(Weights& w, int cell, int t) const {
    return w.simulated[static_cast<std::size_t>(cell) * horizon_ + t];
  }

  void append(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    if (w.frozen) return;
    const int t = w.transitions++;
    w.best = kNever;
    w.o[t] = o;
    w.o[t + 1] = next;
    w.loss[t] = 0.0;
    std::copy(a.begin(), a.end(), w.a.begin() + static_cast<std::ptrdiff_t>(t) * dim_);
    for (int i = 0; i < cells_; ++i) {
      ++w.missing[i];
      simulated(w, i, t) = false;
    }
  }

  /// Chooses what to simulate next: for the most promising incomplete cells within reach, in turn,
  /// the hardest transition that they have not seen.
  int ask(Weights& w, ModelQuery<P>* queries) const {
    if (w.frozen) return w.count = 0;
    const double least = w.best - reach_;
    const auto room = static_cast<std::ptrdiff_t>(w.promising.size());
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
    // Those much further away than the first will hardly be wanted once it is complete.
    while (last != first && w.bound[last[-1]] < w.bound[*first] - 2.0 * reach_) --last;
    int count = 0;
    for (int before = -1; count != before;) {
      before = count;
      for (auto cell = first; cell != last && count < room; ++cell) {
        if (w.missing[*cell] == 0) continue;
        const int t = hardest(w, *cell);
        w.asked[count] = t;
        queries[count++] = make_query(w, *cell, t);
      }
    }
    return w.count = count;
  }

  ModelQuery<P> make_query(Weights& w, int cell, int t) const {
    simulated(w, cell, t) = true;
    --w.missing[cell];
    return {
        .cell = cell,
        .o = &w.o[t],
        .a = {w.a.data() + static_cast<std::ptrdiff_t>(t) * dim_, static_cast<std::size_t>(dim_)},
        .next = &w.o[t + 1]};
  }

  /// Takes the answers to its own queries, and leaves the pointers at the next lane's.
  void take(Weights& w, const ModelQuery<P>*& query, const double*& answer) const {
    if (w.count == 0) return;
    for (int k = 0; k < w.count; ++k, ++query, ++answer) {
      const double x = LogWeights::quantize(*answer);
      assert(x <= 0.0);
      w.bound[query->cell] += x;
      w.loss[w.asked[k]] = std::max(w.loss[w.asked[k]], -x);
    }
    w.simulations += w.count;
    for (int i = 0; i < cells_; ++i) {
      if (w.missing[i] == 0) w.best = std::max(w.best, w.bound[i]);
    }
  }

  bool settle(Weights& w) const {
    if (w.frozen) return true;
    if (!(w.best > kNever)) {
      reset(w);
      return false;
    }
    for (double& x : w.bound) x -= w.best;
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
    int found = -1;
    for (int t = w.transitions - 1; t >= 0; --t) {
      if (!simulated(w, cell, t) && (found < 0 || w.loss[t] > w.loss[found])) found = t;
    }
    return found;
  }

  const P& problem_;
  int cells_, horizon_, dim_;
  double reach_;                  // T
  std::optional<double> freeze_;  // the probability of a cell from which on it is sure enough
};

}  // namespace bpo
