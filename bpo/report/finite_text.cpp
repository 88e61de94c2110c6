#include "bpo/report/finite_text.h"

#include <fmt/format.h>

namespace bpo::report {
namespace {

constexpr std::size_t kShown = 8;

std::string named(const std::vector<std::string>& names, const char* one, int i) {
  return names.empty() ? fmt::format("{} {}", one, i) : names[i];
}
std::string state(const TabularModel& m, int s) {
  const std::string y = named(m.names.hidden, "state", s % m.hidden());
  if (m.visible == 1) return y;
  const std::string x = named(m.names.seen, "seen", s / m.hidden());
  return m.hidden() == 1 ? x : x + "." + y;
}

template <class NameOf>
std::vector<std::string> names(const std::vector<int>& which, const NameOf& name_of) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < which.size() && i < kShown; ++i) out.push_back(name_of(which[i]));
  if (which.size() > kShown) out.push_back("...");
  return out;
}

std::string sizes(const TabularModel& m) {
  std::string out = fmt::format("{} states", m.states);
  if (m.visible > 1) out += fmt::format(" ({} seen x {} hidden)", m.visible, m.hidden());
  return out + fmt::format(", {} actions, {} observations, discount {}", m.actions, m.observations,
                           m.discount);
}

}  // namespace

std::string finite_text(const Examined& e) {
  const TabularModel& m = e.tables.model;
  const TableLint& found = e.lint;
  std::string out;
  for (const Remark& r : e.tables.remarks) {
    out += fmt::format("{}:{}:{}: {}{}\n", e.name, r.place.line, r.place.column,
                       r.wrong ? "error: " : "", r.text);
  }
  const std::size_t all = e.tables.wrong + e.tables.put_right;
  if (all > e.tables.remarks.size()) {
    out += fmt::format("... and {} more\n", all - e.tables.remarks.size());
  }
  if (e.tables.wrong > 0) return out;
  out += fmt::format("{}: {}\n", e.name, sizes(m));
  out += fmt::format("{} probabilities of transitions and {} of observations are not zero\n",
                     found.transitions, found.observations);
  if (found.ends > 0) out += fmt::format("states that end an episode: {}\n", found.ends);
  if (!found.unreachable.empty()) {
    out +=
        fmt::format("states that cannot be reached: {} ({})\n", found.unreachable.size(),
                    fmt::join(names(found.unreachable, [&](int s) { return state(m, s); }), ", "));
  }
  const auto sight = [&](int o) { return named(m.names.observations, "observation", o); };
  if (!found.never_seen.empty()) {
    out += fmt::format("observations that are never made: {} ({})\n", found.never_seen.size(),
                       fmt::join(names(found.never_seen, sight), ", "));
  }
  const auto action = [&](int a) {
    return m.names.actions.empty() ? fmt::to_string(a) : m.names.actions[a];
  };
  for (const auto& [a, b] : found.duplicate) {
    out += fmt::format("action {} does what {} does\n", action(a), action(b));
  }
  for (const auto& [a, b] : found.dominated) {
    out += fmt::format("action {} is useless: {} does the same and pays no less\n", action(a),
                       action(b));
  }
  return out;
}

Json finite_json(const Examined& e) {
  const TabularModel& m = e.tables.model;
  Json remarks = Json::array();
  for (const Remark& r : e.tables.remarks) {
    remarks.push_back(
        {{"line", r.place.line}, {"column", r.place.column}, {"wrong", r.wrong}, {"text", r.text}});
  }
  Json out{{"name", e.name},
           {"ok", e.tables.wrong == 0},
           {"wrong", e.tables.wrong},
           {"scaled", e.tables.put_right},
           {"remarks", remarks}};
  if (e.tables.wrong > 0) return out;
  out.update({{"states", m.states},
              {"visible", m.visible},
              {"hidden", m.hidden()},
              {"actions", m.actions},
              {"observations", m.observations},
              {"discount", m.discount},
              {"transitions", e.lint.transitions},
              {"observation_probabilities", e.lint.observations},
              {"ends", e.lint.ends},
              {"unreachable", e.lint.unreachable},
              {"never_seen", e.lint.never_seen}});
  const auto pairs = [](const std::vector<TableLint::Pair>& all) {
    Json list = Json::array();
    for (const auto& [action, other] : all) list.push_back({{"action", action}, {"as", other}});
    return list;
  };
  out["duplicate"] = pairs(e.lint.duplicate);
  out["dominated"] = pairs(e.lint.dominated);
  return out;
}

}  // namespace bpo::report
