// `bpo reproduce`: every run is made once, whatever stops or splits the work, and what comes out is
// the same.
#include "bpo/experiments/overview.h"
#include "bpo/runs/json_seal.h"
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class ReproduceTest : public CliTest {
 protected:
  /// All of Chain's grids on ten-step episodes: ten runs of a moment each.
  static std::vector<std::string> command(const std::string& out,
                                          const std::vector<std::string>& more = {},
                                          int iterations = 3) {
    std::vector<std::string> all{"reproduce",
                                 "fig-discretization",
                                 "--quick",
                                 "--out",
                                 out,
                                 "--seeds",
                                 "1",
                                 "--episodes",
                                 "100",
                                 "--set",
                                 "algo.iterations=" + std::to_string(iterations),
                                 "--set",
                                 "optimizer.batch_steps=1000",
                                 "--set",
                                 "algo.validate_episodes=100",
                                 "--set",
                                 "problem.horizon=10"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string results(const std::string& out) const {
    return slurp(dir_ / out / "results" / "fig-discretization.json");
  }
  /// Relative paths of all files with this name.
  std::vector<std::string> files(const std::string& out, const std::string& name) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / out)) {
      if (entry.path().filename() == name) {
        found.push_back(fs::relative(entry.path(), dir_ / out).string());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

TEST_F(ReproduceTest, HelpSaysThePlansTime) {
  const Outcome help = run({"reproduce", "--help"});
  EXPECT_EQ(help.status, 0) << help.err;
  for (const experiments::Scale& scale : {experiments::Scale{}, {.quick = true}}) {
    EXPECT_NE(help.out.find(experiments::extent_text(scale)), std::string::npos) << help.out;
  }
}

TEST_F(ReproduceTest, MakesRunsResultsAndAPage) {
  const Outcome outcome = run(command("out"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("run 10 of 10, about "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("374.0 +- 6.9"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("not enough seeds"), std::string::npos);
  const std::string page = slurp(dir_ / "out" / "index.html");
  for (const char* words : {"--quick", "<svg", "374.0 +- 6.9", "chain-bins=10-"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  const json all = json::parse(results("out"));
  EXPECT_EQ(all["quick"], true);
  ASSERT_EQ(all["series"].size(), 10u);
  // A series' value is what `bpo eval` says of its run.
  const auto runs = files("out", "config.toml");
  ASSERT_EQ(runs.size(), 10u);
  const std::string one = "out/" + fs::path(runs[0]).parent_path().string();
  const json alone = run_json({"eval", one, "--exact"});
  int same = 0;
  for (const json& s : all["series"]) same += s["values"] == json({alone["exact_value"]});
  EXPECT_EQ(same, 1) << alone;
}

TEST_F(ReproduceTest, TunesOnSeedsOfItsOwn) {
  const std::vector<std::string> command{"reproduce",
                                         "tune-tiger",
                                         "--quick",
                                         "--out",
                                         "out",
                                         "--episodes",
                                         "50",
                                         "--set",
                                         "algo.iterations=4",
                                         "--set",
                                         "optimizer.batch_steps=200",
                                         "--set",
                                         "algo.validate_episodes=20",
                                         "--set",
                                         "problem.horizon=10"};
  const Outcome tuned = run(command);
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("batch x6.25, KL x2"), std::string::npos) << tuned.out;
  const json found = json::parse(slurp(dir_ / "out/results/tune-tiger.json"));
  ASSERT_EQ(found["series"].size(), 36u) << "six methods, six settings";
  for (const json& series : found["series"]) {
    EXPECT_EQ(series["seeds"], json({100}));
    EXPECT_EQ(series["episodes_of_seed"], 100);
  }
  EXPECT_EQ(found["figures"].size(), 6u);
  const auto campaign = [&] {
    const json all = json::parse(slurp(dir_ / "out/results/campaign.json"));
    EXPECT_EQ(all["parts"].size(), 1u);
    return all["parts"][0];
  };
  EXPECT_EQ(campaign()["runs"], 36);
  EXPECT_EQ(campaign()["runs_made_now"], 36);
  EXPECT_EQ(campaign()["runs_done"], 36);
  const double seconds = campaign()["wall_seconds"];
  EXPECT_GT(seconds, 0.0);
  EXPECT_EQ(campaign()["commits_of_runs"].size(), 1u);
  ASSERT_EQ(run(command).status, 0);
  EXPECT_EQ(campaign()["runs_made_now"], 0);
  EXPECT_GE(campaign()["wall_seconds"], seconds) << "the time of the first command counts as well";
}

TEST_F(ReproduceTest, MakesAPartOfTheSeries) {
  ASSERT_EQ(run(command("out", {"--only", "chain-bins=10-", "--only", "chain-bins=3"})).status, 0);
  EXPECT_EQ(files("out", "config.toml").size(), 4u);
  EXPECT_EQ(json::parse(results("out"))["series"].size(), 4u);
  expect_refused(command("out", {"--only", "chan"}), 2, {"--only chan", "did you mean 'chain'"});
  expect_refused(command("out", {"--into", "kept"}), 2, {"--into", "--quick"});
  expect_refused(command("out", {"--comparable", "abc"}), 2, {"--into"});
  expect_refused({"reproduce", "--list", "--only", "chain"}, 2, {"--list", "--only"});
  expect_refused({"reproduce", "--seeds", "1", "--into", "kept"}, 2, {"--into", "--seeds"});
  EXPECT_FALSE(fs::exists(dir_ / "kept"));
}

TEST_F(ReproduceTest, KeepsWhatAPartFoundBesideOlderResults) {
  const std::vector<std::string> part{"reproduce", "planners", "--only", "tiger/sarsop",
                                      "--out",     "out",      "--into", "kept"};
  ASSERT_EQ(run(part).status, 0);
  const fs::path file = dir_ / "kept" / "planners.json";
  const json found = json::parse(slurp(file));
  ASSERT_EQ(found["series"].size(), 1u);
  EXPECT_EQ(json::parse(slurp(dir_ / "kept/campaign.json"))["parts"][0]["only"],
            json({"tiger/sarsop"}));
  json older = found;
  older["series"][0]["values"] = {-1.0};
  older["series"][0]["commits"] = {"0123456789ab"};
  older["series"][0].erase("greedy");  // as files were before greedy actions were measured
  json other = older["series"][0];
  other["method"] = "qmdp";
  older["series"].push_back(other);
  spill(file, older.dump());
  const Outcome again = run(part);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("tiger qmdp (0123456789ab)"), std::string::npos) << again.err;
  EXPECT_EQ(json::parse(slurp(file)), found);
  spill(file, "{");
  expect_refused(part, 2, {"kept/planners.json", "not a results file"});
  EXPECT_EQ(slurp(file), "{");
}

TEST_F(ReproduceTest, ReusesWhatIsThere) {
  ASSERT_EQ(run(command("out")).status, 0);
  const auto checkpoints = files("out", "checkpoint.safetensors");
  ASSERT_EQ(checkpoints.size(), 10u);
  std::vector<fs::file_time_type> times;
  for (const auto& path : checkpoints) times.push_back(fs::last_write_time(dir_ / "out" / path));
  const std::string before = results("out");
  const Outcome again = run(command("out"));
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err, "10 of 10 runs are there already\n");
  EXPECT_EQ(results("out"), before);
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    EXPECT_EQ(fs::last_write_time(dir_ / "out" / checkpoints[i]), times[i]) << checkpoints[i];
  }
  // More episodes are measured anew, without training.
  std::vector<std::string> more = command("out");
  *std::find(more.begin(), more.end(), "100") = "150";
  ASSERT_EQ(run(more).status, 0);
  EXPECT_EQ(fs::last_write_time(dir_ / "out" / checkpoints[0]), times[0]);
  EXPECT_EQ(json::parse(results("out"))["series"][0]["episodes"], 150);
}

TEST_F(ReproduceTest, AnotherPolicyIsMeasuredAnew) {
  ASSERT_EQ(run(command("out")).status, 0);
  const std::string before = results("out");
  const auto policies = files("out", "policy.safetensors");
  const fs::path first = dir_ / "out" / policies[0];
  const auto measured = first.parent_path() / "measured-100.json";
  Json forged = Json::parse(slurp(measured));
  const auto forge = [&](const char* key, const Json& value) {
    forged[key] = value;
    seal(forged);
    spill(measured, forged.dump());
  };
  forge("exact_value", 1e6);
  ASSERT_EQ(run(command("out")).status, 0);
  EXPECT_NE(results("out"), before) << "what belongs to this policy is not measured again";
  spill(measured, slurp(measured).replace(slurp(measured).find("100000"), 1, "2"));
  ASSERT_EQ(run(command("out")).status, 0);
  EXPECT_EQ(results("out"), before) << "what was damaged was believed";
  forge("policy", "0000000000000000");
  ASSERT_EQ(run(command("out")).status, 0);
  EXPECT_EQ(results("out"), before) << "what belongs to another policy was believed";
  spill(measured, "{");
  ASSERT_EQ(run(command("out")).status, 0) << "a torn file can be measured again";
  EXPECT_EQ(results("out"), before);
}

TEST_F(ReproduceTest, KilledOrStoppedItGoesOnToTheSameResults) {
  constexpr int kIterations = 12;
  ASSERT_EQ(run(command("whole", {}, kIterations)).status, 0);
  for (const int signal : {SIGKILL, SIGTERM}) {
    const std::string out = "stopped" + std::to_string(signal);
    Process process(dir_, command(out, {"--threads", "1"}, kIterations));
    // The second run has begun, so the first is finished and there are eight to go.
    ASSERT_TRUE(eventually(
        [&] { return fs::exists(dir_ / out) && files(out, "config.toml").size() >= 2; }));
    process.send(signal);
    const Outcome stopped = process.wait();
    EXPECT_EQ(stopped.status, 128 + signal) << stopped.err;
    EXPECT_FALSE(fs::exists(dir_ / out / "index.html"));
    if (signal == SIGTERM) {
      EXPECT_NE(stopped.err.find("the same `bpo reproduce` command goes on"), std::string::npos);
    }
    EXPECT_LT(files(out, "result.json").size(), 10u);
    ASSERT_EQ(run(command(out, {"--threads", "2"}, kIterations)).status, 0);
    EXPECT_EQ(results(out), results("whole"));
    const json part = json::parse(slurp(dir_ / out / "results/campaign.json"))["parts"][0];
    EXPECT_EQ(part["commands"], 2) << "what was killed counts";
    EXPECT_EQ(part["runs_done"], 10);
  }
}

TEST_F(ReproduceTest, ShardsTogetherAreTheWhole) {
  ASSERT_EQ(run(command("whole")).status, 0);
  const Outcome first = run(command("parts", {"--shard", "1/3"}));
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(fs::exists(dir_ / "parts" / "index.html")) << "two thirds are missing";
  const auto share = files("parts", "result.json");
  EXPECT_GT(share.size(), 0u);
  EXPECT_LT(share.size(), 10u);
  EXPECT_NE(first.err.find("runs of other shards are not there yet"), std::string::npos);
  ASSERT_EQ(run(command("parts", {"--shard", "2/3"})).status, 0);
  EXPECT_FALSE(fs::exists(dir_ / "parts" / "index.html"));
  ASSERT_EQ(run(command("parts", {"--shard", "3/3"})).status, 0);
  EXPECT_TRUE(fs::exists(dir_ / "parts" / "index.html"));
  EXPECT_EQ(files("parts", "result.json"), files("whole", "result.json"));
  EXPECT_EQ(results("parts"), results("whole"));
  const json campaign = json::parse(slurp(dir_ / "parts/results/campaign.json"))["parts"];
  ASSERT_EQ(campaign.size(), 1u);
  EXPECT_EQ(campaign[0]["commands"], 3);
}

TEST_F(ReproduceTest, ARunOfAnotherProcessIsLeftToIt) {
  Process process(dir_, command("out", {"--threads", "1"}, 1000000));
  ASSERT_TRUE(eventually(
      [&] { return fs::exists(dir_ / "out") && !files("out", "checkpoint.safetensors").empty(); }));
  // The first of ten shares is the longest run, which is under way.
  const Outcome second =
      Process(dir_, command("out", {"--threads", "1", "--shard", "1/10"}, 1000000)).wait();
  EXPECT_EQ(second.status, 3) << second.err;
  EXPECT_NE(second.err.find("another process"), std::string::npos) << second.err;
}

TEST_F(ReproduceTest, RefusesWhatItCannotDo) {
  expect_refused({"reproduce", "table-2a", "--list"}, 2,
                 {"unknown item", "did you mean 'table-a2'"});
  for (const char* shard : {"0/3", "4/3", "x", "1/", "1/2x", "1/0", "-1/2"}) {
    expect_refused({"reproduce", "--quick", "--shard", shard}, 2, {"--shard", "i/N"});
  }
  expect_refused({"reproduce", "--seeds", "0"}, 2, {"--seeds"});
  expect_refused(command("out", {"--set", "algo.iteration=3"}), 2, {"algo.iteration"});
  EXPECT_FALSE(fs::exists(dir_ / "out")) << "everything is checked before anything is made";
  ASSERT_EQ(run(command("out")).status, 0);
  const auto configs = files("out", "config.toml");
  const fs::path config = dir_ / "out" / configs[0];
  std::string toml = slurp(config);
  toml.replace(toml.find("iterations = 3"), 14, "iterations = 4");
  spill(config, toml);
  expect_refused(command("out"), 2, {configs[0], "changed or cut"});
  fs::remove(config.parent_path() / ".files");
  expect_refused(command("out"), 2, {"other settings", "--out"});
}

TEST_F(ReproduceTest, ListsItems) {
  const json all = run_json({"reproduce", "--list"});
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all[9]["item"], "all of them");
  double sum = 0.0;
  for (std::size_t i = 0; i < 9; ++i) sum += all[i]["core_seconds"].get<double>();
  EXPECT_LT(all[9]["core_seconds"].get<double>(), sum) << "shared runs are made once";
  for (std::size_t i = 10; i < all.size(); ++i) {  // only by name
    EXPECT_TRUE(all[i]["item"].get<std::string>().starts_with("tune-")) << all[i];
  }
  EXPECT_FALSE(fs::exists(dir_ / "runs"));
}

TEST_F(ReproduceTest, RefusesTablesWithoutResultsAndDocuments) {
  spill(dir_ / "page.md", "<!-- table table1 -->\n<!-- end of table -->\n");
  expect_refused({"reproduce", "--tables", "none", "-o", "page.md"}, 2, {"none/table1.json"});
  expect_refused({"reproduce", "--tables", "none", "-o", "no.md"}, 2, {"no.md: there is no such"});
  expect_refused({"reproduce", "--tables", "none"}, 2, {"-o"});
}

}  // namespace
}  // namespace bpo::cli
