// How the graph forgets: vectors that are best at no belief that matters, and points that others
// make useless. Nodes that only pruned actions lead to stay: their points still lower the bound at
// other beliefs, and a belief that is reached again by another way has the bounds that were found.
#include <algorithm>

#include "bpo/planners/point_based/graph.h"

namespace bpo {
namespace {

/// A key is looked at again once it has grown by this factor and this number.
constexpr double kGrowth = 1.5;
constexpr int kSlack = 48;

}  // namespace

/// Where things are after some were removed.
struct BeliefGraph::Moved {
  explicit Moved(const std::vector<bool>& keep) {
    for (const bool stays : keep) {
      number.push_back(stays ? before.back() : -1);
      before.push_back(before.back() + stays);
    }
  }
  std::vector<int> number;     // the new number of each, or -1
  std::vector<int> before{0};  // how many of the first so many are left
};

/// Expanded nodes that can be reached by actions which are not pruned, those of a key together.
std::vector<std::vector<int>> BeliefGraph::members() const {
  std::vector<bool> reached(nodes_.size());
  std::vector<int> open(roots_);
  for (const int n : open) reached[n] = true;
  std::vector<std::vector<int>> out(model_.keys());
  while (!open.empty()) {
    const GraphNode& node = nodes_[open.back()];
    const int n = open.back();
    open.pop_back();
    if (!node.expanded()) continue;
    out[node.key].push_back(n);
    for (const GraphSlot& slot : slots(node)) {
      if (slot.pruned != 0) continue;
      for (const GraphEdge& edge : edges(slot)) {
        if (reached[edge.child]) continue;
        reached[edge.child] = true;
        open.push_back(edge.child);
      }
    }
  }
  for (auto& nodes : out) std::sort(nodes.begin(), nodes.end());
  return out;
}

/// A vector stays if it is the best at an expanded belief that is still in reach.
std::vector<bool> BeliefGraph::needed_vectors(int key, const std::vector<int>& members) {
  std::vector<bool> keep(vectors_.size(key), members.empty());
  refresh(members);
  for (const int n : members) keep[nodes_[n].vector] = true;
  return keep;
}

/// A point stays if it is its node's last, and below what the other points say of its belief.
std::vector<bool> BeliefGraph::needed_points(int key) {
  const auto& points = points_.points(key);
  std::vector<bool> keep(points.size());
  std::unordered_map<int, std::size_t> last;
  for (std::size_t i = 0; i < points.size(); ++i) last[points[i].node] = i;
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A node's own bound may have become better than its point by way of others.
    keep[i] = last[points[i].node] == i && !(nodes_[points[i].node].upper < points[i].f);
  }
  return keep;
}

void BeliefGraph::prune() {
  std::vector<int> keys;
  for (int key = 0; key < model_.keys(); ++key) {
    const bool vectors = vectors_.size(key) > kGrowth * sizes_[key].vectors + kSlack;
    if (vectors || points_.size(key) > kGrowth * sizes_[key].points + kSlack) keys.push_back(key);
  }
  if (keys.empty()) return;
  const auto members = this->members();
  std::unordered_map<int, std::pair<Moved, Moved>> moved;
  for (const int key : keys) {
    const std::vector<bool> vectors = needed_vectors(key, members[key]),
                            points = needed_points(key);
    plans_.retire(key, vectors, vectors_);
    vectors_.keep(key, vectors);
    points_.keep(key, points);
    sizes_[key] = {vectors_.size(key), points_.size(key)};
    moved.emplace(key, std::pair{Moved(vectors), Moved(points)});
  }
  plans_.clean();
  for (GraphNode& node : nodes_) {
    const auto found = moved.find(node.key);
    if (found == moved.end()) continue;
    const auto& [vectors, points] = found->second;
    node.seen_points = points.before[node.seen_points];
    const int vector = node.vector < 0 ? -1 : vectors.number[node.vector];
    node.seen_vectors = vector < 0 ? 0 : vectors.before[node.seen_vectors];
    node.vector = vector;
  }
  for (Follower& f : followers_) f = {};
}

}  // namespace bpo
