// Pages as a browser shows them: figures with known data read back from the document, scripts that
// do what they should, and a report of real runs with hostile names.
#include "bpo/report/page.h"

#include "bpo/report/bar_chart.h"
#include "bpo/report/belief.h"
#include "bpo/report/heat_map.h"
#include "bpo/report/line_chart.h"
#include "bpo/report/scatter_chart.h"
#include "tests/browser/chromium.h"
#include "tests/support/walk.h"

namespace bpo::test {
namespace {

using nlohmann::json;
using report::Bar;

const report::LineChart kLines{"Learning",
                               "iteration",
                               "return",
                               {{"bpo", {0, 10, 20, 30, 40}, {-5, 3.25, 7, 8.5, 9}},
                                {"<i>up-mle</i>", {0, 10, 20, 30, 40}, {-5, -4, -3.5, -3, -2}}}};
const report::ScatterChart kScatter{
    "Episodes", "a", "b", {{"b", {1, 2, 3, 4}, {3, 8, 1, -2}}, {"c", {1, 2}, {2, 1}}}};
const report::BarChart kBars{
    "Return", "mean", {"bpo", "up-mle", "epopt"}, {{"", {Bar{19.2, 1.0}, Bar{-9.0}, Bar{4.0}}}}};
constexpr int kSteps = 20;

std::string page() {
  report::Page page("Figures with known data");
  page.figure(draw(kLines), "lines");
  page.figure(draw(kScatter), "points");
  page.figure(draw(kBars), "bars");
  const Trace trace = walk(Camera::kCorner, kSteps);
  report::HeatMap over_time = report::joint_belief(trace, trace.end);
  over_time.over_time = true;
  page.figure(draw(over_time), "over time");
  page.replay(report::replay_of(trace, "walk"), "replay");
  return page.html();
}

const std::string kReadFigures = kAskPage + R"js(
  const numbers = text => text.split(/[ ,]+/).map(Number);
  const read = w => all(w, '.plot[data-x]').map(plot => ({
    x: numbers(plot.dataset.x), y: plot.dataset.y ? numbers(plot.dataset.y) : [],
    series: [...plot.querySelectorAll('.series')].map(one => ({
      name: one.dataset.name,
      lines: [...one.querySelectorAll('polyline')].map(
        line => [...line.points].map(p => [p.x, p.y])),
      circles: [...one.querySelectorAll('circle')].map(c => [c.cx.baseVal.value, c.cy.baseVal.value]),
      squares: one.querySelectorAll('rect').length,
    })),
    bars: [...plot.querySelectorAll('.mark > rect')].map(
      bar => [bar.x.baseVal.value, bar.width.baseVal.value]),
  }));
  const slide = (w, figure, value) => {
    const slider = figure.querySelector('input[type=range]');
    slider.value = value;
    slider.dispatchEvent(new w.Event('input'));
    return figure.querySelector('output').textContent;
  };

