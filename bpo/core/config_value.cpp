#include "bpo/core/config_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo {

using Value = Config::Value;

bool is_key(std::string_view path) {
  constexpr auto kNone = std::string_view::npos;
  constexpr auto kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int names = 1; names <= 3; ++names) {
    const std::string_view name = path.substr(0, path.find('.'));
    if (name.empty() || name.size() > 64 || name.find_first_not_of(kLetters) != kNone) return false;
    if (name.size() == path.size()) return true;
    path.remove_prefix(name.size() + 1);
  }
  return false;
}

std::string join_key(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + '.' + name;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    const bool control = (c >= 0 && c < 0x20) || c == 0x7f;
    out += control ? fmt::format("\\u{:04X}", static_cast<int>(c)) : std::string(1, c);
  }
  return out + '"';
}

std::string literal(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return bpo::quoted(*text);
  std::string out = fmt::to_string(std::get<double>(value));
  // Without a point TOML reads an integer, and -0 would lose its sign; inf and nan have an 'n'.
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string brief(std::string text) {
  std::size_t end = 80;
  if (text.size() <= end) return text;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::optional<Value> scalar(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  return std::nullopt;
}

std::optional<Value> typed(const std::string& text) {
  const bool numeric = text.find_first_not_of("0123456789+-.eE_") == std::string::npos;
  if (numeric || is_key(text)) {
    try {
      const toml::table table = toml::parse("value = " + text);
      if (auto value = scalar(*table.get("value"))) return value;
    } catch (const toml::parse_error&) {
    }
  }
  if (numeric && text.find_first_of("0123456789") != std::string::npos) return std::nullopt;
  return text;
}

std::string accepts(const Rule& rule) {
  if (rule.kind == Rule::kFlag) return "true or false";
  if (rule.kind == Rule::kWord) return fmt::format("one of '{}'", fmt::join(rule.words, "', '"));
  const bool whole = rule.kind == Rule::kInteger;
  const double limit = whole ? 0x1p63 : Range{}.high;
  std::string low = whole ? "[-2^63" : "(-inf", high = whole ? "2^63)" : "inf)";
  if (rule.range.low > -limit) low = fmt::format("[{}", rule.range.low);
  if (rule.range.high < limit) high = fmt::format("{}]", rule.range.high);
  return fmt::format("{} in {}, {}{}", whole ? "an integer" : "a number", low, high,
                     rule.words.empty() ? "" : fmt::format(" or '{}'", rule.words.front()));
}

std::optional<Value> resolve(const Value& value, const Rule& rule) {
  if (std::holds_alternative<bool>(value)) {
    return rule.kind == Rule::kFlag ? std::optional(value) : std::nullopt;
  }
  if (const auto* word = std::get_if<std::string>(&value)) {
    const bool known = std::find(rule.words.begin(), rule.words.end(), *word) != rule.words.end();
    return known ? std::optional(value) : std::nullopt;
  }
  // A long double holds every int64: compared as doubles, 2^53 + 1 would pass for 2^53.
  const auto* integer = std::get_if<std::int64_t>(&value);
  const long double x = integer ? *integer : static_cast<long double>(std::get<double>(value));
  if (!std::isfinite(x) || x < rule.range.low || x > rule.range.high) return std::nullopt;
  if (rule.kind == Rule::kNumber) return static_cast<double>(x);
  if (rule.kind != Rule::kInteger || std::trunc(x) != x) return std::nullopt;
  if (x < -0x1p63L || x >= 0x1p63L) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

}  // namespace bpo
