#include "bpo/planners/point_based/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr double kMostKeys = 5e6;

using Four = double __attribute__((vector_size(32)));
using LooseFour = double __attribute__((vector_size(32), aligned(8), may_alias));
Four load(const double* p) { return *reinterpret_cast<const LooseFour*>(p); }

struct Triplet {
  std::int64_t seen;  // x' and o in one number
  std::uint32_t from, to;
  double p;
};

StepMatrix matrix_of(std::span<const Triplet> triplets, int hidden) {
  StepMatrix out;
  std::uint32_t last = static_cast<std::uint32_t>(hidden);
  out.diagonal = std::all_of(triplets.begin(), triplets.end(), [&](const Triplet& t) {
    return t.from == t.to && std::exchange(last, t.from) != t.from;
  });
  if (out.diagonal) {
    out.value.resize(hidden);
    for (const Triplet& t : triplets) out.value[t.from] = t.p;
    return out;
  }
  out.start.assign(hidden + 1, 0);
  for (const Triplet& t : triplets) {
    ++out.start[t.from + 1];
    out.column.push_back(t.to);
    out.value.push_back(t.p);
  }
  for (int y = 0; y < hidden; ++y) {
    out.single = out.single && out.start[y + 1] <= 1;
    out.start[y + 1] += out.start[y];
  }
  return out;
}

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h = (h ^ word) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

std::uint64_t hash_of(const StepMatrix& m) {
  std::uint64_t h = m.diagonal;
  for (const double v : m.value) h = mix(h, std::bit_cast<std::uint64_t>(v));
  for (const std::uint32_t i : m.start) h = mix(h, i);
  for (const std::uint32_t i : m.column) h = mix(h, i);
  return h;
}

}  // namespace

double inner(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = a.size();
  Four s0{}, s1{}, s2{}, s3{};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    s0 += load(&a[i]) * load(&b[i]);
    s1 += load(&a[i + 4]) * load(&b[i + 4]);
    s2 += load(&a[i + 8]) * load(&b[i + 8]);
    s3 += load(&a[i + 12]) * load(&b[i + 12]);
  }
  const Four s = (s0 + s1) + (s2 + s3);
  double sum = (s[0] + s[1]) + (s[2] + s[3]);
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double StepMatrix::forward(std::span<const double> b, std::span<double> out) const {
  double sum = 0.0;
  if (diagonal) {
    for (std::size_t y = 0; y < b.size(); ++y) sum += out[y] = b[y] * value[y];
    return sum;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t y = 0; y < b.size(); ++y) {
    if (b[y] == 0.0) continue;
    for (std::uint32_t i = start[y]; i < start[y + 1]; ++i) {
      const double p = b[y] * value[i];
      out[column[i]] += p;
      sum += p;
    }
  }
  return sum;
}

void StepMatrix::backward(std::span<const double> alpha, double factor,
                          std::span<double> out) const {
  if (diagonal) {
    for (std::size_t y = 0; y < out.size(); ++y) out[y] += factor * value[y] * alpha[y];
    return;
  }
  for (std::size_t y = 0; y < out.size(); ++y) {
    double sum = 0.0;
    for (std::uint32_t i = start[y]; i < start[y + 1]; ++i) sum += value[i] * alpha[column[i]];
    out[y] += factor * sum;
  }
}

/// Where to find an equal matrix among those that are kept.
struct PointModel::Interning {
  std::unordered_multimap<std::uint64_t, int> by_hash;
};

PointModel::PointModel(const TabularModel& tables, int stages, double limit)
    : hidden_(tables.states / tables.visible),
      visible_(tables.visible),
      actions_(tables.actions),
      stages_(stages),
      discount_(tables.discount),
      limit_(limit) {
  if (endless() && !(discount_ < 1.0)) {
    throw bad_input("planning without an end needs a discount below 1, not " +
                    fmt::format("{}; set a horizon", discount_));
  }
  if (static_cast<double>(this->stages()) * visible_ > kMostKeys) {
    throw bad_input(
        fmt::format("{} steps times {} seen values are more than point-based planning "
                    "can keep apart ({:.0f}); shorten the horizon",
                    this->stages(), visible_, kMostKeys));
  }
  check_values();
  Interning interning;
  interning_ = &interning;
  reward_.reserve(tables.reward.size());
  for (int x = 0; x < visible_; ++x) {
    for (int a = 0; a < actions_; ++a) {
      add_branches(tables, x, a);
      for (int y = 0; y < hidden_; ++y) {
        const std::size_t s = static_cast<std::size_t>(x) * hidden_ + y;
        reward_.push_back(tables.reward[s * actions_ + a]);
      }
    }
  }
  interning_ = nullptr;
  const auto [least, most] = std::minmax_element(reward_.begin(), reward_.end());
  least_ = *least;
  most_ = *most;
  for (int x = 0; x < visible_; ++x) {
    const auto first = tables.initial.begin() + static_cast<std::ptrdiff_t>(x) * hidden_;
    std::vector<double> b(first, first + hidden_);
    double p = 0.0;
    for (const double q : b) p += q;
    if (p <= 0.0) continue;
    for (double& q : b) q /= p;
    starts_.push_back({x, p, std::move(b)});
  }
  bytes_ += 8.0 * reward_.size() + sizeof(StepBranch) * branches_.size();
}

