// From the rules of a POMDPX file to the table of a variable: for each action only the parents that
// some rule of that action names, so that a long list of parents costs nothing where it is all
// stars.
#include <algorithm>
#include <map>
#include <set>

#include "bpo/problems/tabular/pomdpx_rules.h"
#include "bpo/problems/tabular/row_log.h"

namespace bpo {
namespace {

constexpr int kAny = FactorRule::kAny, kAll = FactorRule::kAll;

class Tabulator {
 public:
  Tabulator(const std::vector<FactorRule>& rules, const std::vector<Dimension>& dimensions,
            bool probabilities, FactorSize& size, const TableLimits& limits,
            const std::string& file, const XmlNode& node, const std::string& what,
            FileTables& remarks)
      : rules_(rules),
        dimensions_(dimensions),
        probabilities_(probabilities),
        size_(size),
        limits_(limits),
        file_(file),
        node_(node),
        what_(what),
        remarks_(remarks),
        parents_(static_cast<int>(dimensions.size()) - probabilities) {
    for (int i = 0; i < parents_; ++i) {
      if (dimensions_[i].kind == Dimension::Kind::kAction) action_ = i;
    }
  }

  FactorTable tabulate(int actions) {
    FactorTable out;
    if (action_ < 0) {
      for (int i = 0; i < std::ssize(rules_); ++i) chosen_.push_back(i);
      out.cases.push_back(make_case(0));
      out.case_of.assign(actions, 0);
      return out;
    }
    const auto rules_of = by_action(actions);
    check_sizes_of(rules_of);
    std::map<std::vector<int>, int> cases;
    for (int a = 0; a < actions; ++a) {
      chosen_ = rules_of[a];
      const auto known = cases.find(chosen_);
      if (known != cases.end()) {
        out.case_of.push_back(known->second);
        continue;
      }
      out.case_of.push_back(static_cast<int>(out.cases.size()));
      const std::size_t remarks = remarks_.wrong + remarks_.put_right;
      out.cases.push_back(make_case(a));
      // What is wrong is said of every action.
      const bool fine = remarks == remarks_.wrong + remarks_.put_right;
      if (fine && !lists_actions()) cases.emplace(chosen_, out.case_of.back());
    }
    return out;
  }

 private:
  /// The rules that hold for each action, in their order.
  std::vector<std::vector<int>> by_action(int actions) const {
    double count = 0.0;
    for (const FactorRule& rule : rules_) count += rule.instance[action_] >= 0 ? 1.0 : actions;
    if (count > limits_.numbers) too_many();
    std::vector<std::vector<int>> out(actions);
    for (int i = 0; i < std::ssize(rules_); ++i) {
      const int named = rules_[i].instance[action_];
      for (int a = std::max(named, 0); a < (named >= 0 ? named + 1 : actions); ++a) {
        out[a].push_back(i);
      }
    }
    return out;
  }

