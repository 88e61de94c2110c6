// Sums of slices on ranks are those of one process, to the bit, whichever way they go.
#include "tests/ranks/mpirun.h"

namespace bpo::cli {
namespace {

class RankSum : public RanksTest {
 protected:
  Outcome sums(int ranks, const Arguments& arguments) const {
    const fs::path program = fs::path(kJumpClockPath).parent_path() / "rank_sums";
    Arguments all{"-n", std::to_string(ranks), program.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return start(all)->wait();
  }
  /// Five sums of so many exchanges each, all right on every rank.
  void expect_sums(int ranks, const std::string& numbers, const std::string& exchanges) const {
    const Outcome outcome = sums(ranks, {numbers});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::string five;
    for (int i = 0; i < 5; ++i) five += exchanges + "\n";
    EXPECT_EQ(outcome.out, five) << ranks << " ranks, " << numbers << " numbers";
  }
};

TEST_F(RankSum, GoesFromRankToRankInOneExchange) {
  for (const int ranks : {2, 3, 4}) {
    for (const char* numbers : {"200", "24683"}) expect_sums(ranks, numbers, "1");
  }
}

/// 16 MB of each of two ranks, 8 of each of four.
TEST_F(RankSum, GoesByRangesWhereThereIsNoRoom) {
  expect_sums(4, "1100000", "2");
  expect_sums(2, "1100000", "1");
}

TEST_F(RankSum, GoesByRangesAndMessages) {
  ::setenv("OMPI_MCA_osc", "^sm", 1);  // without it OpenMPI's ranks share no memory
  expect_sums(3, "24683", "3");
  ::unsetenv("OMPI_MCA_osc");
}

TEST_F(RankSum, EndsWhereAnotherRankEnds) {
  for (const char* rank : {"0", "1", "2"}) EXPECT_EQ(sums(3, {"24683", rank}).status, 7) << rank;
}

}  // namespace
}  // namespace bpo::cli
