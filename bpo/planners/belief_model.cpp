#include "bpo/planners/belief_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

/// Cholesky's factor of a matrix that may be singular, in place: a pivot that vanishes leaves a
/// column of zeros.
void take_root(PlanMat& w) {
  for (int j = 0; j < w.cols(); ++j) {
    const double pivot = std::sqrt(std::max(0.0, w(j, j)));
    for (int i = 0; i < j; ++i) w(i, j) = 0.0;
    for (int i = j; i < w.rows(); ++i) w(i, j) = pivot > 1e-12 ? w(i, j) / pivot : 0.0;
    for (int c = j + 1; c < w.cols(); ++c) {
      for (int i = c; i < w.rows(); ++i) w(i, c) -= w(i, j) * w(c, j);
    }
  }
}

std::span<const double> view(const PlanVec& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// An action in the precision that the world takes.
struct Single {
  explicit Single(const PlanVec& a) : size(static_cast<std::size_t>(a.size())) {
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(a[i]);
  }
  std::span<const float> view() const { return {values.data(), size}; }
  std::size_t size;
  std::array<float, kMaxPlanDim> values;
};

}  // namespace

LinearPlan::LinearPlan(int steps, int belief_dim, int action_dim)
    : b(steps + 1, PlanVec::Zero(belief_dim)),
      a(steps, PlanVec::Zero(action_dim)),
      gain(steps, PlanMat::Zero(action_dim, belief_dim)) {}

void LinearPlan::hold(double action) {
  for (PlanVec& x : a) x.setConstant(action);
  for (PlanMat& k : gain) k.setZero();
}

void LinearPlan::shift() {
  std::rotate(b.begin(), b.begin() + 1, b.end());
  std::rotate(a.begin(), a.begin() + 1, a.end());
  std::rotate(gain.begin(), gain.begin() + 1, gain.end());
}

BeliefModel::BeliefModel(const BeliefDynamics& dynamics, const ProblemSpec& spec, int rollouts)
    : dynamics_(dynamics), spec_(spec), rollouts_(rollouts) {
  const int row = spec.horizon * mean_dim();
  normals_.reserve(static_cast<std::size_t>(rollouts) * row);
  for (int r = 0; r < rollouts; ++r) {
    Rng rng(0, Use::kPlan, static_cast<std::uint64_t>(r / 2));
    const double sign = r % 2 == 0 ? 1.0 : -1.0;  // every other rollout mirrors the one before
    for (int i = 0; i < row; ++i) normals_.push_back(sign * rng.normal());
  }
}

void BeliefModel::aim(std::span<const float> belief, std::span<const float> obs, int steps) {
  first_ = Eigen::Map<const Eigen::VectorXf>(belief.data(), belief_dim()).cast<double>();
  obs_ = obs;
  steps_ = steps;
}

BeliefModel::Moved BeliefModel::move(const PlanVec& b, const PlanVec& a) const {
  const int n = belief_dim(), m = mean_dim();
  Moved out{PlanVec(n), PlanMat(m, m)};
  dynamics_.next(view(b), Single(a).view(), {out.b.data(), static_cast<std::size_t>(n)},
                 {out.noise.data(), static_cast<std::size_t>(m * m)});
  take_root(out.noise);
  return out;
}

double BeliefModel::cost(const PlanVec& next, const PlanVec& a, int t) const {
  return -dynamics_.reward(view(next), Single(a).view(), obs_, t + 1 == steps_);
}

PlanVec BeliefModel::limited(const PlanVec& a) const {
  return a.cwiseMax(spec_.actions.low).cwiseMin(spec_.actions.high);
}

double BeliefModel::rollout(const LinearPlan& plan, const double* normal) const {
  double total = 0.0, weight = 1.0;
  PlanVec b = first_;
  for (int t = 0; t < steps_; ++t, normal += mean_dim()) {
    const PlanVec a = limited(plan.a[t] + plan.gain[t].lazyProduct(b - plan.b[t]));
    const Moved next = move(b, a);
    b = next.b;
    b.head(mean_dim()) +=
        next.noise.lazyProduct(Eigen::Map<const Eigen::VectorXd>(normal, mean_dim()));
    total += weight * cost(b, a, t);
    weight *= spec_.discount;
  }
  return total;
}

void BeliefModel::follow(LinearPlan& plan) const {
  PlanVec b = first_;
  for (int t = 0; t < steps_; ++t) {
    plan.a[t] = limited(plan.a[t] + plan.gain[t].lazyProduct(b - plan.b[t]));
    plan.b[t] = b;
    b = move(b, plan.a[t]).b;
  }
  plan.b[steps_] = b;
  evaluate(plan);
}

void BeliefModel::retrace(LinearPlan& plan) const {
  plan.b[0] = first_;
  for (int t = 0; t < steps_; ++t) plan.b[t + 1] = move(plan.b[t], plan.a[t]).b;
  evaluate(plan);
}

void BeliefModel::evaluate(LinearPlan& plan) const {
  plan.cost = 0.0;
  const std::size_t row = static_cast<std::size_t>(spec_.horizon) * mean_dim();
  for (int r = 0; r < rollouts_; ++r) {
    plan.cost += rollout(plan, normals_.data() + r * row) / rollouts_;
  }
}

}  // namespace bpo
