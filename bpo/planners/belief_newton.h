// One plan made better: iterative LQG in belief space (van den Berg et al. 2012). About the plan's
// trajectory the belief moves linearly and the cost c is quadratic. The gains come backwards from
//   V_t(b) = min_a E[c + gamma V_t+1(b')],
// whose curvature also prices the noise, tr(V_mm W) / 2; the actions of all steps then take one
// Newton step together, within their limits. (Limits step by step, as in Tassa et al. 2014, do not
// see that later steps at their limits cannot make up for this one.)
#pragma once

#include <vector>

#include "bpo/planners/belief_model.h"

namespace bpo {

/// Improves plans by Newton's method. It holds scratch memory, so each thread needs its own.
class BeliefNewton {
 public:
  explicit BeliefNewton(const BeliefModel& model);
  /// Takes at most so many Newton steps, each of which lowers plan.cost. The plan must have been
  /// through BeliefModel::follow().
  void improve(LinearPlan& plan, int iterations);

 private:
  struct Quadratic {
    PlanVec slope;
    PlanMat curve;
  };
  /// Step t of the plan to first and second order: its motion in (b_t, a_t), its cost in (b_t+1,
  /// a_t).
  struct Step {
    PlanMat move;                 // d b_t+1
    std::vector<PlanMat> dnoise;  // d of each column of the noise's root
    PlanMat noise;
    Quadratic cost, price;  // price: of the noise
  };
  PlanVec differences(const PlanVec& b) const;
  template <class F>
  Quadratic expand(const F& f, const PlanVec& at, const PlanVec& by) const;
  void linearise(const LinearPlan& plan, int t);
  void find_gains();
  void find_push(const LinearPlan& plan, double damping);

  const BeliefModel& model_;
  std::vector<Step> steps_;
  std::vector<PlanVec> push_;
  std::vector<PlanMat> gain_;
  LinearPlan trial_;
};

}  // namespace bpo
