#include "bpo/problems/tabular/file_names.h"

#include <fmt/format.h>

#include <set>

namespace bpo {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string file_name(const std::string& name, const char* prefix) {
  static const std::set<std::string> kReserved{
      "discount", "values", "states",  "actions",  "observations", "start",  "include",
      "exclude",  "null",   "uniform", "identity", "reset",        "reward", "cost",
      "T",        "O",      "R"};
  std::string out;
  for (const char c : name) {
    const bool kept = is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (kept || out.empty() || out.back() != '-') out += kept ? c : '-';
  }
  while (!out.empty() && (out.front() == '-' || out.front() == '.')) out.erase(0, 1);
  while (!out.empty() && out.back() == '-') out.pop_back();
  if (out.empty() || !is_letter(out[0]) || kReserved.contains(out)) out = prefix + out;
  return out;
}

}  // namespace

std::vector<std::string> file_names(const std::vector<std::string>& names, const char* prefix,
                                    int count) {
  std::vector<std::string> out;
  std::set<std::string> once;
  for (const std::string& name : names) {
    out.push_back(file_name(name, prefix));
    once.insert(out.back());
  }
  if (static_cast<int>(once.size()) == count) return out;
  out.clear();
  for (int i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", prefix, i));
  return out;
}

}  // namespace bpo
