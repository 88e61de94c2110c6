#include "bpo/cli/progress.h"

#include <gtest/gtest.h>

#include "bpo/cli/print.h"

namespace bpo::cli {
namespace {

TEST(Progress, ANarrowTerminalLosesTheLeastFirst) {
  const std::vector<ProgressPart> parts{{"one", 0}, {"two", 3}, {"three", 1}, {"four", 2}};
  EXPECT_EQ(fit(parts, 100), "one  two  three  four");
  EXPECT_EQ(fit(parts, 22), "one  two  three  four");
  EXPECT_EQ(fit(parts, 21), "one  three  four") << "the last column stays free";
  EXPECT_EQ(fit(parts, 16), "one  three");
  EXPECT_EQ(fit(parts, 10), "one");
  EXPECT_EQ(fit(parts, 1), "one");
}

TEST(Print, JsonIsAsciiAndTakesAnyBytes) {
  const nlohmann::ordered_json json{{"name", "a\xff\xc2\x9b\x7f\xc3\xa9"}};
  EXPECT_EQ(json_text(json), "{\n  \"name\": \"a\\ufffd\\u009b\\u007f\\u00e9\"\n}\n");
}

}  // namespace
}  // namespace bpo::cli
