#include "bpo/core/json.h"

#include <gtest/gtest.h>

namespace bpo {
namespace {

TEST(Json, TextIsAsciiAndTakesAnyBytes) {
  const Json json{{"name", "a\xff\xc2\x9b\x7f\xc3\xa9"}};
  EXPECT_EQ(json_text(json), "{\n  \"name\": \"a\\ufffd\\u009b\\u007f\\u00e9\"\n}\n");
}

}  // namespace
}  // namespace bpo
