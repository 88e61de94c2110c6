// Dynamic programming in the belief space of a room with a light (LightDark): a reference for what
// is learned. The belief is N(m, s I). With dx = m_x - g_x, dy = m_y - g_y, and
// the light at 5 - g_x, the values of what is to come are tables
//   V_t(dx, |dy|, s; g_x) = max over a of E[ reward + V_{t+1}(dx + a_x + w_x, |dy + a_y + w_y|, s')
//   ],
// where s' and the variance of the mean's jump w are what the linearised filter expects of the step
// (BeliefDynamics), whichever filter keeps the belief. Its policy looks one step ahead, over more
// actions, with the tables interpolated; what they lose by that falls with the square of the cells.
// Left out: the walls, and what one learns from an episode that goes on. Ending within reach of the
// goal is in: with D the distance of N(m', s I) from the goal, by E[D^2; D < reach].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "bpo/planners/planner.h"

namespace bpo {
namespace {

struct BeliefDpOptions {
  std::int64_t actions = 5;

  void visit(OptionVisitor& v) {
    v.integer("actions", actions, {2, 64}, "strides per axis that are compared while planning");
  }
};

/// Evenly spaced values, and where between two of them a number lies.
struct Axis {
  double low = 0.0, step = 1.0;
  int count = 1;

  double at(int i) const { return low + step * i; }
  double high() const { return at(count - 1); }
  struct Place {
    int index;
    double beyond;  // share of the upper neighbour
  };
  Place place(double x) const {
    const double u = std::clamp((x - low) / step, 0.0, static_cast<double>(count - 1));
    const int i = std::min(static_cast<int>(u), std::max(0, count - 2));
    return {i, u - i};
  }
};

/// How an episode may end within reach: the probability, and E[D^2; D < reach].
struct Ending {
  double probability = 0.0, squares = 0.0;
};

/// The mass of N((distance, 0), s I) within `reach` of the origin, in rings and their parts.
Ending ending(double distance, double s, double reach) {
  constexpr int kRings = 24, kParts = 32;
  Ending out;
  for (int i = 0; i < kRings; ++i) {
    const double r = reach * (i + 0.5) / kRings;
    for (int j = 0; j < kParts; ++j) {
      const double angle = std::numbers::pi * (j + 0.5) / kParts;  // the other half is the same
      const double x = r * std::cos(angle) - distance, y = r * std::sin(angle);
      const double mass = 2.0 * r * (reach / kRings) * (std::numbers::pi / kParts) *
                          std::exp(-0.5 * (x * x + y * y) / s) / (2.0 * std::numbers::pi * s);
      out.probability += mass;
      out.squares += mass * r * r;
    }
  }
  // The rings are too coarse for a belief that is much smaller than they are.
  if (out.probability > 1.0) out = {1.0, out.squares / out.probability};
  return out;
}

/// A belief relative to the goal, the goal's x, and what the problem's own model needs of it.
struct Place {
  double dx = 0.0, dy = 0.0, log_s = 0.0, goal = 0.0;
};

class Tables {
 public:
  Tables(const AnyProblem& problem, const Room& room, const BeliefDpOptions& options)
      : dynamics_(*problem.dynamics()),
        spec_(problem.spec()),
        room_(room),
        goal_at_origin_(spec_.obs_dim) {
    const double width = room.right - room.left, height = room.top - room.bottom;
    goal_ = {0.0, 1.0, 3};
    dx_ = {room.left - goal_.high(), kCell, static_cast<int>((width + goal_.high()) / kCell) + 1};
    dy_ = {0.0, kCell, static_cast<int>(height / kCell) + 1};
    log_s_ = {std::log(1e-4), std::log(4e4) / (kVariances - 1), kVariances};
    penalty_ = reward(1.0, {0.0, 0.0}, false) - reward(1.0, {0.0, 0.0}, true);
    make_endings();
    value_.assign(spec_.horizon + 1, {});
    value_.back().assign(cells(), 0.0f);
    for (int t = spec_.horizon - 1; t > 0; --t) plan(t, static_cast<int>(options.actions));
  }

  /// The best of the strides on a grid of `strides` per axis, and straight to the goal.
  std::array<double, 2> best(int t, const Place& at, int strides) const {
    std::array<double, 2> out{};
    maximum(t, at, strides, &out);
    return out;
  }

