#include "bpo/problems/tabular/pomdpx_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "bpo/problems/tabular/pomdpx_rules.h"
#include "bpo/problems/tabular/xml_shape.h"

namespace bpo {
namespace {

using Kind = VariableRef::Kind;

const XmlGrammar& grammar() {
  constexpr auto kMany = XmlShape::Children::kMany, kOneInAll = XmlShape::Children::kOneInAll;
  const XmlShape text{.text = true}, conditionals{.children = {"CondProb"}, .often = kMany};
  const std::vector<std::string> sizes{"ValueEnum", "NumValues"};
  const std::vector<std::string> diagram{"Node", "Terminal", "SubDAG"};
  const XmlShape variable{.attributes = {"vname"}, .children = sizes, .often = kOneInAll};
  const XmlShape table{.children = {"Var", "Parent", "Parameter"}};
  static const XmlGrammar out{
      {"pomdpx",
       {.attributes = {"version", "id"},
        .children = {"Description", "Discount", "Variable", "InitialStateBelief",
                     "StateTransitionFunction", "ObsFunction", "RewardFunction"}}},
      {"Discount", text},
      {"Variable", {.children = {"StateVar", "ObsVar", "ActionVar", "RewardVar"}, .often = kMany}},
      {"StateVar",
       {.attributes = {"vnamePrev", "vnameCurr", "fullyObs"},
        .children = sizes,
        .often = kOneInAll}},
      {"ObsVar", variable},
      {"ActionVar", variable},
      {"RewardVar", {.attributes = {"vname"}}},
      {"ValueEnum", text},
      {"NumValues", text},
      {"InitialStateBelief", conditionals},
      {"StateTransitionFunction", conditionals},
      {"ObsFunction", conditionals},
      {"RewardFunction", {.children = {"Func"}, .often = kMany}},
      {"CondProb", table},
      {"Func", table},
      {"Var", text},
      {"Parent", text},
      {"Parameter",
       {.attributes = {"type"}, .children = {"DAG"}, .many = {"Entry", "SubDAGTemplate"}}},
      {"Entry", {.children = {"Instance", "ProbTable", "ValueTable"}}},
      {"Instance", text},
      {"ProbTable", text},
      {"ValueTable", text},
      {"DAG", {.children = diagram, .often = kOneInAll}},
      {"SubDAGTemplate", {.attributes = {"id"}, .children = diagram, .often = kOneInAll}},
      {"Node", {.attributes = {"var"}, .children = {"Edge"}, .often = kMany}},
      {"Edge", {.attributes = {"val"}, .children = diagram, .often = kOneInAll}},
      {"Terminal", text},
      {"SubDAG", {.attributes = {"type", "var", "val", "idref"}}},
  };
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const TableLimits& limits)
      : file_(file), limits_(limits), root_(parse_xml(text, file)) {}

