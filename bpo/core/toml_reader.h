// Reading TOML of unknown origin key by key: whatever is missing, misspelt, of another kind or out
// of range is bad_input with its place and what would work.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/toml.h"

namespace bpo {

class TomlReader {
 public:
  TomlReader(const std::string& text, const std::string& file)
      : file_(file), root_(parse_toml(text, file)) {}

 protected:
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const;
  /// What `f` refuses, it refuses at this place.
  template <class F>
  auto at(const toml::node& node, F f) const {
    try {
      return f();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadInput) throw;
      fail(node, error.what());
    }
  }

  /// Refuses keys other than these.
  void only(const toml::table& table, const std::vector<std::string>& keys) const;
  /// The node of a key; refuses its absence.
  const toml::node& need(const toml::table& table, const std::string& key) const;
  const toml::table& table(const toml::node& node, const std::string& name) const;

  double number(const toml::node& node, const std::string& name, double low, double high) const;
  /// The key's number, or `otherwise` where there is none.
  double number(const toml::table& table, const char* key, double low, double high,
                double otherwise) const;
  int integer(const toml::table& table, const char* key, int low, int high, int otherwise) const;
  std::string text(const toml::node& node, const std::string& name) const;
  /// One of a few words.
  std::string choice(const toml::table& table, const char* key,
                     const std::vector<std::string>& words, const std::string& otherwise) const;
  std::vector<double> numbers(const toml::node& node, const std::string& name, std::size_t least,
                              std::size_t most) const;
  std::vector<std::string> words(const toml::node& node, const std::string& name) const;

  const toml::table& root() const { return root_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  toml::table root_;
};

}  // namespace bpo
