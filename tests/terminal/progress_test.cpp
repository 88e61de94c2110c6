#include "bpo/terminal/progress.h"

#include <gtest/gtest.h>

namespace bpo::terminal {
namespace {

TEST(Progress, ANarrowTerminalLosesTheLeastFirst) {
  const std::vector<report::LinePart> parts{{"one", 0}, {"two", 3}, {"three", 1}, {"four", 2}};
  EXPECT_EQ(fit(parts, 100), "one  two  three  four");
  EXPECT_EQ(fit(parts, 22), "one  two  three  four");
  EXPECT_EQ(fit(parts, 21), "one  three  four") << "the last column stays free";
  EXPECT_EQ(fit(parts, 16), "one  three");
  EXPECT_EQ(fit(parts, 10), "one");
  EXPECT_EQ(fit(parts, 1), "one");
}

}  // namespace
}  // namespace bpo::terminal
