// Every item from made-up findings: what it asks for is what it shows, beside the paper's numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/experiments/made_up.h"
#include "tests/support/xml.h"

namespace bpo::experiments {
namespace {

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// The line of a table that begins with these cells.
std::string line_of(const std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::size_t from = 0;
    bool all = true;
    for (const std::string& cell : cells) {
      const std::size_t found = line.find(cell, from);
      all = all && found != std::string::npos && (from > 0 || found == 0);
      from = found + cell.size();
    }
    if (all) return line;
    at = end + 1;
  }
  return "";
}

Rendered full(const std::string& name) {
  const Experiment& item = all().at(name);
  return rendered(item, made_up(item, {}));
}

TEST(Items, AreThoseOfThePaper) {
  std::vector<std::string> names;
  for (const Experiment* item : items_of({})) names.push_back(item->name);
  EXPECT_EQ(names, (std::vector<std::string>{"fig-benchmark", "fig-discretization", "table1",
                                             "fig-lightdark", "fig-ant", "fig-mujoco-pairs",
                                             "table-a2", "lightdark-filters", "planners"}));
  std::set<int> places;
  for (const auto& [name, item] : all().entries()) {
    EXPECT_TRUE(places.insert(item.place).second) << name;
    EXPECT_FALSE(item.title.empty() || item.paper.empty()) << name;
  }
}

TEST(Items, ShowNothingWhereNothingWasRun) {
  for (const auto& [name, item] : all().entries()) {
    const Rendered r = rendered(item, Findings{});
    EXPECT_FALSE(mentions(r.text, "nan")) << name;
    for (const char* words : {"ours, seeds:", "5000 episodes", " seeds)"}) {
      EXPECT_FALSE(mentions(r.text, words)) << name << r.text;
    }
  }
}

TEST(Items, SayWhenThereAreTooFewSeeds) {
  for (const auto& [name, item] : all().entries()) {
    if (item.only_by_name || name == "planners") continue;  // planners have all their seeds
    const Rendered two = rendered(item, made_up(item, {.seeds = 2}));
    const Rendered three = rendered(item, made_up(item, {.seeds = 3}));
    if (name != "fig-mujoco-pairs") {
      EXPECT_TRUE(mentions(two.text, "not enough seeds")) << name << two.text;
    } else {
      EXPECT_TRUE(mentions(two.text, "(episodes only)")) << two.text;
    }
    for (const char* words : {"(not enough seeds)", "(episodes only)"}) {
      EXPECT_FALSE(mentions(three.text, words)) << name << three.text;
    }
  }
}

TEST(TableA2, HasEveryNumberOfThePaper) {
  const std::string text = full("table-a2").text;
  for (const PaperProblem& p : paper_problems()) {
    for (const PaperMethod& m : paper_methods()) {
      const std::string line = line_of(text, {p.name + " ", m.name + " "});
      ASSERT_FALSE(line.empty()) << p.name << m.name;
      const auto v = appendix_table(p.name, m.method);
      EXPECT_TRUE(mentions(line, v ? fmt::format(" {:.1f} +- {:.1f} ", v->mean, v->half) : " - "))
          << line;
    }
  }
  const std::string epopt = line_of(text, {"LightDark", "EPOpt"});
  EXPECT_TRUE(mentions(epopt, "-1891.2 +- 45.0")) << epopt;
  // -700 + noise of mean 2.999 over 5000 episodes, seeds 0 to 4: t-interval of 0..4. BPO has ten
  // seeds.
  EXPECT_TRUE(mentions(epopt, "-695.00 +- 1.96")) << epopt;
  EXPECT_TRUE(mentions(epopt, "-693.00")) << "best seed: " << epopt;
  EXPECT_TRUE(mentions(epopt, "202.50 +- 2.59")) << "BPO - EPOpt by Welch: " << epopt;
  EXPECT_TRUE(mentions(epopt, "1.00 [0.72, 1.00]")) << epopt;
  EXPECT_TRUE(mentions(epopt, " 71.4   < 0.001 ")) << epopt;
  EXPECT_TRUE(mentions(epopt, "5000 episodes")) << epopt;
  const std::string oracle = line_of(text, {"Swimmer", "oracle"});
  EXPECT_TRUE(mentions(oracle, "604.99") && !mentions(oracle, "< 0.001")) << "no claim: " << oracle;
  const std::string dr = line_of(text, {"Swimmer", "DR"});
  EXPECT_TRUE(mentions(dr, "250.00 +- ") && mentions(dr, "< 0.001")) << "BPO - DR: " << dr;
  const std::string tiger = line_of(text, {"Tiger", "BPO "});
  EXPECT_TRUE(mentions(tiger, "400.25") && mentions(tiger, "exact")) << tiger;
}

TEST(Table1, HasPublishedValuesWithTheirCaveat) {
  const std::string text = full("table1").text;
  for (const char* words : {"364.5 +- 0.5", "365.0 +- 0.4", "366.1 +- 0.2", "364.9 +- 0.8",
                            "364.8 +- 0.3", "365.1 +- 0.3", "321.6 +- 6.4"}) {
    EXPECT_TRUE(mentions(text, words)) << words;
  }
  EXPECT_TRUE(mentions(line_of(text, {"tied", "exploit"}), "364.2 +- 4.3")) << text;
  EXPECT_TRUE(mentions(line_of(text, {"tied", "exploit"}), "(r)")) << text;
  EXPECT_FALSE(mentions(line_of(text, {"semi-tied", "MCBRL"}), "(r)"));
  EXPECT_TRUE(mentions(text, "not re-read in the original"));
  EXPECT_TRUE(mentions(line_of(text, {"tied", "bpo"}), "50.45 +- 0.22")) << "over 10: " << text;
  EXPECT_TRUE(mentions(line_of(text, {"tied", "slip known"}), "40.03")) << text;
  EXPECT_TRUE(mentions(line_of(text, {"tied", "Bayes-optimal"}), "39.95")) << text;
}

TEST(Benchmark, NormalisesByBpo) {
  const Rendered r = full("fig-benchmark");
  const std::string tiger = line_of(r.text, {"Tiger"});
  EXPECT_TRUE(mentions(tiger, " 0.60 (-1.11)")) << "302/502, -19.9/17.9: " << tiger;
  const std::string dark = line_of(r.text, {"LightDark"});
  EXPECT_TRUE(mentions(dark, " 0.00 (0.66)"))
      << "ours is the worst, (1891.2 - 745.9) / (1891.2 - 166.7): " << dark;
  EXPECT_TRUE(line_of(r.text, {"Chain-3 "}).empty()) << "the paper shows ten bins";
  EXPECT_EQ(test::occurrences(r.html, "<figure"), 2);
  EXPECT_TRUE(mentions(line_of(r.text, {"BPO ", "1.000"}), "[")) << r.text;
}

TEST(Benchmark, DividesByNothingThatIsNotPositive) {
  const Experiment& item = all().at("fig-benchmark");
  Findings findings = made_up(item, {});
  for (const Request& q : item.requests({})) {
    if (q.series.directory() != "tiger/bpo" && q.series.directory() != "swimmer/bpo") continue;
    const double base = q.series.problem == "tiger" ? -5000.0 : -5.0;
    findings.add(q, {.runs = {made_up_run(q, 0, base)}});
    if (q.series.problem == "tiger") continue;
    Request worst = q;
    worst.series.method = "trpo";
    findings.add(worst, {.runs = {made_up_run(q, 0, -1005.0)}});
  }
  const std::string text = rendered(item, findings).text;
  EXPECT_TRUE(line_of(text, {"Tiger"}).empty()) << "BPO is negative and the worst: " << text;
  const std::string swimmer = line_of(text, {"Swimmer"});
  EXPECT_TRUE(mentions(swimmer, " 1.00 (1.00)") && mentions(swimmer, " 0.00 (0.82)")) << text;
  EXPECT_FALSE(mentions(text, "inf") || mentions(text, "nan")) << text;
}

TEST(Discretization, HasFiveGrids) {
  const Rendered r = full("fig-discretization");
  for (const char* row :
       {"   3  504.50", "  10  504.50", " 100  502.00", " 500  502.00", "1000  504.50"}) {
    EXPECT_TRUE(mentions(line_of(r.text, {row}), "400.25")) << row << r.text;
  }
  EXPECT_TRUE(mentions(r.text, "260.1 +- 5.6") && mentions(r.text, "231.6 +- 4.2"));
  EXPECT_EQ(test::occurrences(r.html, "<figure"), 1);
  EXPECT_TRUE(mentions(r.html, "optimum"));
}

TEST(LightDark, DrawsAPanelPerMethod) {
  const Rendered r = full("fig-lightdark");
  for (const char* panel :
       {"BPO, seed 9", "BPO-, seed 9", "EPOpt, seed 4", "UP-MLE, seed 9", "DR, seed 9"}) {
    EXPECT_TRUE(mentions(r.html, panel)) << panel;
  }
  EXPECT_TRUE(mentions(line_of(r.text, {"BPO ", "-12.50"}), "-166.7 +- 2.4")) << r.text;
}

TEST(LightDarkFilters, HasSampledAndGreedyActionsOnThreeFilters) {
  const Rendered r = full("lightdark-filters");
  for (const char* filter : {"EKF ", "moment", "EKF told the noise"}) {
    const std::string bpo = line_of(r.text, {filter, "BPO "});
    EXPECT_EQ(test::occurrences(bpo, "+-"), 2) << "sampled and greedy: " << bpo;
    const std::string bound = line_of(r.text, {filter, "told the position (bound)"});
    EXPECT_EQ(test::occurrences(bound, "(over episodes)"), 1) << bound;
  }
  int greedy = 0;
  for (const Request& q : all().at("lightdark-filters").requests({})) {
    greedy += q.protocol.greedy;
    EXPECT_EQ(q.protocol.name().starts_with("greedy-"), q.protocol.greedy);
  }
  EXPECT_EQ(greedy, 9);
}

TEST(Ant, HasThreeFiguresAndTwoReplays) {
  const Rendered r = full("fig-ant");
  for (const char* title : {"(a) One leg", "(b) Entropy", "(c) Belief at t = 20"}) {
    EXPECT_TRUE(mentions(r.html, title)) << title;
  }
  EXPECT_EQ(test::occurrences(r.text, "one episode on uneven legs"), 2) << r.text;
  EXPECT_TRUE(mentions(line_of(r.text, {"UP-MLE"}), "5.000")) << "0.5, 1.5 to 9.5: " << r.text;
  EXPECT_TRUE(mentions(line_of(r.text, {"TRPO on the mean"}), "402.50 +- ")) << r.text;
  EXPECT_TRUE(mentions(r.text, "(1.200, 0.850)")) << r.text;
  const Experiment& item = all().at("fig-ant");
  bool uneven = false;
  for (const Request& q : item.requests({})) {
    uneven |=
        q.protocol.sets == std::vector<std::string>{"problem.first=1.2", "problem.second=0.8"};
  }
  EXPECT_TRUE(uneven);
  const Json entropy = item.numbers(made_up(item, {}))["belief_entropy"];
  EXPECT_EQ(entropy["up-mle"], std::vector<double>(201, 5.0));
  EXPECT_EQ(entropy.size(), 2u);
}

TEST(Pairs, HaveADotPerWorld) {
  const Rendered r = full("fig-mujoco-pairs");
  EXPECT_EQ(test::occurrences(r.html, "<figure"), 12);
  const Experiment& item = all().at("fig-mujoco-pairs");
  const Json numbers = item.numbers(made_up(item, {}));
  ASSERT_EQ(numbers.size(), 12u);
  EXPECT_EQ(numbers[0]["baseline"], "epopt");
  EXPECT_EQ(numbers[0]["bpo_better"], 500);
  EXPECT_EQ(numbers[0]["mdps"], 500);
  EXPECT_TRUE(mentions(line_of(r.text, {"Swimmer", "UP-MLE"}), "500 of 500")) << r.text;
  EXPECT_TRUE(mentions(line_of(r.text, {"Swimmer", "UP-MLE"}), "300.00 +- 0.00")) << r.text;
  EXPECT_TRUE(mentions(line_of(r.text, {"Swimmer", "UP-MLE"}), "36.0")) << r.text;
}

TEST(Tuning, GivesEveryMethodAsManyTrialsOnSeedsThatAreNeverReported) {
  const Experiment& item = all().at("tune-chain");
  std::map<std::string, std::set<std::string>> trials;  // by method
  for (const Request& q : item.requests({})) {
    EXPECT_GE(q.series.first_seed, 100);
    EXPECT_GE(q.protocol.seed, 100);
    EXPECT_TRUE(trials[q.series.method].insert(q.series.directory()).second);
  }
  EXPECT_EQ(trials.size(), compared_methods().size());
  for (const auto& [method, names] : trials) EXPECT_EQ(names.size(), 6u) << method;
  EXPECT_TRUE(trials["epopt"].contains(
      "chain-batch_steps=100000-iterations=80-validate_every=20-kl=0.06-kl_end=0.002/epopt"));
  for (const auto& [name, paper] : all().entries()) {
    if (paper.only_by_name) continue;
    for (const Request& q : paper.requests({})) {
      EXPECT_LE(q.series.first_seed + q.series.seeds, 100) << name;
      EXPECT_EQ(q.protocol.seed, 0) << name;
    }
  }
}

TEST(Tuning, ShowsTheBestOfEachMethod) {
  const Experiment& item = all().at("tune-tiger");
  Findings findings = made_up(item, {});
  for (const Request& q : item.requests({})) {
    if (!mentions(q.series.directory(), "batch_steps=312500-")) continue;
    if (!mentions(q.series.directory(), "kl=0.06")) continue;
    const bool surely = q.series.method == "dr";
    if (!surely && q.series.method != "up-mle") continue;
    findings.add(q,
                 {.runs = {made_up_run(q, 100, 900.0), made_up_run(q, 101, surely ? 900.0 : 0.0)}});
  }
  const std::string text = rendered(item, findings).text;
  EXPECT_TRUE(mentions(line_of(text, {"DR "}), "batch x6.25, KL x2")) << text;
  EXPECT_TRUE(mentions(line_of(text, {"BPO "}), "batch x1, KL x1")) << "all are equal: " << text;
  EXPECT_TRUE(mentions(line_of(text, {"UP-MLE "}), "batch x1, KL x1"))
      << "a seed of the highest is below the problem's own: " << text;
  EXPECT_TRUE(line_of(text, {"TRPO "}).empty()) << "Tiger has no mean world";
  EXPECT_EQ(item.numbers(findings)["dr"]["batch"], 6.25);
}

}  // namespace
}  // namespace bpo::experiments
