#include "bpo/agent/meaning.h"

#include <fmt/format.h>

#include <algorithm>

namespace bpo {

Meaning meaning_of(const AnyProblem& problem, Sees sees) {
  const ProblemSpec& spec = problem.spec();
  const ProblemView& view = problem.view();
  Meaning out;
  out["observation"] = {{"size", spec.obs_dim},
                        {"numbers", view.observation},
                        {"values", view.observation_values},
                        {"clock", spec.clock}};
  if (sees == Sees::kBelief) {
    Meaning& belief = out["belief"];
    belief["size"] = spec.belief_dim;
    belief["factors"] = view.latents;
    if (spec.grid) {
      belief["joint"] = spec.grid->joint;
      const auto& axes = spec.grid->axes;
      const bool alike = std::all_of(axes.begin(), axes.end(),
                                     [&](const auto& axis) { return axis == axes.front(); });
      belief["cells"] = alike ? Meaning(axes.front()) : Meaning(axes);
    }
  }
  if (sees == Sees::kEstimate) out["estimate"] = {{"size", spec.estimate_dim}};
  if (sees == Sees::kLatent) out["latent"] = {{"size", spec.latent_dim}};
  Meaning& actions =
      out["actions"] = {{"names", view.actions}, {"discrete", spec.actions.discrete()}};
  if (!spec.actions.discrete()) {
    actions["low"] = spec.actions.low;
    actions["high"] = spec.actions.high;
  }
  return out;
}

std::string difference(const Meaning& trained, const Meaning& now) {
  const Meaning was = trained.flatten(), is = now.flatten();
  const auto shown = [](const Meaning& all, const std::string& key) {
    const auto at = all.find(key);
    return at == all.end() ? std::string("absent") : at->dump();
  };
  for (const Meaning* keys : {&was, &is}) {
    for (const auto& [key, value] : keys->items()) {
      const std::string before = shown(was, key), after = shown(is, key);
      if (before == after) continue;
      std::string name = key.substr(1);  // a JSON pointer, "/belief/cells/0"
      for (char& c : name) c = c == '/' ? '.' : c;
      return fmt::format("{} is {} instead of {}", name, after, before);
    }
  }
  return "";
}

}  // namespace bpo
