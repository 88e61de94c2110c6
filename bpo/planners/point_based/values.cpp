#include "bpo/planners/point_based/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bpo {
namespace {

constexpr double kTolerance = 1e-10;  // relative to the largest possible value
constexpr int kMostSweeps = 20000;

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

ValueSweeps::ValueSweeps(const PointModel& model, ThreadPool& pool, Kind kind)
    : model_(model),
      pool_(pool),
      goal_(kind),
      now_(kind == Kind::kFib ? Kind::kMdp : kind),
      values_(model),
      maxima_(static_cast<std::size_t>(model.visible()) * model.hidden()),
      scratch_(static_cast<std::size_t>(pool.threads()) * 2 * model.hidden()) {
  for (int x = 0; x < model.visible(); ++x) {
    for (int a = 0; a < model.actions(); ++a) {
      for (const StepBranch& branch : model.branches(x, a)) {
        const StepMatrix& m = model.matrix(branch);
        const auto numbers = static_cast<double>(m.value.size());
        mdp_work_ += numbers;
        fib_work_ += m.single ? numbers : numbers * model.actions();
      }
    }
  }
  if (model.endless()) {
    next_ = ActionValues(model);
  } else {
    fill_with_most(kind == Kind::kBlind ? model.least_reward() : model.most_reward());
  }
}

/// A bound for every stage whose turn has not come: the same reward in each step that is left.
void ValueSweeps::fill_with_most(double reward) {
  double value = 0.0;
  for (int stage = model_.stages() - 1; stage >= 0; --stage) {
    value = reward + model_.discount() * value;
    for (int x = 0; x < model_.visible(); ++x) {
      for (int a = 0; a < model_.actions(); ++a) {
        const auto q = values_.row(stage * model_.visible() + x, a);
        std::fill(q.begin(), q.end(), value);
      }
    }
  }
}

void ValueSweeps::sweep() {
  const int stage = model_.endless() ? 0 : model_.stages() - 1 - of_kind_;
  const int follow = model_.endless() ? 0 : (stage + 1) * model_.visible();
  ActionValues& out = model_.endless() ? next_ : values_;
  if (follow < model_.keys()) {
    pool_.run(model_.visible(), [&](int x, int) { values_.maximum(follow + x, maximum(x)); });
  }
  pool_.run(model_.visible(), [&](int x, int thread) {
    sweep_key(stage * model_.visible() + x, thread, values_, out);
  });
  ++sweeps_;
  ++of_kind_;
  if (!model_.endless()) {
    if (stage == 0) finish();
    return;
  }
  std::swap(values_, next_);
  find_change();
  const double scale = std::max(std::abs(model_.least_reward()), std::abs(model_.most_reward()));
  const bool still = std::max(-least_change_, most_change_) <= kTolerance * scale;
  if (still || of_kind_ == kMostSweeps) finish();
}

void ValueSweeps::sweep_key(int key, int thread, const ActionValues& after, ActionValues& out) {
  const int x = model_.x_of(key);
  for (int a = 0; a < model_.actions(); ++a) {
    const auto q = out.row(key, a);
    const auto r = model_.reward(x, a);
    std::copy(r.begin(), r.end(), q.begin());
    if (model_.last(key)) continue;
    for (const StepBranch& branch : model_.branches(x, a)) {
      const StepMatrix& m = model_.matrix(branch);
      if (now_ == Kind::kBlind) {
        m.backward(after.row(model_.next(key, branch), a), model_.discount(), q);
      } else if (now_ == Kind::kMdp || m.single) {
        // Where what is seen next tells no less than the state, being informed is to know.
        m.backward(maximum(branch.x), model_.discount(), q);
      } else {
        fib_branch(key, branch, thread, after, q);
      }
    }
  }
}

void ValueSweeps::fib_branch(int key, const StepBranch& branch, int thread,
                             const ActionValues& after, std::span<double> q) {
  const auto hidden = static_cast<std::size_t>(model_.hidden());
  const auto best = std::span(scratch_).subspan(thread * 2 * hidden, hidden);
  const auto one = std::span(scratch_).subspan((thread * 2 + 1) * hidden, hidden);
  const StepMatrix& m = model_.matrix(branch);
  const int next = model_.next(key, branch);
  std::fill(best.begin(), best.end(), 0.0);
  m.backward(after.row(next, 0), 1.0, best);
  for (int later = 1; later < model_.actions(); ++later) {
    std::fill(one.begin(), one.end(), 0.0);
    m.backward(after.row(next, later), 1.0, one);
    for (std::size_t y = 0; y < best.size(); ++y) best[y] = std::max(best[y], one[y]);
  }
  for (std::size_t y = 0; y < best.size(); ++y) q[y] += model_.discount() * best[y];
}

void ValueSweeps::find_change() {
  least_change_ = most_change_ = 0.0;
  for (int key = 0; key < model_.keys(); ++key) {
    for (int a = 0; a < model_.actions(); ++a) {
      const auto from = next_.row(key, a), to = values_.row(key, a);
      for (std::size_t y = 0; y < to.size(); ++y) {
        least_change_ = std::min(least_change_, to[y] - from[y]);
        most_change_ = std::max(most_change_, to[y] - from[y]);
      }
    }
  }
}

double ValueSweeps::slack() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The fast informed bound comes from above: each of its sweeps is a bound.
  if (done_ || !model_.endless() || now_ == Kind::kFib) return 0.0;
  if (of_kind_ == 0) return now_ == Kind::kBlind ? -kInfinity : kInfinity;
  const double change = now_ == Kind::kBlind ? least_change_ : most_change_;
  return change * model_.discount() / (1.0 - model_.discount());
}

void ValueSweeps::finish() {
  if (const double by = slack(); by != 0.0) {
    for (int key = 0; key < model_.keys(); ++key) {
      for (int a = 0; a < model_.actions(); ++a) {
        for (double& v : values_.row(key, a)) v += by;
      }
    }
  }
  done_ = now_ == goal_;
  if (done_) return;
  now_ = goal_;
  of_kind_ = 0;
}

void ValueSweeps::visit(Wire& wire) {
  wire(values_);
  wire(now_);
  wire(sweeps_);
  wire(of_kind_);
  wire(least_change_);
  wire(most_change_);
  wire(done_);
}

namespace {

ActionValues all_sweeps(const PointModel& model, ThreadPool& pool, ValueSweeps::Kind kind) {
  ValueSweeps sweeps(model, pool, kind);
  while (!sweeps.done()) sweeps.sweep();
  return std::move(sweeps).take();
}

}  // namespace

ActionValues mdp_values(const PointModel& model, ThreadPool& pool) {
  return all_sweeps(model, pool, ValueSweeps::Kind::kMdp);
}

ActionValues fib_values(const PointModel& model, ThreadPool& pool) {
  return all_sweeps(model, pool, ValueSweeps::Kind::kFib);
}

ActionValues blind_values(const PointModel& model, ThreadPool& pool) {
  return all_sweeps(model, pool, ValueSweeps::Kind::kBlind);
}

double initial_value(const PointModel& model, const ActionValues& values) {
  double out = 0.0;
  for (const PointModel::Start& start : model.starts()) {
    out += start.probability * values.best(start.key, start.belief);
  }
  return out;
}

}  // namespace bpo
