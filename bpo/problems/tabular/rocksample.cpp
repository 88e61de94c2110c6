#include "bpo/problems/tabular/rocksample.h"

#include <array>
#include <cmath>

namespace bpo {
namespace {

struct Cell {
  int x = 0, y = 0;
  bool operator==(const Cell&) const = default;
};

/// The maps that the literature uses; the rover starts at (0, n / 2).
std::vector<Cell> standard_map(std::int64_t n, std::int64_t k) {
  if (n == 4 && k == 4) return {{3, 1}, {2, 1}, {1, 3}, {1, 0}};
  if (n == 5 && k == 5) return {{2, 4}, {0, 4}, {3, 3}, {2, 2}, {4, 1}};
  if (n == 7 && k == 8) return {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}};
  if (n == 10 && k == 10) {
    return {{0, 3}, {0, 7}, {1, 8}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}};
  }
  if (n == 11 && k == 11) {
    return {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}};
  }
  return {};
}

std::vector<Cell> rocks_of(const RockSampleOptions& o) {
  std::vector<Cell> rocks;
  if (o.map == 0) rocks = standard_map(o.n, o.k);
  Rng rng(static_cast<std::uint64_t>(o.map), Use::kState, 0);
  while (std::ssize(rocks) < o.k) {
    const Cell cell{rng.below(static_cast<int>(o.n)), rng.below(static_cast<int>(o.n))};
    if (std::find(rocks.begin(), rocks.end(), cell) == rocks.end()) rocks.push_back(cell);
  }
  return rocks;
}

class Maker {
 public:
  explicit Maker(const RockSampleOptions& o)
      : n_(static_cast<int>(o.n)), k_(static_cast<int>(o.k)), rocks_(rocks_of(o)) {
    model_.discount = o.episodes.discount;
  }

  FactoredModel make() {
    name_all();
    const SparseRows start = one_row({{index({0, n_ / 2}), 1.0}});
    model_.initial.push_back({{{{}, start}}, {0}});
    for (int i = 0; i < k_; ++i)
      model_.initial.push_back({{{{}, one_row({{0, .5}, {1, .5}})}}, {0}});
    move_rover();
    for (int i = 0; i < k_; ++i) {
      move_rock(i);
      reward_sample(i);
    }
    look();
    return std::move(model_);
  }

 private:
  enum : int { kNorth, kSouth, kEast, kWest, kSample, kFirstCheck };
  enum : int { kBad, kGood };  // of a rock
  enum : int { kNothing, kSeemsBad, kSeemsGood };
  using Ref = VariableRef;
  using Entries = std::vector<SparseRows::Entry>;

  int actions() const { return kFirstCheck + k_; }
  int places() const { return n_ * n_ + 1; }
  int gone() const { return n_ * n_; }
  int index(const Cell& c) const { return c.y * n_ + c.x; }
  Cell cell(int place) const { return {place % n_, place / n_}; }
  static SparseRows one_row(const Entries& row) {
    SparseRows rows;
    rows.add_row(row);
    return rows;
  }

  void name_all() {
    model_.action = {"action", {"north", "south", "east", "west", "sample"}};
    model_.sight = {{"sight", {"nothing", "bad", "good"}}};
    Variable rover{.name = "rover", .seen = true};
    for (int i = 0; i < gone(); ++i) {
      rover.values.push_back(fmt::format("x{}y{}", cell(i).x, cell(i).y));
    }
    rover.values.push_back("gone");
    model_.state.push_back(std::move(rover));
    for (int i = 0; i < k_; ++i) {
      model_.state.push_back({fmt::format("rock{}", i), {"bad", "good"}});
      model_.action.values.push_back(fmt::format("check{}", i));
    }
  }

  void move_rover() {
    FactorTable table{.case_of = std::vector<int>(actions(), kSample)};  // stay
    FactorTable leave{.cases = {{{}, one_row({})}}, .case_of = std::vector<int>(actions(), 0)};
    const std::array<Cell, 5> ways{{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {0, 0}}};
    for (int a = kNorth; a <= kSample; ++a) {
      SparseRows rows, rewards;
      for (int place = 0; place < places(); ++place) {
        const Cell to{cell(place).x + ways[a].x, cell(place).y + ways[a].y};
        const bool leaves = place != gone() && to.x == n_;
        const bool inside = to.x >= 0 && to.x < n_ && to.y >= 0 && to.y < n_;
        const int next = leaves ? gone() : place != gone() && inside ? index(to) : place;
        rows.add_row(Entries{{next, 1.0}});
        rewards.add_row(Entries{{0, leaves ? 10.0 : 0.0}});
      }
      table.cases.push_back({{Ref{Ref::Kind::kBefore, 0}}, rows});
      table.case_of[a] = a;
      if (a == kEast) {
        leave.cases.push_back({{Ref{Ref::Kind::kBefore, 0}}, rewards});
        leave.case_of[a] = 1;
      }
    }
    model_.transition.push_back(std::move(table));
    model_.rewards.push_back(std::move(leave));
  }