 private:
  static constexpr double kCell = 0.125;
  static constexpr int kVariances = 14, kDistances = 128;

  std::size_t cells() const {
    return static_cast<std::size_t>(goal_.count) * dx_.count * dy_.count * log_s_.count;
  }

  void make_endings() {
    for (int k = 0; k < log_s_.count; ++k) {
      const double s = std::exp(log_s_.at(k));
      distance_.push_back({0.0, (room_.reach + 6.0 * std::sqrt(s)) / (kDistances - 1), kDistances});
      for (int i = 0; i < kDistances; ++i) {
        endings_.push_back(ending(distance_.back().at(i), s, room_.reach));
      }
    }
  }
  Ending ending_at(double distance, double log_s) const {
    const auto [k, beyond] = log_s_.place(log_s);
    Ending out;
    for (int side = 0; side < 2; ++side) {
      const Axis& axis = distance_[k + side];
      if (distance >= axis.high()) continue;
      const auto [i, share] = axis.place(distance);
      const double weight = side ? beyond : 1.0 - beyond;
      const Ending* e = endings_.data() + static_cast<std::size_t>(k + side) * kDistances + i;
      out.probability += weight * ((1.0 - share) * e[0].probability + share * e[1].probability);
      out.squares += weight * ((1.0 - share) * e[0].squares + share * e[1].squares);
    }
    return out;
  }

  void plan(int t, int strides) {
    value_[t].reserve(cells());
    for (int g = 0; g < goal_.count; ++g) {
      for (int i = 0; i < dx_.count; ++i) {
        for (int j = 0; j < dy_.count; ++j) {
          for (int k = 0; k < log_s_.count; ++k) {
            const Place at{dx_.at(i), dy_.at(j), log_s_.at(k), goal_.at(g)};
            value_[t].push_back(static_cast<float>(maximum(t, at, strides, nullptr)));
          }
        }
      }
    }
  }

  double maximum(int t, const Place& at, int strides, std::array<double, 2>* best) const {
    const double low = spec_.actions.low, high = spec_.actions.high;
    const double step = (high - low) / (strides - 1);
    double most = -std::numeric_limits<double>::infinity();
    for (int i = 0; i <= strides; ++i) {
      const double ax = i < strides ? low + step * i : std::clamp(-at.dx, low, high);
      const Moved moved = move(at, ax);
      for (int j = 0; j <= strides; ++j) {
        const double ay = j < strides ? low + step * j : std::clamp(-at.dy, low, high);
        if (ay * at.dy > 0.0) continue;  // away from the goal, where nothing is to be learned
        const double value = worth(t, at, {ax, ay}, moved);
        if (value <= most) continue;
        most = value;
        if (best != nullptr) *best = {ax, ay};
      }
    }
    return most;
  }

  /// What a stride along x makes of the variance, whatever that along y.
  struct Moved {
    double log_s = 0.0, jump = 0.0;  // jump: the standard deviation of the mean's next place
  };
  Moved move(const Place& at, double ax) const {
    const std::array<double, 3> b{at.dx + at.goal, 0.5 * (room_.bottom + room_.top),
                                  std::exp(at.log_s)};
    const std::array<float, 2> a{static_cast<float>(ax), 0.0f};
    std::array<double, 3> next{};
    std::array<double, 4> w{};
    dynamics_.next(b, a, next, w);
    return {std::log(next[2]), std::sqrt(w[0])};
  }

  double worth(int t, const Place& at, const std::array<double, 2>& a, const Moved& moved) const {
    const double dx = at.dx + a[0], dy = at.dy + a[1], s = std::exp(at.log_s);
    const double squares = dx * dx + dy * dy + 2.0 * s;
    const Ending end = ending_at(std::hypot(dx, dy), at.log_s);
    const double go_on = 1.0 - end.probability;
    double out = -penalty_ * end.squares;
    if (go_on < 1e-6) return out;
    const bool last = t + 1 == spec_.horizon;
    out += go_on * reward((squares - end.squares) / go_on, a, last);
    if (last) return out;
    // Gauss and Hermite's three nodes for the jump along each axis.
    constexpr std::array<double, 3> kNode{-1.7320508075688772, 0.0, 1.7320508075688772};
    constexpr std::array<double, 3> kWeight{1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0};
    double later = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        later += kWeight[i] * kWeight[j] *
                 value(t + 1, {dx + moved.jump * kNode[i], dy + moved.jump * kNode[j], moved.log_s,
                               at.goal});
      }
    }
    return out + go_on * later;
  }

