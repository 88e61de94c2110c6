#include "bpo/core/claim.h"

#include <fstream>

#include "bpo/core/file.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

using ClaimTest = test::TemporaryDirectory;

TEST_F(ClaimTest, OneHasIt) {
  Claims a(dir_, 60.0), b(dir_, 60.0);
  EXPECT_TRUE(a.take("x/run"));
  EXPECT_FALSE(b.take("x/run"));
  EXPECT_FALSE(a.take("x/run"));
  EXPECT_TRUE(b.take("x/other"));
  const auto owner = Claims::owner(dir_, "x/run");
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->process, this_process());
  EXPECT_LT(owner->silent, 60.0);
  EXPECT_FALSE(Claims::owner(dir_, "x/none"));
}

TEST_F(ClaimTest, WhatIsReleasedIsFreeAtOnce) {
  Claims a(dir_, 60.0), b(dir_, 60.0);
  EXPECT_TRUE(a.take("run"));
  a.release("run");
  EXPECT_FALSE(Claims::owner(dir_, "run"));
  EXPECT_FALSE(b.is_silent("run"));
  EXPECT_TRUE(b.take("run"));
  EXPECT_FALSE(a.take("run"));
  EXPECT_EQ(Claims::generations(dir_, "run"), 2);
}

TEST_F(ClaimTest, WhoBeatsKeepsIt) {
  Claims a(dir_, 0.4), b(dir_, 0.4);
  ASSERT_TRUE(a.take("run"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(b.take("run"));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// The clock that counts is the looker's: a file from the future or the past changes nothing, nor
/// does time in which nobody looked.
TEST_F(ClaimTest, WhoIsSilentLosesItAfterTheStatedTime) {
  std::ofstream(dir_ / "run.claim-1") << "elsewhere, process 7\nbeat 3\n";
  std::filesystem::last_write_time(
      dir_ / "run.claim-1",
      std::filesystem::file_time_type::clock::now() + std::chrono::hours(1000));
  Claims a(dir_, 0.4), b(dir_, 0.4);
  EXPECT_FALSE(a.take("run"));
  EXPECT_FALSE(b.take("run"));
  std::this_thread::sleep_for(std::chrono::milliseconds(450));
  EXPECT_FALSE(a.is_silent("run"));
  for (int i = 0; i < 9; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    a.is_silent("run");
    b.is_silent("run");
  }
  EXPECT_TRUE(a.is_silent("run"));
  EXPECT_NE(a.take("run"), b.take("run")) << "one of the two, and not both";
  EXPECT_EQ(Claims::generations(dir_, "run"), 2);
}

TEST_F(ClaimTest, WhoIsSilentIsToldWithItsTime) {
  const std::filesystem::path claim = dir_ / "run.claim-1";
  std::ofstream(claim) << "elsewhere, process 7\nbeat 3\n";
  const auto ago = std::filesystem::file_time_type::clock::now() - std::chrono::seconds(500);
  std::filesystem::last_write_time(claim, ago);
  const auto owner = Claims::owner(dir_, "run");
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->process, "elsewhere, process 7");
  EXPECT_NEAR(owner->silent, 500.0, 60.0);
}

TEST_F(ClaimTest, ManyGenerationsAreCountedRight) {
  for (int count = 1; count <= 40; ++count) {
    std::ofstream(dir_ / ("run.claim-" + std::to_string(count))) << "released\n";
    ASSERT_EQ(Claims::generations(dir_, "run"), count);
  }
}

}  // namespace
}  // namespace bpo
