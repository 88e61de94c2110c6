// Options and where they come from: a plain struct per part with one visit(), a TOML file, and
// `--set key=value`. Every refusal names the key path and the place it came from.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bpo {

/// The closed interval of values an option accepts. NaN and infinities never pass.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
};

/// One call per option; a struct of options offers `void visit(OptionVisitor&)`.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void number(const char* name, double& value, Range range, const char* help) = 0;
  virtual void integer(const char* name, std::int64_t& value, Range range, const char* help) = 0;
  virtual void flag(const char* name, bool& value, const char* help) = 0;
  virtual void choice(const char* name, std::string& value, std::vector<std::string> choices,
                      const char* help) = 0;
  /// A number, or `word`, which stands for an absent one ("prior").
  virtual void number_or(const char* name, std::optional<double>& value, const char* word,
                         Range range, const char* help) = 0;
};

/// One row of `bpo list --options`.
struct OptionRow {
  std::string key, value, accepts, help;
};

class Config {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  /// Reads nested tables into key paths ("problem.bins"). `name` stands in error messages
  /// ("run.toml:3:8: ..."). Arrays, dates and nesting deeper than two tables are refused.
  static Config from_toml(std::string_view text, const std::string& name);
  static Config from_file(const std::string& path);

  /// "key=value" as typed after --set; a value that is no TOML boolean or number is a string.
  /// The last assignment of a key wins.
  void set(std::string_view assignment);
  /// A value that gives way to whatever is there already.
  void set_default(const std::string& key, Value value);
  /// A value that gives way only to what a person has set.
  void change_default(const std::string& key, Value value);
  bool is_default(const std::string& key) const;
  /// The text that the key is set to; empty where it is not set, or to something else.
  std::string text(const std::string& key) const;
  /// Values of `stronger` replace those here.
  void merge(const Config& stronger);

  /// Fills `options` from the keys "group.*", checking type and range, and remembers what was
  /// read for finish() and to_toml(); reading a group again replaces what it read before. The group
  /// "" is the top level; none of its keys may share a group's name.
  template <class Options>
  void read(const std::string& group, Options& options) {
    auto visitor = reader(group);
    options.visit(*visitor);
  }

  /// Throws on the first key that was set and that no read() asked for, with a did-you-mean.
  void finish() const;
  /// Throws std::logic_error on the first default that no read() asked for: somebody misspelt it in
  /// the code.
  void finish_defaults() const;

  /// The keys that are set, with their values as TOML writes them.
  std::map<std::string, std::string> literals() const;
  /// A hash of literals(), whatever order and layout they came in.
  std::string hash() const;

  /// Every option read so far with its resolved value; parses back to the same options, to the bit.
  std::string to_toml() const;

  /// The rows of one group at the struct's current values.
  template <class Options>
  static std::vector<OptionRow> rows(const std::string& group, Options options) {
    std::vector<OptionRow> out;
    auto visitor = lister(group, out);
    options.visit(*visitor);
    return out;
  }

 private:
  struct Entry {
    Value value;
    std::string origin;  // "run.toml:3:8", "--set", "default"
  };
  struct Resolved {
    std::string group, name;
    Value value;
  };
  std::unique_ptr<OptionVisitor> reader(const std::string& group);
  static std::unique_ptr<OptionVisitor> lister(const std::string& group,
                                               std::vector<OptionRow>& out);
  friend class OptionReader;

  std::map<std::string, Entry> entries_;
  std::vector<Resolved> read_;  // in the order of reading
};

}  // namespace bpo
