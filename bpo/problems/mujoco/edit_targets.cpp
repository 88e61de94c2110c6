// The objects of a model that an edit is of, by their names.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/edits.h"

namespace bpo {
namespace {

using M = mjModel;
using T = EditTarget;

constexpr std::size_t kLongestPattern = 200;

const char* type_name(int type) {
  switch (type) {
    case mjOBJ_BODY:
      return "body";
    case mjOBJ_GEOM:
      return "geom";
    case mjOBJ_JOINT:
      return "joint";
    case mjOBJ_TENDON:
      return "tendon";
    default:
      return "actuator";
  }
}
int count_of(const M& m, int type) {
  switch (type) {
    case mjOBJ_BODY:
      return m.nbody;
    case mjOBJ_GEOM:
      return m.ngeom;
    case mjOBJ_JOINT:
      return m.njnt;
    case mjOBJ_TENDON:
      return m.ntendon;
    default:
      return m.nu;
  }
}

/// All named objects of the types that an edit can be of; the world itself is none.
std::vector<T> candidates(const M& m, const EditRow& row) {
  std::vector<T> out;
  for (const int type : row.of) {
    for (int i = type == mjOBJ_BODY ? 1 : 0; i < count_of(m, type); ++i) {
      const char* name = mj_id2name(&m, type, i);
      if (name != nullptr && *name != '\0') out.push_back({type, i, name});
    }
  }
  return out;
}

bool matches(const std::string& pattern, const std::string& name) {
  if (!pattern.starts_with("re:")) return pattern == name;
  if (pattern.size() > kLongestPattern) throw bad_input("a pattern is too long");
  try {
    return std::regex_match(name, std::regex(pattern.substr(3)));
  } catch (const std::regex_error&) {
    throw bad_input(fmt::format("'{}' is not a regular expression", pattern));
  }
}

}  // namespace

std::vector<EditTarget> find_targets(const mjModel& m, const EditRow& row,
                                     const std::vector<std::string>& names) {
  if (row.of.empty()) {
    if (!names.empty())
      throw bad_input(fmt::format("{} is not of anything in particular", row.name));
    return {{mjOBJ_UNKNOWN, 0, "world"}};
  }
  const std::vector<T> all = candidates(m, row);
  std::vector<T> out;
  const auto add = [&](const T& t) {
    if (std::none_of(out.begin(), out.end(),
                     [&](const T& o) { return o.type == t.type && o.id == t.id; })) {
      out.push_back(t);
    }
  };
  std::string what;
  for (const int type : row.of) what += (what.empty() ? "" : " or ") + std::string(type_name(type));
  for (const std::string& name : names) {
    bool found = false;
    for (const T& t : all) {
      if (!matches(name, t.name)) continue;
      found = true;
      add(t);
    }
    if (!found && row.of == std::vector<int>{mjOBJ_GEOM}) {
      const int body = mj_name2id(&m, mjOBJ_BODY, name.c_str());
      for (int k = 0; body >= 0 && k < m.body_geomnum[body]; ++k) {
        found = true;
        add({mjOBJ_GEOM, m.body_geomadr[body] + k, fmt::format("geom {} of {}", k + 1, name)});
      }
    }
    if (found) continue;
    std::vector<std::string> there;
    for (const T& t : all) there.push_back(t.name);
    throw bad_input(fmt::format("no {} of the model {} '{}'{}; there are: {}", what,
                                name.starts_with("re:") ? "matches" : "is called", name,
                                did_you_mean(name, there), fmt::join(there, ", ")));
  }
  if (out.empty())
    throw bad_input(fmt::format("{} needs of = [names], each a {}'s", row.name, what));
  return out;
}

}  // namespace bpo
