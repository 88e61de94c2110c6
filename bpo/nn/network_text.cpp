#include "bpo/nn/network_text.h"

#include <nlohmann/json.hpp>

namespace bpo {
namespace {

std::string name_of(Sees sees) {
  switch (sees) {
    case Sees::kBelief:
      return "belief";
    case Sees::kEstimate:
      return "estimate";
    case Sees::kLatent:
      return "latent";
    case Sees::kNothing:
      return "nothing";
  }
  return "";
}

}  // namespace

std::string network_text(const NetworkSpec& spec, Sees sees) {
  nlohmann::ordered_json out{{"sees", name_of(sees)},
                             {"state_inputs", spec.state_dim},
                             {"belief_inputs", spec.belief_dim},
                             {"belief_scale", spec.belief_scale},
                             {"belief_basis", spec.belief_basis.empty() ? "none" : "cosine"},
                             {"encoders", spec.encoders},
                             {"hidden", spec.hidden},
                             {"outputs", spec.outputs},
                             {"gaussian", spec.gaussian}};
  // Only where they say something, so that the files of before still open.
  if (spec.log_at >= 0) out["log_at"] = spec.log_at;
  if (spec.goal_at >= 0) out["goal_at"] = spec.goal_at;
  if (spec.own_spread) out["own_spread"] = true;
  return out.dump();
}

}  // namespace bpo
