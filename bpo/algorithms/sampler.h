// Lines 2-5 of Algorithm 1: simulate the policy on latent MDPs drawn from the source distribution
// until the batch has enough steps. Tiles run in parallel and are joined in order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/batch.h"
#include "bpo/core/parallel.h"
#include "bpo/optimizers/model.h"

namespace bpo {

class BatchSampler {
 public:
  /// `latents`: whether batches tell the true latents.
  BatchSampler(const AnyProblem& problem, const Model& model, LatentSource source, bool latents,
               ThreadPool& pool);

  /// At least `steps` steps in whole episodes, numbered from iteration * 2^32.
  Batch sample(std::span<const float> theta, std::uint64_t seed, std::uint64_t iteration,
               std::int64_t steps);

 private:
  /// One tile's record, by lane and step: all that is left of it. A column is the number of an
  /// input among those of a source, which tiles share: of the thread that simulated it, or of what
  /// another process told. The same belief of a thousand numbers comes in every other tile.
  struct Record {
    int source = 0;
    std::vector<int> column, action;
    std::vector<float> box, latent;
    std::vector<double> reward;
    std::vector<int> length;
    std::vector<double> entropy;  // by lane: a sum that does not depend on the size of tiles
    int entropies = 0;
    std::int64_t fallbacks = 0;
    std::vector<Fault> faults;

    void visit(Wire& wire);
  };
  struct Scratch {
    std::unique_ptr<World> world;
    std::unique_ptr<RecordingActor> actor;
  };
  class Wave;

  Scratch& scratch_of(int thread);
  Inputs no_inputs() const { return {model_.inputs().state, model_.inputs().belief}; }
  /// Calls work(cell) for the steps that were made, episode by episode.
  template <class Work>
  void each_cell(const Record& record, Work work) const {
    for (std::size_t lane = 0; lane < record.length.size(); ++lane) {
      for (int t = 0; t < record.length[lane]; ++t) work(lane * problem_.spec().horizon + t);
    }
  }
  Record run_tile(const Episodes& episodes, int thread);
  void append(const Record& record, Transfer& inputs, Batch& batch) const;

  const AnyProblem& problem_;
  const Model& model_;
  LatentSource source_;
  int latent_dim_;  // 0 unless batches tell it
  ThreadPool& pool_;
  std::vector<Scratch> scratch_;  // made by the threads that come to work
  std::span<const float> theta_;  // the parameters that this batch is sampled with
};

}  // namespace bpo
