// The training defaults of every registered problem, and of every kind of file, name options that
// there are, with values that they accept, whatever words and flags its own options are set to.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "bpo/algorithms/train.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/problems/tabular/factored.h"
#include "bpo/problems/tabular/pomdp_writer.h"
#include "bpo/problems/tabular/pomdpx_writer.h"
#include "tests/support/paths.h"
#include "tests/support/problems.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

/// The values of an option that has finitely many, as its row of `bpo list --options` tells them.
std::vector<std::string> choices(const OptionRow& row) {
  if (row.accepts == "true or false") return {"true", "false"};
  std::vector<std::string> out;
  if (!row.accepts.starts_with("one of")) return out;
  const std::regex word("'([^']*)'");
  for (std::sregex_iterator it(row.accepts.begin(), row.accepts.end(), word), end; it != end;
       ++it) {
    out.push_back((*it)[1]);
  }
  return out;
}

/// Resolves the problem with each of its words and flags for every method, and returns how many
/// methods took the problem as it is.
int resolve_all(const std::string& name) {
  std::vector<std::string> sets{""};
  for (const OptionRow& row : problems().at(name).options()) {
    for (const std::string& choice : choices(row)) sets.push_back(row.key + "=" + choice);
  }
  int resolved = 0;
  for (const std::string& set : sets) {
    for (const std::string& method : algorithms().names()) {
      Config config;
      if (!set.empty()) config.set(set);
      try {
        resolve_setup(name, method, config);
        resolved += set.empty();
      } catch (const std::exception& error) {
        const std::string what = error.what();
        const bool has_no_mean = what.find("prior's mean") != what.npos;
        EXPECT_TRUE(has_no_mean && method == "trpo")
            << name << " with " << method << " " << set << ": " << what;
      }
    }
  }
  return resolved;
}

TEST(TrainingDefaults, AreOptionsOfEveryProblemAndMethod) {
  const int methods = static_cast<int>(algorithms().names().size());
  for (const std::string& name : problems().names()) EXPECT_GE(resolve_all(name), methods - 1);
}

TEST(TrainingDefaults, AreOptionsOfEveryFileOfTheExamplesAndMethod) {
  if (*kEmulator != '\0') GTEST_SKIP() << "to calibrate robots takes an emulator half an hour";
  const int methods = static_cast<int>(algorithms().names().size());
  int files = 0, robots = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(kSourcePath) + "/examples")) {
    const std::string path = entry.path();
    if (!path.ends_with(".toml")) continue;
    const bool robot = path.find("/examples/problems/") == path.npos;
    if (robot && !problems().contains("swimmer")) continue;
    // Those of Gymnasium's robots name models that its own package has.
    if (path.find("/gymnasium/") != path.npos) continue;
    EXPECT_GE(resolve_all(open_problem(path)), methods - 1) << path;
    ++files;
    robots += robot;
  }
  EXPECT_GE(files - robots, 1);
  EXPECT_EQ(robots > 0, problems().contains("swimmer"));
}

using TrainingDefaultsOfFiles = test::TemporaryDirectory;

TEST_F(TrainingDefaultsOfFiles, AreOptionsOfAPomdpAndEveryMethod) {
  const int methods = static_cast<int>(algorithms().names().size());
  const auto tables = test::make_problem("tiger")->tabular();
  for (const auto& [ending, text] :
       {std::pair(".pomdp", pomdp_text(*tables, "tiger")),
        std::pair(".pomdpx", pomdpx_text(factored(*tables), "tiger"))}) {
    const std::string file = path(std::string("tiger") + ending);
    write_file_atomic(file, text);
    EXPECT_GE(resolve_all(open_problem(file)), methods - 1) << file;
  }
}

TEST(TrainingDefaults, AreRefusedWhereThereIsNoSuchOptionOrValue) {
  Config misspelt, mistyped;
  misspelt.set_default("algo.iteratons", std::int64_t{3});
  EXPECT_THROW(resolve_setup("tiger", "bpo", misspelt), std::logic_error);
  mistyped.set_default("algo.iterations", std::string("many"));
  EXPECT_THROW(resolve_setup("tiger", "bpo", mistyped), Error);
}

}  // namespace
}  // namespace bpo
