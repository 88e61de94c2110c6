// Chain (Strens 2000; Sec. 5): five states, actions A (one state on; in s5 it stays and pays 10)
// and B (back to s1, pays 2). With probability phi, drawn from U[0,1] per episode, the other action
// is executed; reward and transition follow the executed one, so a transition always tells whether
// it slipped. `tied` has one slip for both actions, `semi` one for each. 100 steps, undiscounted.
#include <array>
#include <cmath>

#include "bpo/core/any_problem.h"
#include "bpo/filters/grid.h"

namespace bpo {
namespace {

constexpr int kStates = 5;
constexpr int kA = 0, kB = 1;

struct ChainOptions {
  static constexpr std::array kAgentOptions{"bins", "grid", "clock"};
  std::int64_t bins = 10;
  std::string grid = "centres";
  std::string tying = "tied";
  std::optional<double> slip;
  std::int64_t horizon = 100;
  bool clock = true;

  void visit(OptionVisitor& v) {
    v.integer("bins", bins, {1, 100000}, "cells of the belief per slip probability");
    v.choice("grid", grid, {"centres", "endpoints"},
             "cells at (k+.5)/bins, or the paper's linspace(0,1,bins)");
    v.choice("tying", tying, {"tied", "semi"}, "one slip for both actions, or one for each");
    v.number_or(
        "slip", slip, "prior", {0.0, 1.0},
        "the world's slip: drawn from U[0,1] per episode, or fixed (the belief's prior stays)");
    v.integer("horizon", horizon, {1, 100000}, "steps per episode");
    v.flag("clock", clock, "whether the policy sees how near the end is (the paper's does not)");
    if (grid == "endpoints" && bins < 2) {
      throw bad_input("problem.bins = 1: grid = endpoints needs at least 2 bins");
    }
  }
  TrainingDefaults training_defaults() const {
    // With two slips hardly an input repeats, so Fisher products take a tenth of them.
    if (tying == "semi") {
      return {{"algo.iterations", 200},          {"algo.validate_episodes", 10000},
              {"optimizer.batch_steps", 200000}, {"optimizer.kl", 0.01},
              {"optimizer.kl_end", 0.001},       {"optimizer.lambda", 0.9},
              {"optimizer.cg_subsample", 0.1}};
    }
    // A filter of many cells would make validation a third of the time.
    return {
        {"algo.iterations", 120},          {"algo.validate_episodes", bins > 100 ? 2000 : 10000},
        {"optimizer.batch_steps", 200000}, {"optimizer.kl", 0.03},
        {"optimizer.kl_end", 0.001},       {"optimizer.lambda", 0.8}};
  }
};

class Chain {
 public:
  using Latent = std::array<double, 2>;  // the slip of A and of B; equal when tied
  using State = int;
  using Observation = int;
  using Action = int;

  explicit Chain(const ChainOptions& options)
      : options_(options), semi_(options.tying == "semi"), bins_(static_cast<int>(options.bins)) {}

  ProblemSpec spec() const {
    return {.name = "chain",
            .horizon = static_cast<int>(options_.horizon),
            .discount = 1.0,
            .actions = {.count = 2},
            .clock = options_.clock
                         ? 4.0
                         : 0.0,  // DEVIATION: only a clock tells that the last steps pay B
            .obs_dim = kStates,
            .latent_dim = factors()};
  }
  ProblemView view() const {
    return {.observation = {"state"},
            .observation_values = {"s1", "s2", "s3", "s4", "s5"},
            .actions = {"A", "B"},
            .latents = semi_ ? std::vector<std::string>{"slip of A", "slip of B"}
                             : std::vector<std::string>{"slip"},
            .latent_units = std::vector<std::string>(semi_ ? 2 : 1, "1")};
  }

  Latent sample_latent(Rng& rng) const {
    if (options_.slip) return {*options_.slip, *options_.slip};
    const double first = rng.uniform();
    return {first, semi_ ? rng.uniform() : first};
  }
  Latent nominal_latent() const { return {0.5, 0.5}; }
  Latent latent_of(std::span<const double> slips) const {
    for (double slip : slips) {
      if (slip >= 0.0 && slip <= 1.0) continue;
      throw bad_input(fmt::format("latent: a slip of {} is not in [0, 1]", slip));
    }
    return {slips.front(), slips.back()};
  }
  State sample_state(const Latent&, Rng&) const { return 0; }

  StepResult step(State& s, Latent& phi, Action a, Rng& rng) const {
    const bool slips = rng.uniform() < phi[a];
    const int executed = slips ? 1 - a : a;
    const double reward = reward_of(s, executed);
    s = next_state(s, executed);
    return {reward};
  }

  Observation observe(const State& s, const Latent&, Rng&) const { return s; }

  void encode(const Observation& s, std::span<float> out) const {
    for (int i = 0; i < kStates; ++i) out[i] = i == s ? 1.0f : 0.0f;
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_one_hot(out, 0, kStates);
    return out;
  }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    for (int i = 0; i < factors(); ++i) out[i] = static_cast<float>(phi[i]);
  }

  // The grid. A kind of evidence is (factor the action belongs to, whether it slipped).
  int factors() const { return semi_ ? 2 : 1; }
  int cells() const { return bins_; }
  double cell_value(int cell) const {
    return options_.grid == "endpoints" ? cell / (bins_ - 1.0) : (cell + 0.5) / bins_;
  }
  int evidence_kinds() const { return 2 * factors(); }
  int evidence(const Observation& s, Action a, const Observation& next) const {
    const bool slipped = next != next_state(s, a);
    return 2 * factor_of(a) + slipped;
  }
  double log_likelihood(int kind, int factor, int cell) const {
    if (kind / 2 != factor) return 0.0;
    const double slip = cell_value(cell);
    return std::log(kind % 2 ? slip : 1.0 - slip);
  }

