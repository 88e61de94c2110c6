#include "bpo/problems/tabular/rocksample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bpo {
namespace {

constexpr double kGoodRock = 10.0, kBadRock = -10.0, kLeave = 10.0, kIllegal = -100.0;
constexpr double kHalfDistance = 20.0;

struct Cell {
  int x = 0, y = 0;
  bool operator==(const Cell&) const = default;
};

/// A field of the literature; the rover starts at (0, n / 2).
struct Map {
  std::int64_t n, k;
  double half_distance;  // where the sensor's efficiency is a half
  std::vector<Cell> rocks;
};

// The maps of Smith's ZMDP; (11, 11) is APPL's. Sensors are not alike: (4, 4) has an efficiency of
// e^-d.
const std::vector<Map>& standard_maps() {
  static const std::vector<Map> maps{
      {4, 4, std::numbers::ln2, {{3, 1}, {2, 1}, {1, 3}, {1, 0}}},
      {5, 5, 4.0, {{2, 4}, {0, 4}, {3, 3}, {2, 2}, {4, 1}}},
      {5, 7, kHalfDistance, {{1, 0}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {0, 3}, {3, 4}}},
      {7, 8, kHalfDistance, {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}}},
      {10,
       10,
       kHalfDistance,
       {{0, 3}, {0, 7}, {1, 8}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}},
      {11,
       11,
       kHalfDistance,
       {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}}};
  return maps;
}

Map map_of(const RockSampleOptions& o) {
  Map out{o.n, o.k, kHalfDistance, {}};
  for (const Map& map : standard_maps()) {
    if (o.map == 0 && map.n == o.n && map.k == o.k) out = map;
  }
  if (o.sensor > 0.0) out.half_distance = o.sensor;
  Rng rng(static_cast<std::uint64_t>(o.map), Use::kState, 0);
  while (std::ssize(out.rocks) < o.k) {
    const Cell cell{rng.below(static_cast<int>(o.n)), rng.below(static_cast<int>(o.n))};
    if (std::find(out.rocks.begin(), out.rocks.end(), cell) == out.rocks.end()) {
      out.rocks.push_back(cell);
    }
  }
  return out;
}

