#include "bpo/planners/belief_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bpo/planners/box_step.h"

namespace bpo {
namespace {

// Steps of finite differences; actions have single precision.
constexpr double kMeanStep = 0x1p-10, kSpreadStep = 0x1p-8, kActionStep = 0x1p-8;
constexpr double kTinySpread = 1e-9, kTinyCurve = 1e-9;

/// The symmetric matrix with its eigenvalues made positive.
PlanMat made_convex(const PlanMat& h) {
  const Eigen::SelfAdjointEigenSolver<PlanMat> eigen(h);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseAbs().asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

BeliefNewton::BeliefNewton(const BeliefModel& model)
    : model_(model),
      steps_(model.spec().horizon),
      push_(model.spec().horizon, PlanVec::Zero(model.action_dim())),
      gain_(model.spec().horizon, PlanMat::Zero(model.action_dim(), model.belief_dim())),
      trial_(model.spec().horizon, model.belief_dim(), model.action_dim()) {
  for (Step& s : steps_) s.dnoise.resize(model.mean_dim());
}

PlanVec BeliefNewton::differences(const PlanVec& b) const {
  const int m = model_.mean_dim(), spread = model_.belief_dim() - m;
  const ActionSpace& actions = model_.spec().actions;
  const double size = spread > 0 ? b.tail(spread).cwiseAbs().maxCoeff() : 0.0;
  PlanVec by(model_.belief_dim() + model_.action_dim());
  by << PlanVec::Constant(m, kMeanStep),
      PlanVec::Constant(spread, kSpreadStep * std::max(size, kTinySpread)),
      PlanVec::Constant(model_.action_dim(), kActionStep * (actions.high - actions.low));
  return by;
}

template <class F>
BeliefNewton::Quadratic BeliefNewton::expand(const F& f, const PlanVec& at,
                                             const PlanVec& by) const {
  const int n = static_cast<int>(at.size());
  Quadratic out{PlanVec(n), PlanMat(n, n)};
  const double here = f(at);
  PlanVec x = at, up(n), down(n);
  for (int i = 0; i < n; ++i) {
    x[i] = at[i] + by[i];
    up[i] = f(x);
    x[i] = at[i] - by[i];
    down[i] = f(x);
    x[i] = at[i];
    out.slope[i] = (up[i] - down[i]) / (2.0 * by[i]);
    out.curve(i, i) = (up[i] - 2.0 * here + down[i]) / (by[i] * by[i]);
    for (int j = 0; j < i; ++j) {
      x[i] = at[i] + by[i], x[j] = at[j] + by[j];
      const double both_up = f(x);
      x[i] = at[i] - by[i], x[j] = at[j] - by[j];
      const double both_down = f(x);
      x[i] = at[i], x[j] = at[j];
      out.curve(i, j) = out.curve(j, i) =
          (both_up - up[i] - up[j] + 2.0 * here - down[i] - down[j] + both_down) /
          (2.0 * by[i] * by[j]);
    }
  }
  return out;
}

void BeliefNewton::linearise(const LinearPlan& plan, int t) {
  const int n = model_.belief_dim(), m = model_.mean_dim(), k = model_.action_dim();
  Step& s = steps_[t];
  PlanVec by = differences(plan.b[t]);
  // A problem need not be smooth where its actions end: differences stay inside.
  const double low = model_.spec().actions.low + by[n], high = model_.spec().actions.high - by[n];
  const PlanVec a = plan.a[t].cwiseMax(low).cwiseMin(high);
  PlanVec z(n + k);
  z << plan.b[t], a;
  s.noise = model_.move(plan.b[t], plan.a[t]).noise;
  s.move.resize(n, n + k);
  for (PlanMat& d : s.dnoise) d.resize(m, n + k);
  for (int i = 0; i < n + k; ++i) {
    PlanVec x = z;
    x[i] = z[i] + by[i];
    const BeliefModel::Moved up = model_.move(x.head(n), x.tail(k));
    x[i] = z[i] - by[i];
    const BeliefModel::Moved down = model_.move(x.head(n), x.tail(k));
    s.move.col(i) = (up.b - down.b) / (2.0 * by[i]);
    for (int c = 0; c < m; ++c) {
      s.dnoise[c].col(i) = (up.noise.col(c) - down.noise.col(c)) / (2.0 * by[i]);
    }
  }
  by = differences(plan.b[t + 1]);
  z << plan.b[t + 1], a;
  s.cost = expand([&](const PlanVec& x) { return model_.cost(x.head(n), x.tail(k), t); }, z, by);
  s.cost.slope += s.cost.curve.rightCols(k) * (plan.a[t] - a);
  s.cost.curve = made_convex(s.cost.curve);
}

void BeliefNewton::find_gains() {
  const int n = model_.belief_dim(), m = model_.mean_dim(), k = model_.action_dim();
  PlanMat v = PlanMat::Zero(n, n);
  for (int t = model_.steps() - 1; t >= 0; --t) {
    Step& s = steps_[t];
    PlanMat u = s.cost.curve;
    u.topLeftCorner(n, n) += model_.spec().discount * v;
    const PlanMat u_mm = u.topLeftCorner(m, m);
    s.price = {PlanVec::Zero(n + k), PlanMat::Zero(n + k, n + k)};
    for (int c = 0; c < m; ++c) {
      s.price.slope += s.dnoise[c].transpose() * (u_mm * s.noise.col(c));
      s.price.curve += s.dnoise[c].transpose() * u_mm * s.dnoise[c];
    }
    PlanMat d = PlanMat::Zero(n + k, n + k);
    d.topRows(n) = s.move;
    d.bottomRightCorner(k, k).setIdentity();
    const PlanMat q = d.transpose() * u * d + s.price.curve;
    PlanMat q_aa = q.bottomRightCorner(k, k);
    q_aa.diagonal().array() += kTinyCurve;
    gain_[t] = -q_aa.llt().solve(q.bottomLeftCorner(k, n));
    v = q.topLeftCorner(n, n) + q.topRightCorner(n, k) * gain_[t];
    v = (0.5 * (v + v.transpose())).eval();
  }
}

void BeliefNewton::find_push(const LinearPlan& plan, double damping) {
  const int n = model_.belief_dim(), k = model_.action_dim(), size = model_.steps() * k;
  const ActionSpace& actions = model_.spec().actions;
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(size, size);
  Eigen::MatrixXd d =
      Eigen::MatrixXd::Zero(n + k, size);  // derivatives of (belief, action) by all actions
  Eigen::VectorXd g = Eigen::VectorXd::Zero(size), low(size), high(size);
  double weight = 1.0;
  const auto add = [&](const Quadratic& q) {
    g += weight * (d.transpose() * q.slope);
    h += weight * (d.transpose() * (q.curve * d));
  };
  for (int t = 0; t < model_.steps(); ++t) {
    low.segment(t * k, k) = actions.low - plan.a[t].array();
    high.segment(t * k, k) = actions.high - plan.a[t].array();
    d.bottomRows(k).setZero();
    d.block(n, t * k, k, k).setIdentity();
    add(steps_[t].price);
    d.topRows(n) = (steps_[t].move * d).eval();
    add(steps_[t].cost);
    weight *= model_.spec().discount;
  }
  h.diagonal().array() += kTinyCurve + damping * h.trace() / size;
  const Eigen::VectorXd step = box_step(h, g, low, high);
  for (int t = 0; t < model_.steps(); ++t) push_[t] = step.segment(t * k, k);
}

void BeliefNewton::improve(LinearPlan& plan, int iterations) {
  constexpr double kShortest = 0.2, kNegligible = 1e-4, kMostDamping = 1.0;
  double damping = 1e-7;
  bool fresh = true;
  for (int i = 0; i < iterations && damping <= kMostDamping; ++i) {
    if (fresh) {
      for (int t = 0; t < model_.steps(); ++t) linearise(plan, t);
      find_gains();
    }
    find_push(plan, damping);
    const double before = plan.cost;
    for (double length = 1.0; length > kShortest && plan.cost >= before; length *= 0.5) {
      for (int t = 0; t < model_.steps(); ++t) {
        trial_.a[t] = plan.a[t] + length * push_[t];
        trial_.gain[t] = gain_[t];
      }
      model_.retrace(trial_);
      if (trial_.cost < before) std::swap(plan, trial_);
    }
    fresh = plan.cost < before;
    if (fresh && plan.cost > before - kNegligible * std::abs(before)) return;
    damping *= fresh ? 0.1 : 100.0;
  }
}

}  // namespace bpo
