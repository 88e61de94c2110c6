// The line of a planner with bounds: each of its fields where the metrics have it.
#include "bpo/report/bounds_text.h"

#include <gtest/gtest.h>

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

TEST(BoundsText, HasAllFieldsInTheirOrder) {
  EXPECT_EQ(bounds_text(kWhole),
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
    const std::string text = bounds_text(some);
    for (int j = 0; j < 7; ++j) {
      EXPECT_EQ(text.find(kShown[j]) == std::string::npos, i == j) << kFields[i] << ": " << text;
    }
  }
  Metrics none = kWhole;
  std::erase_if(none.values, [](const auto& v) { return v.first == "upper"; });
  EXPECT_EQ(bounds_text(none), "");
}

}  // namespace
}  // namespace bpo::report
