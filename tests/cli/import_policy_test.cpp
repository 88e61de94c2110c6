// Policies of APPL's tools: a planner's run writes one, `import-policy` makes a run of one, and
// `compare` tells how far a policy is from the bounds of a planner.
#include <fmt/format.h>

#include <cmath>

#include "tests/cli/process.h"
#include "tests/support/svg_numbers.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class ImportPolicyTest : public CliTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
    const Outcome solved = run({"solve", "t.pomdp", "--planner", "sarsop", "--out", "s",
                                "--episodes", "20", "--threads", "1"});
    ASSERT_EQ(solved.status, 0) << solved.err;
    EXPECT_NE(solved.out.find("bounds     19.3"), std::string::npos) << solved.out;
  }
  Outcome import(const std::string& policy, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"import-policy", "t.pomdp", policy, "--out", "i"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

TEST_F(ImportPolicyTest, WhatWasWrittenActsTheSame) {
  const Outcome made = import("s/appl.policy");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("vectors, worth 19.37"), std::string::npos) << made.out;
  const auto mean = [&](const char* directory) {
    return run_json({"eval", directory, "--episodes", "300", "--seed", "3"})["mean"];
  };
  EXPECT_EQ(mean("i"), mean("s"));
  const json played = run_json({"play", "i", "--trace"});
  EXPECT_EQ(played["algorithm"], "appl");
  EXPECT_EQ(played["steps"][0]["action"], "listen");
  EXPECT_EQ(run({"report", "i", "-o", "r.html", "--episodes", "20"}).status, 0);
  EXPECT_EQ(import("s/appl.policy").status, 2) << "a run is there already";
  EXPECT_EQ(import("s/appl.policy", {"--force"}).status, 0);
  expect_refused({"resume", "i"}, 2, {"appl plans nothing", "bpo import-policy"});
}

TEST_F(ImportPolicyTest, WhatDoesNotFitMakesNothing) {
  spill(path("short.policy"),
        "<Policy>\n<AlphaVector vectorLength='2' numObsValue='1'>\n"
        "<Vector action='0' obsValue='0'>1</Vector></AlphaVector></Policy>");
  spill(path("cut.policy"), slurp(dir_ / "s" / "appl.policy").substr(0, 300));
  const auto refused = [&](const std::string& problem, const std::string& policy,
                           const std::vector<std::string>& words, int status = 2) {
    expect_refused({"import-policy", problem, policy, "--out", "i"}, status, words);
    EXPECT_FALSE(fs::exists(path("i")));
  };
  refused("t.pomdp", "short.policy", {"short.policy:3:1: 1 numbers, not 2"});
  refused("t.pomdp", "cut.policy", {"cut.policy:"});
  refused("t.pomdp", "absent.policy", {"absent.policy"}, 5);
  refused("chain", "s/appl.policy", {"vectorLength is 2, but the problem's is 10"});
  refused("lightdark", "s/appl.policy", {"not finite"});
  refused("tigre", "s/appl.policy", {"tiger"});
  expect_refused({"solve", "t.pomdp", "--planner", "appl"}, 2, {"bpo import-policy"});
}

TEST_F(ImportPolicyTest, ComparisonsTellTheGapToTheBounds) {
  ASSERT_EQ(run(training("t.pomdp", "b", 2)).status, 0);
  const json all = run_json({"compare", "b", "s", "--episodes", "200"})["runs"];
  const json solved = run_json({"eval", "s", "--episodes", "200"});
  EXPECT_NEAR(solved["lower"].get<double>(), 19.371, 2e-3);
  EXPECT_LE(solved["upper"].get<double>() - solved["lower"].get<double>(), 1e-3);
  for (const json& r : all) {
    const double mean = r["over_episodes"]["mean"];
    EXPECT_NEAR(r["optimum_minus_this"]["low"].get<double>(), solved["lower"].get<double>() - mean,
                1e-9);
    EXPECT_NEAR(r["optimum_minus_this"]["high"].get<double>(), solved["upper"].get<double>() - mean,
                1e-9);
  }
  const Outcome text = run({"compare", "b", "s", "--episodes", "200"});
  EXPECT_NE(text.out.find("optimum - this"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("the optimum is between 19.37"), std::string::npos) << text.out;
  // Bounds are of the world that was planned for.
  const json other =
      run_json({"compare", "b", "s", "--episodes", "50", "--set", "problem.discount=0.9"})["runs"];
  EXPECT_TRUE(other[0]["optimum_minus_this"].is_null());
}

/// The figure of this title.
std::string figure(const std::string& page, const std::string& title) {
  const auto at = page.find("<title>" + title + "</title>");
  EXPECT_NE(at, std::string::npos) << title;
  if (at == std::string::npos) return "";
  const auto begin = page.rfind("<figure", at);
  return page.substr(begin, page.find("</figure>", at) - begin);
}

TEST_F(ImportPolicyTest, PagesShowBoundsActionsAndVectors) {
  ASSERT_EQ(run({"report", "s", "-o", "r.html", "--episodes", "50"}).status, 0);
  const std::string page = slurp(dir_ / "r.html");
  EXPECT_NE(figure(page, "Actions of sarsop"), "");

  // The last point of each bound is where the metrics end.
  const std::string bounds = figure(page, "Bounds");
  const test::ReadScale y(bounds, "y");
  const json last = json::parse(metrics("s").back());
  const auto last_of = [&](int k, const std::string& shape, const std::string& number) {
    const std::string series = test::series(bounds, k);
    return test::numbers(test::attribute(series, number, series.rfind("<" + shape)));
  };
  const auto upper = last_of(0, "circle", "cy"), low = last_of(1, "rect", "y"),
             height = last_of(1, "rect", "height");
  ASSERT_FALSE(upper.empty() || low.empty() || height.empty()) << bounds;
  EXPECT_NEAR(y(upper[0]), last["upper"].get<double>(), y.tolerance());
  EXPECT_NEAR(y(low[0] + height[0] / 2.0), last["lower"].get<double>(), 2.0 * y.tolerance());

  // Every vector of the policy that is drawn: at the edges of the belief it has these two values.
  const std::string chart = figure(page, "Alpha vectors of sarsop");
  const test::ReadScale value(chart, "y");
  const std::string appl = slurp(dir_ / "s" / "appl.policy");
  int drawn = 0;
  for (int action = 0; action < 3; ++action) {
    const std::string series = test::series(chart, action);
    const std::string begin = fmt::format("<Vector action=\"{}\" obsValue=\"0\">", action);
    for (auto at = series.find("<polyline"); at != std::string::npos;
         at = series.find("<polyline", at + 1)) {
      const auto line = test::numbers(test::attribute(series, "points", at));
      ASSERT_EQ(line.size(), 4u);
      bool found = false;
      for (auto v = appl.find(begin); v != std::string::npos; v = appl.find(begin, v + 1)) {
        const auto from = v + begin.size();
        const auto alpha = test::numbers(appl.substr(from, appl.find('<', from) - from));
        ASSERT_EQ(alpha.size(), 2u);
        found = found || (std::abs(value(line[1]) - alpha[0]) <= value.tolerance() &&
                          std::abs(value(line[3]) - alpha[1]) <= value.tolerance());
      }
      EXPECT_TRUE(found) << "a line of action " << action << " is no vector";
      ++drawn;
    }
  }
  EXPECT_GE(drawn, 3);
}

}  // namespace
}  // namespace bpo::cli
