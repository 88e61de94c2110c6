#include "bpo/problems/tabular/pomdp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bpo/problems/tabular/lint.h"
#include "bpo/problems/tabular/pomdp_preamble.h"
#include "bpo/problems/tabular/reward_rules.h"
#include "bpo/problems/tabular/statement_log.h"

namespace bpo {
namespace {

using Kind = Word::Kind;
constexpr int kAny = PomdpNames::kAny;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const TableLimits& limits)
      : in_(text, file), limits_(limits) {}

  FileTables read() {
    while (!in_.peek().is(Kind::kEnd)) {
      if (!head_.read(in_, limits_)) statement();
    }
    need_sizes(in_.peek(), "at the end");
    if (!head_.discount) in_.fail(in_.peek(), "discount: is missing, as in 'discount: 0.95'");
    fill_model();
    return std::move(out_);
  }

 private:
  void statement() {
    const Word word = in_.take();
    if (word.is("T") || word.is("O")) {
      probabilities(word);
    } else if (word.is("R")) {
      rewards(word);
    } else if (word.is("E")) {
      need_sizes(word, "before the first statement");
      in_.colon("E");
      const Word state = in_.peek();
      ends_.emplace(head_.states.index(in_), state);
    } else if (word.is(Kind::kNumber)) {
      in_.fail(word,
               fmt::format("{} is one number too many for what stands before it", shown(word)));
    } else {
      static const std::vector<std::string> kStatements{
          "discount", "values", "states", "actions", "observations", "start", "T", "O", "R", "E"};
      in_.fail(word, fmt::format("{} begins no statement{}; there are: {}", shown(word),
                                 word.is(Kind::kName) ? did_you_mean(word.text, kStatements) : "",
                                 fmt::join(kStatements, ", ")));
    }
  }

  /// Refuses sizes that are missing or whose tables would be too large, and makes room for logs.
  void need_sizes(const Word& word, const char* when) {
    for (const PomdpNames* names : {&head_.states, &head_.actions}) {
      if (names->known()) continue;
      in_.fail(word, fmt::format("{}: is missing {}, as in '{}: 3'", names->statement(), when,
                                 names->statement()));
    }
    const double pairs = static_cast<double>(head_.states.count()) * head_.actions.count();
    if (pairs > limits_.pairs) {
      in_.fail(word, fmt::format("{} states x {} actions are too many: at most {:.0f} pairs",
                                 head_.states.count(), head_.actions.count(), limits_.pairs));
    }
    if (moves_.empty()) {
      moves_.begin(head_.actions.count(), head_.states.count(), head_.states.count());
    }
  }

  // T: a : s : s' and O: a : s' : o have one shape: an action, a row, a column.
  void probabilities(const Word& word) {
    need_sizes(word, "before the first statement");
    const bool moves = word.is("T");
    if (!moves && !head_.observations.known()) {
      in_.fail(word, "observations: is missing before the first O");
    }
    if (!moves && sights_.empty()) {
      sights_.begin(head_.actions.count(), head_.states.count(), head_.observations.count());
    }
    StatementLog& log = moves ? moves_ : sights_;
    one_table(word.text, moves, moves ? head_.states : head_.observations, log);
    if (log.told() <= limits_.often()) return;
    in_.fail(in_.peek(), fmt::format("what was told so far stands for more than {:.0f} numbers, "
                                     "most of which were overridden",
                                     limits_.often()));
  }

  void one_table(std::string_view name, bool moves, const PomdpNames& columns, StatementLog& log) {
    in_.colon(name);
    const int a = head_.actions.index(in_);
    if (!in_.peek().is(Kind::kColon)) return matrix(a, columns, moves, log);
    in_.take();
    const int row = head_.states.index(in_);
    if (!in_.peek().is(Kind::kColon)) return row_of(a, row, columns, moves, log);
    in_.take();
    const int column = columns.index(in_);
    const std::uint32_t at = in_.peek().at;
    log.set(a, row, column, take_probability(in_), at);
  }

  void row_of(int a, int row, const PomdpNames& columns, bool moves, StatementLog& log) {
    const Word word = in_.peek();
    if (word.is("identity")) {
      in_.fail(word, "identity stands for a whole matrix: T: action, without a state");
    }
    if (word.is("uniform") || word.is("reset")) {
      alike(a, row, columns, moves, log);
    } else {
      log.set_row(a, row, log.keep(numbers(0, columns)), word.at);
    }
  }

