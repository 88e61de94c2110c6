#include "bpo/planners/point_based/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bpo {
namespace {

/// A lower bound that gains less adds no vector; relative to the largest value there is.
constexpr double kLeastGain = 1e-9;

}  // namespace

BeliefGraph::BeliefGraph(const PointModel& model, ThreadPool& pool)
    : model_(model),
      fib_(fib_values(model, pool)),
      vectors_(vectors_of(model, blind_values(model, pool))),
      points_(model.keys(), model.actions()),
      sizes_(model.keys()),
      scratch_(model.hidden()),
      dense_(model.hidden()),
      alpha_(model.hidden()),
      ones_(model.hidden(), 1.0),
      reached_(model.hidden()),
      followers_(model.endless() ? model.branch_count() : 0) {
  StepMatrix same{.diagonal = true, .value = std::vector<double>(model.hidden(), 1.0)};
  for (const PointModel::Start& start : model.starts()) {
    scratch_.advance(same, {start.belief, {}});
    roots_.push_back(find_or_add(start.key, -1, -1));
    nodes_[roots_.back()].belief = beliefs_.add(scratch_.view());
    refresh(roots_.back());
  }
}

void BeliefGraph::visit(Wire& wire) {
  wire(vectors_);
  wire(points_);
  wire(beliefs_);
  wire(nodes_);
  wire(slots_);
  wire(edges_);
  wire(q_);
  wire(sizes_);
  wire(backups_);
  wire(changes_);
  wire(work_);
  by_hash_.clear();
  for (int n = 0; n < nodes(); ++n) by_hash_.emplace(nodes_[n].hash, n);
  for (Follower& f : followers_) f = {};
}

double BeliefGraph::lower() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    sum += model_.starts()[i].probability * nodes_[roots_[i]].lower;
  }
  return sum;
}

double BeliefGraph::upper() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    sum += model_.starts()[i].probability * nodes_[roots_[i]].upper;
  }
  return sum;
}

int BeliefGraph::point_count() const {
  int sum = 0;
  for (int key = 0; key < model_.keys(); ++key) sum += points_.size(key);
  return sum;
}

double BeliefGraph::bytes() const {
  return model_.bytes() + fib_.bytes() + vectors_.bytes() + points_.bytes() + beliefs_.bytes() +
         sizeof(GraphNode) * nodes_.capacity() + sizeof(GraphSlot) * slots_.capacity() +
         sizeof(GraphEdge) * edges_.capacity() + 8.0 * q_.capacity() + 40.0 * by_hash_.size();
}

/// The node of the belief in the scratch.
int BeliefGraph::find_or_add(int key, int parent, int branch) {
  const std::uint64_t hash = scratch_.hash(key);
  const auto [found, added] = by_hash_.try_emplace(hash, nodes());
  if (!added) return found->second;
  GraphNode node{.key = key, .parent = parent, .branch = branch, .hash = hash};
  const BeliefView b = scratch_.view();
  node.upper = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < model_.actions(); ++a) {
    q_.push_back(inner(fib_.row(key, a), b));
    node.upper = std::max(node.upper, q_.back());
  }
  work_ += b.work() * (model_.actions() + 4);
  nodes_.push_back(node);
  return nodes() - 1;
}

BeliefView BeliefGraph::belief_of(const GraphNode& node) {
  if (node.belief >= 0) return beliefs_.view(node.belief);
  const BeliefView from = beliefs_.view(nodes_[node.parent].belief);
  scratch_.advance(model_.matrix(model_.branch(node.branch)), from);
  work_ += 2 * from.work();
  return scratch_.view();
}

void BeliefGraph::refresh(int n) {
  GraphNode& node = nodes_[n];
  const int vectors = vectors_.size(node.key), points = points_.size(node.key);
  if (node.seen_vectors == vectors && node.seen_points == points) return;
  const BeliefView b = belief_of(node);
  if (node.seen_vectors < vectors) {
    const BestVector best =
        vectors_.best(node.key, b, node.seen_vectors, {node.vector, node.lower});
    node.vector = best.index;
    node.lower = best.value;
    work_ += b.work() * (vectors - node.seen_vectors);
    node.seen_vectors = vectors;
  }
  if (node.seen_points < points) {
    std::span<const double> dense = b.p;
    if (!b.dense()) {
      for (std::size_t i = 0; i < b.p.size(); ++i) dense_[b.index[i]] = b.p[i];
      dense = dense_;
    }
    const std::span<const double> q(q_.data() + static_cast<std::size_t>(n) * model_.actions(),
                                    model_.actions());
    node.upper = points_.bound(node.key, {b, dense, q, support_of(b)}, beliefs_, node.seen_points,
                               node.upper, &work_);
    node.seen_points = points;
    if (!b.dense()) {
      for (const std::uint32_t y : b.index) dense_[y] = 0.0;
    }
  }
}

