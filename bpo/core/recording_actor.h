// An actor that remembers what it saw, so that a batch can be made of it.
#pragma once

#include <array>
#include <span>

#include "bpo/core/inputs.h"
#include "bpo/core/policy.h"

namespace bpo {

class RecordingActor : public Actor {
 public:
  RecordingActor(int state_dim, int belief_dim) : inputs_(state_dim, belief_dim) {}

  /// Acts with other parameters, which must outlive it or the next call; forgets its inputs.
  virtual void set_theta(std::span<const float> theta) = 0;

  /// What has been seen since set_theta(), and which of it each lane saw at the last act().
  const Inputs& inputs() const { return inputs_; }
  int column(int lane) const { return column_[lane]; }

 protected:
  Inputs inputs_;
  std::array<int, kLanes> column_{};
};

}  // namespace bpo
