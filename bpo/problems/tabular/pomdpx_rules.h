// What a POMDPX file says of one variable or reward, as rules: an instance that names a value of
// each dimension, leaves it open ('*') or lists all its values ('-'), and the numbers for those.
// Later rules override earlier ones. A dimension is a parent or, at last, the variable itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpo/problems/tabular/factored.h"
#include "bpo/problems/tabular/xml_tree.h"

namespace bpo {

struct Dimension {
  enum class Kind { kAction, kVariable };
  Kind kind = Kind::kVariable;
  VariableRef ref = {};
  const Variable* variable = nullptr;
  std::string name;  // as the file calls it
};

struct FactorRule {
  static constexpr int kAny = -1, kAll = -2;
  enum class Content { kNumbers, kUniform, kIdentity };
  std::vector<int> instance;  // by dimension
  Content content = Content::kNumbers;
  std::vector<double> numbers;
  Place place;
};

/// What a <Parameter> holds: a table (TBL) or a decision diagram (DD). Of a probability the last
/// dimension is the variable's.
class RuleReader {
 public:
  RuleReader(const std::vector<Dimension>& dimensions, bool probabilities, const std::string& file)
      : dimensions_(dimensions), probabilities_(probabilities), file_(file) {
    for (const Dimension& d : dimensions) {
      auto& by_name = by_name_.emplace_back();
      for (int i = 0; i < d.variable->size(); ++i) by_name.emplace(d.variable->values[i], i);
    }
  }

  std::vector<FactorRule> read(const XmlNode& parameter);

 private:
  void entry(const XmlNode& node);
  void instance(const XmlNode& node, FactorRule& rule) const;
  void numbers(const XmlNode& node, FactorRule& rule) const;
  // What is below this place of a diagram has these values.
  void diagram(const XmlNode& node, std::vector<int>& at);
  void sub_diagram(const XmlNode& node, std::vector<int>& at);
  void leaf(const XmlNode& node, const std::vector<int>& at, double value);
  void add(const XmlNode& node, FactorRule rule);
  int dimension(const XmlNode& node) const;
  int value(const XmlNode& node, int of, std::string_view word) const;
  double number(const XmlNode& node, std::string_view word) const;
  [[noreturn]] void fail(const XmlNode& node, const std::string& what) const;

  const std::vector<Dimension>& dimensions_;
  bool probabilities_;
  const std::string& file_;
  std::vector<std::unordered_map<std::string_view, int>> by_name_;  // by dimension
  const XmlNode* parameter_ = nullptr;
  int templates_ = 0;  // templates that are being gone through, one in another
  std::size_t visits_ = 0;
  std::vector<FactorRule> out_;
};

/// The words of a text.
std::vector<std::string_view> words_of(std::string_view text);
/// The finite number that a word is, if it is one.
std::optional<double> number_of(std::string_view word);

/// How much tables hold, and how much was told for it.
struct FactorSize {
  double rows = 0.0, numbers = 0.0, told = 0.0;
};

/// The table that the rules make: for each action the parents that matter there, and their rows;
/// actions with the same rules share one. It is added to `size`, before memory is taken for it.
/// Remarks on rows go to `remarks`; `what` names the variable.
FactorTable table_of(const std::vector<FactorRule>& rules, const std::vector<Dimension>& dimensions,
                     int actions, bool probabilities, FactorSize& size, const TableLimits& limits,
                     const std::string& file, const XmlNode& node, const std::string& what,
                     FileTables& remarks);

}  // namespace bpo
