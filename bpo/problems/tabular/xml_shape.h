// What the elements of an XML format may hold. A reader takes of an element what it asks for; that
// nothing else is there, and nothing twice, is checked here, so that no part of a file is passed
// over without a word.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/problems/tabular/xml_tree.h"

namespace bpo {

struct XmlShape {
  /// How often: each child once, each any number of times, or one child in all.
  enum class Children { kOnce, kMany, kOneInAll };
  std::vector<std::string> attributes, children;
  Children often = Children::kOnce;
  std::vector<std::string> many;  // of these any number, whatever `often` says
  bool text = false;
};

/// By the name of the element. One that is not listed may hold anything.
using XmlGrammar = std::map<std::string, XmlShape, std::less<>>;

/// Throws bad_input with the place of an attribute's element, of a child or of a text that has no
/// place in the element or in those below it. Namespaces and their attributes may stand everywhere.
void check_shape(const XmlNode& node, const XmlGrammar& grammar, const std::string& file);

}  // namespace bpo
