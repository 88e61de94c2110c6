// An XML text of unknown origin as a tree whose nodes know their places (expat). What is not XML is
// refused with its place, and so are document types, which could make a short text long.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpo/problems/tabular/file_tables.h"

namespace bpo {

constexpr std::string_view kXmlSpace = " \t\r\n";

struct XmlNode {
  std::string name, text;  // the text that stands in it directly
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::unique_ptr<XmlNode>> children;
  Place place;
  std::optional<Place> text_place;  // of the text's first word

  /// Null where there is none of this name.
  const XmlNode* child(std::string_view called) const;
  const std::string* attribute(std::string_view called) const;
};

std::unique_ptr<XmlNode> parse_xml(std::string_view text, const std::string& file);

}  // namespace bpo
