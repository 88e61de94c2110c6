#include "bpo/core/json.h"

#include <gtest/gtest.h>

#include "bpo/core/parse_json.h"

namespace bpo {
namespace {

TEST(Json, TextIsAsciiAndTakesAnyBytes) {
  const Json json{{"name", "a\xff\xc2\x9b\x7f\xc3\xa9"}};
  EXPECT_EQ(json_text(json), "{\n  \"name\": \"a\\ufffd\\u009b\\u007f\\u00e9\"\n}\n");
}

TEST(Json, WhatIsNestedTooDeepIsRefused) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(parse_json(nested(32)).size(), 1u);
  for (const std::size_t levels : {33u, 1'000'000u}) {
    EXPECT_THROW(parse_json(nested(levels)), Json::exception) << levels;
  }
  const std::string wide = "[" + nested(31) + "," + nested(31) + "]";
  EXPECT_EQ(parse_json(wide).size(), 2u);
  // Brackets in a text are no levels.
  const std::string text = "[[[\\\"" + std::string(100, '{');
  EXPECT_EQ(parse_json("[\"" + text + "\"]").size(), 1u);
  EXPECT_THROW(parse_json("{\"" + text + "\": " + nested(32) + "}"), Json::exception);
}

TEST(Json, WhatFollowsItIsRefused) {
  EXPECT_EQ(parse_json("{}\n"), Json::object());
  for (const std::string& text : {std::string("{}\0{", 4), std::string("{}\0", 3),
                                  std::string("{}{}"), std::string("{"), std::string()}) {
    EXPECT_THROW(parse_json(text), Json::exception) << text;
  }
}

}  // namespace
}  // namespace bpo
