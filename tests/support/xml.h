// Whether a text is well-formed XML, as far as figures use it: tags nest, attributes are quoted,
// '<' and '&' are escaped, every character is one that XML has.
#pragma once

#include <cctype>
#include <regex>
#include <string>
#include <vector>

namespace bpo::test {

/// Empty, or what is wrong.
inline std::string xml_fault(const std::string& xml) {
  static const std::regex tag(
      "^<(/?)([A-Za-z0-9]+)((?:\\s+[A-Za-z0-9:-]+=\"[^\"<>]*\")*)\\s*(/?)>");
  static const std::regex entity("^&(amp|lt|gt|quot);");
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    const auto byte = static_cast<unsigned char>(xml[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t') return "a control character";
    std::smatch match;
    const auto from = xml.begin() + static_cast<std::ptrdiff_t>(i);
    if (xml[i] == '&' && !std::regex_search(from, xml.end(), match, entity)) return "a bare &";
    if (xml[i] != '<') {
      ++i;
      continue;
    }
    if (!std::regex_search(from, xml.end(), match, tag)) return "no tag: " + xml.substr(i, 60);
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return "unexpected </" + match[2].str() + ">";
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
    i += static_cast<std::size_t>(match.length());
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

inline int occurrences(const std::string& text, const std::string& word) {
  int n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace bpo::test