void PointModel::check_values() const {
  const double bytes = 8.0 * keys() * actions_ * hidden_;
  if (bytes <= limit_) return;
  throw bad_input(fmt::format(
      "values of {} states{} under {} actions take {:.1f} MB, more than the {:.1f} "
      "there may be; {}allow more memory (--memory)",
      hidden_ * visible_, endless() ? "" : fmt::format(" in {} stages", stages_), actions_,
      bytes * 1e-6, limit_ * 1e-6, endless() ? "" : "plan fewer steps (problem.horizon), or "));
}

/// Sorting takes room for as many again.
void PointModel::check_branches(const TabularModel& tables, int x, int a) const {
  double count = 0.0;
  for (int y = 0; y < hidden_; ++y) {
    for (const auto& to : tables.transition[a].row(x * hidden_ + y)) {
      count += static_cast<double>(tables.observation[a].row(to.column).size());
    }
  }
  const double bytes = bytes_ + 2.0 * sizeof(Triplet) * count;
  if (bytes <= limit_) return;
  throw bad_input(
      fmt::format("action {}: {:.0f} combinations of a state, a next one and an observation are "
                  "possible; to plan with them takes {:.1f} MB, more than the {:.1f} there may be; "
                  "mark what is seen (fullyObs in POMDPX), or allow more memory (--memory)",
                  tables.names.actions.empty() ? fmt::to_string(a) : tables.names.actions[a], count,
                  bytes * 1e-6, limit_ * 1e-6));
}

void PointModel::add_branches(const TabularModel& tables, int x, int a) {
  check_branches(tables, x, a);
  std::vector<Triplet> triplets;
  for (int y = 0; y < hidden_; ++y) {
    for (const auto& to : tables.transition[a].row(x * hidden_ + y)) {
      for (const auto& o : tables.observation[a].row(to.column)) {
        const std::int64_t seen =
            static_cast<std::int64_t>(to.column / hidden_) * tables.observations + o.column;
        triplets.push_back({seen, static_cast<std::uint32_t>(y),
                            static_cast<std::uint32_t>(to.column % hidden_), to.value * o.value});
      }
    }
  }
  std::stable_sort(triplets.begin(), triplets.end(),
                   [](const Triplet& i, const Triplet& j) { return i.seen < j.seen; });
  for (std::size_t i = 0, end = 0; i < triplets.size(); i = end) {
    while (end < triplets.size() && triplets[end].seen == triplets[i].seen) ++end;
    StepMatrix m = matrix_of(std::span(triplets).subspan(i, end - i), hidden_);
    branches_.push_back({static_cast<int>(triplets[i].seen / tables.observations),
                         static_cast<int>(triplets[i].seen % tables.observations),
                         intern(std::move(m))});
  }
  first_.push_back(branches_.size());
}

int PointModel::intern(StepMatrix matrix) {
  const std::uint64_t h = hash_of(matrix);
  const auto [first, last] = interning_->by_hash.equal_range(h);
  for (auto i = first; i != last; ++i) {
    if (matrices_[i->second] == matrix) return i->second;
  }
  bytes_ += matrix.bytes();
  matrices_.push_back(std::move(matrix));
  interning_->by_hash.emplace(h, static_cast<int>(matrices_.size()) - 1);
  return static_cast<int>(matrices_.size()) - 1;
}

int stages_of(const TabularModel& tables, double tolerance) {
  if (tables.horizon == 0 || tables.discount >= 1.0) return tables.horizon;
  double most = 0.0;
  for (const double r : tables.reward) most = std::max(most, std::abs(r));
  const double beyond = std::pow(tables.discount, tables.horizon) * most / (1.0 - tables.discount);
  return beyond < tolerance ? 0 : tables.horizon;
}

}  // namespace bpo
