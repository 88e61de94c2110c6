// The three robots of Sec. 5 as Robot<R> takes them; each one's file has its mechanism.
#pragma once

#include "bpo/problems/mujoco/robot.h"

namespace bpo {

struct HalfCheetah {
  static constexpr const char* kName = "half-cheetah";
  static constexpr int kQ = 9, kV = 9, kU = 6, kHidden = 1;
  static constexpr double kForward = 1.0, kPrice = 0.1;
  static constexpr Camera kCamera = Camera::kSide;
  static constexpr std::array<const char*, 2> kFactors = {"size of the front", "size of the back"};
  static constexpr std::int64_t kIterations = 2500;
  static constexpr double kInitHidden = 1.0, kLambda = 0.95, kValueLambda = 1.0;
  static constexpr double kValueDamping = 0.1, kValueSubsample = 0.5;
  static Mechanism mechanism(const Factors& p);
  static void reset(std::span<double> state, Rng& rng);
};

struct Swimmer {
  static constexpr const char* kName = "swimmer";
  static constexpr int kQ = 7, kV = 7, kU = 4, kHidden = 2;
  static constexpr double kForward = -1.0, kPrice = 1e-3;  // it swims towards -x
  static constexpr Camera kCamera = Camera::kTop;
  static constexpr std::array<const char*, 2> kFactors = {"size of links 1 and 2",
                                                          "size of links 3 and 4"};
  static constexpr std::int64_t kIterations = 2500;
  static constexpr double kInitHidden = 1.0, kLambda = 0.95, kValueLambda = 1.0;
  static constexpr double kValueDamping = 0.1, kValueSubsample = 0.5;
  static Mechanism mechanism(const Factors& p);
  static void reset(std::span<double> state, Rng& rng);
};

struct Ant {
  static constexpr const char* kName = "ant";
  static constexpr int kQ = 15, kV = 14, kU = 8, kHidden = 2;
  static constexpr double kForward = 1.0, kPrice = 0.1;
  static constexpr Camera kCamera = Camera::kCorner;
  static constexpr std::array<const char*, 2> kFactors = {"size of the front left leg",
                                                          "size of the front right leg"};
  static constexpr std::int64_t kIterations = 1250;
  static constexpr double kInitHidden = 0.5, kLambda = 0.9, kValueLambda = 0.9;
  static constexpr double kValueDamping = 1e-3, kValueSubsample = 1.0;
  static Mechanism mechanism(const Factors& p);
  static void reset(std::span<double> state, Rng& rng);
};

}  // namespace bpo
