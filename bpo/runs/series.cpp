#include "bpo/runs/series.h"

#include <fmt/format.h>

namespace bpo {
namespace {

/// "problem.bins=10" as part of a file's name: without the group.
std::string short_set(const std::string& set) {
  std::string out = set.substr(set.find('.') + 1);
  for (char& c : out) {
    if (c == '/') c = '_';
  }
  return out;
}

}  // namespace

std::string Series::directory() const {
  std::string out = problem;
  for (const std::string& set : sets) out += '-' + short_set(set);
  return out + '/' + method;
}

std::string Protocol::name() const {
  std::string out;
  for (const std::string& set : sets) out += short_set(set) + '-';
  if (greedy) out += "greedy-";
  if (seed != 0) out += fmt::format("seed={}-", seed);
  return out + fmt::to_string(episodes);
}

}  // namespace bpo
