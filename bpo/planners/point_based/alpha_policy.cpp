#include "bpo/planners/point_based/alpha_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bpo/core/error.h"

namespace bpo {
namespace {

TabularModel tables_of(const AnyProblem& problem, const std::string& planner) {
  const auto tables = problem.tabular();
  if (tables == nullptr) {
    throw bad_input(
        fmt::format("{} needs a finite problem with tables (tiger, chain, rocksample, a .pomdp or "
                    ".pomdpx file); {} has none",
                    planner, problem.spec().name));
  }
  return std::move(*tables);
}

double bytes_of(const TabularModel& m) {
  double out = 8.0 * static_cast<double>(m.reward.size() + m.initial.size());
  for (const auto* const all : {&m.transition, &m.observation}) {
    for (const SparseRows& rows : *all) {
      out += 8.0 * rows.rows();
      for (int i = 0; i < rows.rows(); ++i) out += sizeof(SparseRows::Entry) * rows.row(i).size();
    }
  }
  return out;
}

}  // namespace

BeliefReader::BeliefReader(const ProblemSpec& spec, const AlphaShape& shape, const std::string& who)
    : shape_(shape), cells_(spec.belief_dim) {
  if (spec.grid && !spec.grid->joint) {
    cells_ = static_cast<int>(spec.grid->axes[0].size());
    factors_ = spec.belief_dim / cells_;
  }
  if (std::pow(cells_, factors_) != shape.hidden ||
      (shape.visible > 1 && shape.visible > spec.obs_dim)) {
    throw bad_input(
        fmt::format("{}: the belief of {} is not over the {} hidden states of its tables", who,
                    spec.name, shape.hidden));
  }
}

int BeliefReader::key(const PolicyInputs& in, int lane) const {
  const int stage = std::min(in.time, std::max(0, shape_.stages - 1));  // an agent may go on
  if (shape_.visible == 1) return stage;
  const auto seen = in.obs[lane].first(shape_.visible);
  return stage * shape_.visible +
         static_cast<int>(std::max_element(seen.begin(), seen.end()) - seen.begin());
}

void BeliefReader::belief(const PolicyInputs& in, int lane, std::span<double> out) const {
  const auto b = in.belief[lane];
  std::copy_n(b.begin(), cells_, out.begin());
  int filled = cells_;
  for (int f = 1; f < factors_; ++f, filled *= cells_) {
    // From the back, so that what is spread out is read before it is written over.
    for (int i = filled; i-- > 0;) {
      const double p = out[i];
      for (int c = 0; c < cells_; ++c) out[i * cells_ + c] = p * b[f * cells_ + c];
    }
  }
}

AlphaPolicy::AlphaPolicy(const BeliefReader& reader, std::shared_ptr<const VectorSets> vectors,
                         int actions, Look look)
    : reader_(reader), vectors_(std::move(vectors)), actions_(actions), look_(look) {}

/// A thread's scratch: one belief over all states, and the tile's.
struct AlphaPolicy::Scratch {
  /// A question in advance makes the room for one belief, so that an agent needs no more.
  explicit Scratch(const AlphaPolicy& policy) : b(policy.shape().hidden, 1.0) {
    batch.add(0, b);
    policy.blocks().find_best(batch);
    batch.clear();
  }
  std::vector<double> b;
  BeliefBatch batch;
};

class AlphaPolicy::Acting final : public Actor {
 public:
  explicit Acting(const AlphaPolicy& policy) : policy_(policy), scratch_(policy) {}
  void begin(const PolicyInputs&) override {}
  void act(const PolicyInputs& in, Actions& actions) override {
    policy_.choose(in, in.done, scratch_, [&](int lane, int a) { actions.index[lane] = a; });
  }

 private:
  const AlphaPolicy& policy_;
  Scratch scratch_;
};

const VectorBlocks& AlphaPolicy::blocks() const {
  std::call_once(laid_out_, [&] { blocks_ = std::make_unique<VectorBlocks>(*vectors_); });
  return *blocks_;
}

std::unique_ptr<Actor> AlphaPolicy::make_actor() const { return std::make_unique<Acting>(*this); }

int AlphaPolicy::action(int key, std::span<const double> b) const {
  Scratch scratch(*this);
  std::copy(b.begin(), b.end(), scratch.b.begin());
  add(key, scratch);
  blocks().find_best(scratch.batch);
  return vectors_->action(key, scratch.batch.best(0).index);
}

/// Adds the belief in `scratch.b` to the batch as this policy looks at it.
void AlphaPolicy::add(int key, Scratch& scratch) const {
  std::vector<double>& b = scratch.b;
  if (look_ == Look::kMostLikely) {
    const auto likely = std::max_element(b.begin(), b.end());
    std::fill(b.begin(), b.end(), 0.0);
    *likely = 1.0;
  }
  scratch.batch.add(key, b);
}

template <class Take>
void AlphaPolicy::choose(const PolicyInputs& in, const std::array<bool, kLanes>& but,
                         Scratch& scratch, Take take) const {
  std::array<int, kLanes> lanes, keys;
  int count = 0;
  scratch.batch.clear();
  for (int lane = 0; lane < in.episodes.count; ++lane) {
    if (but[lane]) continue;
    reader_.belief(in, lane, scratch.b);
    lanes[count] = lane;
    keys[count] = reader_.key(in, lane);
    add(keys[count++], scratch);
  }
  blocks().find_best(scratch.batch);
  for (int i = 0; i < count; ++i) {
    take(lanes[i], vectors_->action(keys[i], scratch.batch.best(i).index));
  }
}

void AlphaPolicy::compute(const PolicyInputs& in, std::span<float> out) const {
  Scratch scratch(*this);
  std::fill(out.begin(), out.end(), 0.0f);
  choose(in, {}, scratch, [&](int lane, int a) { out[lane * actions_ + a] = 1.0f; });
}

PointProblem::PointProblem(const AnyProblem& problem, const std::string& planner, double tolerance,
                           double limit)
    : model([&] {
        const TabularModel tables = tables_of(problem, planner);
        tables_bytes = bytes_of(tables);
        return PointModel(tables, stages_of(tables, tolerance), limit);
      }()),
      reader(problem.spec(),
             {model.hidden(), model.visible(), model.endless() ? 0 : model.stages()}, planner) {}

}  // namespace bpo
