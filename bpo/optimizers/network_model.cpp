#include "bpo/optimizers/network_model.h"

#include <algorithm>

#include "bpo/nn/network_text.h"
#include "bpo/optimizers/network_baseline.h"
#include "bpo/optimizers/objective.h"

namespace bpo {

std::string NetworkModel::text() const { return network_text(network_->spec(), sees_); }

std::vector<float> NetworkModel::initialize(const Beginning& how) const {
  std::vector<float> theta =
      network_->initialize(how.seed, {.hidden = how.hidden, .head = how.head});
  if (network_->spec().gaussian) {
    std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(network_->log_std()),
                network_->spec().action_size(), how.log_std);
  }
  return theta;
}

void NetworkModel::whiten(const Batch& batch, std::span<float> theta) const {
  network_->whiten(batch.inputs.view(), theta);
}

std::unique_ptr<RecordingActor> NetworkModel::make_actor(std::span<const float> theta) const {
  return std::make_unique<NetworkActor>(*network_, theta, sees_, false, true);
}

std::unique_ptr<KeptPolicy> NetworkModel::make_policy(std::vector<float> theta, bool greedy) const {
  return std::make_unique<NetworkPolicy>(network_, std::move(theta), sees_, greedy);
}

std::unique_ptr<PolicyObjective> NetworkModel::make_objective(ThreadPool& pool) const {
  return std::make_unique<NetworkObjective>(*network_, pool);
}

std::unique_ptr<Baseline> NetworkModel::make_baseline(const BaselineOptions& options,
                                                      ThreadPool& pool) const {
  return make_network_baseline(network_->spec(), options, pool);
}

}  // namespace bpo
