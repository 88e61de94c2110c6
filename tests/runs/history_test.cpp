// metrics.jsonl as it is found on disk: whole, being written, or damaged.
#include "bpo/runs/history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bpo/core/error.h"

namespace bpo {
namespace {

void expect_refused(const std::string& text, int line) {
  try {
    parse_history(text, "r/metrics.jsonl");
    ADD_FAILURE() << text.substr(0, 80);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_EQ(error.what(), fmt::format("r/metrics.jsonl:{}: not a line of metrics", line));
  }
}

TEST(History, IsByNameAndIteration) {
  const History history = parse_history(
      "{\"iteration\":1,\"return\":-2.5,\"kl\":0.01}\n{\"iteration\":2,\"return\":3}\n", "m");
  EXPECT_EQ(history, (History{{"iteration", {{1, 1}, {2, 2}}},
                              {"kl", {{1, 0.01}}},
                              {"return", {{1, -2.5}, {2, 3}}}}));
  EXPECT_TRUE(parse_history("", "m").empty());
}

TEST(History, LeavesOutWhatIsNotANumber) {
  const std::string line =
      R"({"a":null,"b":"1","c":[1],"d":{"iteration":9},"e":true,"iteration":4,"f":1e308})";
  EXPECT_EQ(parse_history(line + "\n", "m"),
            (History{{"f", {{4, 1e308}}}, {"iteration", {{4, 4}}}}));
}

TEST(History, TheLastLineMayBeCutAnywhere) {
  const std::string first = "{\"iteration\":1}\n", second = "{\"iteration\":2,\"kl\":0.5}";
  const History one = parse_history(first, "m");
  for (std::size_t length = 0; length < second.size(); ++length) {
    EXPECT_EQ(parse_history(first + second.substr(0, length), "m"), one) << length;
  }
  EXPECT_EQ(parse_history(first + second, "m").at("kl").at(2), 0.5);
}

TEST(History, RefusesAnyOtherBadLineByItsNumber) {
  const std::string good = "{\"iteration\":1}\n";
  for (const char* bad :
       {"", "x", "{\"iteration\":1", "[1]", "3", "null", "{}", "{\"iteration\":null}",
        "{\"iteration\":\"1\"}", "{\"iteration\":true}", "{\"iteration\":[1]}",
        "{\"iteration\":1,\"kl\":nan}", "{\"iteration\":1,\"kl\":NaN}", "{\"iteration\":-Infinity}",
        "{\"iteration\":1,\"kl\":1e999}", "{\"iteration\":1e999}", "{\"iteration\":1}{}",
        "{\"iteration\":1,\"\xff\":2}"}) {
    expect_refused(good + bad + "\n" + good, 2);
    expect_refused(good + good + bad + "\n", 3);
  }
  expect_refused(good + std::string("{\"iteration\":1}\0", 16) + "\n", 2);
}

TEST(History, DepthDoesNotExhaustTheStack) {
  const int depth = 1'000'000;
  const std::string open(depth, '['), close(depth, ']');
  expect_refused(open + "\n", 1);
  EXPECT_TRUE(parse_history(open, "m").empty());
  const std::string nested = "{\"iteration\":1,\"a\":" + open + close + ",\"b\":2}\n";
  EXPECT_EQ(parse_history(nested, "m").at("b").at(1), 2);
  std::string objects;
  for (int i = 0; i < depth; ++i) objects += "{\"a\":";
  expect_refused(objects + "1" + std::string(depth, '}') + "\n", 1);
}

TEST(History, IsReadFromARun) {
  std::string directory = (std::filesystem::temp_directory_path() / "bpo_history_XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  EXPECT_TRUE(load_history(directory).empty());
  std::ofstream(directory + "/metrics.jsonl") << "{\"iteration\":7}\n";
  EXPECT_EQ(load_history(directory).at("iteration").count(7), 1u);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace bpo