class Maker {
 public:
  explicit Maker(const RockSampleOptions& o)
      : n_(static_cast<int>(o.n)), k_(static_cast<int>(o.k)), map_(map_of(o)) {
    model_.discount = o.episodes.discount;
    model_.horizon = static_cast<int>(o.episodes.horizon);
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
  enum : int { kNorth, kEast, kSouth, kWest, kFirstCheck };
  enum : int { kBad, kGood };  // what a rock may be
  enum : int { kSeemsGood, kSeemsBad };
  using Ref = VariableRef;
  using Entries = std::vector<SparseRows::Entry>;

  int sample() const { return kFirstCheck + k_; }
  int actions() const { return sample() + 1; }
  int places() const { return n_ * n_ + 1; }
  int gone() const { return n_ * n_; }
  int index(const Cell& c) const { return c.x * n_ + c.y; }
  Cell cell(int place) const { return {place / n_, place % n_}; }
  bool at_rock(int place) const {
    return std::find(map_.rocks.begin(), map_.rocks.end(), cell(place)) != map_.rocks.end();
  }
  static SparseRows one_row(const Entries& row) {
    SparseRows rows;
    rows.add_row(row);
    return rows;
  }

  void name_all() {
    model_.action = {"action", {"north", "east", "south", "west"}};
    model_.sight = {{"sight", {"good", "bad"}}};
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
    model_.action.values.push_back("sample");
  }

  /// Where an action leads from a place, and what that pays but for a rock.
  std::pair<int, double> step(int place, int action) const {
    constexpr std::array<Cell, 4> kWays{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
    if (place == gone()) return {place, 0.0};
    if (action == sample()) {
      return at_rock(place) ? std::pair(place, 0.0) : std::pair(gone(), kIllegal);
    }
    const Cell to{cell(place).x + kWays[action].x, cell(place).y + kWays[action].y};
    if (to.x == n_) return {gone(), kLeave};
    const bool inside = to.x >= 0 && to.y >= 0 && to.y < n_;
    return inside ? std::pair(index(to), 0.0) : std::pair(gone(), kIllegal);
  }

  void move_rover() {
    const std::vector<Ref> rover{Ref{Ref::Kind::kBefore, 0}};
    FactorTable table{.cases = {{rover, {}}}, .case_of = std::vector<int>(actions(), 0)};
    for (int place = 0; place < places(); ++place) {
      table.cases[0].rows.add_row(Entries{{place, 1.0}});  // a check
    }
    FactorTable pay{.cases = {{{}, one_row({})}}, .case_of = std::vector<int>(actions(), 0)};
    for (int a : {int{kNorth}, int{kEast}, int{kSouth}, int{kWest}, sample()}) {
      SparseRows rows, rewards;
      for (int place = 0; place < places(); ++place) {
        const auto [next, reward] = step(place, a);
        rows.add_row(Entries{{next, 1.0}});
        rewards.add_row(Entries{{0, reward}});
      }
      table.case_of[a] = static_cast<int>(std::ssize(table.cases));
      table.cases.push_back({rover, rows});
      pay.case_of[a] = static_cast<int>(std::ssize(pay.cases));
      pay.cases.push_back({rover, rewards});
    }
    model_.transition.push_back(std::move(table));
    model_.rewards.push_back(std::move(pay));
  }

  void move_rock(int i) {
    const Ref rover{Ref::Kind::kBefore, 0}, rock{Ref::Kind::kBefore, 1 + i};
    SparseRows same, sampled;
    for (int value : {kBad, kGood}) same.add_row(Entries{{value, 1.0}});
    for (int place = 0; place < places(); ++place) {
      for (int value : {kBad, kGood}) {
        sampled.add_row(Entries{{place == index(map_.rocks[i]) ? kBad : value, 1.0}});
      }
    }
    FactorTable table{.cases = {{{rock}, same}, {{rover, rock}, sampled}},
                      .case_of = std::vector<int>(actions(), 0)};
    table.case_of[sample()] = 1;
    model_.transition.push_back(std::move(table));
  }

  void reward_sample(int i) {
    const Ref rover{Ref::Kind::kBefore, 0}, rock{Ref::Kind::kBefore, 1 + i};
    SparseRows paid;
    for (int place = 0; place < places(); ++place) {
      for (int value : {kBad, kGood}) {
        const double pay = value == kGood ? kGoodRock : kBadRock;
        paid.add_row(Entries{{0, place == index(map_.rocks[i]) ? pay : 0.0}});
      }
    }
    FactorTable table{.cases = {{{}, one_row({})}, {{rover, rock}, paid}},
                      .case_of = std::vector<int>(actions(), 0)};
    table.case_of[sample()] = 1;
    model_.rewards.push_back(std::move(table));
  }

  void look() {
    FactorTable table{.cases = {{{}, one_row({{kSeemsGood, 1.0}})}},
                      .case_of = std::vector<int>(actions(), 0)};
    for (int i = 0; i < k_; ++i) {
      SparseRows rows;
      for (int place = 0; place < places(); ++place) {
        const Cell from = cell(place), rock = map_.rocks[i];
        const double d = std::hypot(from.x - rock.x, from.y - rock.y);
        const double right = 0.5 * (1.0 + std::exp2(-d / map_.half_distance));
        for (int value : {kBad, kGood}) {
          const double good = place == gone() ? 1.0 : value == kGood ? right : 1.0 - right;
          rows.add_row(Entries{{kSeemsGood, good}, {kSeemsBad, 1.0 - good}});
        }
      }
      table.cases.push_back({{Ref{Ref::Kind::kAfter, 0}, Ref{Ref::Kind::kAfter, 1 + i}}, rows});
      table.case_of[kFirstCheck + i] = 1 + i;
    }
    model_.observation.push_back(std::move(table));
  }

  int n_, k_;
  Map map_;
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
      .horizon = m.horizon,
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
  v.integer("n", n, {1, 100}, "number of cells along each side of the field");
  v.integer("k", k, {1, 16}, "number of rocks");
  v.integer(
      "map", map, {0, 1000000},
      "number by which the rocks' places are drawn; 0: the literature's map of this size, if it "
      "has one");
  v.number("sensor", sensor, {0.0, 1e6},
           "the distance at which a check is worth half; 0: the map's own, else 20");
  v.flag("flat", flat, "whether the rover's place is hidden like the rocks, as in .pomdp files");
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
            for (const auto& [key, value] : options.episodes.training_defaults()) {
              config.set_default(key, value);
            }
            return {options.episodes.steps(), true, [options] {
                      auto tables =
                          std::make_shared<const TabularModel>(rocksample_tables(options));
                      return make_tabular("rocksample", options.episodes, std::move(tables));
                    }};
          },
          .options = [=] { return Config::rows("problem", defaults); }};
}

const RegisterProblem kRockSample{entry()};

}  // namespace
}  // namespace bpo
