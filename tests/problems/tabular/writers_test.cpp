// What is written reads back as it was, from every finite problem there is.
#include <gtest/gtest.h>

#include "bpo/core/problem_file.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/pomdp_writer.h"
#include "bpo/problems/tabular/pomdpx_reader.h"
#include "bpo/problems/tabular/pomdpx_writer.h"
#include "tests/problems/tabular/random_tables.h"
#include "tests/problems/tabular/tables.h"
#include "tests/support/paths.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

TabularModel again(const TabularModel& m) {
  return usable(read_pomdp(pomdp_text(m, "p"), "p"), "p");
}
TabularModel again_x(const TabularModel& m) {
  return usable(read_pomdpx(pomdpx_text(factored(m), "p"), "p"), "p");
}

TEST(Writers, FinitePlainProblemsReadBack) {
  int finite = 0;
  for (const std::string& name : problems().names()) {
    const auto tables = test::make_problem(name, {"problem.horizon=9"})->tabular();
    if (tables == nullptr) continue;
    ++finite;
    SCOPED_TRACE(name);
    test::expect_same(again(*tables), told_by_observations(*tables));
    test::expect_same(again_x(*tables), *tables, 1e-15);
  }
  EXPECT_GE(finite, 3);
}

TEST(Writers, OptionsAndFilesReadBack) {
  for (const auto& tables :
       {*test::make_problem("chain", {"problem.tying=semi", "problem.bins=3"})->tabular(),
        *test::make_problem("rocksample", {"problem.flat=true", "problem.n=3", "problem.k=2"})
             ->tabular(),
        *test::make_problem(
             open_problem(std::string(kSourcePath) + "/examples/problems/bridges.toml"))
             ->tabular()}) {
    test::expect_same(again(tables), told_by_observations(tables));
    test::expect_same(again_x(tables), tables, 1e-15);
  }
}

TEST(Writers, AnyTablesReadBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TabularModel m = test::random_tables(1 + static_cast<int>(seed % 4), 5, 3, 3, seed);
    test::expect_same(again(m), told_by_observations(m));
    test::expect_same(again_x(m), m, 1e-14);  // P(x') P(y' | x') is not P(x', y') to the last bit
  }
}

TEST(Writers, WhatIsSeenBecomesAnObservation) {
  const TabularModel m = test::random_tables(3, 2, 1, 2, 5);
  const TabularModel flat = told_by_observations(m);
  EXPECT_EQ(flat.visible, 1);
  for (int s = 0; s < flat.states; ++s) {
    for (int other = 0; other < flat.states; ++other) {
      if (s / 2 == other / 2) continue;
      for (const auto& [o, p] : flat.observation[0].row(s)) {
        EXPECT_EQ(test::entry(flat.observation[0], other, o), 0.0) << "o tells x";
      }
    }
  }
}

TEST(Writers, NamesBecomeThoseOfFiles) {
  TabularModel m = test::random_tables(1, 3, 2, 2, 3);
  m.names = {{}, {"a b", "7 up", "reset"}, {"go!", "go?"}, {"x", "y"}};
  const TabularModel read = again(m);
  EXPECT_EQ(read.names.hidden, (std::vector<std::string>{"a-b", "s7-up", "sreset"}));
  EXPECT_EQ(read.names.actions, (std::vector<std::string>{"a0", "a1"})) << "they would be the same";
}

}  // namespace
}  // namespace bpo
