// The plan: what is run, under which name, and that it fits the time it promises.
#include "bpo/experiments/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bpo/core/file.h"
#include "bpo/experiments/overview.h"
#include "bpo/experiments/results.h"
#include "tests/experiments/made_up.h"
#include "tests/support/paths.h"

namespace bpo::experiments {
namespace {

/// Core seconds of everything that this program can run, each run once.
double cost(const Scale& scale) {
  std::map<std::string, double> series;
  for (const Experiment* item : items_of({})) {
    for (const Request& r : item->requests(scale)) {
      if (!problems().contains(r.series.problem)) continue;
      series[r.series.directory()] = r.series.seeds * r.series.seconds;
    }
  }
  double sum = 0.0;
  for (const auto& [name, seconds] : series) sum += seconds;
  return sum;
}

TEST(Plan, FitsItsTimeOnTwoCores) {
  EXPECT_LT(cost({.quick = true}), 2 * 600.0);
  EXPECT_LT(cost({}), 2 * 6.0 * 3600.0);
}

TEST(Plan, IsWhatTheDocumentsSay) {
  if (!problems().contains("ant")) GTEST_SKIP() << "without MuJoCo there are fewer runs";
  const auto says = [](const std::string& file, const Scale& scale) {
    const std::string text = read_file(std::string(kSourcePath) + "/" + file, 1 << 20);
    EXPECT_NE(text.find(extent_text(scale)), text.npos) << file << ": " << extent_text(scale);
  };
  says("docs/reproduce.md", {.quick = true});
  says("docs/reproduce.md", {});
  says("README.md", {});
}

TEST(Plan, SaysHowMuchThereIsToDo) {
  const std::string quick = extent_text({.quick = true});
  const Cost all = costs_of({}, {.quick = true})[items_of({}).size()];
  EXPECT_EQ(quick, fmt::format("{} runs, about {:.0f} minutes on two cores", all.runs,
                               std::ceil(all.seconds / 120.0)));
  EXPECT_NEAR(all.seconds, cost({.quick = true}), 1e-6) << "the sum of all series";
  EXPECT_NE(extent_text({}).find(" h on two cores"), std::string::npos);
}

TEST(Plan, NamesSayWhatIsDifferent) {
  EXPECT_EQ(plan("chain", "bpo", {"problem.bins=3"}, {}).directory(), "chain-bins=3/bpo");
  EXPECT_EQ(plan("chain", "bpo", {"problem.bins=3"}, {.quick = true}).directory(),
            "chain-bins=3-iterations=20/bpo");
  const Scale changed{.quick = true, .sets = {"algo.iterations=7"}};
  EXPECT_EQ(plan("chain", "bpo", {"problem.bins=3"}, changed).directory(),
            "chain-bins=3-iterations=7/bpo")
      << "the last assignment counts";
  EXPECT_EQ(plan("tiger", "bpo", {}, {.seeds = 11}).seeds, 11);
  EXPECT_THROW(plan("maze", "bpo", {}, {}), std::logic_error);
}

TEST(Plan, HasTenSeedsOfTheMethodsCompared) {
  for (const char* method : {"bpo", "bpo-minus", "up-mle", "dr"}) {
    EXPECT_EQ(plan("ant", method, {}, {}).seeds, 10) << method;
  }
  for (const char* method : {"epopt", "trpo", "oracle"}) {
    EXPECT_EQ(plan("tiger", method, {}, {}).seeds, 5) << method;
  }
}

TEST(Plan, OnlyNominalTrpoNeedsAMean) {
  EXPECT_FALSE(applies("tiger", "trpo"));
  EXPECT_FALSE(applies("lightdark", "trpo"));
  EXPECT_TRUE(applies("chain", "trpo"));
  EXPECT_TRUE(applies("tiger", "dr"));
}

TEST(Plan, PlannersAreNotTrained) {
  const Series series = plan("lightdark", "belief-ilqg", {},
                             {.quick = true, .seeds = 5, .sets = {"algo.iterations=7"}});
  EXPECT_EQ(series.seeds, 1);
  EXPECT_TRUE(series.sets.empty());
}

TEST(Plan, WhoSeesNoBeliefSeesNoBins) {
  const auto of = [](const char* name, const char* method) {
    for (const PaperProblem& p : paper_problems()) {
      if (p.name == name) return cell(p, method, {}).series.directory();
    }
    return std::string();
  };
  for (const char* blind : {"epopt", "dr", "trpo", "oracle"}) {
    EXPECT_EQ(of("Chain-1000", blind), of("Chain-10", blind)) << blind;
  }
  EXPECT_NE(of("Chain-1000", "up-mle"), of("Chain-10", "up-mle"));
}

TEST(Protocols, NamesTellWorldsApart) {
  EXPECT_EQ(Protocol{.episodes = 5}.name(), "5");
  EXPECT_EQ((Protocol{.episodes = 5, .sets = {"problem.slip=0.2"}}).name(), "slip=0.2-5");
  EXPECT_EQ((Protocol{.episodes = 5, .seed = 100}).name(), "seed=100-5");
}

TEST(Results, HoldWhatAReaderNeeds) {
  const Experiment& item = all().at("fig-discretization");
  const auto json = results_json(item, made_up(item, {.seeds = 3}));
  EXPECT_EQ(json["item"], "fig-discretization");
  EXPECT_EQ(json["quick"], false);
  ASSERT_EQ(json["series"].size(), 10u);
  const auto& first = json["series"][0];
  EXPECT_EQ(first["problem"], "chain");
  EXPECT_EQ(first["method"], "bpo");
  EXPECT_EQ(first["set"], nlohmann::json({"problem.bins=3"}));
  EXPECT_EQ(first["seeds"], nlohmann::json({0, 1, 2}));
  EXPECT_EQ(first["values"], nlohmann::json({500.0, 501.0, 502.0}));
  EXPECT_NEAR(first["ci95_over_seeds"].get<double>(), 4.3027 / std::sqrt(3.0), 1e-4);
  EXPECT_EQ(first["best_seed"], 2);
  EXPECT_EQ(first["optimum"], 400.25);
  EXPECT_EQ(first["episodes"], 5000);
  EXPECT_EQ(first["commits"], nlohmann::json({"abc"}));
  const auto few = results_json(item, made_up(item, {.seeds = 2}));
  EXPECT_TRUE(few["series"][0]["ci95_over_seeds"].is_null());
}

}  // namespace
}  // namespace bpo::experiments
