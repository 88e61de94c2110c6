// How well one could walk in a room with a light (LightDark) who is told where one stands. Whoever
// is not told could be told and take no notice; so no policy's mean return is above the best of
// these, an upper bound by information relaxation (Brown, Smith and Sun 2010).
//
// With the position known nothing is random. Let d_k be the displacement from the goal after k
// steps and a_k the strides, d_k = d_{k-1} + a_k, each at most a box. To be there with step n costs
//   C_n = min sum_{k<n} (w |d_k|^2 + u |a_k|^2) + p |d_n|^2,
// and never to be there C_never, which is the same for all H steps with the walk of the last one.
// Each is a quadratic program along each axis for itself; the least of them is the plan. That a
// walk which comes within reach earlier ends there is left out, which can only make a plan cheaper;
// the tests hold what walking it costs to what was planned, so the bound is met.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bpo/planners/box_step.h"
#include "bpo/planners/planner.h"

namespace bpo {
namespace {

struct NoOptions {
  void visit(OptionVisitor&) {}
};

/// What the problem charges.
struct Prices {
  double walk = 0.0, stride = 0.0, penalty = 0.0;  // w, u and p
};

struct Way {
  double cost = std::numeric_limits<double>::infinity();
  Eigen::VectorXd strides;
};

/// The cheapest n strides along one axis from the displacement d; `arrives`: the last one is free.
Way way(double d, int n, bool arrives, const Prices& prices, double longest) {
  const int walked = arrives ? n - 1 : n;
  // d_k = d + (sums a)_k, with d_n weighed by the penalty.
  const Eigen::MatrixXd sums =
      Eigen::MatrixXd::Ones(n, n).triangularView<Eigen::Lower>().toDenseMatrix();
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(n), effort = Eigen::VectorXd::Zero(n);
  weight.head(walked).setConstant(prices.walk);
  effort.head(walked).setConstant(prices.stride);
  weight[n - 1] += prices.penalty;
  Eigen::MatrixXd h = 2.0 * (sums.transpose() * weight.asDiagonal() * sums);
  h.diagonal() += 2.0 * effort;
  const Eigen::VectorXd g = 2.0 * d * (sums.transpose() * weight);
  const Eigen::VectorXd box = Eigen::VectorXd::Constant(n, longest);
  Way out{.strides = box_step(h, g, -box, box)};
  const Eigen::VectorXd& a = out.strides;
  out.cost = d * d * weight.sum() + g.dot(a) + 0.5 * a.dot(h * a);
  return out;
}

using Plan = std::array<Eigen::VectorXd, 2>;

Plan cheapest(const std::array<double, 2>& d, int horizon, const Prices& prices, double longest) {
  Plan out;
  double least = std::numeric_limits<double>::infinity();
  for (int n = 1; n <= horizon + 1; ++n) {
    const bool arrives = n <= horizon;
    const int steps = arrives ? n : horizon;
    const Way x = way(d[0], steps, arrives, prices, longest);
    const Way y = way(d[1], steps, arrives, prices, longest);
    if (x.cost + y.cost >= least) continue;
    least = x.cost + y.cost;
    out = {x.strides, y.strides};
  }
  return out;
}

class Walker final : public Actor {
 public:
  Walker(const Room& room, const ProblemSpec& spec, const Prices& prices)
      : room_(room), horizon_(spec.horizon), longest_(spec.actions.high), prices_(prices) {}

  void begin(const PolicyInputs&) override {}
  void act(const PolicyInputs& in, Actions& actions) override {
    for (int lane = 0; lane < in.episodes.count; ++lane) {
      if (in.done[lane]) continue;
      const auto at = in.latent[lane], o = in.obs[lane];
      const std::array d{double{at[0]} - o[room_.goal], double{at[1]} - o[room_.goal + 1]};
      if (in.time == 0) plans_[lane] = cheapest(d, horizon_, prices_, longest_);
      for (int i = 0; i < 2; ++i) {
        const Eigen::VectorXd& a = plans_[lane][i];
        // A walk that just missed the goal goes straight there.
        actions.box[lane][i] = static_cast<float>(in.time < a.size() ? a[in.time] : -d[i]);
      }
    }
  }

 private:
  const Room room_;
  int horizon_;
  double longest_;
  Prices prices_;
  std::array<Plan, kLanes> plans_;
};

class ToldPosition final : public Policy {
 public:
  explicit ToldPosition(const AnyProblem& problem)
      : room_(*problem.view().room), spec_(problem.spec()) {
    const std::vector<float> goal_at_origin(spec_.obs_dim);
    const auto reward = [&](double squares, float stride, bool last) {
      const std::array<double, 3> b{std::sqrt(squares), 0.0, 0.0};
      const std::array<float, 2> a{stride, 0.0f};
      return problem.dynamics()->reward(b, a, goal_at_origin, last);
    };
    const auto longest = static_cast<float>(spec_.actions.high);
    prices_ = {.walk = -reward(1.0, 0.0f, false),
               .stride = -reward(0.0, longest, false) / (longest * longest),
               .penalty = reward(1.0, 0.0f, false) - reward(1.0, 0.0f, true)};
  }
  std::unique_ptr<Actor> make_actor() const override {
    return std::make_unique<Walker>(room_, spec_, prices_);
  }
  bool sees_belief() const override { return false; }
  bool sees_latent() const override { return true; }

 private:
  Room room_;
  ProblemSpec spec_;
  Prices prices_;
};

std::unique_ptr<Policy> make_told_position(const AnyProblem& problem, const NoOptions&) {
  constexpr int kMostSteps = 100;  // a program of so many strides for each number of steps
  if (problem.dynamics() == nullptr || !problem.view().room) {
    throw bad_input(fmt::format(
        "told-position needs a room with a light (lightdark); {} is none, with these options",
        problem.spec().name));
  }
  if (problem.spec().horizon > kMostSteps) {
    throw bad_input(fmt::format("told-position plans at most {} steps; problem.horizon is {}",
                                kMostSteps, problem.spec().horizon));
  }
  return std::make_unique<ToldPosition>(problem);
}

const RegisterPlanner kToldPosition{planner_entry<NoOptions>(
    "told-position", "upper bound: the best walk of one who is told the true position",
    make_told_position)};

}  // namespace
}  // namespace bpo
