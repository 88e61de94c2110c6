// What was measured of a policy is read back from its text, or it counts as not measured.
#include "bpo/runs/measured_file.h"

#include <gtest/gtest.h>

#include "bpo/runs/json_seal.h"

namespace bpo {
namespace {

const Protocol kMeasuredBy{.episodes = 3, .sets = {"problem.accuracy=0.9"}};

Json measured_sample() {
  return {{"policy", "p"},  {"set", kMeasuredBy.sets},    {"episodes", 3},
          {"faults", 1},    {"returns", {1.0, 2.0, 6.0}}, {"exact_value", 2.5},
          {"optimum", 4.0}, {"bayes_policy", nullptr},    {"entropy", {0.7, 0.0}},
          {"so_far", {1.0}}};
}

std::optional<Measurement> read_sealed(Json json, const Protocol& protocol = kMeasuredBy) {
  seal(json);
  return parse_measured(json_text(json), "p", protocol);
}

TEST(MeasuredFile, IsReadBack) {
  Protocol all = kMeasuredBy;
  all.exactness = Exactness::kValue;
  all.curves = true;
  const auto found = read_sealed(measured_sample(), all);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->returns, (std::vector<double>{1.0, 2.0, 6.0}));
  EXPECT_EQ(found->mean, 3.0);
  EXPECT_GT(found->ci95.value(), 0.0);
  EXPECT_EQ(found->episodes, 3);
  EXPECT_EQ(found->faults, 1);
  EXPECT_EQ(found->sets, kMeasuredBy.sets);
  EXPECT_EQ(found->exact_value, 2.5);
  EXPECT_EQ(found->optimum, 4.0);
  EXPECT_FALSE(found->bayes_policy);
  EXPECT_EQ(found->curves.value().entropy, (std::vector<double>{0.7, 0.0}));
}

TEST(MeasuredFile, OfAnotherPolicyWorldOrNumberOfEpisodesIsNone) {
  Json json = measured_sample();
  seal(json);
  ASSERT_TRUE(parse_measured(json_text(json), "p", kMeasuredBy));
  EXPECT_FALSE(parse_measured(json_text(json), "q", kMeasuredBy));
  EXPECT_FALSE(parse_measured(json_text(json), "p", {.episodes = 3}));
  EXPECT_FALSE(parse_measured(json_text(json), "p", {.episodes = 4, .sets = kMeasuredBy.sets}));
}

TEST(MeasuredFile, ThatLacksWhatIsAskedForIsNone) {
  Json json = measured_sample();
  for (const char* key : {"exact_value", "entropy"}) json.erase(key);
  ASSERT_TRUE(read_sealed(json));
  Protocol exact = kMeasuredBy, curves = kMeasuredBy;
  exact.exactness = Exactness::kValue;
  curves.curves = true;
  EXPECT_FALSE(read_sealed(json, exact));
  EXPECT_FALSE(read_sealed(json, curves));
}

TEST(MeasuredFile, OfOtherKindsOfValuesIsNone) {
  for (const Json& bad : {Json(1e300), Json(-1), Json(1.5), Json(4), Json("1"), Json()}) {
    Json json = measured_sample();
    json["faults"] = bad;
    EXPECT_FALSE(read_sealed(json)) << bad;
  }
  for (const Json& bad : {Json(1.0), Json({1.0, 2.0}), Json({1.0, 2.0, "3"}), Json()}) {
    Json json = measured_sample();
    json["returns"] = bad;
    EXPECT_FALSE(read_sealed(json)) << bad;
  }
  const Json whole = measured_sample();
  for (const auto& [key, value] : whole.items()) {
    if (key == "exact_value" || key == "entropy") continue;  // these may be missing
    Json json = whole;
    json.erase(key);
    EXPECT_FALSE(read_sealed(json)) << key;
  }
}

TEST(MeasuredFile, ThatIsCutOrChangedIsNone) {
  Json json = measured_sample();
  seal(json);
  std::string text = json_text(json);
  EXPECT_FALSE(parse_measured(text + '\0', "p", kMeasuredBy));
  EXPECT_FALSE(parse_measured(text.substr(0, text.size() / 2), "p", kMeasuredBy));
  text.replace(text.find("6.0"), 1, "7");
  EXPECT_FALSE(parse_measured(text, "p", kMeasuredBy));
}

}  // namespace
}  // namespace bpo
