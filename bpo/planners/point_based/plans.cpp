#include "bpo/planners/point_based/plans.h"

#include <algorithm>
#include <functional>

namespace bpo {

PlanBook::PlanBook(const PointModel& model) : serials_(model.keys()) {
  std::vector<int> next;
  for (int key = 0; key < model.keys(); ++key) {
    for (int a = 0; a < model.actions(); ++a) {
      next.clear();
      if (!model.last(key)) {
        for (const StepBranch& branch : model.branches(model.x_of(key), a)) {
          next.push_back(model.next(key, branch) * model.actions() + a);
        }
      }
      add(key, a, next);
    }
  }
}

void PlanBook::add(int key, int action, const std::vector<int>& next) {
  serials_[key].push_back(made_);
  plans_.push_back({made_++, key, action, next, {}});
  bytes_ += plans_.back().bytes();
}

std::size_t PlanBook::find(int serial) const {
  const auto found = std::ranges::lower_bound(plans_, serial, {}, &Plan::serial);
  return static_cast<std::size_t>(found - plans_.begin());
}

void PlanBook::retire(int key, const std::vector<bool>& keep, const VectorSets& vectors) {
  std::vector<int>& serials = serials_[key];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < serials.size(); ++i) {
    if (keep[i]) {
      serials[kept++] = serials[i];
      continue;
    }
    const auto alpha = vectors.vector(key, static_cast<int>(i));
    plans_[find(serials[i])].alpha.assign(alpha.begin(), alpha.end());
  }
  serials.resize(kept);
}

void PlanBook::clean() {
  std::vector<bool> needed(plans_.size());
  std::vector<std::size_t> open;
  const auto need = [&](int serial) {
    const std::size_t i = find(serial);
    if (needed[i]) return;
    needed[i] = true;
    open.push_back(i);
  };
  for (const auto& serials : serials_) {
    for (const int serial : serials) need(serial);
  }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (const int serial : plans_[i].next) need(serial);
  }
  std::size_t kept = 0;
  bytes_ = 0.0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!needed[i]) continue;
    if (kept != i) plans_[kept] = std::move(plans_[i]);
    bytes_ += plans_[kept++].bytes();
  }
  plans_.erase(plans_.begin() + static_cast<std::ptrdiff_t>(kept), plans_.end());
}

VectorSets PlanBook::with(const VectorSets& used) const {
  VectorSets out = used;
  // One that another is nowhere below, be it used or newer, is not needed: what rests on it may
  // rest on the other.
  const auto covered = [&](const Plan& plan) {
    for (int i = 0; i < out.size(plan.key); ++i) {
      if (std::ranges::equal(out.vector(plan.key, i), plan.alpha, std::greater_equal<>())) {
        return true;
      }
    }
    return false;
  };
  std::vector<bool> needed(plans_.size()), done(plans_.size());
  for (const auto& serials : serials_) {
    for (const int serial : serials) needed[find(serial)] = true;
  }
  // A plan rests on older ones, but for the blind ones, which rest on each other: so again.
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = plans_.size(); i-- > 0;) {
      const Plan& plan = plans_[i];
      if (!needed[i] || done[i]) continue;
      done[i] = more = true;
      if (!plan.alpha.empty()) {
        if (covered(plan)) continue;
        out.add(plan.key, plan.alpha, plan.action);
      }
      for (const int serial : plan.next) needed[find(serial)] = true;
    }
  }
  return out;
}

void PlanBook::Plan::visit(Wire& wire) {
  wire(serial);
  wire(key);
  wire(action);
  wire(next);
  wire(alpha);
}

void PlanBook::visit(Wire& wire) {
  wire(plans_);
  wire(serials_);
  wire(made_);
  wire(bytes_);
}

}  // namespace bpo
