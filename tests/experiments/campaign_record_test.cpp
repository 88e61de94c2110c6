// What a campaign took: commands that work beside each other, or are killed, lose neither each
// other's parts nor their own time, and time that they share counts once.
#include "bpo/experiments/campaign_record.h"

#include <gtest/gtest.h>

#include <thread>

#include "bpo/core/file.h"
#include "tests/support/temporary_directory.h"

namespace bpo::experiments {
namespace {

class CampaignRecord : public test::TemporaryDirectory {
 protected:
  static Json part(const std::string& only) {
    return {{"items", {"table1"}}, {"only", {only}}, {"runs_done", 0}};
  }
  /// A command as it left its file: whatever stopped it, for this is all that is ever written.
  void keep(const std::string& name, const std::string& only, double began, double seconds,
            int runs_done) const {
    make_directories(path("commands"));
    Json of = part(only);
    of["runs_done"] = runs_done;
    const Json json{{"began", began}, {"seconds", seconds}, {"part", of}};
    write_file_atomic(path("commands/" + name + ".json"), json.dump());
  }
};

struct Silent : CampaignLog {
  void begin(const Task&) override {}
  void heard(const Task&, double) override {}
  void end(const Task&, bool) override {}
};

TEST_F(CampaignRecord, CountsTimeThatCommandsShareOnce) {
  keep("1", "chain", 1000.0, 50.0, 3);
  keep("2", "chain", 1020.0, 100.0, 9);  // ends last
  keep("3", "chain", 1030.0, 10.0, 4);
  keep("4", "ant", 1010.0, 5.0, 1);
  keep("5", "chain", 2000.0, 7.5, 10);
  const Json parts = campaign_parts(dir_.string());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]["wall_seconds"], 120.0 + 7.5);
  EXPECT_EQ(parts[0]["commands"], 4);
  EXPECT_EQ(parts[0]["runs_done"], 10) << "as the last command left it";
  EXPECT_EQ(parts[1]["wall_seconds"], 5.0);
  EXPECT_EQ(parts[1]["only"], Json({"ant"}));
}

TEST_F(CampaignRecord, PassesOverWhatIsNoCommand) {
  keep("1", "chain", 1000.0, 50.0, 3);
  for (const char* text : {"", "{", "[]", "7", "{\"began\": 1}", "{\"part\": 1, \"began\": 1}"}) {
    write_file_atomic(path("commands/2.json"), text);
    EXPECT_EQ(campaign_parts(dir_.string()).size(), 1u) << text;
  }
  EXPECT_TRUE(campaign_parts(path("none")).empty());
}

TEST_F(CampaignRecord, IsThereWhileTheCommandWorks) {
  Silent silent;
  const Task task;
  {
    CommandRecord one(dir_.string(), part("chain"), silent);
    CommandRecord other(dir_.string(), part("ant"), silent);
    EXPECT_EQ(campaign_parts(dir_.string()).size(), 2u) << "a kill would leave both";
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    one.heard(task, 0.5);
    const Json parts = campaign_parts(dir_.string());
    EXPECT_GE(parts[0]["wall_seconds"], 2.1) << "a kill would leave this";
    EXPECT_EQ(parts[0]["runs_made_now"], 0);
    Json made = part("chain");
    made["runs_done"] = 5;
    one.finish(made, 2);
  }
  const Json chain = write_campaign(dir_.string(), part("chain"));
  EXPECT_EQ(chain["runs_done"], 5);
  EXPECT_EQ(chain["runs_made_now"], 2);
  const Json written = Json::parse(read_file(path("results/campaign.json"), 1 << 20));
  ASSERT_EQ(written["parts"].size(), 2u);
  EXPECT_EQ(written["parts"][0], chain);
  EXPECT_GE(written["parts"][1]["wall_seconds"], 2.1) << "an error that ends a command leaves it";
}

TEST_F(CampaignRecord, IsKeptBesideOtherParts) {
  Json chain = part("chain");
  for (const char* text : {"", "[]", "{\"parts\": 7}", "{\"parts\": []}"}) {
    write_file_atomic(path("campaign.json"), text);
    replace_part(dir_.string(), chain);
    replace_part(dir_.string(), part("ant"));
    chain["runs_done"] = 7;
    replace_part(dir_.string(), chain);
    const Json kept = Json::parse(read_file(path("campaign.json"), 1 << 20));
    EXPECT_EQ(kept["parts"], Json({chain, part("ant")})) << text;
  }
}

}  // namespace
}  // namespace bpo::experiments
