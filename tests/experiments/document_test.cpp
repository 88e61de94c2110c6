// Tables in documents: those of docs/reproduce.md are what results/*.json say, a table from a
// results file is the one of the findings it came from, and bad files are refused by name.
#include "bpo/experiments/document.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/experiments/results.h"
#include "tests/experiments/made_up.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace bpo::experiments {
namespace {

const std::string kMarked = "above\n<!-- table table1 -->\nold\n<!-- end of table -->\nbelow\n";

/// The message of the bad_input that `f` must end in.
std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class Document : public test::TemporaryDirectory {
 protected:
  static Json made_up_results(const std::string& name) {
    const Experiment& item = all().at(name);
    return results_json(item, made_up(item, {}));
  }
  void keep(const std::string& name, const std::string& text) const {
    write_file_atomic(path(name + ".json"), text);
  }
  std::string filled_in(const std::string& document) const {
    return with_tables(document, "page.md", dir_.string());
  }
  /// The refusal of results that were changed in one way.
  std::string refusal_of(const std::function<void(Json&)>& change) const {
    Json json = made_up_results("table1");
    change(json);
    keep("table1", json.dump());
    return refusal([&] { filled_in(kMarked); });
  }
};

TEST_F(Document, ReproduceShowsTheResults) {
  const std::string root = kSourcePath, page = root + "/docs/reproduce.md";
  const std::string document = read_file(page, 16 << 20);
  EXPECT_EQ(document, with_tables(document, page, root + "/results"))
      << "docs/reproduce.md is not what results/*.json say; this refreshes it:\n"
         "  build/bpo reproduce --tables results -o docs/reproduce.md";
}

TEST_F(Document, ResultsGiveTheTableOfTheFindings) {
  int tables = 0;
  for (const auto& [name, item] : all().entries()) {
    if (!item.table) continue;
    ++tables;
    const Findings findings = made_up(item, {});
    const Findings read = read_results(results_json(item, findings).dump(), item, name);
    EXPECT_EQ(item.table(read).rows, item.table(findings).rows) << name;
    if (item.compact) {
      EXPECT_EQ(item.compact(read).rows, item.compact(findings).rows) << name;
    }
  }
  EXPECT_EQ(tables, 7);
}

TEST_F(Document, ResultsTakeInWhatWasFoundLaterAndForgetWhatCannotBeCompared) {
  const auto commits_of = [](const Json& results, const std::string& problem) {
    std::map<std::string, std::string> out;  // by method
    for (const Json& series : results["series"]) {
      if (series["problem"] == problem) out[series["method"]] = series["commits"][0];
    }
    return out;
  };
  const Json kept = made_up_results("fig-mujoco-pairs");
  Json found = kept;
  found["series"].clear();
  found["figures"].clear();
  for (Json series : kept["series"]) {
    if (series["problem"] != "swimmer" || series["method"] == "dr") continue;
    series["commits"] = {"def"};
    found["series"].push_back(series);
  }
  for (Json entry : kept["figures"]) {
    if (entry["problem"] != "swimmer" || entry["baseline"] == "dr") continue;
    entry["bpo_better"] = 7;
    found["figures"].push_back(entry);
  }
  const Json alone = merged_results(kept, found, {});
  EXPECT_EQ(commits_of(alone, "ant"), commits_of(kept, "ant"));
  EXPECT_FALSE(commits_of(alone, "swimmer").contains("dr")) << "of another commit";
  EXPECT_EQ(commits_of(alone, "swimmer").at("bpo"), "def");
  EXPECT_EQ(alone["figures"].size(), kept["figures"].size() - 1) << "that of dr on Swimmer";
  const Json beside = merged_results(kept, found, {"abc"});
  EXPECT_EQ(commits_of(beside, "swimmer").at("dr"), "abc");
  EXPECT_EQ(beside["series"].size(), kept["series"].size());
  EXPECT_EQ(merged_results(beside, found, {"abc"}), beside);
  keep("fig-mujoco-pairs", kept.dump());
  const std::vector<const Experiment*> items{&all().at("fig-mujoco-pairs")};
  const auto gone = merge_into(dir_.string(), items, Json{found}, {});
  EXPECT_EQ(gone, std::set<std::string>{"swimmer dr (abc)"});
  EXPECT_EQ(Json::parse(read_file(path("fig-mujoco-pairs.json"), 1 << 20)), alone);
  for (const char* bad : {"{", "[]", "{\"series\": [{}]}"}) {
    keep("fig-mujoco-pairs", bad);
    EXPECT_TRUE(has(refusal([&] { kept_results(dir_.string(), items); }),
                    "fig-mujoco-pairs.json: not a results file"))
        << bad;
  }
}

TEST_F(Document, OnlyWhatIsMarkedChanges) {
  keep("table1", made_up_results("table1").dump());
  const std::string page = filled_in(kMarked);
  EXPECT_TRUE(page.starts_with("above\n<!-- table table1 -->\n| prior | solver |")) << page;
  EXPECT_TRUE(page.ends_with("\nTrained at commit abc (chain).\n<!-- end of table -->\nbelow\n"));
  EXPECT_FALSE(has(page, "\nold\n"));
  EXPECT_EQ(filled_in(page), page);
}

TEST_F(Document, CountsWhatNeedsSingleEpisodesFromTheNumbersThatWereKept) {
  const std::string mark = "<!-- table fig-mujoco-pairs -->\n<!-- end of table -->\n";
  const Experiment& item = all().at("fig-mujoco-pairs");
  Json json = made_up_results("fig-mujoco-pairs");
  if (json["series"].empty()) GTEST_SKIP() << "without MuJoCo there are no robots";
  keep("fig-mujoco-pairs", json.dump());
  const std::string page = filled_in(mark);
  EXPECT_TRUE(has(page, "| robot | baseline | MDPs where BPO is better |")) << page;
  EXPECT_TRUE(has(page, "\n| HalfCheetah | DR | 500 of 500 | 250.00 +- 0.00 |\n")) << page;
  EXPECT_TRUE(has(page, "Trained at commit abc (half-cheetah, swimmer, ant).\n")) << page;
  const std::string shown = rendered(item, made_up(item, {})).text;
  EXPECT_TRUE(has(shown, "500 of 500") && has(shown, "250.00 +- 0.00")) << shown;
  for (Json& entry : json["figures"]) {
    if (entry["problem"] == "ant" && entry["baseline"] == "dr") entry["bpo_better"] = 123;
  }
  keep("fig-mujoco-pairs", json.dump());
  EXPECT_TRUE(has(filled_in(mark), "\n| Ant | DR | 123 of 500 |")) << "it is read, not made again";
  for (const Json& wrong : {Json("many"), Json(1e300), Json()}) {
    Json bad = json;
    bad["figures"][0]["mdps"] = wrong;
    keep("fig-mujoco-pairs", bad.dump());
    EXPECT_TRUE(has(refusal([&] { filled_in(mark); }), "fig-mujoco-pairs.json: not a results file"))
        << wrong;
  }
  json.erase("figures");
  keep("fig-mujoco-pairs", json.dump());
  EXPECT_TRUE(has(filled_in(mark), "Not counted yet; `build/bpo reproduce fig-mujoco-pairs "));
}

TEST_F(Document, CanHaveLightDarkByItsFilters) {
  keep("lightdark-filters", made_up_results("lightdark-filters").dump());
  const std::string page = filled_in("<!-- table lightdark-filters -->\n<!-- end of table -->\n");
  EXPECT_TRUE(has(page, "| filter | method | sampled, mean over seeds | best seed | greedy |"))
      << page;
  EXPECT_TRUE(has(page, "\n| EKF | BPO | -492.50 +- 2.17 | -488.00 | -492.50 +- 2.17 |")) << page;
  EXPECT_TRUE(has(page, "Trained at commit abc (lightdark).\n")) << page;
}

TEST_F(Document, HasCompactTables) {
  const Experiment& item = all().at("table-a2");
  keep("table-a2", made_up_results("table-a2").dump());
  const std::string page = filled_in("<!-- table table-a2 compact -->\n<!-- end of table -->\n");
  EXPECT_TRUE(has(page, "| problem | BPO | BPO- | UP-MLE | DR | EPOpt | TRPO | oracle |")) << page;
  EXPECT_EQ(item.compact(made_up(item, {})).rows.size(), 1 + paper_problems().size() + 2);
  // Seeds 0 to 9 and 0 to 4 of made-up runs, methods 100 apart; Tiger has no mean to train TRPO on.
  EXPECT_TRUE(has(page, "\n| Tiger | 504.50 +- 2.17 (10) | 404.50 +- 2.17 (10) |")) << page;
  EXPECT_TRUE(has(page, "302.00 +- 1.96 (5) | - | 602.00 +- 1.96 (5) | 400.25 | 17.9 +- 0.6 |"))
      << page;
  EXPECT_TRUE(has(page, "\n| Chain-10, semi-tied | 504.50 +- 2.17 (10) | - | - |")) << page;
  const std::string none = "<!-- table table1 compact -->\n<!-- end of table -->\n";
  EXPECT_TRUE(has(refusal([&] { filled_in(none); }), "table1 has no compact table"));
}

TEST_F(Document, IsRefusedByPlace) {
  EXPECT_TRUE(has(refusal([&] { filled_in("no marks\n"); }), "page.md: no table to fill in"));
  keep("table1", made_up_results("table1").dump());
  EXPECT_TRUE(has(refusal([&] { filled_in("x\n<!-- table table1 -->\n"); }),
                  "page.md:2: the table has no end"));
  EXPECT_TRUE(has(refusal([&] { filled_in("<!-- table table1 -->\n" + kMarked); }),
                  "page.md:1: the table has no end"));
  EXPECT_TRUE(has(refusal([&] { filled_in("<!-- table table1\n-->\n<!-- end of table -->\n"); }),
                  "page.md:1: the line must end in ' -->'"));
  EXPECT_TRUE(has(refusal([&] { filled_in("<!-- table tabel1 -->\n<!-- end of table -->\n"); }),
                  "did you mean 'table1'?"));
  EXPECT_TRUE(
      has(refusal([&] { filled_in("<!-- table fig-lightdark -->\n<!-- end of table -->\n"); }),
          "it needs single episodes"));
}

TEST_F(Document, BadResultsAreRefusedByFile) {
  EXPECT_TRUE(has(refusal([&] { filled_in(kMarked); }), "table1.json: there is no such file"));
  for (const char* text : {"", "{", "[]", "7", "{\"item\": \"table1\"}"}) {
    keep("table1", text);
    EXPECT_TRUE(has(refusal([&] { filled_in(kMarked); }), "table1.json: not a results file"))
        << text;
  }
  keep("table1", made_up_results("table-a2").dump());
  EXPECT_TRUE(has(refusal([&] { filled_in(kMarked); }), "results of another item"));
  EXPECT_TRUE(has(refusal_of([](auto& json) { json["quick"] = true; }), "made with --quick"));
  EXPECT_TRUE(has(refusal_of([](auto& json) { json["series"][0]["episodes"] = 1e300; }),
                  "episodes must be a whole number"));
  EXPECT_TRUE(has(refusal_of([](auto& json) { json["series"][0]["values"][1] = nullptr; }),
                  "table1.json: not a results file"));
  EXPECT_TRUE(has(refusal_of([](auto& json) {
                    json["series"][0]["values"] = {1.0, 2.0};
                  }),
                  "chain-bins=10/bpo has 2 seeds"));
  EXPECT_TRUE(has(refusal_of([](auto& json) { json["series"][1]["set"] = {"problem.bins=11"}; }),
                  "chain-bins=11/bpo is not a part of table1"));
}

}  // namespace
}  // namespace bpo::experiments
