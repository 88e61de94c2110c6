// Links of the documents lead somewhere: to a file that is there and, where they name one, to a
// heading of it.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "tests/support/paths.h"

namespace {

namespace fs = std::filesystem;

/// A heading's name in a link.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '-' || c == '_') out += static_cast<char>(std::tolower(u));
    if (c == ' ') out += '-';
  }
  return out;
}

/// Calls f(line) on every line of a document that is not inside of a block of code.
template <class F>
void for_each_line(const fs::path& document, F f) {
  std::ifstream in(document);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != line.npos && line.compare(first, 3, "```") == 0) {
      code = !code;
    } else if (!code) {
      f(line);
    }
  }
}

std::set<std::string> anchors(const fs::path& document) {
  std::set<std::string> out;
  for_each_line(document, [&](const std::string& line) {
    const std::size_t text = line.find_first_not_of('#');
    if (text != 0 && text != line.npos && line[text] == ' ') {
      out.insert(anchor_of(line.substr(text + 1)));
    }
  });
  return out;
}

TEST(References, LeadToFilesAndHeadings) {
  const fs::path root = bpo::kSourcePath;
  std::vector<fs::path> documents{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  const std::regex link("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  int links = 0, places = 0;
  for (const fs::path& document : documents) {
    for_each_line(document, [&](const std::string& line) {
      for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it) {
        const std::string to = (*it)[1], heading = (*it)[2];
        if (to.find("://") != to.npos) continue;
        const fs::path target = to.empty() ? document : document.parent_path() / to;
        EXPECT_TRUE(fs::exists(target)) << document << ": " << to;
        ++links;
        if (heading.empty()) continue;
        EXPECT_TRUE(anchors(target).contains(heading)) << document << ": " << to << "#" << heading;
        ++places;
      }
    });
  }
  EXPECT_GT(links, 100);
  EXPECT_GT(places, 30);
}

TEST(References, AHeadingsNameIsThatOfTheMarkdownPeopleRead) {
  EXPECT_EQ(anchor_of("Does the belief pay?"), "does-the-belief-pay");
  EXPECT_EQ(anchor_of("Euler's method instead of Runge-Kutta's"),
            "eulers-method-instead-of-runge-kuttas");
}

}  // namespace
