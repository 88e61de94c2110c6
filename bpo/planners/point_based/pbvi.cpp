// Point-based value iteration (Pineau, Gordon, Thrun 2003): a backup at every belief of a set, and
// when that gains no more, a set of up to twice as many: to each belief the successor that is
// farthest from all that are there. (The paper draws one observation for every action; all are
// looked at here, so that nothing is left to chance.)
#include <algorithm>
#include <cmath>

#include "bpo/planners/point_based/belief_set.h"

namespace bpo {
namespace {

struct PbviOptions : PointOptions {
  std::int64_t beliefs = 500;

  void visit(OptionVisitor& v) {
    PointOptions::visit(v);
    v.integer("beliefs", beliefs, {1, 1000000},
              "number of beliefs at which the set that is planned for stops growing");
  }
};

class Pbvi final : public BeliefSetSearch {
 public:
  Pbvi(const PointModel& model, const PbviOptions& options, ThreadPool& pool)
      : BeliefSetSearch(model, pool),
        options_(options),
        backup_(pool.threads(), PointBackup(model)) {}

  void step() override {
    double gain = 0.0;
    for (int key = model_.keys() - 1; key >= 0; --key) gain = std::max(gain, round(key));
    ++rounds_;
    const double enough = std::max(kLeastGain * std::max(1.0, std::abs(lower())),
                                   kShare * options_.precision * (1.0 - model_.discount()));
    if (gain < enough) exhausted_ = beliefs() >= options_.beliefs || !grow();
  }

 private:
  static constexpr double kLeastGain = 1e-7, kShare = 0.5;

  /// Every backup of a key from the same vectors, by all threads; its vectors in the beliefs'
  /// order.
  double round(int key) {
    const std::vector<int>& beliefs = of_key_[key];
    if (beliefs.empty()) return 0.0;
    struct Made {
      double value = 0.0;
      int action = 0;
      std::vector<double> alpha;
      BestVector before;
      double work = 0.0;
    };
    std::vector<Made> made(beliefs.size());
    pool_.run(static_cast<int>(beliefs.size()), [&](int i, int thread) {
      const BeliefView b = beliefs_.view(beliefs[i]);
      PointBackup& backup = backup_[thread];
      const double work = backup.work();
      made[i].value = backup(key, b, vectors_);
      made[i].action = backup.action();
      made[i].alpha.assign(backup.alpha().begin(), backup.alpha().end());
      made[i].before = vectors_.best(key, b);
      made[i].work = backup.work() - work;
    });
    VectorSets next(1, model_.hidden());
    std::vector<bool> kept(vectors_.size(key));
    double gain = 0.0;
    for (const Made& m : made) {
      ++backups_;
      work_ += m.work;
      gain = std::max(gain, m.value - m.before.value);
      if (m.value > m.before.value) {
        next.add(0, m.alpha, m.action);
      } else if (!kept[m.before.index]) {
        kept[m.before.index] = true;
        next.add(0, vectors_.vector(key, m.before.index), vectors_.action(key, m.before.index));
      }
    }
    improve(key, next);
    return gain;
  }

  /// False where nothing new was found.
  bool grow() {
    bool grown = false;
    BeliefScratch scratch(model_.hidden()), farthest(model_.hidden());
    const std::vector<std::vector<int>> before = of_key_;
    for (int key = 0; key < model_.keys(); ++key) {
      if (model_.last(key)) continue;
      for (const int n : before[key]) {
        if (beliefs() >= options_.beliefs) return grown;
        double most = 0.0;
        int where = -1;
        for (int a = 0; a < model_.actions(); ++a) {
          for (const StepBranch& branch : model_.branches(model_.x_of(key), a)) {
            if (!(scratch.advance(model_.matrix(branch), beliefs_.view(n)) > 0.0)) continue;
            const double apart = distance(model_.next(key, branch), scratch.view());
            if (apart <= most) continue;
            most = apart;
            where = model_.next(key, branch);
            std::swap(scratch, farthest);
          }
        }
        if (where >= 0) grown = add_belief(where, farthest) || grown;
      }
    }
    return grown;
  }

  /// The L1 distance to the nearest belief of the key.
  double distance(int key, const BeliefView& b) const {
    double least = 2.0;
    std::vector<double> dense(model_.hidden());
    for (std::size_t i = 0; i < b.p.size(); ++i) dense[b.dense() ? i : b.index[i]] = b.p[i];
    for (const int n : of_key_[key]) {
      const BeliefView other = beliefs_.view(n);
      double shared = 0.0;  // |p - q|_1 = 2 - 2 sum min(p, q)
      for (std::size_t i = 0; i < other.p.size(); ++i) {
        shared += std::min(other.p[i], dense[other.dense() ? i : other.index[i]]);
      }
      least = std::min(least, 2.0 - 2.0 * shared);
    }
    return least;
  }

  const PbviOptions options_;
  std::vector<PointBackup> backup_;  // by thread
};

const RegisterPlanner kPbvi{point_planner<PbviOptions>(
    "pbvi", "point-based value iteration on a growing set of beliefs",
    [](const PointModel& model, const PbviOptions& options, std::uint64_t, ThreadPool& pool) {
      return std::make_unique<Pbvi>(model, options, pool);
    })};

}  // namespace
}  // namespace bpo
