#include "bpo/planners/point_based/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bpo {
namespace {

/// A lower bound that gains less adds no vector; relative to the largest value there is.
constexpr double kLeastGain = 1e-9;
/// Waking another thread costs as much as looking at so many vectors and points, about.
constexpr int kFewLooks = 2000;
/// Nodes that a thread takes at a time.
constexpr int kGrain = 4;

}  // namespace

BeliefGraph::BeliefGraph(const PointModel& model, ThreadPool& pool)
    : model_(model),
      pool_(pool),
      fib_(fib_values(model, pool)),
      vectors_(vectors_of(model, blind_values(model, pool))),
      plans_(model),
      points_(model.keys(), model.actions()),
      sizes_(model.keys()),
      scratch_(pool.threads(), Scratch(model.hidden())),
      alpha_(model.hidden()),
      ones_(model.hidden(), 1.0),
      reached_(model.hidden()),
      followers_(model.endless() ? model.branch_count() : 0) {
  StepMatrix same{.diagonal = true, .value = std::vector<double>(model.hidden(), 1.0)};
  for (const PointModel::Start& start : model.starts()) {
    scratch_[0].belief.advance(same, {start.belief, {}});
    roots_.push_back(find_or_add(start.key, -1, -1));
    nodes_[roots_.back()].belief = beliefs_.add(scratch_[0].belief.view());
    refresh(roots_.back());
  }
}

void BeliefGraph::visit(Wire& wire) {
  wire(vectors_);
  wire(plans_);
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

/// The bytes in use, whatever room vectors have beside them: a search that was saved and goes on
/// has other room, and must stop at the same point.
double BeliefGraph::bytes() const {
  return model_.bytes() + fib_.bytes() + vectors_.bytes() + plans_.bytes() + points_.bytes() +
         beliefs_.bytes() + sizeof(GraphNode) * nodes_.size() + sizeof(GraphSlot) * slots_.size() +
         sizeof(GraphEdge) * edges_.size() + 8.0 * q_.size() + 40.0 * by_hash_.size();
}

/// The node of the belief in the first scratch. A leaf keeps no belief, so that to compare beliefs
/// would be to make one anew for every edge that leads to a known node. Their hashes of 64 bits are
/// compared instead: that two of n beliefs share one has a probability of n^2 / 2^65, which is 3e-6
/// for ten million.
int BeliefGraph::find_or_add(int key, int parent, int branch) {
  const std::uint64_t hash = scratch_[0].belief.hash(key);
  const auto [found, added] = by_hash_.try_emplace(hash, nodes());
  if (!added) return found->second;
  GraphNode node{.key = key, .parent = parent, .branch = branch, .hash = hash};
  const BeliefView b = scratch_[0].belief.view();
  node.upper = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < model_.actions(); ++a) {
    q_.push_back(inner(fib_.row(key, a), b));
    node.upper = std::max(node.upper, q_.back());
  }
  work_ += b.work() * (model_.actions() + 4);
  nodes_.push_back(node);
  return nodes() - 1;
}

BeliefView BeliefGraph::belief_of(const GraphNode& node, Scratch& scratch) const {
  if (node.belief >= 0) return beliefs_.view(node.belief);
  const BeliefView from = beliefs_.view(nodes_[node.parent].belief);
  scratch.belief.advance(model_.matrix(model_.branch(node.branch)), from);
  scratch.work += 2 * from.work();
  return scratch.belief.view();
}

void BeliefGraph::refresh(GraphNode& node, Scratch& scratch) const {
  if (!stale(node)) return;
  const int vectors = vectors_.size(node.key), points = points_.size(node.key);
  const BeliefView b = belief_of(node, scratch);
  if (node.seen_vectors < vectors) {
    const BestVector best =
        vectors_.best(node.key, b, node.seen_vectors, {node.vector, node.lower});
    node.vector = best.index;
    node.lower = best.value;
    scratch.work += b.work() * (vectors - node.seen_vectors);
    node.seen_vectors = vectors;
  }
  if (node.seen_points < points) {
    std::span<const double> dense = b.p;
    if (!b.dense()) {
      for (std::size_t i = 0; i < b.p.size(); ++i) scratch.dense[b.index[i]] = b.p[i];
      dense = scratch.dense;
    }
    const std::size_t n = &node - nodes_.data();
    const std::span<const double> q(q_.data() + n * model_.actions(), model_.actions());
    node.upper = points_.bound(node.key, {b, dense, q, support_of(b)}, beliefs_, node.seen_points,
                               node.upper, &scratch.work);
    node.seen_points = points;
    if (!b.dense()) {
      for (const std::uint32_t y : b.index) scratch.dense[y] = 0.0;
    }
  }
}

