#include "bpo/planners/point_based/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr double kTolerance = 1e-10;  // relative to the largest possible value
constexpr int kMostSweeps = 20000;

/// What a sweep has to go on: Q of the keys that follow, max_a Q of them by x, and a thread's
/// scratch of two rows.
struct After {
  const ActionValues& q;
  std::span<const double> maxima;
  std::span<double> scratch;

  std::span<const double> maximum(int x) const {
    const std::size_t hidden = scratch.size() / 2;
    return maxima.subspan(x * hidden, hidden);
  }
};
/// One key of a sweep.
using Sweep = std::function<void(int key, const After& after, ActionValues& out)>;

class Iteration {
 public:
  Iteration(const PointModel& model, ThreadPool& pool, Sweep sweep)
      : model_(model),
        pool_(pool),
        sweep_(std::move(sweep)),
        maxima_(static_cast<std::size_t>(model.visible()) * model.hidden()),
        scratch_(static_cast<std::size_t>(pool.threads()) * 2 * model.hidden()) {}

  /// Where a problem ends: backwards from its last stage, exactly.
  void by_stages(ActionValues& values) {
    for (int stage = model_.stages() - 1; stage >= 0; --stage) sweep(stage, values, values);
  }
  /// Until nothing changes; the last sweep's least and largest change.
  std::pair<double, double> until_still(ActionValues& values) {
    const double scale = std::max(std::abs(model_.least_reward()), std::abs(model_.most_reward()));
    const double enough = kTolerance * scale;
    ActionValues next(model_);
    std::pair<double, double> change;
    for (int n = 0; n < kMostSweeps; ++n) {
      sweep(0, values, next);
      std::swap(values, next);
      change = difference(next, values);
      if (std::max(-change.first, change.second) <= enough) break;
    }
    return change;
  }

 private:
  void sweep(int stage, const ActionValues& after, ActionValues& out) {
    const std::size_t hidden = static_cast<std::size_t>(model_.hidden());
    const int follow = model_.endless() ? 0 : (stage + 1) * model_.visible();
    if (follow < model_.keys()) {
      pool_.run(model_.visible(), [&](int x, int) {
        after.maximum(follow + x, std::span(maxima_).subspan(x * hidden, hidden));
      });
    }
    pool_.run(model_.visible(), [&](int x, int thread) {
      const auto scratch = std::span(scratch_).subspan(thread * 2 * hidden, 2 * hidden);
      sweep_(stage * model_.visible() + x, {after, maxima_, scratch}, out);
    });
  }
  std::pair<double, double> difference(const ActionValues& before, const ActionValues& now) const {
    double least = 0.0, most = 0.0;
    for (int key = 0; key < model_.keys(); ++key) {
      for (int a = 0; a < model_.actions(); ++a) {
        const auto from = before.row(key, a), to = now.row(key, a);
        for (std::size_t y = 0; y < to.size(); ++y) {
          least = std::min(least, to[y] - from[y]);
          most = std::max(most, to[y] - from[y]);
        }
      }
    }
    return {least, most};
  }

  const PointModel& model_;
  ThreadPool& pool_;
  const Sweep sweep_;
  std::vector<double> maxima_, scratch_;
};

void shift(const PointModel& model, double by, ActionValues& values) {
  for (int key = 0; key < model.keys(); ++key) {
    for (int a = 0; a < model.actions(); ++a) {
      for (double& v : values.row(key, a)) v += by;
    }
  }
}

/// q = r(key, a) and what add(branch, q) adds for each branch.
template <class Add>
void backup(const PointModel& model, int key, int a, std::span<double> q, Add add) {
  const int x = model.x_of(key);
  const auto r = model.reward(x, a);
  std::copy(r.begin(), r.end(), q.begin());
  if (model.last(key)) return;
  for (const StepBranch& branch : model.branches(x, a)) add(branch, q);
}

}  // namespace

