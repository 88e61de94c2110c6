#include "bpo/agent/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace bpo {
namespace {

constexpr std::size_t kShown = 80;  // characters of what a stranger may have written

std::string shown(const Meaning* value) {
  if (value == nullptr) return "absent";
  if (value->is_structured()) return fmt::format("{} values", value->size());
  return value->dump().substr(0, kShown);
}

/// An entry of a list by its place, or of an object by its name; null where there is none.
const Meaning* part(const Meaning& whole, const std::string& key, std::size_t at) {
  if (whole.is_array()) return at < whole.size() ? &whole[at] : nullptr;
  const auto found = whole.find(key);
  return found == whole.end() ? nullptr : &*found;
}

/// `name` is that of the two values, one of which may be absent, as "belief.cells".
std::string difference_at(const std::string& name, const Meaning* was, const Meaning* is) {
  if (was == nullptr || is == nullptr || was->is_array() != is->is_array() ||
      was->is_object() != is->is_object() || (!is->is_structured() && was->dump() != is->dump())) {
    return fmt::format("{} is {} instead of {}", name.substr(0, kShown), shown(is), shown(was));
  }
  for (const Meaning* keys : {was, is}) {
    if (!keys->is_structured()) return "";
    std::size_t at = 0;
    for (const auto& [key, value] : keys->items()) {
      const Meaning* before = part(*was, key, at);
      const Meaning* after = part(*is, key, at++);
      if (keys == is && before != nullptr) continue;  // was looked at already
      const std::string found = difference_at(name.empty() ? key : name + "." + key, before, after);
      if (!found.empty()) return found;
    }
  }
  return "";
}

}  // namespace

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
  return difference_at("", &trained, &now);
}

}  // namespace bpo
