// Policies measured side by side on common random numbers. Episode e has the same latent and the
// same noise for each of them, so the difference of two returns is far less noisy than either.
#pragma once

#include <string>
#include <vector>

#include "bpo/runs/measure.h"

namespace bpo {

/// The seeds of one training, measured alike; never none.
struct Group {
  std::string directory = {};          // the one that holds the seeds, or the run itself
  std::vector<Measurement> runs = {};  // by seed
  std::string differs = {};            // world_difference() from the first group, not to be paired

  const std::string& problem() const { return runs.front().run.problem; }
  const std::string& algorithm() const { return runs.front().run.algorithm; }
  std::size_t seeds() const { return runs.size(); }
  /// Whether every run's value is exact.
  bool exact() const;
  std::vector<double> values() const;   // by seed, exact where that is known
  std::vector<double> means() const;    // by seed, over the episodes
  std::vector<double> returns() const;  // by episode, over the seeds
  double mean() const;                  // the values' mean
  std::size_t best_seed() const;
  const Measurement& best() const { return runs[best_seed()]; }
  std::optional<double> optimum() const { return runs.front().optimum; }
  std::int64_t faults() const;
  /// The tightest of those of its planners' bounds that are of the world that is simulated.
  std::optional<Bounds> bounds() const;
};

/// The seeds of one training.
Group measure_group(const std::string& directory, const std::vector<LoadedPolicy>& runs,
                    const Protocol& protocol, Log& log, ThreadPool& pool);

/// A group per directory, all of one problem; anything else is refused.
std::vector<Group> measure_groups(const std::vector<std::string>& directories,
                                  const Protocol& protocol, Log& log, ThreadPool& pool);

}  // namespace bpo
