#include "bpo/core/parse_json.h"

#include <cstddef>

namespace bpo {
namespace {

constexpr int kDeepest = 32;

/// Of a text that is JSON; of any other it does not matter.
bool is_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      i += c == '\\';
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > kDeepest) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace

Json parse_json(std::string_view text) {
  // The parser takes a NUL for the end of its input. An empty text is refused.
  const bool fit = text.find('\0') == text.npos && !is_deep(text);
  return Json::parse(fit ? text : "");
}

}  // namespace bpo
