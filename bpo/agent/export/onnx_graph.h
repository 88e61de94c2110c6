// An exported policy as an ONNX model of one step: an observation in, the network's outputs out,
// and, where the filter is plain data, the belief's recursion belief_in -> belief_out. Its tensors
// are double; the network's hold floats and are rounded as the agent's are (onnx_floats.h), so that
// results agree to the bit, but for logarithms and exponentials of the runtime's own.
#pragma once

#include <string>

#include "bpo/agent/export/onnx_model.h"
#include "bpo/agent/export/taken_apart.h"

namespace bpo {

/// Whether the model keeps the belief itself. Tables that would be too large as dense ones are left
/// out: the belief is then an input.
bool onnx_keeps_belief(const TakenApart& policy);

/// The file's bytes; its metadata has the contract.
std::string onnx_model(const TakenApart& policy);

/// What the nodes of a filter read and make.
struct OnnxFilter {
  OnnxValue observation, previous, executed, belief_in, first;  // given
  OnnxValue belief_out, seen;  // made: the filter's state, and what the network sees of it
};
std::vector<double> onnx_prior(const TakenApart& policy);
void add_onnx_filter(const TakenApart& policy, OnnxModel& model, OnnxFilter& filter);
/// The moment filter's correction of N(place, v I) by a measurement z: mean and variance.
OnnxValue onnx_moments(const LightForm& form, OnnxModel& model, const OnnxValue& place,
                       const OnnxValue& v, const OnnxValue& z);

}  // namespace bpo
