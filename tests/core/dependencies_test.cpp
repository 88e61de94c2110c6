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
#include <vector>

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

/// A line of code without what is a comment from "//" on.
std::string code_of(const std::string& line) { return line.substr(0, line.find("//")); }

/// What is printed elsewhere is printed without a line's or a stream's being watched. In comm,
/// which is below all that knows of screens, stand the last words of a rank that gives up and the
/// costs that BPO_EXCHANGES=1 asks for; main() has last words, too; and what is exported is a
/// program of its own, that C programmers are shown how to use.
TEST(Dependencies, NothingPrintsButTheTerminal) {
  const std::regex prints(
      "\\b(v?[fd]?printf|puts|fputs|putchar|perror|fwrite)\\s*\\(|std::(cout|cerr|clog)\\b|"
      "(fmt|std)::print(ln)?\\s*\\(|\\bstd(out|err)\\b|STD(OUT|ERR)_FILENO");
  for (const char* line : {"std::printf(\"x\");", "fmt::print(\"{}\", x);", "std::cerr << x;",
                           "  std::fprintf(stderr, text);", "::write(STDERR_FILENO, p, n);"}) {
    EXPECT_TRUE(std::regex_search(line, prints)) << line;
  }
  for (const char* line : {"std::snprintf(text, sizeof text, \"%s\", what);", "blueprint(x);",
                           "terminal::print(text);"}) {
    EXPECT_FALSE(std::regex_search(line, prints)) << line;
  }
  const std::set<std::string> may{"agent/bpo_runtime.h", "agent/export/c_test.cpp", "cli/main.cpp",
                                  "comm/heart.cpp", "comm/traffic.cpp"};
  std::set<std::string> does;
  const fs::path root = fs::path(bpo::kSourcePath) / "bpo";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path file = fs::relative(entry.path(), root);
    if (!entry.is_regular_file() || *file.begin() == "terminal") continue;
    ++files;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_search(code_of(line), prints)) continue;
      does.insert(file.string());
      EXPECT_TRUE(may.contains(file.string())) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 400);
  EXPECT_EQ(does, may) << "an exception that nothing needs is none";
}

int lines_of(const fs::path& file) {
  std::ifstream in(file);
  return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

/// A file that has grown too long to be read at once is several nouns, and what people type at is
/// thin: arguments and text.
TEST(Sizes, FilesCanBeReadAtOnceAndTheCommandLineIsThin) {
  const fs::path root = bpo::kSourcePath;
  const std::set<std::string> code{".h", ".cpp", ".py", ".c", ".sh"};
  std::vector<int> all;
  std::map<fs::path, int> in_folder;
  for (const char* folder :
       {"bpo", "tests", "python", "fuzz", "examples", "bench", "cmake", "packaging"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!code.contains(entry.path().extension())) continue;
      all.push_back(lines_of(entry.path()));
      EXPECT_LE(all.back(), 350) << entry.path();
      in_folder[entry.path().parent_path()] += all.back();
    }
  }
  EXPECT_GT(all.size(), 800u);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  EXPECT_LE(*middle, 120);
  EXPECT_GT(*middle, 50);
  const int cli = in_folder[root / "bpo" / "cli"], terminal = in_folder[root / "bpo" / "terminal"];
  EXPECT_LE(cli, 2000);
  EXPECT_GT(cli, 1000);
  EXPECT_LE(terminal, 550) << "what left the command line is counted beside it";
  EXPECT_GT(terminal, 300);
}

TEST(Sizes, PagesCanBeReadAtOnce) {
  int pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(bpo::kSourcePath) / "docs")) {
    if (entry.path().extension() != ".md") continue;
    ++pages;
    EXPECT_LE(lines_of(entry.path()), 350) << entry.path();
  }
  EXPECT_GT(pages, 15);
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