void BeliefGraph::expand(int n) {
  if (nodes_[n].belief < 0) nodes_[n].belief = beliefs_.add(belief_of(nodes_[n]));
  const int key = nodes_[n].key, x = model_.x_of(key), belief = nodes_[n].belief;
  nodes_[n].first_slot = static_cast<int>(slots_.size());
  ++changes_;
  for (int a = 0; a < model_.actions(); ++a) {
    GraphSlot slot{.reward = inner(model_.reward(x, a), beliefs_.view(belief)),
                   .lower = -std::numeric_limits<double>::infinity(),
                   .upper = std::numeric_limits<double>::infinity(),
                   .first_edge = static_cast<std::uint32_t>(edges_.size())};
    const int count = model_.last(key) ? 0 : static_cast<int>(model_.branches(x, a).size());
    for (int i = 0; i < count; ++i) {
      const StepBranch& branch = model_.branches(x, a)[i];
      const double p = scratch_.advance(model_.matrix(branch), beliefs_.view(belief));
      work_ += beliefs_.view(belief).work();
      if (!(p > 0.0)) continue;
      const int child = find_or_add(model_.next(key, branch), n, model_.index(branch));
      edges_.push_back({p, child, model_.index(branch)});
      ++slot.edges;
    }
    slots_.push_back(slot);
  }
}

void BeliefGraph::backup(int n) {
  ++backups_;
  refresh(n);
  const std::size_t first = nodes_[n].first_slot;
  double upper = -std::numeric_limits<double>::infinity(), lower = upper;
  int best = -1;
  for (int a = 0; a < model_.actions(); ++a) {
    GraphSlot& slot = slots_[first + a];
    if (slot.pruned != 0) continue;
    double up = 0.0, low = 0.0;
    for (const GraphEdge& edge : edges(slot)) {
      refresh(edge.child);
      up += edge.probability * nodes_[edge.child].upper;
      low += edge.probability * nodes_[edge.child].lower;
    }
    slot.upper = slot.reward + model_.discount() * up;
    slot.lower = slot.reward + model_.discount() * low;
    upper = std::max(upper, slot.upper);
    if (best < 0 || slot.lower > lower) {
      best = a;
      lower = slot.lower;
    }
  }
  GraphNode& node = nodes_[n];
  const double scale = std::max(1.0, std::abs(node.lower));
  if (lower > node.lower + kLeastGain * scale) add_vector(n, best);
  const bool falls = upper < node.upper - kLeastGain * scale;
  node.upper = std::min(node.upper, upper);
  if (falls) {
    ++changes_;
    const std::span<const double> q(q_.data() + static_cast<std::size_t>(n) * model_.actions(),
                                    model_.actions());
    points_.add(node.key, n, node.belief, beliefs_.view(node.belief), q, upper);
    if (node.seen_points + 1 == points_.size(node.key)) ++node.seen_points;
  }
  for (int a = 0; a < model_.actions(); ++a) {
    GraphSlot& slot = slots_[first + a];
    // Rounding must not leave a node without any action.
    if (slot.upper < node.lower && slot.upper < upper) slot.pruned = 1;
  }
}

/// alpha = r(x, a) + gamma sum over branches of M alpha', each of them the best for its successor.
void BeliefGraph::add_vector(int n, int action) {
  const int key = nodes_[n].key, x = model_.x_of(key);
  const auto r = model_.reward(x, action);
  std::copy(r.begin(), r.end(), alpha_.begin());
  const auto edges = this->edges(slots_[nodes_[n].first_slot + action]);
  auto edge = edges.begin();
  if (!model_.last(key)) {
    for (const StepBranch& branch : model_.branches(x, action)) {
      const int next = model_.next(key, branch), i = model_.index(branch);
      const bool possible = edge != edges.end() && edge->branch == i;
      const auto later =
          possible ? vectors_.vector(next, nodes_[(edge++)->child].vector) : follower(next, i);
      model_.matrix(branch).backward(later, model_.discount(), alpha_);
      work_ += 2.0 * static_cast<double>(model_.matrix(branch).value.size());
    }
  }
  GraphNode& node = nodes_[n];
  const double value = inner(alpha_, beliefs_.view(node.belief));
  if (!(value > node.lower)) return;
  vectors_.add(key, alpha_, action);
  ++changes_;
  node.lower = value;
  node.vector = vectors_.size(key) - 1;
  node.seen_vectors = vectors_.size(key);
}

/// Where the belief excludes a branch any vector may follow; the best for all that can lead there.
std::span<const double> BeliefGraph::follower(int key, int branch) {
  if (!model_.endless()) return vectors_.vector(key, 0);
  Follower& f = followers_[branch];
  if (f.seen < vectors_.size(key)) {
    model_.matrix(model_.branch(branch)).forward(ones_, reached_);
    f.best = vectors_.best(key, BeliefView{reached_, {}}, f.seen, f.best);
    work_ += static_cast<double>(reached_.size()) * (vectors_.size(key) - f.seen);
    f.seen = vectors_.size(key);
  }
  return vectors_.vector(key, f.best.index);
}

}  // namespace bpo