void ActionValues::maximum(int key, std::span<double> out) const {
  const auto first = row(key, 0);
  std::copy(first.begin(), first.end(), out.begin());
  for (int a = 1; a < actions_; ++a) {
    const auto q = row(key, a);
    for (std::size_t y = 0; y < q.size(); ++y) out[y] = std::max(out[y], q[y]);
  }
}

double ActionValues::best(int key, std::span<const double> b) const {
  double best = inner(row(key, 0), b);
  for (int a = 1; a < actions_; ++a) best = std::max(best, inner(row(key, a), b));
  return best;
}

ActionValues mdp_values(const PointModel& model, ThreadPool& pool) {
  ActionValues values(model);
  Iteration iteration(model, pool, [&](int key, const After& after, ActionValues& out) {
    for (int a = 0; a < model.actions(); ++a) {
      backup(model, key, a, out.row(key, a), [&](const StepBranch& branch, auto q) {
        model.matrix(branch).backward(after.maximum(branch.x), model.discount(), q);
      });
    }
  });
  if (!model.endless()) {
    iteration.by_stages(values);
    return values;
  }
  const auto [least, most] = iteration.until_still(values);
  shift(model, most * model.discount() / (1.0 - model.discount()), values);
  return values;
}

ActionValues fib_values(const PointModel& model, ThreadPool& pool) {
  ActionValues values = mdp_values(model, pool);
  Iteration iteration(model, pool, [&](int key, const After& after, ActionValues& out) {
    const auto best = after.scratch.first(model.hidden());
    const auto one = after.scratch.subspan(model.hidden());
    for (int a = 0; a < model.actions(); ++a) {
      backup(model, key, a, out.row(key, a), [&](const StepBranch& branch, auto q) {
        const StepMatrix& m = model.matrix(branch);
        if (m.single) {  // what is seen next then tells no less than the state
          m.backward(after.maximum(branch.x), model.discount(), q);
          return;
        }
        const int next = model.next(key, branch);
        std::fill(best.begin(), best.end(), 0.0);
        m.backward(after.q.row(next, 0), 1.0, best);
        for (int later = 1; later < model.actions(); ++later) {
          std::fill(one.begin(), one.end(), 0.0);
          m.backward(after.q.row(next, later), 1.0, one);
          for (std::size_t y = 0; y < best.size(); ++y) best[y] = std::max(best[y], one[y]);
        }
        for (std::size_t y = 0; y < best.size(); ++y) q[y] += model.discount() * best[y];
      });
    }
  });
  if (!model.endless()) {
    iteration.by_stages(values);
    return values;
  }
  iteration.until_still(values);  // from above: every sweep is an upper bound
  return values;
}

ActionValues blind_values(const PointModel& model, ThreadPool& pool) {
  ActionValues values(model);
  Iteration iteration(model, pool, [&](int key, const After& after, ActionValues& out) {
    for (int a = 0; a < model.actions(); ++a) {
      backup(model, key, a, out.row(key, a), [&](const StepBranch& branch, auto q) {
        model.matrix(branch).backward(after.q.row(model.next(key, branch), a), model.discount(), q);
      });
    }
  });
  if (!model.endless()) {
    iteration.by_stages(values);
    return values;
  }
  const auto [least, most] = iteration.until_still(values);
  shift(model, least * model.discount() / (1.0 - model.discount()), values);
  return values;
}

double initial_value(const PointModel& model, const ActionValues& values) {
  double out = 0.0;
  for (const PointModel::Start& start : model.starts()) {
    out += start.probability * values.best(start.key, start.belief);
  }
  return out;
}

void check_tables(const PointModel& model, double limit) {
  const double bytes = 8.0 * model.keys() * model.actions() * model.hidden();
  if (bytes <= limit) return;
  throw bad_input(fmt::format(
      "values of {} states in {} stages under {} actions take {:.1f} GB, more than {:.1f}; plan "
      "fewer steps (problem.horizon)",
      model.hidden() * model.visible(), model.stages(), model.actions(), bytes * 1e-9,
      limit * 1e-9));
}

}  // namespace bpo
