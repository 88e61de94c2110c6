// A short training ends in the same bits in every build. A commit that changes the bits on purpose
// changes the constants here, says so, and shows that learning is as good as before. They also
// depend on the C library's exp, log, sin and cos, which are not rounded correctly in all cases.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/trained.h"

namespace bpo::test {
namespace {

struct Case {
  std::string name, problem;
  std::vector<std::string> sets;
  std::string bits;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class TrainingBits : public testing::TestWithParam<Case> {};

TEST_P(TrainingBits, AreTheSameInEveryBuild) {
  if (!bits_are_known()) GTEST_SKIP() << "only known for x86-64-v3";
  std::vector<std::string> sets = GetParam().sets;
  for (const char* set : {"optimizer.batch_steps=600", "algo.iterations=4", "algo.validate_every=2",
                          "algo.validate_episodes=20"}) {
    sets.emplace_back(set);
  }
  EXPECT_EQ(trained_bits(GetParam().problem, sets), GetParam().bits);
}

INSTANTIATE_TEST_SUITE_P(
    Problems, TrainingBits,
    testing::Values(
        Case{"Tiger", "tiger", {}, "aed1ab6753d52d5d"},
        Case{"Chain", "chain", {}, "2bb4141eba842689"},
        Case{"LightDark", "lightdark", {}, "88faad1a156f35e5"},
        Case{"LightDarkParticles",
             "lightdark",
             {"problem.filter=particle", "problem.particles=16"},
             "c4a3b5850f575ffd"},
        Case{"ChainSemiTied", "chain", {"problem.tying=semi"}, "0b1f533daf080265"},
        Case{"ChainLinearBaseline", "chain", {"algo.baseline=linear"}, "2b37872e25d3a5a5"},
        Case{"TigerPpo", "tiger", {"optimizer.kind=ppo"}, "759b1678598ceec5"}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace bpo::test
