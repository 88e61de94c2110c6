// Options are read and settings are compared without a problem being built: one whose building is
// forbidden is resolved for every solver, told apart from another, and refused for a wrong option.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bpo/algorithms/train.h"
#include "bpo/runs/campaign.h"
#include "bpo/runs/run.h"
#include "bpo/runs/settings.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

constexpr const char* kName = "unbuildable";

/// Tiger by another name, which cannot be built in these tests; it can in those that the same
/// process runs after them.
class ResolveTest : public test::TemporaryDirectory {
 protected:
  ResolveTest() {
    forbidden_ = true;
    if (problems().contains(kName)) return;
    ProblemEntry entry = problems().at("tiger");
    entry.name = kName;
    entry.resolve = [resolve = entry.resolve](Config& config) {
      ResolvedProblem out = resolve(config);
      out.build = [build = out.build] {
        if (forbidden_) throw std::logic_error("was built");
        return build();
      };
      return out;
    };
    problems().add(std::move(entry));
  }
  ~ResolveTest() override { forbidden_ = false; }

  static Config config(const std::vector<std::string>& sets, const std::string& method = "bpo") {
    Config out = config_of(sets);
    out.set(std::string("run.problem=") + kName);
    out.set("run.algorithm=" + method);
    return out;
  }
  static LoadedPolicy loaded(const std::string& directory, const std::vector<std::string>& sets) {
    return {.directory = directory, .run = {.problem = kName}, .toml = resolved_toml(config(sets))};
  }
  /// The message of the error of this kind that the call ends in.
  template <class E, class Call>
  static std::string error_of(Call call) {
    try {
      call();
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << "there was no error";
    return "";
  }

 private:
  inline static bool forbidden_ = false;
};

TEST_F(ResolveTest, OptionsOfEverySolver) {
  int methods = 0, planners = 0;
  for (const auto& [name, entry] : solvers().entries()) {
    if (name == "trpo") continue;  // Tiger has no mean for it
    Config options = config({"problem.accuracy=0.7"}, name);
    RunIdentity run;
    options.read("run", run);
    ASSERT_NO_THROW(entry.resolve(kName, options)) << name;
    EXPECT_NE(options.to_toml().find("accuracy = 0.7"), std::string::npos) << name;
    ++(entry.kind == SolverKind::kPlanner ? planners : methods);
  }
  EXPECT_GE(methods, 6);
  EXPECT_GE(planners, 6);
  Config options = config_of({"problem.horizon=12"});
  EXPECT_EQ(resolve_setup(kName, "bpo", options).problem.horizon, 12);
  Config nominal;
  EXPECT_NE(error_of<Error>([&] { resolve_setup(kName, "trpo", nominal); }).find("prior's mean"),
            std::string::npos);
}

TEST_F(ResolveTest, APlanBuildsOnceItsOptionsAreRead) {
  EXPECT_EQ(error_of<std::logic_error>([] { make_plan(config({})); }), "was built")
      << "these tests notice when somebody builds";
  for (const char* wrong : {"problem.accurcy=0.7", "problem.accuracy=7", "algo.hiden=8"}) {
    EXPECT_EQ(error_of<Error>([&] { make_plan(config({wrong})); }),
              error_of<Error>([&] { resolved_toml(config({wrong})); }))
        << wrong;
  }
}

TEST_F(ResolveTest, SettingsAreCompared) {
  const LoadedPolicy one = loaded("one", {}), seed = loaded("seed", {"run.seed=7"});
  const LoadedPolicy world = loaded("world", {"problem.accuracy=0.7"});
  const LoadedPolicy trained = loaded("trained", {"algo.hidden=8"});
  EXPECT_NO_THROW(check_one_training(one, seed));
  EXPECT_EQ(world_difference(one, seed), "");
  EXPECT_EQ(world_difference(one, trained), "");
  EXPECT_EQ(world_difference(one, world), "problem.accuracy = 0.7 instead of 0.85");
  EXPECT_NE(error_of<Error>([&] { check_one_training(one, trained); }).find("algo.hidden = 8"),
            std::string::npos);
}

TEST_F(ResolveTest, ACampaignComparesWhatItFinds) {
  Task task{.series = {kName, "bpo", {"algo.hidden=8"}}, .seed = 3, .directory = path("run")};
  EXPECT_NO_THROW(check_settings(task));
  const std::string toml = resolved_toml(config({"algo.hidden=8", "run.seed=3"}));
  make_directories(task.directory);
  write_file_atomic(task.directory + "/config.toml", toml);
  EXPECT_NO_THROW(check_settings(task)) << "what is there has the same settings";
  task.seed = 4;
  EXPECT_NE(error_of<Error>([&] { check_settings(task); }).find("holds a run with other settings"),
            std::string::npos);
}

}  // namespace
}  // namespace bpo
