// A table or a figure of the paper: which runs it needs, how their policies are looked at, and how
// what was found is shown beside what the paper says. Each is one file that ends in its
// registration; making and measuring the runs is the business of `bpo reproduce`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/registry.h"

namespace bpo::experiments {

class Findings;
class Sheet;

/// How much is done: everything, or what fits into ten minutes.
struct Scale {
  bool quick = false;
  // Instead of the plan's, or beyond it.
  std::optional<int> seeds = {};
  std::optional<std::int64_t> episodes = {};
  std::vector<std::string> sets = {};
};

/// The seeds of one training, or one plan. Items that need the same runs share them.
struct Series {
  std::string problem, method;    // a method or a planner
  std::vector<std::string> sets;  // key=value
  int seeds = 1;
  double seconds = 0.0;  // that a seed is expected to take on one core

  /// "chain-bins=10/bpo": where its seeds are, and its name.
  std::string directory() const;
  /// Whether it is a planner's: nothing is trained, and one seed says all.
  bool planned() const;
};

/// How a policy is looked at: on episodes that are the same for all, perhaps in another world.
struct Look {
  std::int64_t episodes = 5000;
  std::vector<std::string> sets = {};        // problem.*
  bool exact = false;                        // its exact value, too, where there is one
  bool curves = false;                       // entropy of the belief and return over time
  std::optional<std::int64_t> episode = {};  // also step by step

  /// "5000", "slip=0.2-horizon=1000-5000".
  std::string name() const;
};

struct Request {
  Series series;
  Look look;
};

struct Experiment {
  int place = 0;  // in the paper
  std::string name, title;
  std::string paper;  // what the paper shows
  std::function<std::vector<Request>(const Scale&)> requests;
  std::function<void(const Findings&, Sheet&)> render;
};

inline Registry<Experiment>& all() {
  static Registry<Experiment> registry("item", "bpo reproduce --list");
  return registry;
}

struct RegisterExperiment {
  explicit RegisterExperiment(Experiment experiment) { all().add(std::move(experiment)); }
};

}  // namespace bpo::experiments
