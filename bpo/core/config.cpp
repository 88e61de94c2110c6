// TOML text and --set become a flat map from key path to value; visitors then move the values into
// option structs. Types and ranges are checked there, where it is known what would work.
#include "bpo/core/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "bpo/core/config_value.h"
#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/core/hash.h"

namespace bpo {
namespace {

constexpr char kDefault[] = "default";  // the origin of what nobody set

using Value = Config::Value;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
template <class Entries>
void collect(const toml::table& table, const std::string& group, const std::string& file,
             Entries& entries) {
  for (const auto& [name, node] : table) {
    const std::string key = join_key(group, std::string(name.str()));
    const toml::table* inner = node.as_table();
    const bool dotted = name.str().find('.') != std::string_view::npos;  // "a.b" is not a.b
    if (dotted || !is_key(inner ? key + ".name" : key)) {
      throw bad_input(fmt::format("{}: bad key {}: {}", place_in(file, name.source().begin),
                                  brief(bpo::quoted(key)), kKeyRule));
    }
    const std::string origin = place_in(file, node.source().begin);
    const std::optional<Value> value = scalar(node);
    if (inner) {
      collect(*inner, key, file, entries);
    } else if (value) {
      entries[key] = {*value, origin};
    } else {
      throw bad_input(fmt::format(
          "{}: {} is an array or a date; must be a boolean, a number or a string", origin, key));
    }
  }
}

/// Turns the five kinds of options into one.
class OptionAdapter : public OptionVisitor {
 public:
  void number(const char* name, double& value, Range range, const char* help) final {
    value = std::get<double>(option(name, value, {Rule::kNumber, range}, help));
  }
  void integer(const char* name, std::int64_t& value, Range range, const char* help) final {
    value = std::get<std::int64_t>(option(name, value, {Rule::kInteger, range}, help));
  }
  void flag(const char* name, bool& value, const char* help) final {
    value = std::get<bool>(option(name, value, {Rule::kFlag}, help));
  }
  void choice(const char* name, std::string& value, std::vector<std::string> choices,
              const char* help) final {
    value = std::get<std::string>(option(name, value, {Rule::kWord, {}, std::move(choices)}, help));
  }
  void number_or(const char* name, std::optional<double>& value, const char* word, Range range,
                 const char* help) final {
    const Value current = value ? Value(*value) : Value(std::string(word));
    const Value chosen = option(name, current, {Rule::kNumber, range, {word}}, help);
    const auto* number = std::get_if<double>(&chosen);
    value = number ? std::optional(*number) : std::nullopt;
  }

 private:
  virtual Value option(const char* name, const Value& current, const Rule& rule,
                       const char* help) = 0;
};

class OptionLister final : public OptionAdapter {
 public:
  OptionLister(std::string group, std::vector<OptionRow>& rows)
      : group_(std::move(group)), rows_(rows) {}

 private:
  Value option(const char* name, const Value& current, const Rule& rule,
               const char* help) override {
    rows_.push_back({join_key(group_, name), literal(current), accepts(rule), help});
    return current;
  }

  std::string group_;
  std::vector<OptionRow>& rows_;
};

}  // namespace

class OptionReader final : public OptionAdapter {
 public:
  OptionReader(Config& config, std::string group) : config_(config), group_(std::move(group)) {
    std::erase_if(config_.read_, [&](const auto& option) { return option.group == group_; });
  }

 private:
  /// The struct's own value is checked like any other.
  Value option(const char* name, const Value& current, const Rule& rule, const char*) override {
    const std::string key = join_key(group_, name);
    const auto entry = config_.entries_.find(key);
    const auto [value, origin] =
        entry != config_.entries_.end() ? entry->second : Config::Entry{current, kDefault};
    const std::optional<Value> resolved = resolve(value, rule);
    if (!resolved) {
      const auto* word = std::get_if<std::string>(&value);
      throw bad_input(fmt::format("{} = {} ({}): must be {}{}", key, brief(literal(value)), origin,
                                  accepts(rule), word ? did_you_mean(*word, rule.words) : ""));
    }
    config_.read_.push_back({group_, name, *resolved});
    return *resolved;
  }

