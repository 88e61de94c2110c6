#include "bpo/problems/tabular/xml_shape.h"

#include <algorithm>
#include <set>

namespace bpo {
namespace {

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string there_are(const std::vector<std::string>& names, const std::string& wrong) {
  if (names.empty()) return "; there is none";
  return fmt::format("{}; there {}: {}", did_you_mean(wrong, names),
                     names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
}

void check_attributes(const XmlNode& node, const XmlShape& shape, const std::string& file) {
  for (const auto& [name, value] : node.attributes) {
    const bool of_namespace = name == "xmlns" || name.find(':') != std::string::npos;
    if (of_namespace || lists(shape.attributes, name)) continue;
    throw bad_place(file, node.place,
                    fmt::format("{}=\"{}\" is no attribute of <{}>{}", name.substr(0, 60),
                                value.substr(0, 60), node.name, there_are(shape.attributes, name)));
  }
}

void check_children(const XmlNode& node, const XmlShape& shape, const std::string& file) {
  std::vector<std::string> all = shape.children;
  all.insert(all.end(), shape.many.begin(), shape.many.end());
  std::set<std::string_view> once;
  for (const auto& child : node.children) {
    if (!lists(all, child->name)) {
      throw bad_place(file, child->place,
                      fmt::format("<{}> is no part of <{}>{}", child->name.substr(0, 60), node.name,
                                  there_are(all, child->name)));
    }
    if (shape.often == XmlShape::Children::kMany || lists(shape.many, child->name)) continue;
    if (!once.insert(child->name).second) {
      throw bad_place(file, child->place,
                      fmt::format("a second <{}> in one <{}>", child->name, node.name));
    }
    if (shape.often == XmlShape::Children::kOneInAll && once.size() > 1) {
      throw bad_place(file, child->place,
                      fmt::format("<{}> holds one of {}, and <{}> is one more", node.name,
                                  fmt::join(all, ", "), child->name));
    }
  }
}

}  // namespace

void check_shape(const XmlNode& node, const XmlGrammar& grammar, const std::string& file) {
  const auto found = grammar.find(node.name);
  if (found == grammar.end()) return;
  const XmlShape& shape = found->second;
  check_attributes(node, shape, file);
  check_children(node, shape, file);
  if (!shape.text && node.text_place) {
    const std::size_t begin = node.text.find_first_not_of(kXmlSpace);
    const std::size_t end = node.text.find_first_of(kXmlSpace, begin);
    throw bad_place(
        file, *node.text_place,
        fmt::format("'{}' is text, which has no place in <{}>",
                    node.text.substr(begin, std::min<std::size_t>(end - begin, 60)), node.name));
  }
  for (const auto& child : node.children) check_shape(*child, grammar, file);
}

}  // namespace bpo
