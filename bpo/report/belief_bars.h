// A belief as text: a bar per cell where there are few, one character per column where there are
// many.
#pragma once

#include <span>
#include <string>

namespace bpo::report {

/// `belief` holds `factors` posteriors, one after the other. "[######..] [##......]", or
/// "[ .:=+*#@+:      ]" with the darkest character at the largest cell.
std::string belief_bars(std::span<const float> belief, int factors);

/// A vector as text: "#2" for a one-hot vector, "(0.5 1)" for any other.
std::string compact(std::span<const float> values);

}  // namespace bpo::report
