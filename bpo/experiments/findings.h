// What was found by looking at policies: numbers by seed and episode, and what they amount to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bpo/core/machine.h"
#include "bpo/core/trace.h"
#include "bpo/experiments/experiment.h"
#include "bpo/report/statistics.h"

namespace bpo::experiments {

/// Means over episodes, by time.
struct Curves {
  std::vector<double> entropy;  // of the belief, before the first step and after each
  std::vector<double> so_far;   // the return, after each step
};

/// One policy, looked at.
struct Measured {
  std::vector<double> returns;  // by episode
  std::int64_t faults = 0;      // episodes that ended because the simulation broke down
  std::optional<double> exact_value = {}, optimum = {}, bayes_policy = {};
  std::optional<Curves> curves = {};
  std::optional<Trace> trace = {};  // of the best seed alone
  bool diverged = false;            // training broke off
  Machine machine = {};             // that trained it

  /// The exact value where it is known, the mean otherwise.
  double value() const { return exact_value ? *exact_value : report::mean_of(returns); }
};

/// The seeds 0, 1, ... of a series, looked at in one way.
struct Finding {
  Series series;
  Look look;
  std::vector<Measured> runs;

  std::size_t seeds() const { return runs.size(); }
  bool enough_seeds() const { return seeds() >= report::kEnoughSeeds; }
  /// Whether every run's value is exact.
  bool exact() const;
  std::vector<double> values() const;   // by seed
  std::vector<double> returns() const;  // by episode, the mean over the seeds
  double mean() const { return report::mean_of(values()); }
  std::size_t best_seed() const { return report::best_of(values()); }
  const Measured& best() const { return runs[best_seed()]; }
  std::optional<double> optimum() const { return runs.front().optimum; }
};

class Findings {
 public:
  explicit Findings(Scale scale = {}) : scale_(std::move(scale)) {}

  void add(Finding finding);
  /// Null where there is none: the method does not apply, or was not run.
  const Finding* find(const Request& request) const;
  const Scale& scale() const { return scale_; }

 private:
  Scale scale_;
  std::map<std::pair<std::string, std::string>, Finding> found_;  // by directory and look
};

}  // namespace bpo::experiments
