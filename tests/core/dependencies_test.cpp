// Dependencies point one way:
// core <- {problems, filters, nn} <- {optimizers, planners} <- algorithms <- report <- experiments
// <- cli. A folder includes itself and what stands to its left; problems also include filters.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> kLevel = {
    {"core", 0},     {"problems", 1},   {"filters", 1}, {"nn", 1},          {"optimizers", 2},
    {"planners", 2}, {"algorithms", 3}, {"report", 4},  {"experiments", 5}, {"cli", 6}};

bool allowed(const std::string& from, const std::string& to) {
  return from == to || (from == "problems" && to == "filters") || kLevel.at(to) < kLevel.at(from);
}

TEST(Dependencies, PointOneWay) {
  const fs::path root = fs::path(BPO_SOURCE_DIR) / "bpo";
  const std::regex include("^\\s*#\\s*include\\s*[\"<]bpo/([a-z_]+)/([^\">]+)[\">].*");
  int files = 0, includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    ++files;
    const std::string from = fs::relative(entry.path(), root).begin()->string();
    ASSERT_TRUE(kLevel.count(from)) << entry.path() << ": its folder has no place in the design";
    std::ifstream in(entry.path());
    std::smatch match;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!std::regex_match(line, match, include)) continue;
      ++includes;
      const std::string to = match[1];
      ASSERT_TRUE(kLevel.count(to)) << entry.path() << ":" << number << ": " << line;
      EXPECT_TRUE(allowed(from, to)) << entry.path() << ":" << number << ": " << line;
      EXPECT_TRUE(fs::exists(root / to / match[2].str())) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 40);
  EXPECT_GT(includes, 100);
}

TEST(Dependencies, TheRuleItself) {
  EXPECT_TRUE(allowed("nn", "core"));
  EXPECT_TRUE(allowed("problems", "filters"));
  EXPECT_TRUE(allowed("cli", "algorithms"));
  EXPECT_FALSE(allowed("core", "nn"));
  EXPECT_FALSE(allowed("filters", "problems"));
  EXPECT_FALSE(allowed("planners", "optimizers"));
  EXPECT_FALSE(allowed("optimizers", "algorithms"));
}

}  // namespace
