// The belief of one lane as a planner sees it: how it moves, what a step is expected to cost, and
// what a linear policy is expected to cost, by rollouts
//   b' = g(b, a) + (w, 0),   w ~ N(0, W(b, a)),   a = a_t + K_t (b - b_t) within the action limits.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "bpo/core/belief_dynamics.h"
#include "bpo/core/problem.h"

namespace bpo {

/// The most numbers that a belief and an action may have together. Small vectors and matrices stay
/// on the stack.
inline constexpr int kMaxPlanDim = 16;
using PlanVec = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxPlanDim, 1>;
using PlanMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPlanDim, kMaxPlanDim>;

/// A plan: a trajectory of beliefs b and actions a, and a linear feedback about it.
struct LinearPlan {
  std::vector<PlanVec> b, a;
  std::vector<PlanMat> gain;
  double cost = 0.0;  // expected

  LinearPlan(int steps, int belief_dim, int action_dim);
  /// Makes every step take this action.
  void hold(double action);
  /// Drops the first step of the plan.
  void shift();
};

class BeliefModel {
 public:
  /// Expected costs are means over `rollouts`, on the same random numbers for every plan.
  BeliefModel(const BeliefDynamics& dynamics, const ProblemSpec& spec, int rollouts);

  /// Sets from where is planned: a lane's belief and observation, and how many steps are left.
  /// Borrows `obs`.
  void aim(std::span<const float> belief, std::span<const float> obs, int steps);

  int belief_dim() const { return dynamics_.belief_dim(); }
  int mean_dim() const { return dynamics_.mean_dim(); }
  int action_dim() const { return spec_.actions.dim; }
  int steps() const { return steps_; }
  const ProblemSpec& spec() const { return spec_; }

  struct Moved {
    PlanVec b;      // g(b, a)
    PlanMat noise;  // L with L L' = W(b, a)
  };
  Moved move(const PlanVec& b, const PlanVec& a) const;
  /// The cost of step t, which took action a and led to `next`.
  double cost(const PlanVec& next, const PlanVec& a, int t) const;
  PlanVec limited(const PlanVec& a) const;

  /// Makes the plan's trajectory the one that its policy takes from here when no noise comes.
  void follow(LinearPlan& plan) const;
  /// Makes the plan's trajectory the one that its actions take without feedback.
  void retrace(LinearPlan& plan) const;

 private:
  void evaluate(LinearPlan& plan) const;
  double rollout(const LinearPlan& plan, const double* normal) const;

  const BeliefDynamics& dynamics_;
  const ProblemSpec& spec_;
  int rollouts_;
  std::vector<double> normals_;  // [rollout][step][entry of the mean]
  PlanVec first_;
  std::span<const float> obs_;
  int steps_ = 0;
};

}  // namespace bpo
