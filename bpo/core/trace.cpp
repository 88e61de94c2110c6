#include "bpo/core/trace.h"

#include "bpo/core/simulate.h"

namespace bpo {
namespace {

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

Sight look(const World& w) {
  return {.obs = copy(w.obs()[0]),
          .belief = copy(w.belief()[0]),
          .latent = copy(w.latent()[0]),
          .belief_entropy = w.belief_entropy(0),
          .scene = w.scene(0)};
}

}  // namespace

Trace trace_episode(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                    std::uint64_t episode) {
  const ProblemSpec& spec = problem.spec();
  const auto world = problem.make_world();
  const auto actor = policy.make_actor();
  Trace trace{.spec = spec, .view = problem.view()};
  double weight = 1.0;
  simulate(
      *world, *actor, {seed, episode, 1}, LatentSource::kPrior,
      [&](const World& w, const Actions& actions) {
        Moment m{.t = w.time(), .sight = look(w)};
        if (spec.actions.discrete()) {
          m.action = actions.index[0];
        } else {
          m.box = copy(actions.box[0]);
        }
        trace.moments.push_back(m);
      },
      [&](const World& w, const Actions&) {
        trace.total += weight * w.reward(0);
        weight *= spec.discount;
        trace.moments.back().reward = w.reward(0);
        trace.moments.back().total = trace.total;
        trace.end = look(w);
        if (w.fault(0)) trace.faults.push_back(fault_of(w, 0));
      });
  return trace;
}

}  // namespace bpo
