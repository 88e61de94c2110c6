#include "bpo/report/scale.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace bpo::report {
namespace {

std::string labels(double low, double high, int most) {
  std::string out;
  for (const Tick& tick : ticks(low, high, most)) out += tick.label + " ";
  return out;
}

TEST(Ticks, AreRound) {
  EXPECT_EQ(labels(-1.0, 7.0, 6), "0 2 4 6 ");
  EXPECT_EQ(labels(-2.0, 4.0, 6), "-2 0 2 4 ");
  EXPECT_EQ(labels(0.0, 1.0, 6), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(-0.3, 0.3, 3), "-0.2 0.0 0.2 ");
  EXPECT_EQ(labels(0.0, 2e7, 3), "0 1e+07 2e+07 ");
  EXPECT_EQ(labels(19.21, 19.26, 4), "19.22 19.24 19.26 ");
}

TEST(Ticks, NoneOfNothing) {
  EXPECT_EQ(labels(1.0, 1.0, 5), "");
  EXPECT_EQ(labels(2.0, 1.0, 5), "");
  EXPECT_EQ(labels(std::nan(""), 1.0, 5), "");
  EXPECT_EQ(labels(0.0, std::numeric_limits<double>::infinity(), 5), "");
  EXPECT_EQ(labels(0.0, 1.0, 0), "");
}

RC_GTEST_PROP(Ticks, LieInsideAndSayWhereTheyAre, ()) {
  const double low = *rc::gen::inRange(-100000, 100000) / 1000.0;
  const double width = *rc::gen::inRange(1, 100000) / 1000.0;
  const int most = *rc::gen::inRange(3, 12);
  const auto all = ticks(low, low + width, most);
  RC_ASSERT(all.size() >= 1u && all.size() <= static_cast<std::size_t>(most));
  // Steps grow by at most 2.5, so that at most about a factor of that many fewer fit.
  RC_ASSERT(5 * static_cast<int>(all.size()) >= most);
  for (std::size_t i = 0; i < all.size(); ++i) {
    RC_ASSERT(all[i].value > low - 1e-9 * width && all[i].value < low + width * (1.0 + 1e-9));
    RC_ASSERT(std::abs(std::stod(all[i].label) - all[i].value) < 1e-9 * (1.0 + width));
    if (i > 1) {
      const double first = all[1].value - all[0].value, step = all[i].value - all[i - 1].value;
      RC_ASSERT(std::abs(step - first) < 1e-9 * width);
    }
  }
}

TEST(AxisScale, MayRunBackwards) {
  const AxisScale y{-2.0, 4.0, 300.0, 0.0};
  EXPECT_EQ(y(-2.0), 300.0);
  EXPECT_EQ(y(4.0), 0.0);
  EXPECT_EQ(y(1.0), 150.0);
}

TEST(AxisScale, LogarithmGivesDecadesEqualLengths) {
  const AxisScale scale{1.0, 1000.0, 10.0, 310.0, true};
  EXPECT_NEAR(scale(1.0), 10.0, 1e-9);
  EXPECT_NEAR(scale(10.0), 110.0, 1e-9);
  EXPECT_NEAR(scale(1000.0), 310.0, 1e-9);
}

TEST(LogTicks, PowersOfTenOrRoundValues) {
  const auto labels = [](double low, double high) {
    std::string out;
    for (const Tick& tick : log_ticks(low, high, 6)) out += tick.label + " ";
    return out;
  };
  EXPECT_EQ(labels(1.0, 1000.0), "1 10 100 1000 ");
  EXPECT_EQ(labels(0.5, 2e4), "1 10 100 1000 10000 ");
  EXPECT_EQ(labels(20.0, 60.0), "20 30 40 50 60 ") << "fewer than two powers";
  EXPECT_LE(log_ticks(1.0, 1e12, 6).size(), 6u);
  EXPECT_GE(log_ticks(1.0, 1e12, 6).size(), 3u);
  EXPECT_TRUE(log_ticks(0.0, 10.0, 6).empty());
}

TEST(Extent, HoldsWhatIsFinite) {
  Extent range;
  EXPECT_TRUE(range.empty());
  EXPECT_EQ(range.padded(0.1).low, 0.0);
  EXPECT_EQ(range.padded(0.1).high, 1.0);
  range.add({3.0, std::nan(""), -1.0, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(range.low, -1.0);
  EXPECT_EQ(range.high, 3.0);
  EXPECT_DOUBLE_EQ(range.padded(0.25).low, -2.0);
  EXPECT_DOUBLE_EQ(range.padded(0.25).high, 4.0);
  Extent one;
  one.add(5.0);
  EXPECT_LT(one.padded(0.0).low, 5.0) << "never without a width";
  EXPECT_GT(one.padded(0.0).high, 5.0);
}

}  // namespace
}  // namespace bpo::report