  /// Whether the numbers of a chosen rule go on from action to action.
  bool lists_actions() const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](int i) { return rules_[i].instance[action_] == kAll; });
  }

  /// Finds the parents that the chosen rules name, and how many rows they make.
  double find_used() {
    used_.clear();
    double rows = 1.0;
    for (int d = 0; d < parents_; ++d) {
      if (d == action_) continue;
      const auto names = [&](int i) { return rules_[i].instance[d] != kAny; };
      if (std::none_of(chosen_.begin(), chosen_.end(), names)) continue;
      used_.push_back(d);
      rows *= dimensions_[d].variable->size();
    }
    if (!(rows <= limits_.pairs)) {
      throw bad_place(
          file_, node_.place,
          fmt::format("{}: {:.9g} combinations of its parents are too many: at most {:.0f}", what_,
                      rows, limits_.pairs));
    }
    return rows;
  }

  /// Refuses tables of too many rows or numbers before any is made. Numbers are counted only where
  /// there could be so many, for that takes as long as to make the tables.
  void check_sizes_of(const std::vector<std::vector<int>>& rules_of) {
    std::set<std::vector<int>> once;
    std::vector<int> actions;
    FactorSize size = size_;
    for (int a = 0; a < std::ssize(rules_of); ++a) {
      chosen_ = rules_of[a];
      if (!lists_actions() && !once.insert(chosen_).second) continue;
      actions.push_back(a);
      if ((size.rows += find_used()) > limits_.numbers) too_many();
    }
    if (size.numbers + (size.rows - size_.rows) * columns() <= limits_.numbers) return;
    for (const int a : actions) {
      chosen_ = rules_of[a];
      make_log(a, find_used(), size);
    }
  }

  int columns() const { return probabilities_ ? dimensions_.back().variable->size() : 1; }

  /// What the chosen rules tell of the rows of an action; it is added to `size`.
  RowLog make_log(int a, double rows, FactorSize& size) {
    RowLog log(static_cast<int>(rows), columns());
    for (const int i : chosen_) add_rule(i, a, size.told, log);
    size.told += log.told();
    if ((size.numbers += log.prepare(limits_.numbers - size.numbers)) > limits_.numbers) too_many();
    return log;
  }

  FactorTable::Case make_case(int a) {
    FactorTable::Case out;
    const double rows = find_used();
    for (const int d : used_) out.parents.push_back(dimensions_[d].ref);
    if ((size_.rows += rows) > limits_.numbers) too_many();
    RowLog log = make_log(a, rows, size_);
    log.settle([&](int row, auto& entries, std::int64_t at) {
      if (probabilities_) remark(row, a, entries, at);
      out.rows.add_row(entries);
    });
    return out;
  }

  void add_rule(int i, int a, double told, RowLog& log) {
    const FactorRule& rule = rules_[i];
    at_.assign(dimensions_.size(), 0);
    if (action_ >= 0) at_[action_] = a;
    kept_.clear();
    told_ = told;
    go_through(rule, static_cast<std::uint32_t>(i), 0, 0, log);
  }

  /// What was overridden takes time, but no memory.
  void check(RowLog& log) {
    constexpr double kSlack = 1.25, kMostOften = 10.0;
    if (told_ + log.told() > kMostOften * limits_.numbers) too_many();
    if (static_cast<double>(log.size()) <= kSlack * limits_.numbers) return;
    log.compact();
    if (static_cast<double>(log.size()) > limits_.numbers) too_many();
  }

  /// Sets the used dimensions from the u-th on to all that the rule stands for.
  void go_through(const FactorRule& rule, std::uint32_t i, std::size_t u, int row, RowLog& log) {
    if (u == used_.size()) {
      put(rule, i, row, log);
      return check(log);
    }
    const int d = used_[u], size = dimensions_[d].variable->size(), named = rule.instance[d];
    for (int v = std::max(named, 0); v < (named >= 0 ? named + 1 : size); ++v) {
      at_[d] = v;
      go_through(rule, i, u + 1, row * size + v, log);
    }
  }

  void put(const FactorRule& rule, std::uint32_t i, int row, RowLog& log) {
    if (!probabilities_) return log.set(row, 0, number(rule, 0), i);
    const int size = dimensions_.back().variable->size(), named = rule.instance.back();
    if (rule.content == FactorRule::Content::kUniform) return log.fill(row, 1.0 / size, i);
    if (rule.content == FactorRule::Content::kIdentity) {
      log.fill(row, 0.0, i);
      for (int d = 0; d < parents_; ++d) {
        if (rule.instance[d] == kAll) log.set(row, at_[d], 1.0, i);
      }
    } else if (named == kAny) {
      log.fill(row, number(rule, 0), i);
    } else if (named == kAll) {
      log.set_row(row, kept_row(rule, size, log), i);
    } else {
      log.set(row, named, number(rule, 0), i);
    }
  }

  /// The rule's numbers at at_ as a row, which all that the rule stands for share.
  int kept_row(const FactorRule& rule, int size, RowLog& log) {
    if (kept_.empty()) kept_.assign(rule.numbers.size() / size, -1);
    const std::size_t begin = index(rule, 0);
    int& kept = kept_[begin / size];
    if (kept < 0) {
      std::vector<SparseRows::Entry> row;
      for (int c = 0; c < size; ++c) {
        if (rule.numbers[begin + c] != 0.0) row.push_back({c, rule.numbers[begin + c]});
      }
      kept = log.keep(std::move(row));
    }
    return kept;
  }

  double number(const FactorRule& rule, int column) const {
    return rule.numbers[index(rule, column)];
  }

  /// Where the rule's number stands that is told of at_ and `column` of the variable.
  std::size_t index(const FactorRule& rule, int column) const {
    std::size_t out = 0;
    for (int d = 0; d < std::ssize(dimensions_); ++d) {
      if (rule.instance[d] != kAll) continue;
      out = out * dimensions_[d].variable->size() + (d < parents_ ? at_[d] : column);
    }
    return out;
  }

  void remark(int row, int a, std::vector<SparseRows::Entry>& entries, std::int64_t at) {
    const auto where = [&] {
      std::string given;
      for (std::size_t u = used_.size(); u-- > 0;) {
        const Variable& v = *dimensions_[used_[u]].variable;
        given =
            fmt::format(", {} = {}", dimensions_[used_[u]].name, v.values[row % v.size()]) + given;
        row /= v.size();
      }
      if (action_ >= 0) given = ", action " + dimensions_[action_].variable->values[a] + given;
      return what_ + given;
    };
    if (at < 0) {
      remarks_.add(
          true, [&] { return node_.place; },
          [&] { return where() + ": no probabilities are given"; });
    } else {
      remarks_.settle_row(
          entries, [&] { return rules_[at].place; }, where);
    }
  }

  [[noreturn]] void too_many() const {
    throw bad_place(file_, node_.place,
                    fmt::format("{}: stands for more than {:.0f} numbers", what_, limits_.numbers));
  }

  const std::vector<FactorRule>& rules_;
  const std::vector<Dimension>& dimensions_;
  bool probabilities_;
  FactorSize& size_;
  const TableLimits& limits_;
  const std::string& file_;
  const XmlNode& node_;
  const std::string& what_;
  FileTables& remarks_;
  int parents_, action_ = -1;
  double told_ = 0.0;  // in the tables before
  std::vector<int> chosen_, used_, at_;
  std::vector<int> kept_;  // rows of the rule that is being added, by where their numbers begin
};

}  // namespace

FactorTable table_of(const std::vector<FactorRule>& rules, const std::vector<Dimension>& dimensions,
                     int actions, bool probabilities, FactorSize& size, const TableLimits& limits,
                     const std::string& file, const XmlNode& node, const std::string& what,
                     FileTables& remarks) {
  return Tabulator(rules, dimensions, probabilities, size, limits, file, node, what, remarks)
      .tabulate(actions);
}

}  // namespace bpo
