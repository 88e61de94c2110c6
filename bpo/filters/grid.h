// The categorical filter of Eq. (2) on a grid of latents:
//   b'(phi') = eta * sum_phi b(phi) p(o' | o, phi, a) P(phi' | phi, a, o').
// It works in log space. Log-likelihoods are rounded to multiples of 2^-32, so that sums of them
// are exact in double: the belief depends on which evidence was seen and not on its order, to the
// last bit. Equal histories then give equal network inputs, and the exact reference sees the very
// same beliefs as the simulation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "bpo/core/closed_form.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/problem.h"

namespace bpo {

/// Adds evidence to log-weights and turns log-weights into probabilities; the part of the grid
/// filter that knows nothing of the problem.
struct LogWeights {
  /// Below this the weight exp(w - max) is written as 0: an explicit floor instead of denormals.
  static constexpr double kFloor = -80.0;

  static double quantize(double log_likelihood) {
    if (!(log_likelihood > -std::numeric_limits<double>::infinity())) {
      return -std::numeric_limits<double>::infinity();  // also for NaN
    }
    return std::nearbyint(std::clamp(log_likelihood, -0x1p20, 0x1p20) * 0x1p32) * 0x1p-32;
  }

  /// Adds evidence to w and shifts the largest entry to 0. If no entry is left, it returns false
  /// and w is unchanged.
  static bool add(std::span<double> w, const double* evidence);
  /// Shifts the largest entry to 0; throws if none is left.
  static void shift(std::span<double> w);
  static void probabilities(std::span<const double> w, std::span<float> b);
  static int best(std::span<const double> w);
  /// The entropy of the normalised weights, in nats.
  static double entropy(std::span<const double> w);
};

template <class P>
requires HasGridLikelihood<P>
class GridFilter {
 public:
  /// Log-weights, one block of cells per factor; of a latent that moves, a block more to work in.
  using Weights = std::vector<double>;

  explicit GridFilter(const P& problem)
      : problem_(problem),
        factors_(problem.factors()),
        cells_(problem.cells()),
        prior_(belief_dim(), 0.0) {
    for (int kind = 0; kind < problem.evidence_kinds(); ++kind) {
      for (int factor = 0; factor < factors_; ++factor) {
        for (int cell = 0; cell < cells_; ++cell) {
          table_.push_back(LogWeights::quantize(problem.log_likelihood(kind, factor, cell)));
        }
      }
    }
    if constexpr (HasGridPrior<P>) {
      for (int factor = 0; factor < factors_; ++factor) {
        for (int cell = 0; cell < cells_; ++cell) {
          prior_[factor * cells_ + cell] = LogWeights::quantize(problem.log_prior(factor, cell));
        }
        LogWeights::shift(block(prior_, factor));
      }
    }
  }

  int belief_dim() const { return factors_ * cells_; }
  int estimate_dim() const { return factors_; }
  /// The factor sqrt(cells), by which a uniform belief over any number of cells becomes a vector of
  /// length 1.
  double belief_scale() const { return std::sqrt(static_cast<double>(cells_)); }
  Weights make_weights() const {
    Weights w(prior_);
    if constexpr (HasMovingLatent<P>) w.resize(w.size() + cells_);
    return w;
  }

  void reset(Weights& w) const { std::copy(prior_.begin(), prior_.end(), w.begin()); }

  /// The paper's psi: takes in a step. If every cell's likelihood vanishes, the belief falls back
  /// to the prior.
  bool update(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    const int kind = problem_.evidence(o, a, next);
    bool alive = true;
    for (int factor = 0; factor < factors_; ++factor) {
      if (!LogWeights::add(block(w, factor), row(kind, factor))) alive = false;
    }
    if (!alive) {
      reset(w);
      return false;
    }
    if constexpr (HasMovingLatent<P>) {
      if (problem_.moves(kind)) move(w, kind);
    }
    return true;
  }

