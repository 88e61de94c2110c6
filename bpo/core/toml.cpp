#include "bpo/core/toml.h"

#include <fmt/format.h>

#include <cctype>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr int kMostKeyDots = 4096;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Dots that may join names of a key: all but the one in a number.
int key_dots(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') continue;
    std::size_t before = i;
    while (before > 0 && (is_digit(text[before - 1]) || text[before - 1] == '_')) --before;
    const bool number = before < i && i + 1 < text.size() && is_digit(text[i + 1]) &&
                        (before == 0 || text[before - 1] != '.');
    dots += !number;
  }
  return dots;
}

}  // namespace

std::string place_in(const std::string& name, const toml::source_position& place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  // toml++ makes a table per dot of a key, searches them one by one and destroys them by recursion:
  // without a limit a small file takes seconds or exhausts the stack.
  if (key_dots(text) > kMostKeyDots) {
    throw bad_input(fmt::format("{}: more than {} dots in keys", name, kMostKeyDots));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw bad_input(
        fmt::format("{}: {}", place_in(name, error.source().begin), error.description()));
  }
}

}  // namespace bpo
