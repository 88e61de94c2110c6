#include "bpo/problems/tabular/file_tables.h"

#include <cmath>

namespace bpo {

Place place_of(std::string_view text, std::size_t at) {
  Place place;
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::size_t i = begin; i < at && i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    ++place.line;
    begin = i + 1;
  }
  place.column = at > begin ? at - begin + 1 : 1;
  return place;
}

Error bad_place(const std::string& file, Place place, const std::string& what) {
  return bad_input(fmt::format("{}:{}:{}: {}", file, place.line, place.column, what));
}

TabularModel usable(FileTables tables, const std::string& file) {
  if (tables.wrong == 0) return std::move(tables.model);
  std::string more;
  if (tables.wrong > 1) {
    more = fmt::format(" (and {} more; `bpo check {}` lists them)", tables.wrong - 1, file);
  }
  for (const Remark& r : tables.remarks) {
    if (r.wrong) throw bad_place(file, r.place, r.text + more);
  }
  throw bad_input(fmt::format("{}: {} rows are wrong", file, tables.wrong));
}

RowSum settle(std::span<SparseRows::Entry> row, double& sum) {
  // What misses by less than kExact stays as it is, by less than kSilent is not worth a word.
  constexpr double kExact = 1e-12, kSilent = 1e-9, kRounded = 1e-4;
  sum = 0.0;
  for (const auto& entry : row) sum += entry.value;
  const double miss = std::abs(sum - 1.0);
  if (miss <= kExact) return RowSum::kOne;
  if (!(miss <= kRounded)) return RowSum::kWrong;
  for (auto& entry : row) entry.value /= sum;
  return miss <= kSilent ? RowSum::kOne : RowSum::kRounded;
}

double combinations(const SparseRows& transition, const SparseRows& observation) {
  double out = 0.0;
  for (int s = 0; s < transition.rows(); ++s) {
    for (const auto& [next, p] : transition.row(s)) {
      out += static_cast<double>(observation.row(next).size());
    }
  }
  return out;
}

double combinations(const TabularModel& m) {
  double out = 0.0;
  for (int a = 0; a < m.actions; ++a) out += combinations(m.transition[a], m.observation[a]);
  return out;
}

std::string too_many_rewards(double combinations, const TableLimits& limits) {
  return fmt::format(
      "rewards depend on what is observed, and {:.9g} combinations of a state, an action, a next "
      "state and an observation are too many to take their mean: at most {:.0f}",
      combinations, limits.often());
}

}  // namespace bpo
