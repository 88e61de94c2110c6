// A finite problem compiled for solvers that work on beliefs. A state is (x, y): x is seen, y is
// hidden, and a belief is over the y of one x (mixed observability; Ong et al. 2010). What an
// action can lead to is a list of branches, one per (x', o) that may be seen, each with the matrix
//   M[y, y'] = T(x', y' | x, y, a) O(o | a, x', y'),
// so that b M is the next belief times the branch's probability, and M alpha' the branch's part of
// a backup. Equal matrices are kept once. Where the horizon matters, time is part of what is seen:
// a key is stage * visible + x.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bpo/core/tabular.h"

namespace bpo {

/// Rows of y; a diagonal one has no columns.
struct StepMatrix {
  bool diagonal = false, single = true;  // single: a y leads to at most one y'
  std::vector<double> value;
  std::vector<std::uint32_t> start, column;

  bool operator==(const StepMatrix&) const = default;
  double bytes() const { return 8.0 * value.size() + 4.0 * (start.size() + column.size()); }
  /// out = b M, and its sum.
  double forward(std::span<const double> b, std::span<double> out) const;
  /// out += factor * M alpha.
  void backward(std::span<const double> alpha, double factor, std::span<double> out) const;
};

struct StepBranch {
  int x = 0, o = 0, matrix = 0;  // what is seen next
};

class PointModel {
 public:
  /// `stages`: 0 plans without an end, which needs a discount below 1. Throws bad_input, before
  /// they are made, where values of all states or what an action may lead to take more bytes than
  /// `limit`.
  PointModel(const TabularModel& tables, int stages,
             double limit = std::numeric_limits<double>::infinity());

  int hidden() const { return hidden_; }
  int visible() const { return visible_; }
  int actions() const { return actions_; }
  double discount() const { return discount_; }
  bool endless() const { return stages_ == 0; }
  int stages() const { return endless() ? 1 : stages_; }
  int keys() const { return stages() * visible_; }

  int x_of(int key) const { return key % visible_; }
  int stage_of(int key) const { return key / visible_; }
  /// The key after a branch of a key.
  int next(int key, const StepBranch& branch) const {
    return endless() ? branch.x : (stage_of(key) + 1) * visible_ + branch.x;
  }
  /// Whether nothing follows what is done now.
  bool last(int key) const { return !endless() && stage_of(key) + 1 == stages_; }

  std::span<const StepBranch> branches(int x, int a) const {
    const std::size_t i = static_cast<std::size_t>(x) * actions_ + a;
    return {branches_.data() + first_[i], first_[i + 1] - first_[i]};
  }
  /// All branches have a number.
  const StepBranch& branch(int i) const { return branches_[i]; }
  int index(const StepBranch& branch) const { return static_cast<int>(&branch - branches_.data()); }
  int branch_count() const { return static_cast<int>(branches_.size()); }
  const StepMatrix& matrix(const StepBranch& branch) const { return matrices_[branch.matrix]; }
  /// r((x, .), a)
  std::span<const double> reward(int x, int a) const {
    return {reward_.data() + (static_cast<std::size_t>(x) * actions_ + a) * hidden_,
            static_cast<std::size_t>(hidden_)};
  }
  /// The least and the largest of all rewards.
  double least_reward() const { return least_; }
  double most_reward() const { return most_; }

  /// What is seen first: its key, its probability and the belief.
  struct Start {
    int key = 0;
    double probability = 1.0;
    std::vector<double> belief;
  };
  const std::vector<Start>& starts() const { return starts_; }
  double bytes() const { return bytes_; }

 private:
  void check_values() const;
  void check_branches(const TabularModel& tables, int x, int a) const;
  void add_branches(const TabularModel& tables, int x, int a);
  int intern(StepMatrix matrix);

  int hidden_, visible_, actions_, stages_;
  double discount_, limit_, least_ = 0.0, most_ = 0.0, bytes_ = 0.0;
  std::vector<StepMatrix> matrices_;
  std::vector<StepBranch> branches_;
  std::vector<std::size_t> first_{0};  // where the branches of x and a begin
  std::vector<double> reward_;         // by x, a, y
  std::vector<Start> starts_;
  struct Interning;  // only while compiling
  Interning* interning_ = nullptr;
};

/// How many stages to plan in: 0, without an end, where `horizon` is 0 or so far that leaving it
/// out changes values by less than `tolerance`.
int stages_of(const TabularModel& tables, double tolerance);

double inner(std::span<const double> a, std::span<const double> b);

}  // namespace bpo
