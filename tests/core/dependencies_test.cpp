// Dependencies point one way: a folder includes itself and what the table of docs/architecture.md
// lets it include. And no file is long.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/paths.h"

namespace {

namespace fs = std::filesystem;

using Folders = std::set<std::string>;

const std::map<std::string, Folders> kMayInclude = [] {
  std::map<std::string, Folders> out{{"comm", {}},
                                     {"core", {"comm"}},
                                     {"problems", {"core", "filters"}},
                                     {"filters", {"core"}},
                                     {"nn", {"core"}},
                                     {"optimizers", {"core", "nn"}},
                                     {"planners", {"core", "nn"}},
                                     {"report", {"core", "runs"}},
                                     {"terminal", {"comm", "core", "runs", "report"}}};
  const Folders below{"comm", "core", "problems", "filters", "nn", "optimizers", "planners"};
  out["algorithms"] = below;
  out["agent"] = below;
  out["agent"].insert("algorithms");
  out["runs"] = out["agent"];
  out["runs"].insert("agent");
  out["experiments"] = out["runs"];
  out["experiments"].insert({"runs", "report"});
  out["cli"] = out["experiments"];
  out["cli"].insert({"experiments", "terminal"});
  return out;
}();

bool allowed(const std::string& from, const std::string& to) {
  return from == to || kMayInclude.at(from).contains(to);
}

TEST(Dependencies, PointOneWay) {
  const fs::path root = fs::path(bpo::kSourcePath) / "bpo";
  const std::regex include("^\\s*#\\s*include\\s*[\"<]bpo/([a-z_]+)/([^\">]+)[\">].*");
  int files = 0, includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    ++files;
    const std::string from = fs::relative(entry.path(), root).begin()->string();
    ASSERT_TRUE(kMayInclude.count(from))
        << entry.path() << ": its folder has no place in the design";
    std::ifstream in(entry.path());
    std::smatch match;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!std::regex_match(line, match, include)) continue;
      ++includes;
      const std::string to = match[1];
      ASSERT_TRUE(kMayInclude.count(to)) << entry.path() << ":" << number << ": " << line;
      EXPECT_TRUE(allowed(from, to)) << entry.path() << ":" << number << ": " << line;
      EXPECT_TRUE(fs::exists(root / to / match[2].str())) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 40);
  EXPECT_GT(includes, 100);
}

/// A thread that the system refuses must not end the program, so all are started in one place.
TEST(Dependencies, ThreadsAreStartedInOnePlace) {
  const std::regex starts("std::j?thread(\\s+\\w+)?\\s*[({]");
  EXPECT_TRUE(std::regex_search("std::thread([] {}).detach();", starts));
  EXPECT_FALSE(std::regex_search("std::thread worker = start_thread(f);", starts));
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(bpo::kSourcePath) / "bpo")) {
    if (!entry.is_regular_file() || entry.path().stem() == "start_thread") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      EXPECT_FALSE(std::regex_search(line, starts)) << entry.path() << ": " << line;
    }
  }
}

int lines_of(const fs::path& file) {
  std::ifstream in(file);
  return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

/// A file that has grown too long to be read at once is several nouns, and what people type at is
/// thin: arguments and text.
TEST(Sizes, FilesCanBeReadAtOnceAndTheCommandLineIsThin) {
  const fs::path root = bpo::kSourcePath;
  int files = 0, cli = 0;
  for (const char* folder : {"bpo", "tests", "python", "fuzz", "examples", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".py") continue;
      ++files;
      const int lines = lines_of(entry.path());
      EXPECT_LE(lines, 350) << entry.path();
      if (entry.path().parent_path() == root / "bpo" / "cli") cli += lines;
    }
  }
  EXPECT_GT(files, 700);
  EXPECT_LE(cli, 2000);
  EXPECT_GT(cli, 1000);
}

/// MUJOCO=3 is for every goal of the Makefile that configures a folder, or it would build with the
/// installed version there.
TEST(Dependencies, EveryGoalConfiguresTheMujocoThatIsAskedFor) {
  std::ifstream in(fs::path(bpo::kSourcePath) / "Makefile");
  int goals = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find("cmake --preset release") == line.npos) continue;
    ++goals;
    EXPECT_NE(line.find("$(CONFIGURE)"), line.npos) << line;
  }
  EXPECT_GT(goals, 8);
}

TEST(Dependencies, TheRuleItself) {
  EXPECT_TRUE(allowed("nn", "core"));
  EXPECT_TRUE(allowed("problems", "filters"));
  EXPECT_TRUE(allowed("cli", "algorithms"));
  EXPECT_FALSE(allowed("core", "nn"));
  EXPECT_FALSE(allowed("filters", "problems"));
  EXPECT_FALSE(allowed("planners", "optimizers"));
  EXPECT_FALSE(allowed("optimizers", "algorithms"));
  EXPECT_FALSE(allowed("planners", "algorithms"));
  EXPECT_FALSE(allowed("report", "algorithms"));
  EXPECT_FALSE(allowed("algorithms", "runs"));
  EXPECT_FALSE(allowed("algorithms", "agent"));
  EXPECT_FALSE(allowed("agent", "runs"));
  EXPECT_FALSE(allowed("runs", "report"));
}

}  // namespace
