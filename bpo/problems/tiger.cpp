// Tiger (Kaelbling et al. 1998; Sec. 5): a tiger waits behind one of two doors. Listening costs 1
// and is right with probability `accuracy`; the tiger's door costs 100, the other pays 10. After a
// door opens, the tiger is drawn anew and the belief returns to (.5, .5). 100 steps, discount 0.95.
#include <array>
#include <cmath>

#include "bpo/core/any_problem.h"
#include "bpo/filters/grid.h"

namespace bpo {
namespace {

struct TigerOptions {
  double accuracy = 0.85;
  std::int64_t horizon = 100;

  void visit(OptionVisitor& v) {
    v.number("accuracy", accuracy, {0.5, 1.0}, "probability that listening names the right door");
    v.integer("horizon", horizon, {1, 100000}, "steps per episode");
  }
  TrainingDefaults training_defaults() const {
    return {{"algo.iterations", 400},         {"algo.validate_episodes", 20000},
            {"optimizer.batch_steps", 50000}, {"optimizer.discount", 0.95},
            {"optimizer.kl", 0.03},           {"optimizer.kl_end", 0.0001}};
  }
};

class Tiger {
 public:
  enum : int { kListen, kOpenLeft, kOpenRight };
  enum Sound : int { kHeardLeft, kHeardRight, kNone };
  using Latent = int;  // the tiger's door: 0 left, 1 right
  using State = Sound;
  using Observation = Sound;
  using Action = int;

  explicit Tiger(const TigerOptions& options) : options_(options) {}

  ProblemSpec spec() const {
    return {.name = "tiger",
            .horizon = static_cast<int>(options_.horizon),
            .discount = 0.95,
            .actions = {.count = 3},
            .obs_dim = 3,
            .latent_dim = 1};
  }
  ProblemView view() const {
    return {.observation = {"sound"},
            .observation_values = {"heard left", "heard right", "nothing"},
            .actions = {"listen", "open-left", "open-right"},
            .latents = {"tiger's door"},
            .latent_values = {"left", "right"},
            .latent_units = {"index"}};
  }

  Latent sample_latent(Rng& rng) const { return rng.below(2); }
  Latent latent_of(std::span<const double> numbers) const {
    return check_index("tiger's door", numbers[0], 2);
  }
  State sample_state(const Latent&, Rng&) const { return kNone; }

  StepResult step(State& sound, Latent& tiger, Action a, Rng& rng) const {
    if (a == kListen) {
      const bool right = rng.uniform() < options_.accuracy;
      sound = static_cast<Sound>(right ? tiger : 1 - tiger);
      return {reward_of(tiger, a)};
    }
    const double reward = reward_of(tiger, a);
    tiger = rng.below(2);
    sound = kNone;
    return {reward};
  }

  Observation observe(const State& sound, const Latent&, Rng&) const { return sound; }

  void encode(const Observation& sound, std::span<float> out) const {
    for (int i = 0; i < 3; ++i) out[i] = i == sound ? 1.0f : 0.0f;
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_one_hot(out, 0, 3);
    return out;
  }
  void encode_latent(const Latent& tiger, std::span<float> out) const {
    out[0] = static_cast<float>(tiger);
  }

  // The grid: one cell per door. A kind of evidence is the sound itself; "none" means a door
  // opened.
  int factors() const { return 1; }
  int cells() const { return 2; }
  double cell_value(int cell) const { return cell; }
  int evidence_kinds() const { return 3; }
  int evidence(const Observation&, Action, const Observation& sound) const { return sound; }
  double log_likelihood(int kind, int, int cell) const {
    if (kind == kNone) return 0.0;
    return std::log(kind == cell ? options_.accuracy : 1.0 - options_.accuracy);
  }
  bool moves(int kind) const { return kind == kNone; }
  double transition(int, int, int) const { return 0.5; }

  // The information state: (left - right sounds since the last door) and the last sound.
  bool latent_is_fixed() const { return false; }
  std::size_t info_start() const { return info_index(0, 0, kNone); }
  std::size_t info_size(int t) const { return static_cast<std::size_t>(2 * t + 1) * 3; }
  Observation info_observation(int, std::size_t i) const { return static_cast<Sound>(i % 3); }
  void info_counts(int t, std::size_t i, std::span<int> counts) const {
    const int lead = lead_of(t, i);
    counts[kHeardLeft] = std::max(lead, 0);
    counts[kHeardRight] = std::max(-lead, 0);
    counts[kNone] = 0;
  }
  int info_outcomes(int t, std::size_t i, int a, Perspective, std::span<Outcome> out) const {
    const int lead = lead_of(t, i);
    const double c = options_.accuracy;
    const double left = 1.0 / (1.0 + std::pow((1.0 - c) / c, lead));
    if (a == kListen) {
      const double hear_left = left * c + (1.0 - left) * (1.0 - c);
      out[0] = {hear_left, -1.0, info_index(t + 1, lead + 1, kHeardLeft)};
      out[1] = {1.0 - hear_left, -1.0, info_index(t + 1, lead - 1, kHeardRight)};
      return 2;
    }
    const double tiger = a == kOpenLeft ? left : 1.0 - left;
    out[0] = {1.0, -100.0 * tiger + 10.0 * (1.0 - tiger), info_index(t + 1, 0, kNone)};
    return 1;
  }

  TabularModel tabular() const {
    const ProblemSpec shape = spec();
    TabularModel m{.states = 2,
                   .actions = shape.actions.size(),
                   .observations = kNone + 1,
                   .discount = shape.discount,
                   .horizon = shape.horizon,
                   .transition = std::vector<SparseRows>(3),
                   .observation = std::vector<SparseRows>(3),
                   .initial = {0.5, 0.5}};
    const double c = options_.accuracy;
    using Row = std::array<SparseRows::Entry, 2>;
    for (int tiger = 0; tiger < 2; ++tiger) {
      m.transition[kListen].add_row(Row{{{tiger, 1.0}}});
      m.observation[kListen].add_row(Row{{{tiger, c}, {1 - tiger, 1.0 - c}}});
      for (int a : {kOpenLeft, kOpenRight}) {
        m.transition[a].add_row(Row{{{0, 0.5}, {1, 0.5}}});
        m.observation[a].add_row(Row{{{kNone, 1.0}}});
      }
      for (int a : {kListen, kOpenLeft, kOpenRight}) m.reward.push_back(reward_of(tiger, a));
    }
    return m;
  }

 private:
  static double reward_of(int tiger, Action a) {
    if (a == kListen) return -1.0;
    return tiger == a - kOpenLeft ? -100.0 : 10.0;
  }
  static int lead_of(int t, std::size_t i) { return static_cast<int>(i / 3) - t; }
  static std::size_t info_index(int t, int lead, Sound sound) {
    return static_cast<std::size_t>(lead + t) * 3 + sound;
  }

  TigerOptions options_;
};

const RegisterProblem kTiger{problem_entry<Tiger, TigerOptions, GridFilter<Tiger>>(
    "tiger", "listen, then open the door without the tiger (discrete POMDP)")};

}  // namespace
}  // namespace bpo
