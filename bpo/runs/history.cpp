#include "bpo/runs/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

namespace bpo {
namespace {

constexpr std::size_t kMostHistoryBytes = std::size_t{1} << 28;

void add_line(std::string_view line, History& history) {
  // The parser takes a NUL for the end of its input.
  const auto json = nlohmann::json::parse(line.find('\0') == line.npos ? line : "");
  const double iteration = json.at("iteration");
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) history[name][iteration] = value;
  }
}

}  // namespace

History parse_history(std::string_view text, const std::string& name) {
  History history;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const bool ended = length < text.size();
    try {
      add_line(text.substr(0, length), history);
    } catch (const nlohmann::json::exception&) {
      if (ended) throw bad_input(fmt::format("{}:{}: not a line of metrics", name, number));
    }
    text.remove_prefix(length + ended);
  }
  return history;
}

History load_history(const std::string& directory) {
  const std::string path = directory + "/metrics.jsonl";
  if (!exists(path)) return {};
  return parse_history(read_file(path, kMostHistoryBytes), path);
}

}  // namespace bpo
