// A table or a figure of the paper: which runs it needs, how their policies are looked at, and how
// what was found is shown beside what the paper says. Each is one file that ends in its
// registration; making and measuring the runs is the business of `bpo reproduce`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/core/registry.h"
#include "bpo/report/table.h"
#include "bpo/runs/series.h"

namespace bpo::experiments {

class Findings;
class Sheet;

/// How much is done: everything, or the few minutes of --quick.
struct Scale {
  bool quick = false;
  // Instead of the plan's, or beyond it.
  std::optional<int> seeds = {};
  std::optional<std::int64_t> episodes = {};
  std::vector<std::string> sets = {};
};

struct Experiment {
  int place = 0;  // its place in the paper's order
  std::string name, title;
  std::string paper;  // what the paper shows
  std::function<std::vector<Request>(const Scale&)> requests;
  std::function<void(const Findings&, Sheet&)> render;
  /// The item's main table, for documents. It needs no more than every seed's value, which is what
  /// a results file keeps; an item whose table needs single episodes has none.
  std::function<report::Table(const Findings&)> table = {};
  /// The numbers behind its figures that no series' values tell, for its results file.
  std::function<Json(const Findings&)> numbers = {};
  bool only_by_name = false;  // not a part of "everything"
  /// A smaller table, for a document's first page.
  std::function<report::Table(const Findings&)> compact = {};
  /// The table of `numbers`, for documents, where it takes single episodes to find them.
  std::function<report::Table(const Json& numbers)> numbers_table = {};
};

inline Registry<Experiment>& all() {
  static Registry<Experiment> registry("item", "bpo reproduce --list");
  return registry;
}

struct RegisterExperiment {
  explicit RegisterExperiment(Experiment experiment) { all().add(std::move(experiment)); }
};

/// The items of these names, each once; without names, the paper's, in its order.
std::vector<const Experiment*> items_of(const std::vector<std::string>& names);

/// What the items need to be run and measured; robots are left out where the program has none.
std::vector<Request> requests_of(const std::vector<const Experiment*>& items, const Scale& scale);

}  // namespace bpo::experiments
