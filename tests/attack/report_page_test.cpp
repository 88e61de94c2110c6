// `bpo report` from end to end on a run whose directory, problem file, options, result and metrics
// are an attack: on the page and on the terminal, all of it is text.
#include <regex>

#include "bpo/runs/measurement.h"
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

const std::string kMarkup = "<script>alert(1)<img src=x onerror=alert(2)>&quot;'\"";
const std::string kEscapes = "\x1b]0;owned\a\x1b[2J\x9b\x31m";

class ReportPageAttack : public CliTest {
 protected:
  static int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++n;
    return n;
  }

  /// Nothing of the attack became an element, a script or a command of the terminal.
  void expect_text(const std::string& page, const Outcome& outcome) const {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_GT(page.size(), 1000u);
    EXPECT_EQ(count(page, "<script"), 1) << "the page's own";
    EXPECT_EQ(count(page, "<img"), 0);
    EXPECT_GT(count(page, "&lt;img src=x onerror"), 0) << "it should be told, as text";
    for (const std::string* text : {&page, &outcome.out, &outcome.err}) {
      EXPECT_EQ(text->find('\x1b'), text->npos);
      EXPECT_EQ(text->find('\a'), text->npos);
    }
  }

  Outcome report(const std::string& title) {
    return run({"report", "r", kHostile, "-o", "page.html", "--episodes", "20", "--title", title,
                "--threads", "1"});
  }
  std::string page() const { return slurp(dir_ / "page.html"); }

  const std::string kHostile = kMarkup + kEscapes;
};

TEST_F(ReportPageAttack, NamesOfDirectoriesAndTitles) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  ASSERT_EQ(run(training("tiger", kHostile, 2, {"--seed", "1"})).status, 0);
  const Outcome outcome = report("</title></script>" + kHostile);
  expect_text(page(), outcome);
}

TEST_F(ReportPageAttack, AResultThatSomebodyWrote) {
  for (const std::string& name : {std::string("r"), kHostile}) {
    ASSERT_EQ(run(training("tiger", name, 2)).status, 0);
    const std::string path = (dir_ / name / kResultName).string();
    Measurement result = parse_result(slurp(path), path);
    result.machine.cpu = result.machine.commit = result.machine.compiler = kMarkup + "\x1b[2J";
    result.machine.instruction_set = result.machine.flags = kMarkup;
    result.diverged = kMarkup;
    result.sets = {kMarkup};
    spill(path, result.json().dump());
  }
  const Outcome outcome = report("results");
  expect_text(page(), outcome);
}

TEST_F(ReportPageAttack, AProblemFileWithItsOptions) {
  const std::string file = kMarkup + ".toml";
  std::string text = slurp(fs::path(kSourcePath) / "examples/problems/bridges.toml");
  ASSERT_NE(text.find("\"north\""), text.npos);
  const std::regex models("north holds"), actions("\"north\"");
  text = std::regex_replace(text, models, "<script>alert(3)");
  text = std::regex_replace(text, actions, "\"<img src=x onerror=alert(4)>\"");
  spill(dir_ / file, text);
  ASSERT_EQ(run(training(file, "r", 2)).status, 0);
  ASSERT_EQ(run(training(file, kHostile, 2, {"--set", "optimizer.kl=0.02"})).status, 0);
  const Outcome outcome = report(kHostile);
  expect_text(page(), outcome);
}

TEST_F(ReportPageAttack, MetricsThatSomebodyWrote) {
  for (const std::string& name : {std::string("r"), kHostile}) {
    ASSERT_EQ(run(training("tiger", name, 2)).status, 0);
    std::ofstream(dir_ / name / "metrics.jsonl", std::ios::app)
        << nlohmann::json{{"iteration", 3}, {"return", 1e308}, {kMarkup, 1.0}}.dump() << "\n";
  }
  const Outcome outcome = report("metrics");
  expect_text(page(), outcome);
}

}  // namespace
}  // namespace bpo::cli
