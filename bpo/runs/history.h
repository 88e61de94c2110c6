// How a run was trained: its metrics.jsonl, one JSON object per iteration.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace bpo {

/// Metrics by name, then by iteration. What is not a number, such as the null of an infinite value,
/// is left out.
using History = std::map<std::string, std::map<double, double>>;

/// Refuses a line that is not an object with an iteration as `name`:line. Only a last line without
/// its newline may be cut short: it is being written.
History parse_history(std::string_view text, const std::string& name);

/// The history of the run in `directory`; empty for a plan, which was not trained.
History load_history(const std::string& directory);

}  // namespace bpo
