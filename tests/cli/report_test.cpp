// `bpo report`: what is on the page, that it is the data of the runs, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/cli/process.h"
#include "tests/support/svg_numbers.h"
#include "tests/support/xml.h"

namespace bpo::cli {
namespace {

using nlohmann::json;
using test::attribute;
using test::numbers;
using test::occurrences;
using test::ReadScale;

class ReportTest : public CliTest {
 protected:
  std::string report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), {"-o", "r.html"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("wrote r.html"), std::string::npos) << outcome.out;
    return slurp(dir_ / "r.html");
  }
  /// The figure with this title.
  static std::string figure(const std::string& html, const std::string& title) {
    const auto found = html.find("<title>" + title + "</title>");
    EXPECT_NE(found, std::string::npos) << title;
    if (found == std::string::npos) return "";
    const auto begin = html.rfind("<figure", found);
    return html.substr(begin, html.find("</figure>", found) - begin);
  }
};

TEST_F(ReportTest, CurvesAreThoseOfTheMetrics) {
  ASSERT_EQ(run(training("tiger", "a", 6)).status, 0);
  ASSERT_EQ(run(training("tiger", "b", 6, {"--algo", "up-mle"})).status, 0);
  const std::string html = report({"a", "b", "--episodes", "100"});
  const std::string svg = figure(html, "KL divergence of an update");
  const ReadScale x(svg, "x"), y(svg, "y");
  for (int k = 0; k < 2; ++k) {
    const std::vector<std::string> lines = metrics(k == 0 ? "a" : "b");
    const auto points =
        numbers(attribute(test::series(svg, k), "points", test::series(svg, k).find("<polyline")));
    ASSERT_EQ(points.size(), 2 * lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const json line = json::parse(lines[i]);
      EXPECT_NEAR(x(points[2 * i]), line["iteration"].get<double>(), x.tolerance());
      EXPECT_NEAR(y(points[2 * i + 1]), line["kl"].get<double>(), y.tolerance());
    }
  }
  EXPECT_EQ(occurrences(figure(html, "Episode by episode"), "<rect"), 100 + 1 + 1)
      << "a square per episode, one in the legend, and the ground";
  for (const char* words : {"Validation", "Return in training", "Entropy of the belief",
                            "Actions of bpo", "Actions of up-mle", "seed 0; up-mle: seed 0"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(occurrences(html, "Belief over tiger's door: "), 2 * 2) << "title and heading of each";
}

TEST_F(ReportTest, NumbersAreThoseOfCompare) {
  ASSERT_EQ(run(training("tiger", "a", 3, {"--seeds", "3"})).status, 0);
  ASSERT_EQ(run(training("tiger", "b", 3, {"--seed", "7"})).status, 0);
  const json compared = run_json({"compare", "a", "b", "--episodes", "200", "--seed", "5"});
  const std::string html = report({"a", "b", "--episodes", "200", "--seed", "5"});
  const json& over_seeds = compared["runs"][0]["over_seeds"];
  const std::string mean =
      fmt::format("<td class=\"right\">{:.2f} \xC2\xB1 {:.2f}</td>",
                  over_seeds["mean"].get<double>(), over_seeds["ci95"].get<double>());
  EXPECT_NE(html.find(mean), std::string::npos) << mean;
  EXPECT_NE(html.find("(too few seeds)"), std::string::npos) << "b has one";
  EXPECT_NE(html.find(">optimum<"), std::string::npos);
  const json result = json::parse(slurp(dir_ / "b" / "result.json"));
  const std::string exact = fmt::format(">{:.2f} (too few seeds)</td></tr>\n<tr><td>optimum",
                                        result["exact_value"].get<double>());
  EXPECT_NE(html.find(exact), std::string::npos) << exact;
  EXPECT_NE(html.find("bpo (a): seeds 0, 1, 2; bpo (b): seed 7"), std::string::npos)
      << "one method twice is told apart by its directory";
  const std::string curve = figure(html, "Entropy of the actions");
  EXPECT_EQ(occurrences(test::series(curve, 0), "<polygon"), 1) << "a band over three seeds";
  EXPECT_EQ(occurrences(test::series(curve, 1), "fill-opacity"), 0) << "none over one";
}

TEST_F(ReportTest, SameRunsSameBytesForAnyThreads) {
  ASSERT_EQ(run(training("chain", "c", 2)).status, 0);
  ASSERT_EQ(run(training("lightdark", "l", 2)).status, 0);
  const std::string page = report({"c", "l", "--episodes", "70", "--threads", "1"});
  EXPECT_EQ(page, report({"c", "l", "--episodes", "70", "--threads", "2"}));
  EXPECT_NE(page, report({"c", "l", "--episodes", "70", "--seed", "1"}));
  EXPECT_EQ(occurrences(page, "<h2"), 3) << "a part for each problem and one on the page itself";
  EXPECT_EQ(occurrences(page, "class=\"paper\""), 1) << "the room";
  EXPECT_EQ(occurrences(page, "Belief over slip"), 2);
  EXPECT_EQ(page.find("NaN"), std::string::npos);
  EXPECT_EQ(page.find("nan\""), std::string::npos);
}

TEST_F(ReportTest, PlansHaveNoTraining) {
  ASSERT_EQ(run({"solve", "lightdark", "--planner", "belief-ilqg", "--episodes", "2", "--set",
                 "planner.guesses=1", "--set", "planner.iterations=1", "--set",
                 "planner.rollouts=2", "--out", "p"})
                .status,
            0);
  const std::string html = report({"p", "--episodes", "2", "--title", "A <plan>"});
  EXPECT_EQ(html.find("Training health"), std::string::npos);
  EXPECT_EQ(html.find("Validation"), std::string::npos);
  EXPECT_NE(html.find("<h1>A &lt;plan&gt;</h1>"), std::string::npos);
  EXPECT_EQ(occurrences(html, "class=\"paper\""), 1);
}

TEST_F(ReportTest, Refusals) {
  ASSERT_EQ(run(training("tiger", "t", 2)).status, 0);
  expect_refused({"report", "t"}, 2, {"--out", "bpo report --help"});
  expect_refused({"report", "t", "-o", ""}, 2, {"-o", "empty"});
  expect_refused({"report", "-o", "r.html"}, 2, {"directories"});
  expect_refused({"report", "nowhere", "-o", "r.html"}, 2, {"nowhere"});
  expect_refused({"report", "t", "-o", "r.html", "--episodes", "-1"}, 2, {"--episodes"});
  expect_refused({"report", "t", "-o", "r.html", "--set", "algo.iterations=3"}, 2, {"problem."});
  spill(dir_ / "t" / "metrics.jsonl", "{\"iteration\":1}\nbroken\n{\"iteration\":3}\n");
  expect_refused({"report", "t", "-o", "r.html"}, 2, {"metrics.jsonl:2", "not a line of metrics"});
  EXPECT_FALSE(fs::exists(dir_ / "r.html"));
  spill(dir_ / "t" / "metrics.jsonl", "{\"iteration\":1,\"kl\":null}\n{\"iteration\":2,\"kl");
  report({"t", "--episodes", "2"});  // it is being trained: the last line may be half there
  expect_refused({"report", "t", "--episodes", "2", "-o", "no/such/r.html"}, 5, {"no/such/r.html"});
}

}  // namespace
}  // namespace bpo::cli
