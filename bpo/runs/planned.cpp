#include "bpo/runs/planned.h"

#include <algorithm>
#include <set>

#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {
namespace {

std::vector<std::string> names_of(const std::vector<std::string>& own,
                                  const std::vector<std::string>& others, const char* what,
                                  int count) {
  if (std::ssize(own) == count) return own;
  std::vector<std::string> out;
  if (std::ssize(others) == count) out = others;
  name_all(out, what, count);
  return out;
}

/// The vectors that are best at some mixture of two states, in their order.
std::vector<int> seen_vectors(const VectorSets& vectors, int key) {
  constexpr int kMostStates = 30;
  const int states = vectors.hidden(), levels = states == 2 ? 400 : 20;
  if (states > kMostStates) return {};
  std::set<int> out;
  std::vector<double> b(states);
  for (int i = 0; i < states; ++i) {
    for (int j = i + 1; j < states; ++j) {
      for (int k = 0; k <= levels; ++k) {
        b[j] = static_cast<double>(k) / levels;
        b[i] = 1.0 - b[j];
        out.insert(vectors.best(key, b).index);
      }
      b[i] = b[j] = 0.0;
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace

std::vector<PlannedSlice> planned_slices(const LoadedPolicy& loaded, int most) {
  const auto* policy = dynamic_cast<const AlphaPolicy*>(loaded.policy.get());
  const auto tables = policy == nullptr ? nullptr : loaded.problem->tabular();
  if (tables == nullptr) return {};
  const ProblemView& view = loaded.problem->view();
  const TabularNames& names = tables->names;
  std::vector<PlannedSlice> out;
  for (int x = 0; x < tables->visible && std::ssize(out) < most; ++x) {
    const auto of_x =
        std::span(tables->initial).subspan(std::size_t(x) * tables->hidden(), tables->hidden());
    if (std::all_of(of_x.begin(), of_x.end(), [](double p) { return p == 0.0; })) continue;
    PlannedSlice& slice = out.emplace_back();
    if (tables->visible > 1) {
      slice.seen = names_of(names.seen, view.seen_values, "place", tables->visible)[x];
    }
    slice.acts_on_belief = policy->look() == Look::kBelief;
    slice.stages = policy->shape().stages;
    slice.states = names_of(names.hidden, view.latent_values, "state", tables->hidden());
    slice.actions = names_of(names.actions, view.actions, "action", tables->actions);
    for (const int i : seen_vectors(policy->vectors(), x)) {
      const auto alpha = policy->vectors().vector(x, i);
      slice.vectors.emplace_back(alpha.begin(), alpha.end());
      slice.vector_actions.push_back(policy->vectors().action(x, i));
    }
    slice.action = [policy, x](std::vector<double> b) { return policy->action(x, b); };
  }
  return out;
}

}  // namespace bpo
