#include "bpo/problems/tabular/pomdp_preamble.h"

#include <fmt/format.h>

#include <algorithm>

namespace bpo {
namespace {

using Kind = Word::Kind;

constexpr std::array<std::string_view, 16> kReserved{
    "discount", "values",   "states", "actions", "observations", "start", "include", "exclude",
    "uniform",  "identity", "reset",  "reward",  "cost",         "T",     "O",       "R"};

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

/// Whether a list ends before the next word, for a statement or the end of the file follows.
bool list_ends(const PomdpScanner& in) {
  if (in.peek().is("start") && (in.peek_second().is("include") || in.peek_second().is("exclude"))) {
    return true;
  }
  return in.peek().is(Kind::kEnd) ||
         (in.peek().is(Kind::kName) && in.peek_second().is(Kind::kColon));
}

}  // namespace

double take_probability(PomdpScanner& in) {
  const Word word = in.take();
  if (!word.is(Kind::kNumber)) {
    in.fail(word, fmt::format("there must be a probability here, not {}", shown(word)));
  }
  if (!(word.number >= 0.0 && word.number <= 1.0 + 1e-9)) {
    in.fail(word, fmt::format("{} is no probability: it must be in [0, 1]", shown(word)));
  }
  return word.number;
}

void PomdpNames::read(PomdpScanner& in, const Word& statement, double most) {
  if (known()) in.fail(statement, fmt::format("{}: is told twice", statement_));
  const auto count = whole_number(in.peek());
  at_.push_back(in.peek().at);
  if (!in.peek().is(Kind::kNumber)) {
    at_.clear();
    return read_names(in, most);
  }
  if (!count || *count < 1.0 || *count > most) {
    in.fail(in.peek(), fmt::format("{}: {}: a whole number from 1 to {:.0f}, or names", statement_,
                                   shown(in.peek()), most));
  }
  count_ = static_cast<int>(*count);
  in.take();
  if (in.peek().is(Kind::kNumber)) {
    in.fail(in.peek(), fmt::format("{}: either one number or names, and {} is no name", statement_,
                                   shown(in.peek())));
  }
}

void PomdpNames::read_names(PomdpScanner& in, double most) {
  while (!list_ends(in)) {
    const Word word = in.take();
    if (!word.is(Kind::kName)) {
      in.fail(word, fmt::format("{}: {} is no name, which begins with a letter", statement_,
                                shown(word)));
    }
    if (is_reserved(word.text)) {
      in.fail(word, fmt::format("{}: {} is a word of the format; take another name", statement_,
                                shown(word)));
    }
    if (!by_name_.emplace(word.text, count_).second) {
      in.fail(word, fmt::format("{}: {} is there twice", statement_, shown(word)));
    }
    names_.emplace_back(word.text);
    at_.push_back(word.at);
    if (++count_ > most) {
      in.fail(word, fmt::format("{}: at most {:.0f} of them", statement_, most));
    }
  }
  if (count_ == 0) {
    in.fail(in.peek(), fmt::format("{}: there must be a number or names, not {}", statement_,
                                   shown(in.peek())));
  }
}

int PomdpNames::index(PomdpScanner& in) const {
  const Word word = in.take();
  if (word.is(Kind::kStar)) return kAny;
  if (word.is(Kind::kNumber)) {
    const auto number = whole_number(word);
    if (number && *number < count_) return static_cast<int>(*number);
    in.fail(word, fmt::format("{} is no {}: they are numbered from 0 to {}", shown(word), one_,
                              count_ - 1));
  }
  if (!word.is(Kind::kName)) {
    in.fail(word, fmt::format("there must be {} {} or '*' here, not {}", *one_ == 's' ? "a" : "an",
                              one_, shown(word)));
  }
  const auto found = by_name_.find(std::string(word.text));
  if (found != by_name_.end()) return found->second;
  if (names_.empty()) {
    in.fail(word, fmt::format("{} is no {}: they have no names and are numbered from 0 to {}",
                              shown(word), one_, count_ - 1));
  }
  constexpr std::size_t kFew = 1000, kListed = 20;
  std::string hint =
      did_you_mean(word.text, std::span(names_).first(std::min(names_.size(), kFew)));
  if (hint.empty() && names_.size() <= kListed) {
    hint = fmt::format("; there are: {}", fmt::join(names_, ", "));
  }
  in.fail(word, fmt::format("{} is no {}{}", shown(word), one_, hint));
}

std::string PomdpNames::name(int i) const {
  return names_.empty() ? fmt::format("{} {}", one_, i) : fmt::format("{} '{}'", one_, names_[i]);
}

bool PomdpPreamble::read(PomdpScanner& in, const TableLimits& limits) {
  const Word statement = in.peek();
  for (PomdpNames* names : {&states, &actions, &observations}) {
    if (!statement.is(names->statement())) continue;
    in.take();
    in.colon(names->statement());
    names->read(in, statement, names == &actions ? limits.actions() : limits.states);
    return true;
  }
  if (statement.is("start")) {
    in.take();
    read_start(in, statement);
    return true;
  }
  if (statement.is("discount")) {
    in.take();
    in.colon("discount");
    const Word word = in.take();
    if (discount) in.fail(statement, "discount: is told twice");
    if (!word.is(Kind::kNumber) || !(word.number >= 0.0 && word.number <= 1.0)) {
      in.fail(word, fmt::format("discount: {}: it must be a number in [0, 1]", shown(word)));
    }
    discount = word.number;
    return true;
  }
  if (!statement.is("values")) return false;
  in.take();
  in.colon("values");
  const Word word = in.take();
  if (costs) in.fail(statement, "values: is told twice");
  if (!word.is("reward") && !word.is("cost")) {
    in.fail(word, fmt::format("values: {}: it must be reward or cost", shown(word)));
  }
  costs = word.is("cost");
  return true;
}

void PomdpPreamble::read_start(PomdpScanner& in, const Word& statement) {
  if (!states.known()) in.fail(statement, "states: must come before start:");
  if (!start.empty()) in.fail(statement, "start: is told twice");
  const bool include = in.peek().is("include"), exclude = in.peek().is("exclude");
  if (include || exclude) in.take();
  in.colon(include ? "start include" : exclude ? "start exclude" : "start");
  start_at = in.peek().at;
  const int n = states.count();
  if (include || exclude) {
    std::vector<bool> named(n);
    do {
      const Word word = in.peek();
      const int s = states.index(in);
      if (s == PomdpNames::kAny) in.fail(word, "start: '*' names no state here");
      named[s] = true;
    } while (!list_ends(in));
    const auto count = std::count(named.begin(), named.end(), include);
    if (count == 0) in.fail(statement, "start exclude: leaves no state to begin in");
    for (int s = 0; s < n; ++s) start.push_back(named[s] == include ? 1.0 / count : 0.0);
  } else if (in.peek().is("uniform")) {
    in.take();
    start.assign(n, 1.0 / n);
  } else if (in.peek().is(Kind::kName) ||
             (n > 1 && whole_number(in.peek()) && !in.peek_second().is(Kind::kNumber))) {
    const int s = states.index(in);
    start.assign(n, 0.0);
    start[s] = 1.0;
  } else {
    for (int s = 0; s < n; ++s) {
      if (!in.peek().is(Kind::kNumber)) {
        in.fail(in.peek(), fmt::format("start: {} probabilities, one for each state, and not {}; "
                                       "or uniform, a state, include: or exclude:",
                                       n, s));
      }
      start.push_back(take_probability(in));
    }
  }
}

std::vector<double> PomdpPreamble::first_belief() const {
  if (!start.empty()) return start;
  return std::vector<double>(states.count(), 1.0 / states.count());
}

}  // namespace bpo