void BeliefGraph::refresh(int n) { refresh(std::span(&n, 1)); }

void BeliefGraph::refresh(std::span<const int> nodes) {
  std::int64_t looks = 0;
  for (const int n : nodes) {
    looks += vectors_.size(nodes_[n].key) - nodes_[n].seen_vectors;
    looks += points_.size(nodes_[n].key) - nodes_[n].seen_points;
  }
  if (looks < kFewLooks || pool_.threads() == 1) {
    for (const int n : nodes) refresh(nodes_[n], scratch_[0]);
  } else {
    const int chunks = static_cast<int>((nodes.size() + kGrain - 1) / kGrain);
    pool_.run(chunks, [&](int chunk, int thread) {
      const std::size_t first = static_cast<std::size_t>(chunk) * kGrain;
      const std::size_t end = std::min(first + kGrain, nodes.size());
      for (std::size_t i = first; i < end; ++i) refresh(nodes_[nodes[i]], scratch_[thread]);
    });
  }
  for (Scratch& scratch : scratch_) work_ += std::exchange(scratch.work, 0.0);
}

void BeliefGraph::expand(int n) {
  Scratch& scratch = scratch_[0];
  if (nodes_[n].belief < 0) nodes_[n].belief = beliefs_.add(belief_of(nodes_[n], scratch));
  work_ += std::exchange(scratch.work, 0.0);
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
      const double p = scratch.belief.advance(model_.matrix(branch), beliefs_.view(belief));
      work_ += beliefs_.view(belief).work();
      if (!(p > 0.0)) continue;
      const int child = find_or_add(model_.next(key, branch), n, model_.index(branch));
      edges_.push_back({p, child, model_.index(branch)});
      ++slot.edges;
    }
    slots_.push_back(slot);
  }
}

/// Looks anew at the successors of actions that are not pruned.
void BeliefGraph::refresh_successors(int n) {
  stale_.clear();
  for (const GraphSlot& slot : slots(nodes_[n])) {
    if (slot.pruned != 0) continue;
    for (const GraphEdge& edge : edges(slot)) {
      if (stale(nodes_[edge.child])) stale_.push_back(edge.child);
    }
  }
  // A belief may follow several actions, but belongs to one thread.
  std::sort(stale_.begin(), stale_.end());
  stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
  refresh(stale_);
}

void BeliefGraph::backup(int n) {
  ++backups_;
  refresh(n);
  const std::size_t first = nodes_[n].first_slot;
  refresh_successors(n);
  double upper = -std::numeric_limits<double>::infinity(), lower = upper;
  int best = -1;
  for (int a = 0; a < model_.actions(); ++a) {
    GraphSlot& slot = slots_[first + a];
    if (slot.pruned != 0) continue;
    double up = 0.0, low = 0.0;
    for (const GraphEdge& edge : edges(slot)) {
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
  next_.clear();
  if (!model_.last(key)) {
    for (const StepBranch& branch : model_.branches(x, action)) {
      const int next = model_.next(key, branch), i = model_.index(branch);
      const bool possible = edge != edges.end() && edge->branch == i;
      const int later = possible ? nodes_[(edge++)->child].vector : follower(next, i);
      next_.push_back(plans_.serial(next, later));
      model_.matrix(branch).backward(vectors_.vector(next, later), model_.discount(), alpha_);
      work_ += 2.0 * static_cast<double>(model_.matrix(branch).value.size());
    }
  }
  GraphNode& node = nodes_[n];
  const double value = inner(alpha_, beliefs_.view(node.belief));
  if (!(value > node.lower)) return;
  vectors_.add(key, alpha_, action);
  plans_.add(key, action, next_);
  ++changes_;
  node.lower = value;
  node.vector = vectors_.size(key) - 1;
  node.seen_vectors = vectors_.size(key);
}

/// Where the belief excludes a branch any vector may follow; the best for all that can lead there.
int BeliefGraph::follower(int key, int branch) {
  if (!model_.endless()) return 0;
  Follower& f = followers_[branch];
  if (f.seen < vectors_.size(key)) {
    model_.matrix(model_.branch(branch)).forward(ones_, reached_);
    f.best = vectors_.best(key, BeliefView{reached_, {}}, f.seen, f.best);
    work_ += static_cast<double>(reached_.size()) * (vectors_.size(key) - f.seen);
    f.seen = vectors_.size(key);
  }
  return f.best.index;
}

}  // namespace bpo
