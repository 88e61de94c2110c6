// Runs measured side by side on common random numbers. Episode e has the same latent and the same
// noise for each of them, so the difference of two returns is far less noisy than either.
#pragma once

#include <string>
#include <vector>

#include "bpo/cli/arguments.h"
#include "bpo/core/parallel.h"

namespace bpo::cli {

/// The runs of one directory: a training, or the seeds of one.
struct Group {
  std::string directory, problem, algorithm;
  std::vector<double> seed_means;
  std::vector<double> returns;  // by episode, the mean over the seeds
  std::string differs;          // world_difference() from the first group: then nothing is paired
  std::int64_t faults = 0;      // episodes that ended because the simulation broke down
};

/// A group per directory, all of one problem; anything else is refused.
std::vector<Group> measure_groups(const std::vector<std::string>& directories,
                                  const EpisodeArguments& episodes, ThreadPool& pool);

}  // namespace bpo::cli