  /// The weights after each kind of evidence was seen counts[kind] times, in any order.
  void from_counts(std::span<const int> counts, Weights& w) const {
    reset(w);
    for (int factor = 0; factor < factors_; ++factor) {
      const auto b = block(w, factor);
      for (int cell = 0; cell < cells_; ++cell) {
        for (std::size_t kind = 0; kind < counts.size(); ++kind) {
          if (counts[kind] > 0) b[cell] += counts[kind] * row(static_cast<int>(kind), factor)[cell];
        }
      }
      LogWeights::shift(b);
    }
  }

  void belief(const Weights& w, std::span<float> out) const {
    for (int factor = 0; factor < factors_; ++factor) {
      LogWeights::probabilities(block(w, factor), out.subspan(factor * cells_, cells_));
    }
  }

  /// The entropy of the belief in nats. Factors are independent, so their entropies add.
  double entropy(const Weights& w) const {
    double sum = 0.0;
    for (int factor = 0; factor < factors_; ++factor) sum += LogWeights::entropy(block(w, factor));
    return sum;
  }

  /// phi_MLE: the value of each factor's best cell; ties go to the first.
  void estimate(const Weights& w, std::span<float> out) const {
    for (int factor = 0; factor < factors_; ++factor) {
      out[factor] = static_cast<float>(problem_.cell_value(LogWeights::best(block(w, factor))));
    }
  }

  /// The filter as plain data, where observations are indices, which the network sees one-hot.
  GridForm form(const ProblemSpec& spec) const requires HasInputTerms<P> {
    GridForm out{.factors = factors_,
                 .cells = cells_,
                 .kinds = problem_.evidence_kinds(),
                 .observations = spec.obs_dim - (spec.clock > 0.0),
                 .actions = spec.actions.size(),
                 .prior = prior_,
                 .evidence = table_};
    using O = typename P::Observation;
    for (int o = 0; o < out.observations; ++o) {
      for (int a = 0; a < out.actions; ++a) {
        for (int next = 0; next < out.observations; ++next) {
          out.kind.push_back(problem_.evidence(static_cast<O>(o), a, static_cast<O>(next)));
        }
      }
    }
    for (int cell = 0; cell < cells_; ++cell) out.values.push_back(problem_.cell_value(cell));
    if constexpr (HasMovingLatent<P>) {
      int moves = 0;
      for (int kind = 0; kind < out.kinds; ++kind) {
        out.move.push_back(problem_.moves(kind) ? moves++ : -1);
        if (!problem_.moves(kind)) continue;
        for (int from = 0; from < cells_; ++from) {
          for (int to = 0; to < cells_; ++to) {
            out.transition.push_back(problem_.transition(kind, from, to));
          }
        }
      }
    }
    return out;
  }

 private:
  std::span<double> block(Weights& w, int factor) const {
    return {w.data() + factor * cells_, static_cast<std::size_t>(cells_)};
  }
  std::span<const double> block(const Weights& w, int factor) const {
    return {w.data() + factor * cells_, static_cast<std::size_t>(cells_)};
  }
  const double* row(int kind, int factor) const {
    return table_.data() + (static_cast<std::size_t>(kind) * factors_ + factor) * cells_;
  }

  void move(Weights& w, int kind) const {
    for (int factor = 0; factor < factors_; ++factor) {
      const auto b = block(w, factor);
      const auto moved = block(w, factors_);  // zeros
      for (int from = 0; from < cells_; ++from) {
        const double weight = std::exp(b[from]);
        for (int to = 0; to < cells_; ++to) {
          moved[to] += weight * problem_.transition(kind, from, to);
        }
      }
      const double top = *std::max_element(moved.begin(), moved.end());
      for (int cell = 0; cell < cells_; ++cell) {
        b[cell] = LogWeights::quantize(std::log(moved[cell] / top));
      }
      std::fill(moved.begin(), moved.end(), 0.0);
    }
  }

  const P& problem_;
  int factors_, cells_;
  Weights prior_;
  std::vector<double> table_;  // [kind][factor][cell]
};

inline const RegisterFilter kGridEntry{
    {"grid", "categorical posterior on a grid of latents, Eq. (2), in log space"}};

}  // namespace bpo
