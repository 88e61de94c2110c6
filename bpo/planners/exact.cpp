#include "bpo/planners/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr double kMostStates = 2e8;
constexpr double kMostBeliefCells = 1e10;
constexpr std::size_t kChunk = 4096;
// Values nearer than this are ties, which go to the first action: rounding must not decide them.
constexpr double kTie = 1e-9;

/// Throws bad_input if the information states, at `cost` each, cost more than `most`.
void check_size(const InformationModel& model, double cost, double most) {
  double total = 0.0;
  for (int t = 0; t < model.spec().horizon; ++t) {
    total += cost * static_cast<double>(model.size(t));
    if (total > most) {
      throw bad_input(fmt::format(
          "exact evaluation: too many information states from step {} on; use a horizon below "
          "that, or evaluate by simulation (without --exact)",
          t));
    }
  }
}

int chunks_of(std::size_t n) { return static_cast<int>((n + kChunk - 1) / kChunk); }

/// The best action and its value, given the values after the step.
struct Best {
  double value = 0.0;
  std::uint8_t action = 0;
};

double action_value(const InformationModel& model, int t, std::size_t i, int action,
                    Perspective view, const std::vector<double>& after) {
  std::array<Outcome, kMaxOutcomes> out;
  const int n = model.outcomes(t, i, action, view, out);
  double value = 0.0;
  for (int k = 0; k < n; ++k) {
    value += out[k].probability * (out[k].reward + model.spec().discount * after[out[k].next]);
  }
  return value;
}

Best best_action(const InformationModel& model, int t, std::size_t i, Perspective view,
                 const std::vector<double>& after) {
  Best best{action_value(model, t, i, 0, view, after), 0};
  for (int a = 1; a < model.spec().actions.size(); ++a) {
    const double value = action_value(model, t, i, a, view, after);
    if (value > best.value + kTie) best = {value, static_cast<std::uint8_t>(a)};
  }
  return best;
}

}  // namespace

ExactOptimum exact_optimum(const InformationModel& model, ThreadPool& pool) {
  check_size(model, 1, kMostStates);
  const int horizon = model.spec().horizon;
  const bool differ = model.views_differ();
  // Up to three recursions side by side: what the agent believes (it picks the actions of the Bayes
  // policy), that policy's value in the true world, and the best value in the true world.
  std::vector<double> believed(model.size(horizon), 0.0), followed, best;
  if (differ) followed = best = believed;
  for (int t = horizon - 1; t >= 0; --t) {
    const std::size_t n = model.size(t);
    std::vector<double> believed_now(n), followed_now(differ ? n : 0), best_now(differ ? n : 0);
    pool.run(chunks_of(n), [&](int chunk, int) {
      for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i) {
        const Best choice = best_action(model, t, i, Perspective::kBelieved, believed);
        believed_now[i] = choice.value;
        if (!differ) continue;
        followed_now[i] = action_value(model, t, i, choice.action, Perspective::kTrue, followed);
        best_now[i] = best_action(model, t, i, Perspective::kTrue, best).value;
      }
    });
    believed.swap(believed_now);
    followed.swap(followed_now);
    best.swap(best_now);
  }
  const std::size_t start = model.start();
  return differ ? ExactOptimum{best[start], followed[start]}
                : ExactOptimum{believed[start], believed[start]};
}

ExactValue exact_value(const InformationModel& model, const Policy& policy, ThreadPool& pool) {
  const ActionProbabilities* probabilities = policy.probabilities();
  if (probabilities == nullptr) {
    throw bad_input(
        "exact evaluation: this policy does not act by observation and belief alone (the oracle "
        "sees the latent); evaluate it by simulation (without --exact)");
  }
  check_size(model, 1, kMostStates);
  check_size(model, model.spec().belief_dim, kMostBeliefCells);
  const ProblemSpec& spec = model.spec();
  const int actions = spec.actions.size();
  std::vector<PolicyInputs> inputs(pool.threads(), PolicyInputs(spec));
  std::vector<double> reach(model.size(0), 0.0);  // P(information state at step t)
  reach[model.start()] = 1.0;
  ExactValue out;
  double weight = 1.0;
  for (int t = 0; t < spec.horizon; ++t) {
    std::vector<std::size_t> reached;
    for (std::size_t i = 0; i < reach.size(); ++i) {
      if (reach[i] > 0.0) reached.push_back(i);
    }
    out.states += reached.size();
    std::vector<float> pi(reached.size() * actions);
    const int tiles = static_cast<int>((reached.size() + kLanes - 1) / kLanes);
    pool.run(tiles, [&](int tile, int thread) {
      PolicyInputs& in = inputs[thread];
      const std::size_t first = static_cast<std::size_t>(tile) * kLanes;
      in.time = t;
      in.episodes.count = static_cast<int>(std::min<std::size_t>(kLanes, reached.size() - first));
      for (int lane = 0; lane < in.episodes.count; ++lane) {
        model.inputs(t, reached[first + lane], {in.obs[lane], in.belief[lane], in.estimate[lane]});
      }
      probabilities->compute(in,
                             std::span(pi).subspan(first * actions, in.episodes.count * actions));
    });
    std::vector<double> next(model.size(t + 1), 0.0);
    double reward = 0.0;
    for (std::size_t k = 0; k < reached.size(); ++k) {
      double total = 0.0;
      for (int a = 0; a < actions; ++a) total += pi[k * actions + a];
      for (int a = 0; a < actions; ++a) {
        const double p = reach[reached[k]] * pi[k * actions + a] / total;
        if (p <= 0.0) continue;
        std::array<Outcome, kMaxOutcomes> outcomes;
        const int n = model.outcomes(t, reached[k], a, Perspective::kTrue, outcomes);
        for (int j = 0; j < n; ++j) {
          reward += p * outcomes[j].probability * outcomes[j].reward;
          next[outcomes[j].next] += p * outcomes[j].probability;
        }
      }
    }
    out.value += weight * reward;
    weight *= spec.discount;
    reach.swap(next);
  }
  return out;
}

}  // namespace bpo
