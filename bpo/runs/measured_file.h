// The text of a measured-*.json, in which runs/cache remembers what was measured of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bpo/runs/measurement.h"
#include "bpo/runs/protocol.h"

namespace bpo {

/// What the text tells, if it is whole, of this policy and enough for `protocol`: returns, faults,
/// exact values and curves. Whatever else it is can be measured again.
std::optional<Measurement> parse_measured(std::string_view text, const std::string& policy,
                                          const Protocol& protocol);

}  // namespace bpo
