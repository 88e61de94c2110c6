// Figures name the commit that they were measured at, so every commit that README, docs and results
// name must be in the history.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/support/paths.h"

namespace {

namespace fs = std::filesystem;

/// Words that look like shortened hashes: 7 to 12 hexadecimal digits, letters and figures among
/// them.
std::set<std::string> hashes_in(const fs::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  static const std::regex kHash("\\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,12}\\b");
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), kHash), end; at != end; ++at) {
    out.insert(at->str());
  }
  return out;
}

bool in_history(const std::string& commit) {
  const std::string command = "git -C '" + std::string(bpo::kSourcePath) +
                              "' merge-base --is-ancestor '" + commit + "' HEAD 2> /dev/null";
  return std::system(command.c_str()) == 0;
}

TEST(Commits, ThatAreNamedAreInTheHistory) {
  if (!in_history("HEAD")) GTEST_SKIP() << "this is no clone of the repository";
  EXPECT_FALSE(in_history("0123456789ab"));
  const fs::path root = bpo::kSourcePath;
  std::set<fs::path> files{root / "README.md"};
  for (const char* folder : {"docs", "results"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) files.insert(entry.path());
    }
  }
  int commits = 0;
  for (const fs::path& file : files) {
    for (const std::string& commit : hashes_in(file)) {
      ++commits;
      EXPECT_TRUE(in_history(commit)) << file << " names " << commit;
    }
  }
  EXPECT_GT(commits, 50);
}

}  // namespace
