#include "bpo/core/error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bpo {
namespace {

const std::vector<std::string> kNames = {"tiger", "light-dark", "maze", "maze-wide", "chain"};

TEST(DidYouMean, SuggestsOneEdit) {
  EXPECT_EQ(did_you_mean("tigr", kNames), " (did you mean 'tiger'?)");    // deletion
  EXPECT_EQ(did_you_mean("tigerr", kNames), " (did you mean 'tiger'?)");  // insertion
  EXPECT_EQ(did_you_mean("tiber", kNames), " (did you mean 'tiger'?)");   // substitution
  EXPECT_EQ(did_you_mean("itger", kNames), " (did you mean 'tiger'?)");   // swap
  EXPECT_EQ(did_you_mean("lihgt_dark", kNames), " (did you mean 'light-dark'?)");
}

TEST(DidYouMean, CountsASwapOnce) {
  const std::vector<std::string> names = {"ab"};
  EXPECT_EQ(did_you_mean("ba", names), " (did you mean 'ab'?)");
}

TEST(DidYouMean, AllowsAThirdOfTheWord) {
  const std::vector<std::string> names = {"abcdef"};
  EXPECT_EQ(did_you_mean("xbcdey", names), " (did you mean 'abcdef'?)");
  EXPECT_EQ(did_you_mean("xbcyez", names), "");
  EXPECT_EQ(did_you_mean("xycde", names), "") << "5 / 3 is one edit";
}

TEST(DidYouMean, PrefersTheNearest) {
  const std::vector<std::string> names = {"width_max", "width_mix", "width_min"};
  EXPECT_EQ(did_you_mean("width_mim", names), " (did you mean 'width_mix'?)") << "first of equals";
  EXPECT_EQ(did_you_mean("widthmin", names), " (did you mean 'width_min'?)");
}

TEST(DidYouMean, CompletesAUniquePrefix) {
  EXPECT_EQ(did_you_mean("li", kNames), " (did you mean 'light-dark'?)");
  EXPECT_EQ(did_you_mean("maz", kNames), " (did you mean 'maze'?)") << "by distance";
  EXPECT_EQ(did_you_mean("m", kNames), "") << "two names start with it";
}

TEST(DidYouMean, StaysSilent) {
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("", {kNames.data(), 1}), "") << "every name completes it";
  EXPECT_EQ(did_you_mean("rocksample", kNames), "");
  EXPECT_EQ(did_you_mean("tiger", {}), "");
  EXPECT_EQ(did_you_mean(std::string(1 << 24, 't'), kNames), "");
}

TEST(Error, CarriesCodeAndMessage) {
  const Error error = bad_input("problem.bins = 0");
  EXPECT_EQ(error.code(), ErrorCode::kBadInput);
  EXPECT_STREQ(error.what(), "problem.bins = 0");
  EXPECT_EQ(io_error("").code(), ErrorCode::kIo);
}

}  // namespace
}  // namespace bpo