  FileTables read() {
    if (root_->name != "pomdpx") {
      fail(*root_, fmt::format("the root of a POMDPX file is <pomdpx>, not <{}>", root_->name));
    }
    check_shape(*root_, grammar(), file_);
    model_.discount = discount(section("Discount"));
    variables(section("Variable"));
    model_.initial = probabilities("InitialStateBelief", Kind::kBefore);
    size_ = {};
    model_.transition = probabilities("StateTransitionFunction", Kind::kAfter);
    size_ = {};
    if (!model_.sight.empty()) model_.observation = probabilities("ObsFunction", Kind::kSight);
    size_ = {};
    rewards(section("RewardFunction"));
    if (out_.wrong == 0) {
      out_.model = combine(model_, limits_, at(section("Variable")));
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const XmlNode& node, const std::string& what) const {
    throw bad_place(file_, node.place, what);
  }
  std::string at(const XmlNode& node) const {
    return fmt::format("{}:{}:{}", file_, node.place.line, node.place.column);
  }
  const XmlNode& section(const char* name) const {
    const XmlNode* const node = root_->child(name);
    if (node == nullptr) fail(*root_, fmt::format("<{}> is missing", name));
    return *node;
  }
  const std::string& needed(const XmlNode& node, const char* attribute) const {
    const std::string* const value = node.attribute(attribute);
    if (value == nullptr || value->empty()) {
      fail(node, fmt::format("a <{}> needs {}=\"...\"", node.name, attribute));
    }
    return *value;
  }

  double discount(const XmlNode& node) const {
    const auto words = words_of(node.text);
    const auto out = words.size() == 1 ? number_of(words[0]) : std::nullopt;
    if (!(out && *out >= 0.0 && *out <= 1.0)) fail(node, "<Discount> must be a number in [0, 1]");
    return *out;
  }

  void variables(const XmlNode& node) {
    check_counts(node);
    bool acts = false;
    for (const auto& child : node.children) {
      if (child->name == "StateVar") {
        Variable v = variable(*child, "s");
        const std::string* const seen = child->attribute("fullyObs");
        if (seen != nullptr && *seen != "true" && *seen != "false") {
          fail(*child, fmt::format("fullyObs=\"{}\" must be true or false", *seen));
        }
        v.seen = seen != nullptr && *seen == "true";
        v.name = needed(*child, "vnameCurr");
        const int i = static_cast<int>(model_.state.size());
        name(*child, needed(*child, "vnamePrev"), {.ref = {Kind::kBefore, i}});
        name(*child, v.name, {.ref = {Kind::kAfter, i}});
        model_.state.push_back(std::move(v));
      } else if (child->name == "ObsVar") {
        Variable v = variable(*child, "o");
        v.name = needed(*child, "vname");
        name(*child, v.name, {.ref = {Kind::kSight, static_cast<int>(model_.sight.size())}});
        model_.sight.push_back(std::move(v));
      } else if (child->name == "ActionVar") {
        if (acts)
          fail(*child, "a second <ActionVar>; there can be one, with a value for each choice");
        acts = true;
        model_.action = variable(*child, "a");
        model_.action.name = needed(*child, "vname");
        name(*child, model_.action.name, {.kind = Dimension::Kind::kAction});
      } else {
        rewards_.insert(needed(*child, "vname"));
      }
    }
    if (model_.state.empty() || !acts) fail(node, "there must be a <StateVar> and an <ActionVar>");
    for (auto& [key, dimension] : names_) {
      dimension.name = key;
      dimension.variable = dimension.kind == Dimension::Kind::kAction
                               ? &model_.action
                               : &model_.variable(dimension.ref);
    }
  }

  /// Before anything is made for a value or for a combination of values.
  void check_counts(const XmlNode& node) const {
    double states = 1.0, actions = 1.0, observations = 1.0;
    for (const auto& child : node.children) {
      if (child->name == "StateVar") states *= count(*child);
      if (child->name == "ActionVar") actions = count(*child);
      if (child->name == "ObsVar") observations *= count(*child);
    }
    check_sizes(states, actions, observations, limits_, at(node));
  }

  /// How many values a variable has; a <ValueEnum> is as long as its text.
  double count(const XmlNode& node) const {
    if (const XmlNode* const names = node.child("ValueEnum")) {
      return static_cast<double>(words_of(names->text).size());
    }
    const XmlNode* const given = node.child("NumValues");
    if (given == nullptr) return 1.0;  // variable() refuses it
    const auto words = words_of(given->text);
    double n = 0.0;
    if (words.size() == 1) {
      const char* const end = words[0].data() + words[0].size();
      long long whole = 0;
      if (std::from_chars(words[0].data(), end, whole).ptr == end) n = static_cast<double>(whole);
    }
    if (!(n >= 1.0 && n <= limits_.states)) {
      fail(*given,
           fmt::format("<NumValues> must be a whole number from 1 to {:.0f}", limits_.states));
    }
    return n;
  }

  void name(const XmlNode& node, const std::string& called, const Dimension& dimension) {
    if (!names_.emplace(called, dimension).second) {
      fail(node, fmt::format("there are two variables '{}'", called));
    }
  }

  Variable variable(const XmlNode& node, const char* prefix) const {
    Variable out;
    if (const XmlNode* const values = node.child("ValueEnum")) {
      std::set<std::string_view> once;
      for (const std::string_view word : words_of(values->text)) {
        if (word == "*" || word == "-" || !once.insert(word).second) {
          fail(*values, fmt::format("'{}' is {}", word.substr(0, 60),
                                    word.size() == 1 && (word == "*" || word == "-")
                                        ? "a sign of the format and no value"
                                        : "there twice"));
        }
        out.values.emplace_back(word);
      }
    } else if (node.child("NumValues") != nullptr) {
      const int n = static_cast<int>(count(node));
      for (int i = 0; i < n; ++i) out.values.push_back(fmt::format("{}{}", prefix, i));
    }
    if (out.values.empty()) {
      fail(node, fmt::format("a <{}> needs a <ValueEnum> with names or a <NumValues>", node.name));
    }
    return out;
  }

  /// The variable and its parents: what an instance names.
  std::vector<Dimension> dimensions(const XmlNode& node, Kind kind, bool reward) const {
    std::vector<Dimension> out;
    const XmlNode* const parents = node.child("Parent");
    if (parents == nullptr)
      fail(node, fmt::format("a <{}> needs a <Parent>, which may be null", node.name));
    for (const std::string_view word : words_of(parents->text)) {
      if (word == "null") continue;
      const auto at = names_.find(std::string(word));
      if (at == names_.end())
        fail(*parents, fmt::format("'{}' is no variable", word.substr(0, 60)));
      const Dimension& d = at->second;
      const bool action = d.kind == Dimension::Kind::kAction;
      const bool before = !action && d.ref.kind == Kind::kBefore;
      const bool after = !action && d.ref.kind == Kind::kAfter;
      const bool allowed = reward || (kind == Kind::kBefore  ? before
                                      : kind == Kind::kAfter ? action || before || after
                                                             : !before);
      if (!allowed) {
        fail(*parents, fmt::format("'{}' cannot be a parent here", word.substr(0, 60)));
      }
      if (std::any_of(out.begin(), out.end(), [&](const auto& o) { return o.name == d.name; })) {
        fail(*parents, fmt::format("'{}' is there twice", word.substr(0, 60)));
      }
      out.push_back(d);
    }
    return out;
  }

  std::vector<FactorTable> probabilities(const char* name, Kind kind) {
    const XmlNode& all = section(name);
    const auto& variables = kind == Kind::kSight ? model_.sight : model_.state;
    std::vector<FactorTable> out(variables.size());
    std::vector<bool> told(variables.size());
    for (const auto& node : all.children) {
      const XmlNode* const of = node->child("Var");
      const auto words = of == nullptr ? std::vector<std::string_view>{} : words_of(of->text);
      if (words.size() != 1) fail(*node, "a <CondProb> needs one <Var>");
      const auto at = names_.find(std::string(words[0]));
      if (at == names_.end() || at->second.kind == Dimension::Kind::kAction ||
          at->second.ref.kind != kind) {
        fail(*of, fmt::format("'{}' is no variable of <{}>", words[0].substr(0, 60), name));
      }
      const int i = at->second.ref.index;
      if (told[i]) fail(*node, fmt::format("'{}' is told twice", words[0]));
      told[i] = true;
      std::vector<Dimension> d = dimensions(*node, kind, false);
      if (std::any_of(d.begin(), d.end(), [&](const auto& o) { return o.name == words[0]; })) {
        fail(*node, fmt::format("'{}' is its own parent", words[0]));
      }
      d.push_back(at->second);
      out[i] = table(*node, d, true, std::string(words[0]));
    }
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (!told[i]) fail(all, fmt::format("there is no <CondProb> of '{}'", variables[i].name));
    }
    if (parents_first(out, kind).empty())
      fail(all, "variables that depend on each other in a circle");
    return out;
  }

