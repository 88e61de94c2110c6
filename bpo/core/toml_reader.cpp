#include "bpo/core/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/error.h"

namespace bpo {

void TomlReader::fail(const toml::node& at, const std::string& what) const {
  throw bad_input(fmt::format("{}: {}", place_in(file_, at.source().begin), what));
}

void TomlReader::only(const toml::table& table, const std::vector<std::string>& keys) const {
  for (const auto& [key, node] : table) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    throw bad_input(fmt::format("{}: unknown key '{}'{}; there are: {}",
                                place_in(file_, key.source().begin), key.str(),
                                did_you_mean(key.str(), keys), fmt::join(keys, ", ")));
  }
}

const toml::node& TomlReader::need(const toml::table& table, const std::string& key) const {
  if (const toml::node* node = table.get(key)) return *node;
  fail(table, fmt::format("{} is missing", key));
}

const toml::table& TomlReader::table(const toml::node& node, const std::string& name) const {
  if (node.is_table()) return *node.as_table();
  fail(node, fmt::format("{} must be a table", name));
}

double TomlReader::number(const toml::node& node, const std::string& name, double low,
                          double high) const {
  const auto value = node.value<double>();
  if (node.is_number() && *value >= low && *value <= high) return *value;
  fail(node, fmt::format("{} must be a number in [{:g}, {:g}]", name, low, high));
}

double TomlReader::number(const toml::table& table, const char* key, double low, double high,
                          double otherwise) const {
  const toml::node* node = table.get(key);
  return node == nullptr ? otherwise : number(*node, key, low, high);
}

int TomlReader::integer(const toml::table& table, const char* key, int low, int high,
                        int otherwise) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value<double>();
  if (node->is_number() && *value >= low && *value <= high && *value == std::floor(*value)) {
    return static_cast<int>(*value);
  }
  fail(*node, fmt::format("{} must be a whole number in [{}, {}]", key, low, high));
}

std::string TomlReader::text(const toml::node& node, const std::string& name) const {
  if (const auto value = node.value<std::string>(); value && node.is_string()) return *value;
  fail(node, fmt::format("{} must be a text in quotes", name));
}

std::string TomlReader::choice(const toml::table& table, const char* key,
                               const std::vector<std::string>& words,
                               const std::string& otherwise) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const std::string word = text(*node, key);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  fail(*node, fmt::format("{} = \"{}\"{}; it is one of: {}", key, word, did_you_mean(word, words),
                          fmt::join(words, ", ")));
}

std::vector<double> TomlReader::numbers(const toml::node& node, const std::string& name,
                                        std::size_t least, std::size_t most) const {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() < least || array->size() > most) {
    fail(node, least == most
                   ? fmt::format("{} must be a list of {} numbers", name, least)
                   : fmt::format("{} must be a list of {} to {} numbers", name, least, most));
  }
  std::vector<double> out;
  for (const toml::node& each : *array) out.push_back(number(each, name, -1e12, 1e12));
  return out;
}

std::vector<std::string> TomlReader::words(const toml::node& node, const std::string& name) const {
  if (node.is_string()) return {text(node, name)};
  const toml::array* array = node.as_array();
  if (array == nullptr) fail(node, fmt::format("{} must be a list of texts", name));
  std::vector<std::string> out;
  for (const toml::node& each : *array) out.push_back(text(each, name));
  return out;
}

}  // namespace bpo
