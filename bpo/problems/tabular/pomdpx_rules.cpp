#include "bpo/problems/tabular/pomdpx_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace bpo {
namespace {

constexpr std::size_t kMostRules = 2000000, kMostInstances = 40000000;
constexpr int kMostTemplates = 20;

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;
       (at = text.find_first_not_of(kXmlSpace, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kXmlSpace, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

void RuleReader::fail(const XmlNode& node, const std::string& what) const {
  throw bad_place(file_, node.place, what);
}

std::vector<FactorRule> RuleReader::read(const XmlNode& parameter) {
  parameter_ = &parameter;
  const std::string* const type = parameter.attribute("type");
  if (type == nullptr || *type == "TBL") {
    for (const auto& node : parameter.children) {
      if (node->name != "Entry")
        fail(*node, fmt::format("<{}> is no <Entry> of a TBL", node->name));
      entry(*node);
    }
  } else if (*type == "DD") {
    const XmlNode* const dag = parameter.child("DAG");
    if (dag == nullptr) fail(parameter, "a DD needs a <DAG>");
    std::set<std::string_view> templates;
    for (const auto& node : parameter.children) {
      if (node->name == "Entry") fail(*node, "<Entry> is no part of a DD");
      const std::string* const id = node->attribute("id");
      if (node->name != "SubDAGTemplate" || id == nullptr) continue;
      if (!templates.insert(*id).second) {
        fail(*node, fmt::format("there are two <SubDAGTemplate>s '{}'", id->substr(0, 60)));
      }
    }
    std::vector<int> at(dimensions_.size(), FactorRule::kAny);
    for (const auto& node : dag->children) diagram(*node, at);
  } else {
    fail(parameter, fmt::format("type=\"{}\" is no parameter; there are TBL and DD", *type));
  }
  return std::move(out_);
}

void RuleReader::entry(const XmlNode& node) {
  FactorRule rule{.place = node.place};
  const XmlNode* const where = node.child("Instance");
  const char* const table = probabilities_ ? "ProbTable" : "ValueTable";
  const XmlNode* const values = node.child(table);
  if (where == nullptr || values == nullptr || node.children.size() > 2) {
    fail(node, fmt::format("an <Entry> needs an <Instance> and a <{}>", table));
  }
  instance(*where, rule);
  numbers(*values, rule);
  rule.place = values->place;
  add(node, std::move(rule));
}

/// A diagram that unfolds takes far more memory than its text.
void RuleReader::add(const XmlNode& node, FactorRule rule) {
  if (out_.size() == kMostRules || out_.size() * rule.instance.size() > kMostInstances) {
    fail(node, fmt::format("more than {} entries or leaves, or {} values in them", kMostRules,
                           kMostInstances));
  }
  out_.push_back(std::move(rule));
}

void RuleReader::instance(const XmlNode& node, FactorRule& rule) const {
  const auto words = words_of(node.text);
  if (words.size() != dimensions_.size()) {
    std::vector<std::string> names;
    for (const Dimension& d : dimensions_) names.push_back(d.name);
    fail(node, fmt::format("an instance of {} values, and there are {} variables: {}", words.size(),
                           names.size(), fmt::join(names, " ")));
  }
  for (int i = 0; i < std::ssize(words); ++i) {
    rule.instance.push_back(words[i] == "-" ? FactorRule::kAll : value(node, i, words[i]));
  }
}

void RuleReader::numbers(const XmlNode& node, FactorRule& rule) const {
  const auto words = words_of(node.text);
  const auto all = std::count(rule.instance.begin(), rule.instance.end(), FactorRule::kAll);
  if (words.size() == 1 && words[0] == "uniform" && probabilities_) {
    if (rule.instance.back() >= 0) fail(node, "uniform needs '-' or '*' for the variable");
    rule.content = FactorRule::Content::kUniform;
    return;
  }
  if (words.size() == 1 && words[0] == "identity" && probabilities_) {
    const auto from = std::find(rule.instance.begin(), rule.instance.end(), FactorRule::kAll);
    const auto which = static_cast<std::size_t>(from - rule.instance.begin());
    if (all != 2 || rule.instance.back() != FactorRule::kAll ||
        dimensions_[which].variable->size() != dimensions_.back().variable->size()) {
      fail(node, "identity needs '-' for the variable and for one parent with as many values");
    }
    rule.content = FactorRule::Content::kIdentity;
    return;
  }
  double wanted = 1.0;
  for (std::size_t i = 0; i < rule.instance.size(); ++i) {
    if (rule.instance[i] == FactorRule::kAll) wanted *= dimensions_[i].variable->size();
  }
  if (static_cast<double>(words.size()) != wanted) {
    fail(node, fmt::format("{} numbers, and the instance asks for {:.0f}", words.size(), wanted));
  }
  for (const std::string_view word : words) rule.numbers.push_back(number(node, word));
}

std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double out = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(out)) return {};
  return out;
}

double RuleReader::number(const XmlNode& node, std::string_view word) const {
  const std::optional<double> read = number_of(word);
  if (!read) fail(node, fmt::format("'{}' is no number", word.substr(0, 60)));
  const double out = *read;
  if (std::abs(out) > kMostReward) {
    fail(node, fmt::format("'{}' is too large for a reward", word.substr(0, 60)));
  }
  if (probabilities_ && !(out >= 0.0 && out <= 1.0 + 1e-9)) {
    fail(node, fmt::format("'{}' is no probability: it must be in [0, 1]", word.substr(0, 60)));
  }
  return out;
}

int RuleReader::value(const XmlNode& node, int of, std::string_view word) const {
  if (word == "*") return FactorRule::kAny;
  const auto at = by_name_[of].find(word);
  if (at != by_name_[of].end()) return at->second;
  const std::vector<std::string>& values = dimensions_[of].variable->values;
  fail(node, fmt::format("'{}' is no value of {}{}", word.substr(0, 60), dimensions_[of].name,
                         values.size() < 1000 ? did_you_mean(word, values) : ""));
}

int RuleReader::dimension(const XmlNode& node) const {
  const std::string* const name = node.attribute("var");
  if (name == nullptr) fail(node, fmt::format("a <{}> needs a var", node.name));
  for (int i = 0; i < std::ssize(dimensions_); ++i) {
    if (dimensions_[i].name == *name) return i;
  }
  fail(node,
       fmt::format("'{}' is neither the variable nor one of its parents", name->substr(0, 60)));
}

void RuleReader::diagram(const XmlNode& node, std::vector<int>& at) {
  if (++visits_ > kMostRules) fail(node, "the diagram unfolds to too many nodes");
  if (node.name == "SubDAG") return sub_diagram(node, at);
  if (node.name == "Terminal") {
    const auto words = words_of(node.text);
    if (words.size() != 1) fail(node, "a <Terminal> holds one number");
    return leaf(node, at, number(node, words[0]));
  }
  const int of = dimension(node);
  const int before = at[of];
  for (const auto& edge : node.children) {
    const std::string* const word = edge->attribute("val");
    if (word == nullptr) fail(*edge, "a <Node> holds <Edge val=\"...\">");
    const int chosen = value(*edge, of, *word);
    if (before != FactorRule::kAny && chosen != FactorRule::kAny && chosen != before) continue;
    at[of] = chosen == FactorRule::kAny ? before : chosen;
    for (const auto& below : edge->children) diagram(*below, at);
    at[of] = before;
  }
}

void RuleReader::sub_diagram(const XmlNode& node, std::vector<int>& at) {
  const std::string* const type = node.attribute("type");
  if (type != nullptr && *type == "template") {
    const std::string* const id = node.attribute("idref");
    for (const auto& candidate : parameter_->children) {
      const std::string* const other = candidate->attribute("id");
      if (candidate->name != "SubDAGTemplate" || id == nullptr || other == nullptr ||
          *id != *other) {
        continue;
      }
      if (++templates_ > kMostTemplates) fail(node, "templates that stand in each other");
      for (const auto& below : candidate->children) diagram(*below, at);
      --templates_;
      return;
    }
    fail(node, "there is no <SubDAGTemplate> with this idref");
  }
  if (type == nullptr || !probabilities_ ||
      (*type != "deterministic" && *type != "persistent" && *type != "uniform")) {
    fail(node, "a <SubDAG> is deterministic, persistent, uniform or a template");
  }
  const int of = dimension(node), last = static_cast<int>(dimensions_.size()) - 1;
  if (of != last) fail(node, fmt::format("a {} <SubDAG> is of the variable itself", *type));
  FactorRule rule{.instance = at, .place = node.place};
  if (*type == "deterministic") {
    const std::string* const word = node.attribute("val");
    if (word == nullptr || *word == "*") fail(node, "a deterministic <SubDAG> needs a val");
    rule.instance[of] = value(node, of, *word);
    rule.numbers = {1.0};
  } else if (*type == "uniform") {
    rule.instance[of] = FactorRule::kAll;
    rule.content = FactorRule::Content::kUniform;
  } else {
    int before = -1;
    for (int i = 0; i < last; ++i) {
      const VariableRef& ref = dimensions_[i].ref;
      if (dimensions_[i].kind == Dimension::Kind::kVariable &&
          ref.kind == VariableRef::Kind::kBefore && ref.index == dimensions_[of].ref.index) {
        before = i;
      }
    }
    if (before < 0 || dimensions_[of].ref.kind != VariableRef::Kind::kAfter) {
      fail(node, "a persistent <SubDAG> needs the variable's past among its parents");
    }
    if (at[before] >= 0) {
      rule.instance[of] = at[before];
      rule.numbers = {1.0};
    } else {
      rule.instance[of] = rule.instance[before] = FactorRule::kAll;
      rule.content = FactorRule::Content::kIdentity;
    }
  }
  add(node, std::move(rule));
}

void RuleReader::leaf(const XmlNode& node, const std::vector<int>& at, double number) {
  add(node, {at, FactorRule::Content::kNumbers, {number}, node.place});
}

}  // namespace bpo
