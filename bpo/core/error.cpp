#include "bpo/core/error.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace bpo {
namespace {

// Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours, no
// letter edited twice. Row i holds the distances from the first i letters of `a` to prefixes of
// `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  if (word.empty()) return "";
  const std::string* best = nullptr;
  const auto completes = [&](const std::string& name) { return name.starts_with(word); };
  if (std::count_if(names.begin(), names.end(), completes) == 1) {
    best = &*std::find_if(names.begin(), names.end(), completes);
  } else {
    std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
    for (const std::string& name : names) {
      // The lengths alone rule out most names, and a huge word is never compared letter by letter.
      if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) > limit) continue;
      const std::size_t distance = edit_distance(word, name);
      if (distance > limit || (best && distance == limit)) continue;
      best = &name;
      limit = distance;
    }
  }
  return best ? " (did you mean '" + *best + "'?)" : "";
}

}  // namespace bpo
