// The line of a planner with bounds: each of its fields where the metrics have it, and bounds in
// words.
#include "bpo/report/bounds_text.h"

#include <gtest/gtest.h>

#include "bpo/terminal/progress.h"

namespace bpo::report {
namespace {

const Metrics kWhole{3,
                     {{"trials", 72.0},
                      {"backups", 12345.0},
                      {"lower", 1.25},
                      {"upper", 2.5},
                      {"gap", 1.25},
                      {"vectors", 264.0},
                      {"memory", 2.18},
                      {"seconds", 65.0}}};

std::string line(const Metrics& metrics, int columns = 1000) {
  return terminal::fit(bounds_parts(metrics), columns);
}

TEST(BoundsText, HasAllFieldsInTheirOrder) {
  EXPECT_EQ(line(kWhole),
            "1 min 05 s  trials 72  backups 12k  lower 1.2500  upper 2.5000  gap 1.2500  vectors "
            "264  2.2 MB");
}

TEST(BoundsText, LeavesOutWhatAPlannerDoesNotHave) {
  const char* const kShown[] = {"trials 72",   "backups 12k", "lower 1.2500", "gap 1.2500",
                                "vectors 264", "2.2 MB",      "1 min 05 s"};
  const char* const kFields[] = {"trials",  "backups", "lower",  "gap",
                                 "vectors", "memory",  "seconds"};
  for (int i = 0; i < 7; ++i) {
    Metrics some = kWhole;
    std::erase_if(some.values, [&](const auto& v) { return v.first == kFields[i]; });
    const std::string text = line(some);
    for (int j = 0; j < 7; ++j) {
      EXPECT_EQ(text.find(kShown[j]) == std::string::npos, i == j) << kFields[i] << ": " << text;
    }
  }
  Metrics none = kWhole;
  std::erase_if(none.values, [](const auto& v) { return v.first == "upper"; });
  EXPECT_TRUE(bounds_parts(none).empty());
}

TEST(BoundsText, ANarrowTerminalKeepsBoundsTimeAndMemory) {
  Metrics wide = kWhole;
  for (auto& [name, value] : wide.values) {
    if (name == "lower") value = -12.5;
    if (name == "upper") value = -2.5;
    if (name == "gap") value = 10.0;
    if (name == "memory") value = 102.2;
  }
  EXPECT_EQ(line(wide).size(), 101u);
  EXPECT_EQ(line(wide, 102), line(wide));
  EXPECT_EQ(
      line(wide, 101),
      "1 min 05 s  trials 72  lower -12.5000  upper -2.5000  gap 10.0000  vectors 264  102.2 MB");
  EXPECT_EQ(line(wide, 88),
            "1 min 05 s  lower -12.5000  upper -2.5000  gap 10.0000  vectors 264  102.2 MB");
  EXPECT_EQ(line(wide, 77), "1 min 05 s  lower -12.5000  upper -2.5000  vectors 264  102.2 MB");
  EXPECT_EQ(line(wide, 64), "1 min 05 s  lower -12.5000  upper -2.5000  102.2 MB");
  EXPECT_EQ(line(wide, 51), "1 min 05 s  lower -12.5000  upper -2.5000");
  EXPECT_EQ(line(wide, 41), "lower -12.5000  upper -2.5000");
  EXPECT_EQ(line(wide, 1), "lower -12.5000  upper -2.5000");
}

TEST(BoundsText, SaysWhatIsKnown) {
  EXPECT_EQ(range_text({1.25, 2.5}), "1.2500 to 2.5000");
  EXPECT_EQ(range_text({.upper = 2.5}, 2), "at most 2.50");
  EXPECT_EQ(range_text({.lower = 1.25}, 1), "at least 1.2");
  EXPECT_EQ(optimum_text({1.25, 2.5}), "the optimum is between 1.2500 and 2.5000");
  EXPECT_EQ(optimum_text({.upper = 2.5}), "the optimum is at most 2.5000");
}

}  // namespace
}  // namespace bpo::report
