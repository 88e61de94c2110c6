// The values that options take: how they are written, typed and checked. Config's own workshop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/core/config.h"
#include "bpo/core/toml.h"

namespace bpo {

inline constexpr const char* kKeyRule =
    "a key is one to three names joined by dots, each of at most 64 letters, digits, '_' and '-'";

bool is_key(std::string_view path);
std::string join_key(const std::string& group, const std::string& name);
std::string quoted(std::string_view text);
/// The value as TOML, a double in the fewest digits that give back its bits.
std::string literal(const Config::Value& value);
/// Keeps messages short whatever was typed, without cutting a UTF-8 sequence in two.
std::string brief(std::string text);
/// The value of a node that is no table, array or date.
std::optional<Config::Value> scalar(const toml::node& node);
/// A value as typed after --set. What looks like a number must be one: 1e999 is no string.
std::optional<Config::Value> typed(const std::string& text);

/// What an option accepts.
struct Rule {
  enum Kind { kFlag, kWord, kInteger, kNumber } kind;
  Range range = {};
  std::vector<std::string> words = {};
};

std::string accepts(const Rule& rule);
/// The value in the option's own type, or nothing when the rule refuses it.
std::optional<Config::Value> resolve(const Config::Value& value, const Rule& rule);

}  // namespace bpo
