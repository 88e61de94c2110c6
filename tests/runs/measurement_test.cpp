// result.json as it is found on disk: any text is a result or refused with the file's name.
#include "bpo/runs/measurement.h"

#include <gtest/gtest.h>

#include <string>

#include "bpo/core/error.h"

namespace bpo {
namespace {

Measurement sample() {
  Measurement result;
  result.run = {"tiger", "bpo", 3};
  result.machine.cores = 2;
  result.sets = {"problem.accuracy=0.9"};
  result.training = {.iterations = 5, .steps = 1000, .best_iteration = 4, .seconds = 0.5};
  result.mean = -1.5;
  result.optimum = 2.0;
  return result;
}

void expect_refused(const std::string& text) {
  try {
    parse_result(text, "r/result.json");
    ADD_FAILURE() << text.substr(0, 200);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_TRUE(std::string(error.what()).starts_with("r/result.json: not a result"));
  }
}

TEST(ParseResult, ReadsWhatIsWritten) {
  const std::string text = sample().json().dump();
  EXPECT_EQ(parse_result(text, "r").json().dump(), text);
  Measurement plan = sample();
  plan.training.reset();
  EXPECT_EQ(parse_result(plan.json().dump(), "r").json(), plan.json());
}

TEST(ParseResult, RefusesWhatIsCutOrMissing) {
  const std::string text = sample().json().dump();
  for (std::size_t length = 0; length < text.size(); length += 7) {
    expect_refused(text.substr(0, length));
  }
  for (const char* key : {"problem", "seed", "mean", "set", "machine", "commit"}) {
    Json json = sample().json();
    json.erase(key);
    expect_refused(json.dump());
  }
  expect_refused(std::string(1'000'000, '['));
}

TEST(ParseResult, RefusesNumbersThatAreNotWholeOrDoNotFit) {
  for (const char* key : {"seed", "episodes", "eval_seed", "iterations", "steps"}) {
    for (const Json& bad : {Json(1e300), Json(1.5), Json(true), Json("1"), Json::array({1}),
                            Json(18446744073709551615u)}) {
      Json json = sample().json();
      json[key] = bad;
      expect_refused(json.dump());
    }
  }
  for (const Json& bad : {Json(1e300), Json(3000000000), Json(-3000000000)}) {
    Json json = sample().json();
    json["machine"]["cores"] = bad;
    expect_refused(json.dump());
  }
}

}  // namespace
}  // namespace bpo
