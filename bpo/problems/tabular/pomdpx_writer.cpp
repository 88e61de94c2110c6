#include "bpo/problems/tabular/pomdpx_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bpo/problems/tabular/file_names.h"

namespace bpo {
namespace {

class Writer {
 public:
  explicit Writer(const FactoredModel& m) : m_(m) {
    actions_ = file_names(m.action.values, "a", m.action.size());
    for (const Variable& v : m.state) states_.push_back(file_names(v.values, "s", v.size()));
    for (const Variable& v : m.sight) sights_.push_back(file_names(v.values, "o", v.size()));
  }

  std::string write(const std::string& name) {
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pomdpx version=\"1.0\" id=\"{}\">\n",
        file_names({name}, "p", 1)[0]);
    if (m_.horizon > 0) {
      put("<!-- Episodes have {} steps, which this format cannot say. -->\n", m_.horizon);
    }
    put("<Discount>{}</Discount>\n<Variable>\n", m_.discount);
    for (std::size_t i = 0; i < m_.state.size(); ++i) {
      put("<StateVar vnamePrev=\"{}_0\" vnameCurr=\"{}_1\" fullyObs=\"{}\">", m_.state[i].name,
          m_.state[i].name, m_.state[i].seen);
      put("<ValueEnum>{}</ValueEnum></StateVar>\n", fmt::join(states_[i], " "));
    }
    for (std::size_t i = 0; i < m_.sight.size(); ++i) {
      put("<ObsVar vname=\"{}\"><ValueEnum>{}</ValueEnum></ObsVar>\n", m_.sight[i].name,
          fmt::join(sights_[i], " "));
    }
    put("<ActionVar vname=\"action\"><ValueEnum>{}</ValueEnum></ActionVar>\n",
        fmt::join(actions_, " "));
    // APPL wants a variable for each function.
    for (std::size_t i = 0; i < m_.rewards.size(); ++i) {
      put("<RewardVar vname=\"reward{}\"/>\n", i);
    }
    put("</Variable>\n");
    section("InitialStateBelief", m_.initial, VariableRef::Kind::kBefore);
    section("StateTransitionFunction", m_.transition, VariableRef::Kind::kAfter);
    section("ObsFunction", m_.observation, VariableRef::Kind::kSight);
    put("<RewardFunction>\n");
    for (std::size_t i = 0; i < m_.rewards.size(); ++i) {
      put("<Func><Var>reward{}</Var>", i);
      rows(m_.rewards[i], nullptr);
      put("</Func>\n");
    }
    put("</RewardFunction>\n</pomdpx>\n");
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }
  std::string name(const VariableRef& ref) const {
    const std::string& of = m_.variable(ref).name;
    if (ref.kind == VariableRef::Kind::kSight) return of;
    return of + (ref.kind == VariableRef::Kind::kBefore ? "_0" : "_1");
  }
  const std::vector<std::string>& values(const VariableRef& ref) const {
    return (ref.kind == VariableRef::Kind::kSight ? sights_ : states_)[ref.index];
  }

  void section(const char* called, const std::vector<FactorTable>& tables, VariableRef::Kind kind) {
    if (tables.empty()) return;
    put("<{}>\n", called);
    for (int i = 0; i < std::ssize(tables); ++i) {
      const VariableRef ref{kind, i};
      put("<CondProb><Var>{}</Var>", name(ref));
      rows(tables[i], &ref);
      put("</CondProb>\n");
    }
    put("</{}>\n", called);
  }

  /// The parents of all cases, and an entry for each row, or for each number of a row of few.
  void rows(const FactorTable& table, const VariableRef* of) {
    std::vector<VariableRef> parents;
    for (const auto& c : table.cases) {
      for (const VariableRef& ref : c.parents) {
        if (std::find(parents.begin(), parents.end(), ref) == parents.end()) parents.push_back(ref);
      }
    }
    const bool initial = of != nullptr && of->kind == VariableRef::Kind::kBefore;
    std::vector<std::string> names;
    if (!initial) names.push_back("action");
    for (const VariableRef& ref : parents) names.push_back(name(ref));
    put("<Parent>{}</Parent>\n<Parameter type=\"TBL\">\n",
        names.empty() ? "null" : fmt::format("{}", fmt::join(names, " ")));
    for (int a = 0; a < (initial ? 1 : m_.action.size()); ++a) {
      const FactorTable::Case& c = table.of(a);
      for (int r = 0; r < c.rows.rows(); ++r) {
        entries(instance(c, r, parents, initial ? "" : actions_[a] + " "), c.rows.row(r), of);
      }
    }
    put("</Parameter>");
  }

  /// "listen * left ": the row's values of all parents.
  std::string instance(const FactorTable::Case& c, int row, const std::vector<VariableRef>& parents,
                       std::string out) const {
    std::vector<int> at(parents.size(), -1);
    for (std::size_t i = c.parents.size(); i-- > 0;) {
      const auto which = std::find(parents.begin(), parents.end(), c.parents[i]) - parents.begin();
      const int size = m_.variable(c.parents[i]).size();
      at[which] = row % size;
      row /= size;
    }
    for (std::size_t i = 0; i < parents.size(); ++i) {
      out += (at[i] < 0 ? "*" : values(parents[i])[at[i]]) + " ";
    }
    return out;
  }

  void entries(const std::string& where, std::span<const SparseRows::Entry> row,
               const VariableRef* of) {
    if (of == nullptr) {
      if (!row.empty()) entry(where, "ValueTable", fmt::to_string(row[0].value));
    } else if (2 * row.size() < values(*of).size()) {
      for (const auto& [c, p] : row) {
        entry(where + values(*of)[c], "ProbTable", fmt::to_string(p));
      }
    } else {
      std::vector<double> all(values(*of).size());
      for (const auto& [c, p] : row) all[c] = p;
      entry(where + "-", "ProbTable", fmt::format("{}", fmt::join(all, " ")));
    }
  }
  void entry(const std::string& where, const char* table, const std::string& numbers) {
    put("<Entry><Instance>{}</Instance><{}>{}</{}></Entry>\n", where, table, numbers, table);
  }

  const FactoredModel& m_;
  std::vector<std::string> actions_;
  std::vector<std::vector<std::string>> states_, sights_;
  std::string out_;
};

}  // namespace

std::string pomdpx_text(const FactoredModel& model, const std::string& name) {
  return Writer(model).write(name);
}

}  // namespace bpo
