// The network of Fig. 1b as a model. It sees each distinct input of a batch once (samples.h).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bpo/nn/network_policy.h"
#include "bpo/optimizers/model.h"

namespace bpo {

class NetworkModel final : public Model {
 public:
  NetworkModel(std::shared_ptr<const Network> network, Sees sees)
      : network_(std::move(network)), sees_(sees) {}

  const Network& network() const { return *network_; }

  const std::vector<TensorInfo>& tensors() const override { return network_->tensors(); }
  InputDims inputs() const override {
    return {network_->spec().state_dim, network_->spec().belief_dim};
  }
  bool sees_belief() const override { return bpo::sees_belief(sees_); }
  std::string text() const override;
  std::vector<float> initialize(const Beginning& how) const override;
  void whiten(const Batch& batch, std::span<float> theta) const override;
  std::unique_ptr<RecordingActor> make_actor(std::span<const float> theta) const override;
  std::unique_ptr<KeptPolicy> make_policy(std::vector<float> theta, bool greedy) const override;
  std::unique_ptr<PolicyObjective> make_objective(ThreadPool& pool) const override;
  std::unique_ptr<Baseline> make_baseline(const BaselineOptions& options,
                                          ThreadPool& pool) const override;

 private:
  std::shared_ptr<const Network> network_;
  Sees sees_;
};

}  // namespace bpo
