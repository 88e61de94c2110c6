#include "bpo/agent/export/contract.h"

#include <fmt/format.h>

#include "bpo/agent/belief_names.h"
#include "bpo/agent/meaning.h"
#include "bpo/core/machine.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/tracker.h"

namespace bpo {
namespace {

Json number(const std::string& name, const std::string& unit) {
  return {{"name", name}, {"unit", unit.empty() ? Json() : Json(unit)}};
}

Json observation_of(const TakenApart& policy) {
  const ProblemView& view = policy.loaded->problem->view();
  Json out{{"type", "double"}, {"size", policy.observation_size}};
  const std::vector<int> sizes = policy.index_sizes();
  for (int i = 0; i < policy.observation_size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (policy.encoded) {
      out["numbers"].push_back(number(fmt::format("input {} of the network", i), ""));
      continue;
    }
    Json one = number(view.observation[at], at < view.units.size() ? view.units[at] : "");
    if (sizes[at] > 0) {
      one["unit"] = "index";
      const bool seen = at == 0 && !view.seen_values.empty();
      one["values"] = seen ? view.seen_values : view.observation_values;
    }
    out["numbers"].push_back(std::move(one));
  }
  return out;
}

Json action_of(const TakenApart& policy) {
  const ProblemView& view = policy.loaded->problem->view();
  const ActionSpace& space = policy.spec().actions;
  Json out{{"type", "double"}, {"size", action_size(space)}};
  if (space.discrete()) {
    out["numbers"].push_back({{"name", "action"}, {"unit", "index"}, {"values", view.actions}});
    out["clipping"] = "none: it is always an index";
    return out;
  }
  for (const std::string& name : view.actions) {
    Json one = number(name, view.action_unit);
    one["low"] = space.low;
    one["high"] = space.high;
    out["numbers"].push_back(std::move(one));
  }
  out["clipping"] =
      "the policy may choose beyond low and high; cut off what you execute, as the problem did in "
      "training. The filter cuts off by itself: tell it the action before or after clipping.";
  return out;
}

Json belief_of(const TakenApart& policy) {
  Json out{{"size", policy.belief_size()}, {"type", "float"}};
  if (!policy.sees_belief()) {
    out["meaning"] = "the policy sees no belief";
    return out;
  }
  out["inside"] = policy.filter_inside();
  const Meaning meaning = meaning_of(*policy.loaded->problem, Sees::kBelief);
  for (const auto& [key, value] : meaning["belief"].items()) {
    if (key != "size") out[key] = value;
  }
  const ProblemView& view = policy.loaded->problem->view();
  for (std::size_t i = 0; i < view.latents.size(); ++i) {
    const bool known = i < view.latent_units.size();
    out["units"].push_back(known ? Json(view.latent_units[i]) : Json());
  }
  const auto numbers = policy.sees_estimate() ? estimate_numbers : belief_numbers;
  out["meaning"] = numbers(*policy.loaded->problem).meaning;
  if (!policy.filter_inside()) {
    out["from"] =
        "outside: what this filter would say after the observation that the step is told; an "
        "agent keeps it, with its model: libbpo-runtime (bpo_belief), or Python (bpo.load)";
  }
  out["prior"] = policy.prior();
  return out;
}

/// How late actions act, beyond the step that an action waits for its turn.
Json delay_of(const TakenApart& policy) {
  Json out{{"known",
            "none: an action is chosen after an observation and executed in the step that "
            "follows it"},
           {"unknown", Json::array()}};
  for (const ActionDelay& delay : file_delays(problems().at(policy.loaded->run.problem))) {
    out["unknown"].push_back({{"latent", delay.latent},
                              {"unit", "s"},
                              {"least", delay.least},
                              {"most", delay.most},
                              {"meaning",
                               "actions act this much later, and those before act until then; the "
                               "policy and its filter allow for delays between least and most"}});
  }
  return out;
}

}  // namespace

Json contract_of(const TakenApart& policy) {
  const RunIdentity& run = policy.loaded->run;
  const ProblemSpec& spec = policy.spec();
  const auto& stage = policy.loaded->problem->view().stage;
  Json out{{"format", "bpo-contract-1"}, {"problem", run.problem},
           {"algorithm", run.algorithm}, {"seed", run.seed},
           {"settings", run.settings},   {"commit", this_machine().commit}};
  out["observation"] = observation_of(policy);
  out["action"] = action_of(policy);
  out["belief"] = belief_of(policy);
  out["output"] = {{"size", policy.network().outputs},
                   {"type", "float"},
                   {"meaning", !policy.network().gaussian ? "probabilities of the actions"
                               : policy.network().own_spread
                                   ? "means of the action, then logarithms of standard deviations"
                                   : "means of the action"}};
  out["rate"] =
      stage ? Json{{"seconds_per_step", stage->step_seconds}, {"hz", 1.0 / stage->step_seconds}}
            : Json("a step is a step of the problem; it has no clock");
  out["delay"] = delay_of(policy);
  out["horizon"] = {
      {"steps", spec.horizon},
      {"beyond", spec.clock > 0.0 ? "the policy sees how near the end is; that then stands still"
                                  : "the policy does not see the time"}};
  out["random_choices"] = "a function of seed, episode and step: those of `bpo play`; or greedy";
  return out;
}

}  // namespace bpo
