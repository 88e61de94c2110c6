// The beliefs that were reached from an episode's beginning, with an upper and a lower bound of
// each: a graph, for beliefs that are equal up to rounding are one node. An expanded node has its
// successors under every action and keeps its belief; that of a leaf is made from its parent's when
// it is needed. Bounds are brought up to date when somebody asks: a node remembers how many vectors
// and points of its key it has seen.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bpo/planners/point_based/plans.h"
#include "bpo/planners/point_based/sawtooth.h"
#include "bpo/planners/point_based/vectors.h"

namespace bpo {

struct GraphNode {
  int key = 0;
  int parent = -1, branch = -1;  // how the belief is made while it is not kept
  int belief = -1;               // its place in the pool
  int first_slot = -1;           // where its actions begin, once expanded
  int vector = -1;               // the one that gives the lower bound
  int seen_vectors = 0, seen_points = 0;
  double lower = 0.0, upper = 0.0;
  std::uint64_t hash = 0;

  bool expanded() const { return first_slot >= 0; }
  double gap() const { return upper - lower; }
};

/// An action at an expanded node.
struct GraphSlot {
  double reward = 0.0, lower = 0.0, upper = 0.0;
  std::uint32_t first_edge = 0, edges = 0;
  std::uint64_t pruned = 0;  // 1: its upper bound is below the node's lower one
};

struct GraphEdge {
  double probability = 0.0;
  int child = 0, branch = 0;
};

class BeliefGraph {
 public:
  /// Begins with the blind vectors and the fast informed bound.
  BeliefGraph(const PointModel& model, ThreadPool& pool);

  const PointModel& model() const { return model_; }
  const GraphNode& node(int n) const { return nodes_[n]; }
  int nodes() const { return static_cast<int>(nodes_.size()); }
  /// One for each start of the model.
  const std::vector<int>& roots() const { return roots_; }
  double lower() const;
  double upper() const;
  std::span<const GraphSlot> slots(const GraphNode& node) const {
    return {slots_.data() + node.first_slot, static_cast<std::size_t>(model_.actions())};
  }
  std::span<const GraphEdge> edges(const GraphSlot& slot) const {
    return {edges_.data() + slot.first_edge, slot.edges};
  }
  const VectorSets& vectors() const { return vectors_; }
  /// These and the ones they rest on: a policy of them is worth the lower bound.
  VectorSets policy_vectors() const { return plans_.with(vectors_); }
  int point_count() const;
  std::int64_t backups() const { return backups_; }
  /// Nodes that were expanded and bounds that moved so far.
  std::int64_t changes() const { return changes_; }
  /// Multiplications and additions so far, about.
  double work() const { return work_; }
  double bytes() const;

  void expand(int n);
  /// Both bounds of an expanded node from those of its successors; a lower bound that gains adds a
  /// vector, an upper one that falls a point.
  void backup(int n);
  /// Removes vectors that are best nowhere, and points that others make useless, where there are
  /// many new ones.
  void prune();

  /// All but what follows from the model.
  void visit(Wire& wire);

 private:
  struct Sizes {
    int vectors = 0, points = 0;  // how many a key had after the last pruning
  };
  /// A thread's own.
  struct Scratch {
    explicit Scratch(int hidden) : belief(hidden), dense(hidden) {}
    BeliefScratch belief;
    std::vector<double> dense;
    double work = 0.0;
  };
  bool stale(const GraphNode& node) const {
    return node.seen_vectors < vectors_.size(node.key) || node.seen_points < points_.size(node.key);
  }
  /// Looks at the vectors and points of its key that it has not seen.
  void refresh(GraphNode& node, Scratch& scratch) const;
  void refresh(int n);
  /// The same for several, by all threads where that pays.
  void refresh(std::span<const int> nodes);
  void refresh_successors(int n);
  int find_or_add(int key, int parent, int branch);
  BeliefView belief_of(const GraphNode& node, Scratch& scratch) const;
  void add_vector(int n, int action);
  int follower(int key, int branch);
  struct Moved;
  std::vector<std::vector<int>> members() const;
  std::vector<bool> needed_vectors(int key, const std::vector<int>& members);
  std::vector<bool> needed_points(int key);

  const PointModel& model_;
  ThreadPool& pool_;
  ActionValues fib_;
  VectorSets vectors_;
  PlanBook plans_;
  Sawtooth points_;
  BeliefPool beliefs_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphSlot> slots_;
  std::vector<GraphEdge> edges_;
  std::vector<double> q_;  // Q_a . b by node
  std::vector<int> roots_;
  std::vector<Sizes> sizes_;
  std::unordered_map<std::uint64_t, int> by_hash_;
  std::vector<Scratch> scratch_;  // by thread
  std::vector<double> alpha_, ones_, reached_;
  std::vector<int> stale_;  // successors that a backup has to refresh
  std::vector<int> next_;   // what a new vector rests on
  struct Follower {
    int seen = 0;
    BestVector best;
  };
  std::vector<Follower> followers_;  // by branch, where there is no end
  std::int64_t backups_ = 0, changes_ = 0;
  double work_ = 0.0;  // whole numbers, so that the threads' sum to the same in any order
};

}  // namespace bpo