  Config& config_;
  std::string group_;
};

Config Config::from_toml(std::string_view text, const std::string& name) {
  if (text.size() > kMaxBytes) throw bad_input(name + ": larger than 1 MiB");
  Config config;
  collect(parse_toml(text, name), "", name, config.entries_);
  return config;
}

Config Config::from_file(const std::string& path) {
  return from_toml(read_file(path, kMaxBytes, Links::kFollowed), path);
}

void Config::set(std::string_view assignment) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::all_of(assignment.begin(), assignment.end(), printable)) {
    throw bad_input("--set: only printable ASCII is accepted");
  }
  const std::string shown = "--set " + brief(std::string(assignment));
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw bad_input(shown + ": must be key=value");
  const std::string key(assignment.substr(0, equals));
  if (!is_key(key)) throw bad_input(fmt::format("{}: bad key: {}", shown, kKeyRule));
  const std::optional<Value> value = typed(std::string(assignment.substr(equals + 1)));
  if (!value) throw bad_input(shown + ": not a number of 64 bits in TOML (0.5, -3, 1e3)");
  entries_[key] = {*value, "--set"};
}

void Config::set_default(const std::string& key, Value value) {
  entries_.try_emplace(key, Entry{std::move(value), kDefault});
}

void Config::change_default(const std::string& key, Value value) {
  if (is_default(key)) entries_[key] = {std::move(value), kDefault};
}

std::string Config::text(const std::string& key) const {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return "";
  const auto* found = std::get_if<std::string>(&at->second.value);
  return found == nullptr ? "" : *found;
}

bool Config::is_default(const std::string& key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() || entry->second.origin == kDefault;
}

void Config::merge(const Config& stronger) {
  for (const auto& [key, entry] : stronger.entries_) entries_[key] = entry;
}

void Config::finish() const {
  std::vector<std::string> known;
  for (const auto& [group, name, value] : read_) known.push_back(join_key(group, name));
  for (const auto& [key, entry] : entries_) {
    if (entry.origin == kDefault) continue;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string where = entry.origin == "--set"
                                  ? fmt::format("--set {}={}", key, brief(literal(entry.value)))
                                  : entry.origin;
    std::string hint = did_you_mean(key, known);
    for (const std::string& name : known) {  // "bins" for "problem.bins"
      if (hint.empty() && name.ends_with('.' + key)) {
        hint = fmt::format(" (did you mean '{}'?)", name);
      }
    }
    throw bad_input(fmt::format("{}: unknown key '{}'{}", where, key, hint));
  }
}

void Config::finish_defaults() const {
  for (const auto& [key, entry] : entries_) {
    const auto is_read = [&key = key](const Resolved& r) {
      return join_key(r.group, r.name) == key;
    };
    if (entry.origin == kDefault && std::none_of(read_.begin(), read_.end(), is_read)) {
      throw std::logic_error("the default of '" + key + "': there is no such option");
    }
  }
}

std::map<std::string, std::string> Config::literals() const {
  std::map<std::string, std::string> out;
  for (const auto& [key, entry] : entries_) out[key] = literal(entry.value);
  return out;
}

std::string Config::hash() const {
  std::string text;
  for (const auto& [key, value] : literals()) text += fmt::format("{} = {}\n", key, value);
  return hash_of(text);
}

std::string Config::to_toml() const {
  std::vector<std::string> groups{""};  // TOML wants the top-level keys before any table
  for (const auto& option : read_) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  std::string out;
  for (const std::string& group : groups) {
    if (!group.empty()) out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", group);
    for (const auto& [owner, name, value] : read_) {
      if (owner == group) out += fmt::format("{} = {}\n", name, literal(value));
    }
  }
  return out;
}

std::unique_ptr<OptionVisitor> Config::reader(const std::string& group) {
  return std::make_unique<OptionReader>(*this, group);
}

std::unique_ptr<OptionVisitor> Config::lister(const std::string& group,
                                              std::vector<OptionRow>& out) {
  return std::make_unique<OptionLister>(group, out);
}

}  // namespace bpo