  /// The problem's own reward where the squared distance from the goal is `squares` on average.
  double reward(double squares, const std::array<double, 2>& a, bool last) const {
    const std::array<double, 3> b{0.0, 0.0, 0.5 * squares};
    const std::array<float, 2> stride{static_cast<float>(a[0]), static_cast<float>(a[1])};
    return dynamics_.reward(b, stride, goal_at_origin_, last);
  }

  double value(int t, const Place& at) const {
    const auto [g, beyond] = goal_.place(at.goal);
    const double low = value_at(t, g, at);
    return beyond == 0.0 ? low : (1.0 - beyond) * low + beyond * value_at(t, g + 1, at);
  }
  /// The value where the goal is one of those that have a table.
  double value_at(int t, int goal, const Place& at) const {
    const auto x = dx_.place(at.dx), y = dy_.place(std::abs(at.dy)), s = log_s_.place(at.log_s);
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const double weight = (i ? x.beyond : 1.0 - x.beyond) * (j ? y.beyond : 1.0 - y.beyond);
        const std::size_t row =
            (static_cast<std::size_t>(goal) * dx_.count + x.index + i) * dy_.count + y.index + j;
        const float* v = value_[t].data() + row * log_s_.count + s.index;
        sum += weight * ((1.0 - s.beyond) * v[0] + s.beyond * v[1]);
      }
    }
    return sum;
  }

  const BeliefDynamics& dynamics_;
  const ProblemSpec& spec_;
  const Room room_;
  const std::vector<float> goal_at_origin_;  // an observation
  double penalty_ = 0.0;                     // what a squared distance costs at the end
  Axis goal_, dx_, dy_, log_s_;
  std::vector<Axis> distance_;  // by variance
  std::vector<Ending> endings_;
  std::vector<std::vector<float>> value_;  // by time
};

class Walker final : public Actor {
 public:
  Walker(const Tables& tables, const Room& room, int horizon)
      : tables_(tables), room_(room), horizon_(horizon) {}

  void begin(const PolicyInputs&) override {}
  void act(const PolicyInputs& in, Actions& actions) override {
    const int t = std::min(in.time, horizon_ - 1);  // an agent may go on
    for (int lane = 0; lane < in.episodes.count; ++lane) {
      if (in.done[lane]) continue;
      const auto b = in.belief[lane], o = in.obs[lane];
      const double gx = o[room_.goal], gy = o[room_.goal + 1];
      const auto a = tables_.best(t, {b[0] - gx, b[1] - gy, std::log(double{b[2]}), gx}, kStrides);
      for (int i = 0; i < 2; ++i) actions.box[lane][i] = static_cast<float>(a[i]);
    }
  }

 private:
  static constexpr int kStrides = 11;
  const Tables& tables_;
  const Room& room_;
  int horizon_;
};

class BeliefDp final : public Policy {
 public:
  BeliefDp(const AnyProblem& problem, const BeliefDpOptions& options)
      : room_(*problem.view().room),
        horizon_(problem.spec().horizon),
        tables_(problem, room_, options) {}
  std::unique_ptr<Actor> make_actor() const override {
    return std::make_unique<Walker>(tables_, room_, horizon_);
  }

 private:
  const Room room_;
  const int horizon_;
  const Tables tables_;
};

std::unique_ptr<Policy> make_belief_dp(const AnyProblem& problem, const BeliefDpOptions& options) {
  constexpr int kMostSteps = 200;  // a table for each
  if (problem.dynamics() == nullptr || !problem.view().room) {
    throw bad_input(fmt::format(
        "belief-dp needs a room with a light (lightdark); {} is none, with these options",
        problem.spec().name));
  }
  if (problem.spec().horizon > kMostSteps) {
    throw bad_input(fmt::format("belief-dp plans at most {} steps ahead; problem.horizon is {}",
                                kMostSteps, problem.spec().horizon));
  }
  return std::make_unique<BeliefDp>(problem, options);
}

const RegisterPlanner kBeliefDp{planner_entry<BeliefDpOptions>(
    "belief-dp", "dynamic programming over beliefs in a room with a light", make_belief_dp)};

}  // namespace
}  // namespace bpo
