// A problem of nothing but evidence: in each step one of `kinds` symbols is drawn, with probability
// p[symbol][cell] in the cell the latent is in, and after symbol 0 the latent may move by any
// transition matrix. The latent lies exactly on the grid, so its filter is exact.
#pragma once

#include <cmath>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/filters/grid.h"

namespace bpo::test {

struct ToyOptions {
  std::vector<std::vector<double>> symbol;      // [symbol][cell], columns sum to 1
  std::vector<std::vector<double>> transition;  // [from][to]; empty: the latent stays
  int horizon = 30;
};

class ToyProblem {
 public:
  using Latent = int;
  using State = int;
  using Observation = int;  // the last symbol, -1 before the first
  using Action = int;

  explicit ToyProblem(const ToyOptions& options) : options_(options) {}

  ProblemSpec spec() const {
    return {.name = "toy",
            .horizon = options_.horizon,
            .actions = {.count = 1},
            .obs_dim = 1,
            .latent_dim = 1};
  }
  Latent sample_latent(Rng& rng) const { return rng.below(cells()); }
  State sample_state(const Latent&, Rng&) const { return -1; }
  StepResult step(State& s, Latent& phi, Action, Rng& rng) const {
    s = draw(rng, evidence_kinds(), [&](int k) { return options_.symbol[k][phi]; });
    if (moves(s)) phi = draw(rng, cells(), [&](int to) { return transition(s, phi, to); });
    return {};
  }
  Observation observe(const State& s, const Latent&, Rng&) const { return s; }
  void encode(const Observation& o, std::span<float> out) const { out[0] = static_cast<float>(o); }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    out[0] = static_cast<float>(phi);
  }

  int factors() const { return 1; }
  int cells() const { return static_cast<int>(options_.symbol[0].size()); }
  double cell_value(int cell) const { return cell; }
  int evidence_kinds() const { return static_cast<int>(options_.symbol.size()); }
  int evidence(const Observation&, Action, const Observation& next) const { return next; }
  double log_likelihood(int kind, int, int cell) const {
    return std::log(options_.symbol[kind][cell]);
  }
  bool moves(int kind) const { return kind == 0 && !options_.transition.empty(); }
  double transition(int, int from, int to) const { return options_.transition[from][to]; }

 private:
  template <class P>
  static int draw(Rng& rng, int n, P p) {
    double u = rng.uniform();
    for (int k = 0; k + 1 < n; ++k) {
      u -= p(k);
      if (u < 0.0) return k;
    }
    return n - 1;
  }

  ToyOptions options_;
};

}  // namespace bpo::test