  void rewards(const XmlNode& all) {
    for (const auto& node : all.children) {
      const XmlNode* const of = node->child("Var");
      const auto words = of == nullptr ? std::vector<std::string_view>{} : words_of(of->text);
      if (words.size() != 1 || !rewards_.contains(std::string(words[0]))) {
        fail(of == nullptr ? *node : *of, "a <Func> needs a <Var> that is a <RewardVar>");
      }
      const std::vector<Dimension> d = dimensions(*node, Kind::kSight, true);
      model_.rewards.push_back(table(*node, d, false, std::string(words[0])));
    }
  }

  FactorTable table(const XmlNode& node, const std::vector<Dimension>& d, bool probability,
                    const std::string& what) {
    const XmlNode* const parameter = node.child("Parameter");
    if (parameter == nullptr) fail(node, fmt::format("a <{}> needs a <Parameter>", node.name));
    const auto rules = RuleReader(d, probability, file_).read(*parameter);
    return table_of(rules, d, model_.action.size(), probability, size_, limits_, file_, node, what,
                    out_);
  }

  const std::string& file_;
  const TableLimits& limits_;
  std::unique_ptr<XmlNode> root_;
  FactoredModel model_;
  std::map<std::string, Dimension> names_;
  std::set<std::string> rewards_;
  FactorSize size_;  // how large the tables of one section are
  FileTables out_;
};

}  // namespace

FileTables read_pomdpx(std::string_view text, const std::string& file, const TableLimits& limits) {
  return Reader(text, file, limits).read();
}

}  // namespace bpo