  /// uniform or reset, which tell the same of each row.
  void alike(int a, int row, const PomdpNames& columns, bool moves, StatementLog& log) {
    const Word word = in_.take();
    if (word.is("uniform")) return log.set(a, row, kAny, 1.0 / columns.count(), word.at);
    if (!moves) in_.fail(word, "reset is for T alone: it leads back to where episodes begin");
    if (head_.start.empty()) reset_at_ = word;
    if (reset_ < 0) reset_ = log.keep(first_states());
    log.set_row(a, row, reset_, word.at);
  }

  void matrix(int a, const PomdpNames& columns, bool moves, StatementLog& log) {
    const Word word = in_.peek();
    if (word.is("uniform") || word.is("reset")) return alike(a, kAny, columns, moves, log);
    if (word.is("identity")) {
      if (!moves) in_.fail(word, "identity is for T alone: an observation is no state");
      in_.take();
      return log.set_identity(a, word.at);
    }
    for (int r = 0; r < head_.states.count(); ++r) {
      const std::uint32_t at = in_.peek().at;
      log.set_row(a, r, log.keep(numbers(r, columns)), at);
    }
  }

  /// Takes a row of numbers, and keeps those that are not zero.
  StatementLog::Row numbers(int row, const PomdpNames& columns) {
    StatementLog::Row out;
    for (int c = 0; c < columns.count(); ++c) {
      const Word word = in_.peek();
      if (!word.is(Kind::kNumber)) {
        in_.fail(word, fmt::format("row {} has {} of {} numbers, one for each {}, and then {}", row,
                                   c, columns.count(), columns.one(), shown(word)));
      }
      const double p = take_probability(in_);
      if (p != 0.0) out.push_back({c, p});
    }
    return out;
  }

  /// Where an episode begins, as a row.
  StatementLog::Row first_states() const {
    const std::vector<double> first = head_.first_belief();
    StatementLog::Row out;
    out.reserve(first.size());
    for (int s = 0; s < std::ssize(first); ++s) {
      if (first[s] != 0.0) out.push_back({s, first[s]});
    }
    return out;
  }

