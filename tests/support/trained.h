// A training of a few tiny batches, and a hash of the weights it ends with.
#pragma once

#include <string>
#include <vector>

#include "bpo/algorithms/train.h"
#include "tests/support/bits.h"

namespace bpo::test {

/// `sets` are options, as on the command line.
inline std::string trained_bits(const std::string& problem, const std::vector<std::string>& sets) {
  Config config;
  for (const std::string& set : sets) config.set(set);
  ThreadPool pool(2);
  const TrainSetup setup = make_setup(problem, "bpo", config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  while (!trainer.finished()) trainer.iterate();
  Hash hash;
  add(hash, trainer.state().theta);
  add(hash, trainer.state().best_theta);
  return hash.text();
}

}  // namespace bpo::test