  // The information state: s, how often the first factor was tried, and the slips seen of each.
  bool latent_is_fixed() const { return options_.slip.has_value(); }
  std::size_t info_start() const { return 0; }
  std::size_t info_size(int t) const { return blocks_before(t, semi_ ? t + 1 : 1) * kStates; }
  Observation info_observation(int, std::size_t i) const { return static_cast<int>(i % kStates); }
  void info_counts(int t, std::size_t i, std::span<int> counts) const {
    const Info info = info_at(t, i);
    for (int f = 0; f < factors(); ++f) {
      counts[2 * f] = info.tries[f] - info.slips[f];
      counts[2 * f + 1] = info.slips[f];
    }
  }
  int info_outcomes(int t, std::size_t i, int a, Perspective view, std::span<Outcome> out) const {
    const Info info = info_at(t, i);
    const int f = factor_of(a);
    // Laplace's rule: the posterior mean of a U[0,1] slip.
    const double slip = view == Perspective::kTrue && options_.slip
                            ? *options_.slip
                            : (info.slips[f] + 1.0) / (info.tries[f] + 2.0);
    for (int slipped = 0; slipped < 2; ++slipped) {
      const int executed = slipped ? 1 - a : a;
      Info next = info;
      next.s = next_state(info.s, executed);
      ++next.tries[f];
      next.slips[f] += slipped;
      out[slipped] = {slipped ? slip : 1.0 - slip, reward_of(info.s, executed),
                      info_index(t + 1, next)};
    }
    return 2;
  }

  // A state of the tables is (s, cell of each slip), of which s is seen.
  TabularModel tabular() const {
    check_states(kStates * std::pow(bins_, factors()), "problem.bins");
    const int combinations = semi_ ? bins_ * bins_ : bins_;
    TabularModel m{.states = combinations * kStates,
                   .actions = 2,
                   .observations = kStates,
                   .visible = kStates,
                   .discount = 1.0,
                   .horizon = static_cast<int>(options_.horizon),
                   .transition = std::vector<SparseRows>(2),
                   .observation = std::vector<SparseRows>(2)};
    using Row = std::array<SparseRows::Entry, 2>;
    for (int from = 0; from < m.states; ++from) {
      const int s = from / combinations, cells = from % combinations;
      for (int a : {kA, kB}) {
        const double slip = cell_value(semi_ && a == kA ? cells / bins_ : cells % bins_);
        const auto to = [&](int executed) {
          return next_state(s, executed) * combinations + cells;
        };
        m.transition[a].add_row(Row{{{to(a), 1.0 - slip}, {to(1 - a), slip}}});
        m.observation[a].add_row(Row{{{s, 1.0}}});
        m.reward.push_back((1.0 - slip) * reward_of(s, a) + slip * reward_of(s, 1 - a));
      }
      m.initial.push_back(s == 0 ? 1.0 / combinations : 0.0);
    }
    return m;
  }

 private:
  struct Info {
    int s = 0;
    std::array<int, 2> tries{}, slips{};
  };

  static int next_state(int s, int executed) {
    return executed == kB ? 0 : std::min(s + 1, kStates - 1);
  }
  static double reward_of(int s, int executed) {
    if (executed == kB) return 2.0;
    return s == kStates - 1 ? 10.0 : 0.0;
  }
  int factor_of(int a) const { return semi_ ? a : 0; }

  // Blocks (slips of A, slips of B) are ordered by n, the tries of A: sum_{m<n} (m+1)(t-m+1) of
  // them come before n. When tied, n is always t and there is one row of t + 1 blocks.
  std::size_t blocks_before(int t, int n) const {
    if (!semi_) return static_cast<std::size_t>(t + 1) * n;
    const std::size_t count = n, width = t + 1;
    return count * width + (width - 1) * (count * (count - 1) / 2) -
           (count - 1) * count * (2 * count - 1) / 6;
  }
  std::size_t info_index(int t, const Info& info) const {
    if (!semi_) return static_cast<std::size_t>(info.slips[0]) * kStates + info.s;
    const std::size_t block = blocks_before(t, info.tries[0]) +
                              static_cast<std::size_t>(info.slips[0]) * (info.tries[1] + 1) +
                              info.slips[1];
    return block * kStates + info.s;
  }
  Info info_at(int t, std::size_t i) const {
    Info info;
    info.s = static_cast<int>(i % kStates);
    std::size_t block = i / kStates;
    if (!semi_) {
      info.tries[0] = t;
      info.slips[0] = static_cast<int>(block);
      return info;
    }
    int low = 0, high = t;  // the largest n with blocks_before(n) <= block
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (blocks_before(t, middle) <= block) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    block -= blocks_before(t, low);
    info.tries = {low, t - low};
    info.slips = {static_cast<int>(block / (t - low + 1)), static_cast<int>(block % (t - low + 1))};
    return info;
  }

  ChainOptions options_;
  bool semi_;
  int bins_;
};

const RegisterProblem kChain{problem_entry<Chain, ChainOptions, GridFilter<Chain>>(
    "chain", "five states, two actions, an unknown slip probability (discrete BAMDP)")};

}  // namespace
}  // namespace bpo