  // R: a : s : s' : o r, or a row over o, or a matrix of s' x o; in an MDP there is no o.
  void rewards(const Word& word) {
    need_sizes(word, "before the first statement");
    const bool mdp = !head_.observations.known();
    if (mdp) mdp_rewards_ = true;
    in_.colon("R");
    RewardRules::Step step{head_.actions.index(in_), kAny, kAny, kAny};
    const std::array<const PomdpNames*, 4> fields{&head_.actions, &head_.states, &head_.states,
                                                  &head_.observations};
    int given = 1;
    const int all = mdp ? 3 : 4;
    while (given < all && in_.peek().is(Kind::kColon)) {
      in_.take();
      step[given] = fields[given]->index(in_);
      ++given;
    }
    if (given + 2 < all) {
      in_.fail(in_.peek(),
               "R needs a start state as well: R: action : state and a matrix of rewards "
               "by end state and observation, R: action : state : state and a row, or "
               "all four and a number");
    }
    const int rows = given + 2 == all ? fields[given]->count() : 1;
    const int columns = given < all ? fields[all - 1]->count() : 1;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        const Word number = in_.take();
        if (!number.is(Kind::kNumber)) {
          in_.fail(number,
                   fmt::format("there must be {} here, and {} is none",
                               rows * columns == 1 ? "a number"
                                                   : fmt::format("{} x {} numbers", rows, columns),
                               shown(number)));
        }
        if (std::abs(number.number) > kMostReward) {
          in_.fail(number, fmt::format("{} is too large for a reward", shown(number)));
        }
        if (given + 2 == all) step[given] = r;
        if (given < all) step[all - 1] = c;
        rules_.add(step, number.number);
      }
    }
    if (step[3] != kAny && !looks_) looks_ = word;
  }

  void fill_model() {
    TabularModel& m = out_.model;
    const bool mdp = !head_.observations.known();
    if (mdp_rewards_ && !mdp) in_.fail(in_.peek(), "observations: must come before the first R");
    if (reset_at_ && !head_.start.empty()) {
      in_.fail(*reset_at_, "reset stands before start: tells where it leads");
    }
    m.states = head_.states.count();
    m.actions = head_.actions.count();
    m.observations = mdp ? 1 : head_.observations.count();
    m.visible = mdp ? m.states : 1;
    m.discount = *head_.discount;
    m.names = {.actions = head_.actions.names(), .observations = head_.observations.names()};
    (mdp ? m.names.seen : m.names.hidden) = head_.states.names();
    if (!mdp && sights_.empty()) sights_.begin(m.actions, m.states, m.observations);
    check_size(moves_, "T", head_.states);
    if (!mdp) check_size(sights_, "O", head_.observations);
    fill_start();
    m.transition = fill_rows(moves_, "T");
    if (mdp) {
      SparseRows nothing;
      for (int s = 0; s < m.states; ++s) nothing.add_row(std::array{SparseRows::Entry{0, 1.0}});
      m.observation.assign(m.actions, nothing);
    } else {
      m.observation = fill_rows(sights_, "O");
    }
    if (out_.wrong > 0) return;
    rules_.finish();
    const double sign = head_.costs.value_or(false) ? -1.0 : 1.0;
    if (!rules_.names_next() && !rules_.names_observation()) {
      for (int s = 0; s < m.states; ++s) {
        for (int a = 0; a < m.actions; ++a) {
          m.reward.push_back(sign * rules_.reward({a, s, kAny, kAny}));
        }
      }
    } else {
      // Tables that are small have their sums over observations whether they need them or not.
      const double sums = combinations(m);
      const bool few = sums <= limits_.often();
      if (!few && rules_.names_observation()) in_.fail(*looks_, too_many_rewards(sums, limits_));
      m.reward = expected_rewards(m, few, [&](int s, int a, int next, int o) {
        return sign * rules_.reward({a, s, next, o});
      });
    }
    check_ends();
  }

  /// E: state, as ZMDP has it, promises that an episode ends there. What a state is follows from
  /// its tables, so a promise that they do not keep is a mistake.
  void check_ends() const {
    for (const auto& [state, word] : ends_) {
      for (int s = std::max(state, 0); s < (state == kAny ? out_.model.states : state + 1); ++s) {
        if (is_over(out_.model, s)) continue;
        in_.fail(word, fmt::format("E: {} is no end: every action must stay there and pay nothing",
                                   head_.states.name(s)));
      }
    }
  }

  void fill_start() {
    std::vector<SparseRows::Entry> first;
    for (const double p : head_.first_belief()) first.push_back({0, p});
    out_.settle_row(
        first, [&] { return in_.place(head_.start_at); }, [] { return std::string("start"); });
    for (const auto& entry : first) out_.model.initial.push_back(entry.value);
  }

  void check_size(StatementLog& log, const char* statement, const PomdpNames& columns) const {
    if (log.count(limits_.numbers) <= limits_.numbers) return;
    in_.fail(in_.peek(), fmt::format("{}: more than {:.0f} probabilities of {} {}s are not zero",
                                     statement, limits_.numbers, columns.count(), columns.one()));
  }

  std::vector<SparseRows> fill_rows(StatementLog& log, const char* statement) {
    std::vector<SparseRows> out(head_.actions.count());
    log.settle([&](int a, int s, auto& row, std::int64_t at) {
      const auto where = [&] {
        return fmt::format("{}, {}, {}", statement, head_.actions.name(a), head_.states.name(s));
      };
      if (at < 0) {
        out_.add(
            true, [&] { return in_.place(head_.states.at(s)); },
            [&] { return where() + ": no probabilities are given"; });
      } else {
        out_.settle_row(
            row, [&] { return in_.place(at); }, where);
      }
      out[a].add_row(row);
    });
    log = {};
    return out;
  }

  PomdpScanner in_;
  TableLimits limits_;
  PomdpPreamble head_;
  StatementLog moves_, sights_;
  RewardRules rules_;
  int reset_ = -1;  // where episodes begin, as a row that moves_ keeps
  std::optional<Word> reset_at_;
  bool mdp_rewards_ = false;
  std::optional<Word> looks_;  // the first R that names an observation
  std::map<int, Word> ends_;   // states that an E names, and where it first does
  FileTables out_;
};

}  // namespace

FileTables read_pomdp(std::string_view text, const std::string& file, const TableLimits& limits) {
  return Reader(text, file, limits).read();
}

}  // namespace bpo
