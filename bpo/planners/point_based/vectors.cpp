#include "bpo/planners/point_based/vectors.h"

#include <algorithm>

namespace bpo {

void VectorSets::add(int key, std::span<const double> alpha, int action) {
  Set& set = sets_[key];
  set.values.insert(set.values.end(), alpha.begin(), alpha.end());
  set.action.push_back(action);
  ++total_;
}

void VectorSets::replace(int key, const VectorSets& other) {
  total_ += other.size(0) - size(key);
  sets_[key] = other.sets_[0];
}

void VectorSets::keep(int key, const std::vector<bool>& keep) {
  Set& set = sets_[key];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < set.action.size(); ++i) {
    if (!keep[i]) continue;
    std::copy_n(set.values.begin() + static_cast<std::ptrdiff_t>(i) * hidden_, hidden_,
                set.values.begin() + static_cast<std::ptrdiff_t>(kept) * hidden_);
    set.action[kept++] = set.action[i];
  }
  total_ -= static_cast<int>(set.action.size() - kept);
  set.action.resize(kept);
  set.values.resize(kept * hidden_);
}

BestVector VectorSets::best(int key, const BeliefView& b, int from, BestVector so_far) const {
  for (int i = from; i < size(key); ++i) {
    const double value = inner(vector(key, i), b);
    if (so_far.index < 0 || value > so_far.value) so_far = {i, value};
  }
  return so_far;
}

VectorSets vectors_of(const PointModel& model, const ActionValues& values) {
  VectorSets out(model.keys(), model.hidden());
  for (int key = 0; key < model.keys(); ++key) {
    for (int a = 0; a < model.actions(); ++a) out.add(key, values.row(key, a), a);
  }
  return out;
}

double initial_value(const PointModel& model, const VectorSets& vectors) {
  double out = 0.0;
  for (const PointModel::Start& start : model.starts()) {
    out += start.probability * vectors.best(start.key, start.belief).value;
  }
  return out;
}

}  // namespace bpo
