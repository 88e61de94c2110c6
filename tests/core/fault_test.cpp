#include "bpo/core/fault.h"

#include <gtest/gtest.h>

#include "bpo/core/error.h"

namespace bpo {
namespace {

TEST(FaultTexts, AreDescribedByTheFirst) {
  const std::vector<Fault> faults{{7, 2, {0.5f, 2.0f}}, {9, 0, {}}};
  EXPECT_EQ(describe(faults, 40),
            "the simulation broke down in 2 of 40 steps; the first: episode 7, step 2, latent "
            "(0.5, 2)");
}

TEST(FaultTexts, AFifthOfTheStepsIsTheMost) {
  const std::vector<Fault> two(2);
  EXPECT_NO_THROW(check_faults({}, 0, ""));
  EXPECT_NO_THROW(check_faults(two, 10, ""));
  try {
    check_faults(two, 9, "be gentler");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDiverged);
    EXPECT_NE(std::string(error.what()).find("be gentler"), std::string::npos);
  }
}

}  // namespace
}  // namespace bpo
