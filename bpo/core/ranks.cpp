#include "bpo/core/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bpo {
namespace {

/// Everybody's value, by rank.
template <class T>
std::vector<T> all_of(Exchange what, T mine) {
  std::vector<std::byte> bytes;
  Wire out(bytes);
  out(mine);
  std::vector<T> values;
  for (const auto part : comm().exchange(what, bytes)) {
    Wire in(part);
    in(values.emplace_back());
  }
  return values;
}

}  // namespace

bool any_rank(bool here) {
  if (comm().size() == 1) return here;
  const std::vector<char> all = all_of(Exchange::kQuestion, static_cast<char>(here));
  return std::any_of(all.begin(), all.end(), [](char one) { return one != 0; });
}

int sum_over_ranks(int here) {
  if (comm().size() == 1) return here;
  const std::vector<int> all = all_of(Exchange::kQuestion, here);
  return std::accumulate(all.begin(), all.end(), 0);
}

void check_same_on_ranks(const Facts& facts) {
  if (comm().size() == 1) return;
  for (const auto& [name, value] : facts) {
    const std::vector<std::string> all = all_of(Exchange::kStart, value);
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const auto& v) { return v != all.front(); });
    if (other == all.end()) continue;
    throw bad_input(fmt::format(
        "{}: {} has '{}', but {} has '{}'; start the same program in the same way everywhere", name,
        comm().name(static_cast<int>(other - all.begin())), *other, comm().name(0), all.front()));
  }
}

std::span<const std::byte> ranks::from_root(std::span<const std::byte> bytes) {
  return comm().exchange(Exchange::kRoot, bytes).front();
}

}  // namespace bpo
