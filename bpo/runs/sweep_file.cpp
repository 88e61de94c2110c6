#include "bpo/runs/sweep_file.h"

#include <fmt/format.h>

#include <set>

#include "bpo/core/toml_reader.h"

namespace bpo {
namespace {

constexpr std::int64_t kMostSeeds = 100'000;
constexpr double kMostRuns = 100'000;

class Reader : TomlReader {
 public:
  Reader(const std::string& text, const std::string& name) : TomlReader(text, name) {}

  SweepFile read() const {
    only(root(), {"problems", "methods", "seeds", "set", "grid"});
    SweepFile out;
    out.problems = names("problems");
    out.methods = root().contains("methods") ? names("methods") : std::vector<std::string>{"bpo"};
    read_seeds(out.seeds);
    if (const toml::node* node = root().get("set")) {
      options(table(*node, "set"), "", [&](const std::string& key, const toml::node& value) {
        out.sets.push_back(key + "=" + literal(value, key));
      });
    }
    if (const toml::node* node = root().get("grid")) {
      options(table(*node, "grid"), "", [&](const std::string& key, const toml::node& value) {
        out.grid.emplace_back(key, literals(value, key));
      });
    }
    double runs = static_cast<double>(out.problems.size() * out.methods.size()) *
                  static_cast<double>(out.seeds.size());
    for (const auto& [key, values] : out.grid) runs *= static_cast<double>(values.size());
    if (runs > kMostRuns) {
      fail(root(), fmt::format("{:g} runs; there may be {:g}", runs, kMostRuns));
    }
    return out;
  }

 private:
  std::vector<std::string> names(const std::string& key) const {
    const toml::node& node = need(root(), key);
    const std::vector<std::string> out = words(node, key);
    if (out.empty()) fail(node, key + " is empty");
    check_distinct(node, key, out);
    return out;
  }

  void check_distinct(const toml::node& node, const std::string& key,
                      const std::vector<std::string>& values) const {
    std::set<std::string> seen;
    for (const std::string& value : values) {
      if (!seen.insert(value).second) fail(node, fmt::format("{} has '{}' twice", key, value));
    }
  }

  void read_seeds(std::vector<std::int64_t>& seeds) const {
    const toml::node* node = root().get("seeds");
    if (node == nullptr) return seeds.push_back(0);
    const toml::array* list = node->as_array();
    if (list == nullptr) {
      const int count = integer(root(), "seeds", 1, kMostSeeds, 1);
      for (int seed = 0; seed < count; ++seed) seeds.push_back(seed);
      return;
    }
    for (const toml::node& each : *list) {
      const auto seed = each.value<std::int64_t>();
      if (!each.is_integer() || *seed < 0) fail(each, "a seed must be a whole number from 0 on");
      seeds.push_back(*seed);
    }
    if (seeds.empty()) fail(*node, "seeds is empty");
    if (std::set(seeds.begin(), seeds.end()).size() < seeds.size()) {
      fail(*node, "seeds has the same seed twice");
    }
  }

  /// Calls back with every option of a table and of the tables in it.
  template <class Take>
  void options(const toml::table& from, const std::string& group, const Take& take) const {
    for (const auto& [key, node] : from) {
      const std::string path = group + std::string(key.str());
      if (node.is_table() && group.empty()) {
        options(*node.as_table(), path + ".", take);
      } else {
        take(path, node);
      }
    }
  }

  std::string literal(const toml::node& node, const std::string& key) const {
    if (node.is_string()) return *node.value<std::string>();
    if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
    if (node.is_integer()) return fmt::to_string(*node.value<std::int64_t>());
    if (node.is_floating_point()) return fmt::to_string(*node.value<double>());
    fail(node, key + " must be a number, a text in quotes, true or false");
  }

  std::vector<std::string> literals(const toml::node& node, const std::string& key) const {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) fail(node, key + " must be a list of values");
    std::vector<std::string> out;
    for (const toml::node& each : *list) out.push_back(literal(each, key));
    check_distinct(node, key, out);
    return out;
  }
};

}  // namespace

std::vector<std::vector<std::string>> SweepFile::combinations() const {
  std::vector<std::vector<std::string>> out{{}};
  for (const auto& [key, values] : grid) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& some : out) {
      for (const std::string& value : values) {
        longer.push_back(some);
        longer.back().push_back(key + "=" + value);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::size_t SweepFile::runs() const {
  return problems.size() * methods.size() * seeds.size() * combinations().size();
}

SweepFile parse_sweep(const std::string& text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace bpo
