// The objective of a network on a batch: sums over distinct inputs, blocks of them at a time, with
// exact products with the Fisher matrix.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bpo/nn/heads.h"
#include "bpo/nn/pass.h"
#include "bpo/optimizers/model.h"
#include "bpo/optimizers/samples.h"

namespace bpo {

class NetworkObjective final : public PolicyObjective {
 public:
  NetworkObjective(const Network& network, ThreadPool& pool)
      : network_(network), pool_(pool), pass_(network, pool) {}

  Value bind(const RatedBatch& batch, std::span<const float> theta_old) override;
  /// Binds samples instead of a batch; they must stay as they are while they are bound.
  Value bind(const Samples& samples, std::span<const float> theta_old);
  /// How many inputs belong to steps that count.
  int units() const override { return static_cast<int>(counted_.size()); }
  PolicyObjective& part(std::span<const int> units, std::span<const float> theta_old) override;

  Value move(std::span<const float> theta) override;
  Value evaluate(std::span<const float> theta) override;
  void gradient(double clip, std::span<double> out) override;
  void fisher(std::span<const double> v, std::span<double> out) override;

 private:
  void fill_categorical(int block, double clip, float* d) const;
  void fill_gaussian(int block, const Spread& sd, double clip, float* d,
                     std::span<double> d_log_std) const;
  void categorical_metric(int block, float* t) const;
  void gaussian_metric(int block, float* t) const;
  /// 0 behind the last column.
  float weight_at(int block, int j) const {
    return j < pass_.columns_in(block) ? samples_->weight[block * kernels::kColumns + j] : 0.0f;
  }
  const float* old_block(int block) const { return old_.data() + block * pass_.output_block(); }
  const float* new_block(int block) const { return new_.data() + block * pass_.output_block(); }
  void run(std::span<const float> theta, bool for_gradient, std::vector<float>& into);
  Value value(std::span<const float> theta);
  Value categorical_value() const;
  Value gaussian_value(const Spread& sd);
  void add_gaussian(int block, const Spread& sd, Value& sum) const;
  Spread spread(std::span<const float> theta) const {
    return Spread(theta.subspan(network_.log_std(), network_.spec().action_size()));
  }
  /// The standard deviations of a column: those that all share, or its own, read into `own`.
  const Spread& spread_of(const float* column, const Spread& shared, Spread& own) const {
    if (!network_.spec().own_spread) return shared;
    own.read(column + static_cast<std::size_t>(own.dim()) * kernels::kColumns);
    return own;
  }
  const float* action(int k, int dim) const {
    return samples_->box->data() + static_cast<std::size_t>(samples_->step[k]) * dim;
  }

  const Network& network_;
  ThreadPool& pool_;
  NetworkPass pass_;
  const Samples* samples_ = nullptr;
  Samples own_;                   // where it was bound to a batch
  std::vector<int> counted_;      // the columns that are units
  std::vector<float> theta_;      // where the objective is
  std::vector<float> old_, new_;  // probabilities or means, in blocks
  Spread old_sd_{{}};
  std::vector<float> v_;
  std::vector<Value> values_;      // by block
  std::vector<double> d_log_std_;  // by block

  // The units of part(), and their objective.
  std::unique_ptr<NetworkObjective> part_;
  std::unique_ptr<Inputs> part_inputs_;
  Samples part_samples_;
};

}  // namespace bpo
