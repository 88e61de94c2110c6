// A policy of alpha vectors: of those of what is seen, the one with the largest alpha . b tells the
// action. The belief is the problem's own, as its filter writes it.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>

#include "bpo/core/any_problem.h"
#include "bpo/nn/kept_policy.h"
#include "bpo/planners/point_based/vector_blocks.h"

namespace bpo {

/// What the vectors are over; no stages: without an end.
struct AlphaShape {
  int hidden = 1, visible = 1, stages = 0;
};

/// Turns what a policy sees into a key and a belief over hidden states.
class BeliefReader {
 public:
  /// Throws bad_input, opening with `who`, where the problem's belief is not over hidden states.
  BeliefReader(const ProblemSpec& spec, const AlphaShape& shape, const std::string& who);

  int key(const PolicyInputs& in, int lane) const;
  void belief(const PolicyInputs& in, int lane, std::span<double> out) const;
  const AlphaShape& shape() const { return shape_; }

 private:
  AlphaShape shape_;
  int cells_, factors_ = 1;
};

/// How a belief is looked at: as it is, or as if its most likely state were certain.
enum class Look { kBelief, kMostLikely };

/// It has probabilities: 1 for one action.
class AlphaPolicy final : public KeptPolicy, private ActionProbabilities {
 public:
  AlphaPolicy(const BeliefReader& reader, std::shared_ptr<const VectorSets> vectors, int actions,
              Look look = Look::kBelief);

  const AlphaShape& shape() const { return reader_.shape(); }
  const VectorSets& vectors() const { return *vectors_; }
  Look look() const { return look_; }
  /// The action at a belief over hidden states.
  int action(int key, std::span<const double> b) const;
  Sees sees() const override { return Sees::kBelief; }
  void save(TensorFile& file) const override;
  std::unique_ptr<Actor> make_actor() const override;
  const ActionProbabilities* probabilities() const override { return this; }

 private:
  class Acting;
  struct Scratch;
  /// Made for the first who acts: a policy that is only saved needs none.
  const VectorBlocks& blocks() const;
  void add(int key, Scratch& scratch) const;
  /// Calls take(lane, action) for all lanes but some.
  template <class Take>
  void choose(const PolicyInputs& in, const std::array<bool, kLanes>& but, Scratch& scratch,
              Take take) const;
  void compute(const PolicyInputs& in, std::span<float> out) const override;

  const BeliefReader reader_;
  const std::shared_ptr<const VectorSets> vectors_;
  const int actions_;
  const Look look_;
  mutable std::once_flag laid_out_;
  mutable std::unique_ptr<VectorBlocks> blocks_;
};

/// The tables of a finite problem, compiled, and how its beliefs are read; bad_input where that
/// takes more bytes than `limit`.
struct PointProblem {
  PointProblem(const AnyProblem& problem, const std::string& planner, double tolerance,
               double limit);

  double tables_bytes = 0.0;  // the problem's tables, kept beside the model
  PointModel model;
  BeliefReader reader;
};

}  // namespace bpo