  const out = {wide: ask(wide), narrow: ask(narrow), still: ask(still),
               plots: read(wide), still_plots: read(still)};
  // A click on the legend's second name, and another.
  const key = wide.document.querySelector('.key[data-series="1"]');
  const line = wide.document.querySelector('.series[data-series="1"]');
  out.visible = [line.getBoundingClientRect().width > 0];
  for (let i = 0; i < 2; ++i) {
    key.dispatchEvent(new wide.MouseEvent('click', {bubbles: true}));
    out.visible.push(line.getBoundingClientRect().width > 0);
  }
  // Pointing at the lines and at a bar.
  const plot = wide.document.querySelector('.plot'), box = plot.getBoundingClientRect();
  const tip = wide.document.getElementById('tip');
  const point = (node, x, y) => {
    node.dispatchEvent(new wide.PointerEvent('pointermove', {clientX: x, clientY: y, bubbles: true}));
    return tip.hidden ? '' : tip.textContent;
  };
  out.tip = point(plot, box.left + box.width / 2, box.top + 10);
  out.bar_tip = point(wide.document.querySelector('.mark'), 10, 10);
  // Time.
  const [timed, replay] = ['figure:not(.replay):has(.column)', '.replay'].map(
    what => wide.document.querySelector(what));
  out.time = slide(wide, timed, 0);
  out.later = timed.querySelectorAll('.later').length;
  out.replay_time = slide(wide, replay, 7);
  out.stage = [...replay.querySelectorAll('.stage g')].map(group => [...group.children].map(
    node => ['x1', 'y1', 'x2', 'y2'].map(name => Number(node.getAttribute(name)))));
  out.belief = Number(replay.querySelector('.player [data-cell="1 0"] rect')
    .getAttribute('fill-opacity'));
  out.strip = [wide, still].map(w => w.document.querySelector('.strip').getBoundingClientRect().height > 50);
  out.player = [wide, still].map(w => w.document.querySelector('.player').getBoundingClientRect().height > 50);
  return out;
)js";

double data(const json& scale, double pixel) {
  const auto s = scale.get<std::vector<double>>();
  return s[0] + (pixel - s[2]) / (s[3] - s[2]) * (s[1] - s[0]);
}

using PageTest = BrowserTest;

TEST_F(PageTest, ShowsItsDataAndMovesWithTheScripts) {
  const Seen seen = look(page(), kReadFigures);
  EXPECT_EQ(seen.console, "");
  EXPECT_NE(seen.sandbox, "") << "one frame is to run without scripts";
  const json& found = seen.found;
  for (const char* frame : {"wide", "narrow", "still"}) {
    const json& f = found[frame];
    EXPECT_EQ(f["figures"], 5) << frame;
    EXPECT_EQ(f["shown"], 5) << frame << ": some figure is not to be seen";
    EXPECT_EQ(f["bad"], 0) << frame;
    EXPECT_EQ(f["outside"], json::array()) << frame << ": text that is cut off";
    EXPECT_EQ(f["requests"], json::array()) << frame;
    EXPECT_LE(f["scroll"], f["width"]) << frame << ": scrolls sideways";
  }
  EXPECT_EQ(found["narrow"]["width"], 360);
  EXPECT_EQ(found["plots"], found["still_plots"]) << "the figures do not need scripts";

  const json& plots = found["plots"];
  ASSERT_EQ(plots.size(), 3u);
  for (std::size_t k = 0; k < 2; ++k) {
    const json& series = plots[0]["series"][k];
    EXPECT_EQ(series["name"], kLines.lines[k].name);
    ASSERT_EQ(series["lines"].size(), 1u);
    ASSERT_EQ(series["lines"][0].size(), kLines.lines[k].x.size());
    for (std::size_t i = 0; i < kLines.lines[k].x.size(); ++i) {
      EXPECT_NEAR(data(plots[0]["x"], series["lines"][0][i][0]), kLines.lines[k].x[i], 0.01);
      EXPECT_NEAR(data(plots[0]["y"], series["lines"][0][i][1]), kLines.lines[k].y[i], 0.01);
    }
  }
  const json& cloud = plots[1]["series"][0];
  ASSERT_EQ(cloud["circles"].size(), kScatter.clouds[0].x.size());
  for (std::size_t i = 0; i < kScatter.clouds[0].x.size(); ++i) {
    EXPECT_NEAR(data(plots[1]["x"], cloud["circles"][i][0]), kScatter.clouds[0].x[i], 0.01);
    EXPECT_NEAR(data(plots[1]["y"], cloud["circles"][i][1]), kScatter.clouds[0].y[i], 0.01);
  }
  EXPECT_EQ(plots[1]["series"][1]["squares"], 2);
  ASSERT_EQ(plots[2]["bars"].size(), 3u);
  const double left = plots[2]["bars"][1][0], width = plots[2]["bars"][1][1];
  EXPECT_NEAR(data(plots[2]["x"], left), -9.0, 0.02);
  EXPECT_NEAR(data(plots[2]["x"], left + width), 0.0, 0.02);

  EXPECT_EQ(found["visible"], json({true, false, true})) << "the legend switches a series";
  EXPECT_EQ(found["tip"], "at 20\nbpo: 7\n<i>up-mle</i>: -3.5");
  EXPECT_EQ(found["bar_tip"], "bpo: 19.2 \xC2\xB1 1");
  EXPECT_EQ(found["time"], "t = 0");
  EXPECT_EQ(found["later"], 1) << "of two columns the second is later";
  EXPECT_EQ(found["replay_time"].get<std::string>().substr(0, 14), "t = 7 (0.14 s)");
  EXPECT_EQ(found["strip"], json({false, true})) << "in place of the player where scripts are off";
  EXPECT_EQ(found["player"], json({true, false}));
  // The rod is drawn first, for it is farther off; the ball's two ends are one.
  const auto ball =
      report::seen_by(Camera::kCorner, walk(Camera::kCorner, 8).moments[7].sight.scene[0].from);
  ASSERT_EQ(found["stage"].size(), 2u);
  for (const json& ends : found["stage"][1]) {
    EXPECT_NEAR(ends[0].get<double>(), ball.at.x, 0.51);
    EXPECT_NEAR(ends[3].get<double>(), ball.at.y, 0.51);
  }
  EXPECT_NEAR(found["belief"].get<double>(), 0.25 + 0.0025 * 7, 6e-4);
}

TEST_F(PageTest, ReportOfRunsWithHostileNames) {
  const std::string hostile = "<img src=x onerror=alert(1)>&quot;'\"";
  ASSERT_EQ(run(training("tiger", "t", 3)).status, 0);
  ASSERT_EQ(run(training("tiger", hostile, 3, {"--seed", "1"})).status, 0);
  ASSERT_EQ(run(training("lightdark", "l", 2)).status, 0);
  ASSERT_EQ(run(training("chain", "c", 2)).status, 0);
  const cli::Outcome made = run({"report", "t", hostile, "l", "c", "-o", "r.html", "--episodes",
                                 "64", "--title", "</title><script>throw 1</script>"});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string html = cli::slurp(dir_ / "r.html");
  const Seen seen = look(html, kAskPage + R"js(
    return {wide: ask(wide), narrow: ask(narrow), still: ask(still),
            text: still.document.body.textContent,
            title: still.document.title,
            series: all(still, '.series').map(one => one.dataset.name)};
  )js");
  EXPECT_EQ(seen.console, "");
  EXPECT_NE(seen.sandbox, "") << "one frame is to run without scripts";
  for (const char* frame : {"wide", "narrow", "still"}) {
    const json& f = seen.found[frame];
    EXPECT_EQ(f["images"], 0) << "a name became an element";
    EXPECT_EQ(f["scripts"], 1) << "the page's own";
    EXPECT_EQ(f["requests"], json::array());
    EXPECT_GE(f["figures"], 18) << frame;
    EXPECT_EQ(f["shown"], f["figures"]) << frame;
    EXPECT_EQ(f["bad"], 0) << frame;
    EXPECT_EQ(f["outside"], json::array()) << frame << ": text that is cut off";
    EXPECT_LE(f["scroll"], f["width"]) << frame << ": scrolls sideways";
  }
  EXPECT_EQ(seen.found["title"], "</title><script>throw 1</script>");
  EXPECT_NE(seen.found["text"].get<std::string>().find(hostile), std::string::npos);
  const auto names = seen.found["series"].get<std::vector<std::string>>();
  EXPECT_NE(std::count(names.begin(), names.end(), "bpo (" + hostile + ")"), 0);
}

/// The checks above find what they look for.
TEST_F(PageTest, FaultsWouldBeSeen) {
  const Seen seen = look(
      "<!DOCTYPE html><html><body style=\"margin:0\"><img src=\"http://127.0.0.1:9/a.png\">"
      "<div style=\"width:500px\">wide</div>"
      "<figure><svg viewBox=\"0 0 10 10\" width=\"300\" height=\"5\"><text x=\"9\" "
      "y=\"3\">long</text>"
      "<g transform=\"translate(NaN)\"></g></svg></figure>"
      "<script>nothing.at.all();</script></body></html>",
      kAskPage + "return {narrow: ask(narrow), still: ask(still)};");
  EXPECT_NE(seen.console.find("nothing is not defined"), std::string::npos) << seen.console;
  const json& f = seen.found["narrow"];
  EXPECT_EQ(f["images"], 1);
  EXPECT_EQ(f["requests"].size(), 1u);
  EXPECT_GT(f["scroll"], f["width"]);
  EXPECT_EQ(f["figures"], 1);
  EXPECT_EQ(f["shown"], 0);
  EXPECT_EQ(f["bad"], 1);
  EXPECT_EQ(f["outside"], json({"long"}));
}

}  // namespace
}  // namespace bpo::test
