// `bpo play` where there is a room: the trace as text and the figure.
#include "tests/cli/process.h"
#include "tests/support/xml.h"

namespace bpo::cli {
namespace {

using nlohmann::json;
using test::occurrences;

class PlayTest : public CliTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("lightdark", "a", 2)).status, 0);
    ASSERT_EQ(run(training("lightdark", "b", 2, {"--algo", "up-mle", "--seed", "4"})).status, 0);
  }
};

TEST_F(PlayTest, DrawsEveryRunInTheSameEpisode) {
  const json played = run_json({"play", "a", "b", "--trace", "--episode", "5", "--svg", "r.svg"});
  ASSERT_EQ(played.size(), 2u);
  const json &first = played[0]["steps"][0], &second = played[1]["steps"][0];
  EXPECT_EQ(first["latent"], second["latent"]);
  EXPECT_EQ(first["observation"], second["observation"]);
  EXPECT_NE(first["action"], second["action"]);
  const std::string svg = slurp(dir_ / "r.svg");
  EXPECT_EQ(test::xml_fault(svg), "");
  EXPECT_NE(svg.find(">bpo, seed 0<"), std::string::npos);
  EXPECT_NE(svg.find(">up-mle, seed 4<"), std::string::npos);
  EXPECT_NE(svg.find("lightdark, episode 5 of seed 0<"), std::string::npos);
  const auto length = played[0]["length"].get<int>() + played[1]["length"].get<int>();
  EXPECT_EQ(occurrences(svg, "r=\"3.2\" fill=\"#D55E00\""), length + 2 + 1) << "dots";

  ASSERT_EQ(run({"play", "a", "b", "--episode", "5", "--svg", "again.svg"}).status, 0);
  EXPECT_EQ(slurp(dir_ / "again.svg"), svg) << "--trace and --json do not change the figure";
  ASSERT_EQ(run({"play", "a", "b", "--episode", "6", "--svg", "again.svg"}).status, 0);
  EXPECT_NE(slurp(dir_ / "again.svg"), svg) << "and it was replaced";
}

TEST_F(PlayTest, TraceOfARoomReadsAsPlaces) {
  const std::string text = run({"play", "a", "b", "--trace", "--svg", "r.svg"}).out;
  EXPECT_EQ(occurrences(text, "( 2.00  2.00) sd 1.50"), 2) << text;
  EXPECT_EQ(occurrences(text, "the goal is ("), 2) << text;
  EXPECT_LT(text.find("lightdark bpo seed 0"), text.find("lightdark up-mle seed 4"));
  EXPECT_EQ(text.find("[#"), std::string::npos) << text;
  const json one = run_json({"play", "a", "--trace"});
  EXPECT_EQ(one["steps"][0]["action"].size(), 2u);
}

TEST_F(PlayTest, Refusals) {
  ASSERT_EQ(run(training("tiger", "t", 2)).status, 0);
  expect_refused({"play", "t", "--svg", "r.svg"}, 2,
                 {"play --svg draws rooms; tiger has none; use --trace"});
  expect_refused({"play", "a", "t", "--svg", "r.svg"}, 2, {"tiger has none"});
  expect_refused({"play", "a", "b"}, 2, {"several with --svg"});
  expect_refused({"play", "a", "nowhere", "--svg", "r.svg"}, 2, {"nowhere"});
  expect_refused({"play", "a", "--svg", ""}, 2, {"--svg", "empty"});
  EXPECT_FALSE(fs::exists(dir_ / "r.svg"));
  expect_refused({"play", "a", "--svg", "no/such/r.svg"}, 5, {"no/such/r.svg", "No such file"});
  expect_refused({"play", "a", "--svg", "a"}, 5, {"a:", "Is a directory"});
  expect_refused({"play", "a", "--svg", "/dev/full"}, 5, {"/dev/full", "No space left"});
}

}  // namespace
}  // namespace bpo::cli