  void move_rock(int i) {
    const Ref rover{Ref::Kind::kBefore, 0}, rock{Ref::Kind::kBefore, 1 + i};
    SparseRows same, sampled;
    for (int value : {kBad, kGood}) same.add_row(Entries{{value, 1.0}});
    for (int place = 0; place < places(); ++place) {
      for (int value : {kBad, kGood}) {
        sampled.add_row(Entries{{place == index(rocks_[i]) ? kBad : value, 1.0}});
      }
    }
    FactorTable table{.cases = {{{rock}, same}, {{rover, rock}, sampled}},
                      .case_of = std::vector<int>(actions(), 0)};
    table.case_of[kSample] = 1;
    model_.transition.push_back(std::move(table));
  }

  void reward_sample(int i) {
    const Ref rover{Ref::Kind::kBefore, 0}, rock{Ref::Kind::kBefore, 1 + i};
    SparseRows paid;
    for (int place = 0; place < places(); ++place) {
      for (int value : {kBad, kGood}) {
        const double pay = value == kGood ? 10.0 : -10.0;
        paid.add_row(Entries{{0, place == index(rocks_[i]) ? pay : 0.0}});
      }
    }
    FactorTable table{.cases = {{{}, one_row({})}, {{rover, rock}, paid}},
                      .case_of = std::vector<int>(actions(), 0)};
    table.case_of[kSample] = 1;
    model_.rewards.push_back(std::move(table));
  }

  void look() {
    FactorTable table{.cases = {{{}, one_row({{kNothing, 1.0}})}},
                      .case_of = std::vector<int>(actions(), 0)};
    for (int i = 0; i < k_; ++i) {
      SparseRows rows;
      for (int place = 0; place < places(); ++place) {
        const Cell from = cell(place);
        const double d = std::hypot(from.x - rocks_[i].x, from.y - rocks_[i].y);
        const double right = 0.5 * (1.0 + std::exp2(-d / 20.0));
        for (int value : {kBad, kGood}) {
          if (place == gone()) {
            rows.add_row(Entries{{kNothing, 1.0}});
          } else {
            rows.add_row(Entries{{kSeemsBad, value == kBad ? right : 1.0 - right},
                                 {kSeemsGood, value == kGood ? right : 1.0 - right}});
          }
        }
      }
      table.cases.push_back({{Ref{Ref::Kind::kAfter, 0}, Ref{Ref::Kind::kAfter, 1 + i}}, rows});
      table.case_of[kFirstCheck + i] = 1 + i;
    }
    model_.observation.push_back(std::move(table));
  }

  int n_, k_;
  std::vector<Cell> rocks_;
  FactoredModel model_;
};

/// All states in which the rover is gone, the last of them, become one, and nothing is seen.
TabularModel flattened(const TabularModel& m) {
  const int gone = m.states - m.hidden();
  TabularModel out{
      .states = gone + 1,
      .actions = m.actions,
      .observations = m.observations,
      .discount = m.discount,
      .transition = std::vector<SparseRows>(m.actions),
      .observation = std::vector<SparseRows>(m.actions),
      .reward = {m.reward.begin(), m.reward.begin() + std::ptrdiff_t{gone + 1} * m.actions},
      .initial = {m.initial.begin(), m.initial.begin() + gone + 1}};
  out.names = {.actions = m.names.actions, .observations = m.names.observations};
  std::vector<SparseRows::Entry> row;
  for (int a = 0; a < m.actions; ++a) {
    for (int s = 0; s <= gone; ++s) {
      row.clear();
      for (const auto& [next, p] : m.transition[a].row(s)) row.push_back({std::min(next, gone), p});
      out.transition[a].add_row(row);
      out.observation[a].add_row(m.observation[a].row(s));
    }
  }
  return out;
}

}  // namespace

void RockSampleOptions::visit(OptionVisitor& v) {
  v.integer("n", n, {1, 100}, "cells along each side");
  v.integer("k", k, {1, 16}, "rocks");
  v.integer("map", map, {0, 1000000},
            "0: the literature's map of this size, if it has one; else drawn");
  v.flag("flat", flat, "the rover's place is hidden like the rocks, as in .pomdp files");
  episodes.visit(v);
}

FactoredModel rocksample(const RockSampleOptions& options) {
  if (options.k > options.n * options.n) {
    throw bad_input("problem.k: there are more rocks than cells; problem.n makes more cells");
  }
  check_states((std::pow(options.n, 2.0) + 1.0) * std::exp2(options.k), "problem.k");
  return Maker(options).make();
}

TabularModel rocksample_tables(const RockSampleOptions& options) {
  TabularModel m = combine(rocksample(options), {}, "rocksample");
  return options.flat ? flattened(m) : m;
}

namespace {

ProblemEntry entry() {
  const RockSampleOptions defaults;
  return {.name = "rocksample",
          .summary = "sample the good rocks of a field, check them from afar (discrete POMDP)",
          .resolve = [](Config& config) -> ResolvedProblem {
            RockSampleOptions options;
            config.read("problem", options);
            for (const auto& [key, value] : options.episodes.training()) {
              config.set_default(key, value);
            }
            return {options.episodes.steps(), false, [options] {
                      auto tables =
                          std::make_shared<const TabularModel>(rocksample_tables(options));
                      return make_tabular("rocksample", options.episodes, std::move(tables));
                    }};
          },
          .options = [=] { return Config::rows("problem", defaults); },
          .training = defaults.episodes.training()};
}

const RegisterProblem kRockSample{entry()};

}  // namespace
}  // namespace bpo
