// Perseus (Spaan, Vlassis 2005): backups at beliefs that random walks have met. A round visits them
// in random order and leaves out those whose value another's new vector has raised already, so that
// no value falls and there are far fewer backups than beliefs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bpo/core/rng.h"
#include "bpo/planners/point_based/belief_set.h"

namespace bpo {
namespace {

struct PerseusOptions : PointOptions {
  std::int64_t beliefs = 1000;

  void visit(OptionVisitor& v) {
    PointOptions::visit(v);
    v.integer("beliefs", beliefs, {1, 10000000},
              "number of beliefs that random walks collect to plan for");
  }
};

class Perseus final : public BeliefSetSearch {
 public:
  Perseus(const PointModel& model, const PerseusOptions& options, std::uint64_t seed,
          ThreadPool& pool)
      : BeliefSetSearch(model, pool), seed_(seed), backup_(model, &pool) {
    collect(options.beliefs);
  }

  void step() override {
    double gain = 0.0;
    // Where a problem ends, its last stage comes first: one round then carries values all the way.
    for (int key = model_.keys() - 1; key >= 0; --key) gain = std::max(gain, round(key));
    ++rounds_;
    work_ += backup_.work() - std::exchange(counted_, backup_.work());
    // A round may choose beliefs that gain nothing and whose vectors leave no other to be tried.
    still_ = gain < kLeastGain * std::max(1.0, std::abs(lower())) ? still_ + 1 : 0;
    exhausted_ = still_ >= kMostStill;
  }
  void visit(Wire& wire) override {
    BeliefSetSearch::visit(wire);
    wire(still_);
  }

 private:
  static constexpr double kLeastGain = 1e-7;
  static constexpr int kWalk = 100, kPatience = 50, kMostStill = 100;

  /// Random actions from the beginning; a walk has at most kWalk steps.
  void collect(std::int64_t wanted) {
    BeliefScratch scratch(model_.hidden()), trial(model_.hidden());
    const StepMatrix same{.diagonal = true, .value = std::vector<double>(model_.hidden(), 1.0)};
    int in_vain = 0;
    for (std::uint64_t walk = 0; beliefs() < wanted && in_vain < kPatience; ++walk) {
      Rng rng(seed_, Use::kPlan, walk);
      const auto& starts = model_.starts();
      std::size_t i = 0;
      for (double u = rng.uniform(); i + 1 < starts.size() && u > starts[i].probability; ++i) {
        u -= starts[i].probability;
      }
      int key = starts[i].key;
      scratch.advance(same, {starts[i].belief, {}});
      bool found = false;
      const int steps = model_.endless() ? kWalk : model_.stages();
      for (int t = 0; t + 1 < steps && beliefs() < wanted; ++t) {
        const int a = rng.below(model_.actions());
        double u = rng.uniform();
        const StepBranch* seen = nullptr;
        for (const StepBranch& branch : model_.branches(model_.x_of(key), a)) {
          const double p = trial.advance(model_.matrix(branch), scratch.view());
          if (p > 0.0) seen = &branch;
          if ((u -= p) < 0.0) break;
        }
        trial.advance(model_.matrix(*seen), scratch.view());
        key = model_.next(key, *seen);
        std::swap(scratch, trial);
        found = add_belief(key, scratch) || found;
      }
      in_vain = found ? 0 : in_vain + 1;
    }
  }

  /// Calls task(i) for i = 0..n-1, by all threads where there are many.
  template <class Task>
  void each(std::size_t n, const Task& task) {
    constexpr std::size_t kGrain = 250;
    pool_.run(static_cast<int>((n + kGrain - 1) / kGrain), [&](int chunk, int) {
      const std::size_t first = chunk * kGrain;
      for (std::size_t i = first; i < std::min(first + kGrain, n); ++i) task(i);
    });
  }

  double round(int key) {
    std::vector<int> open = of_key_[key];
    if (open.empty()) return 0.0;
    std::vector<BestVector> before(open.size());
    each(open.size(),
         [&](std::size_t i) { before[i] = vectors_.best(key, beliefs_.view(open[i])); });
    std::vector<double> raised(open.size());
    VectorSets next(1, model_.hidden());
    Rng rng(derive_seed(seed_, 3), Use::kPlan, static_cast<std::uint64_t>(rounds_),
            static_cast<std::uint32_t>(key));
    double gain = 0.0;
    while (!open.empty()) {
      const std::size_t i = rng.below(static_cast<int>(open.size()));
      const BeliefView b = beliefs_.view(open[i]);
      const double value = backup_(key, b, vectors_);
      ++backups_;
      if (value > before[i].value) {
        gain = std::max(gain, value - before[i].value);
        next.add(0, backup_.alpha(), backup_.action());
      } else {
        next.add(0, vectors_.vector(key, before[i].index), vectors_.action(key, before[i].index));
      }
      const auto alpha = next.vector(0, next.size(0) - 1);
      each(open.size(), [&](std::size_t k) { raised[k] = inner(alpha, beliefs_.view(open[k])); });
      std::size_t left = 0;
      for (std::size_t k = 0; k < open.size(); ++k) {
        if (k == i || raised[k] >= before[k].value) continue;
        open[left] = open[k];
        before[left++] = before[k];
      }
      open.resize(left);
      before.resize(left);
    }
    improve(key, next);
    return gain;
  }

  const std::uint64_t seed_;
  PointBackup backup_;
  double counted_ = 0.0;  // how much of the scratch's work is counted
  int still_ = 0;         // rounds in a row that gained nothing
};

const RegisterPlanner kPerseus{point_planner<PerseusOptions>(
    "perseus", "randomised point-based value iteration on beliefs of random walks",
    [](const PointModel& model, const PerseusOptions& options, std::uint64_t seed,
       ThreadPool& pool) { return std::make_unique<Perseus>(model, options, seed, pool); })};

}  // namespace
}  // namespace bpo
