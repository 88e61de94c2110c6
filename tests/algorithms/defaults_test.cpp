// The training defaults of every registered problem name options that there are, with values that
// they accept, whatever words and flags its own options are set to. Nothing is built for it.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "bpo/algorithms/train.h"

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

TEST(TrainingDefaults, AreOptionsOfEveryProblemAndMethod) {
  int resolved = 0;
  for (const auto& [name, entry] : problems().entries()) {
    std::vector<std::string> sets{""};
    for (const OptionRow& row : entry.options()) {
      for (const std::string& choice : choices(row)) sets.push_back(row.key + "=" + choice);
    }
    for (const std::string& set : sets) {
      for (const std::string& method : algorithms().names()) {
        Config config;
        if (!set.empty()) config.set(set);
        try {
          resolve_setup(name, method, config);
          ++resolved;
        } catch (const std::exception& error) {
          const std::string what = error.what();
          const bool has_no_mean = what.find("prior's mean") != what.npos;
          EXPECT_TRUE(has_no_mean && method == "trpo")
              << name << " with " << method << " " << set << ": " << what;
        }
      }
    }
  }
  EXPECT_GT(resolved, 100);
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
