// APPL's policy files: written and read back, and refused with their place where they are wrong.
#include "bpo/agent/appl_policy.h"

#include <gtest/gtest.h>

#include <string>

#include "bpo/core/error.h"

namespace bpo {
namespace {

AlphaPolicy policy_of(const AlphaShape& shape, std::shared_ptr<const VectorSets> vectors) {
  ProblemSpec spec{.name = "two", .actions = {.count = 3}, .obs_dim = 2, .belief_dim = 2};
  return {BeliefReader(spec, shape, "test"), std::move(vectors), 3};
}

std::shared_ptr<VectorSets> some_vectors() {
  auto vectors = std::make_shared<VectorSets>(2, 2);
  vectors->add(0, std::vector<double>{1.5, -2.0}, 0);
  vectors->add(0, std::vector<double>{0.1, 1e-300}, 2);
  vectors->add(1, std::vector<double>{-1.0 / 3.0, 1e17}, 1);
  return vectors;
}

TEST(ApplPolicy, IsReadBackToTheBit) {
  const AlphaShape shape{2, 2, 0};
  const auto vectors = some_vectors();
  const std::string text = appl_policy_text(policy_of(shape, vectors), "a<b&\"c\"");
  const VectorSets read = read_appl_policy(text, "x.policy", shape, 3);
  ASSERT_EQ(read.total(), 3);
  for (int x = 0; x < 2; ++x) {
    ASSERT_EQ(read.size(x), vectors->size(x));
    for (int i = 0; i < read.size(x); ++i) {
      EXPECT_EQ(read.action(x, i), vectors->action(x, i));
      for (int y = 0; y < 2; ++y) EXPECT_EQ(read.vector(x, i)[y], vectors->vector(x, i)[y]);
    }
  }
}

TEST(ApplPolicy, SparseVectorsAreRead) {
  const VectorSets read = read_appl_policy(
      "<Policy version='0.1'><AlphaVector vectorLength='3' numObsValue='1' numVectors='1'>"
      "<SparseVector action='1' obsValue='0'><Entry>2 7.5</Entry></SparseVector>"
      "</AlphaVector></Policy>",
      "x.policy", {3, 1, 0}, 2);
  EXPECT_EQ(read.vector(0, 0)[0], 0.0);
  EXPECT_EQ(read.vector(0, 0)[2], 7.5);
  EXPECT_EQ(read.action(0, 0), 1);
}

/// pomdpsol names a namespace and a schema, rounds to six digits and ends both lists in one line.
TEST(ApplPolicy, WhatPomdpsolWritesIsRead) {
  const VectorSets read = read_appl_policy(
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"
      "<Policy version=\"0.1\" type=\"value\" model=\"maze \xe9.pomdpx\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:noNamespaceSchemaLocation=\"policyx.xsd\">\n"
      "<AlphaVector vectorLength=\"2\" numObsValue=\"2\" numVectors=\"3\">\n"
      "<Vector action=\"1\" obsValue=\"0\">-12.25 3.5e-05 </Vector>\n"
      "<Vector action=\"0\" obsValue=\"0\">4.00002 4 </Vector>\n"
      "<Vector action=\"2\" obsValue=\"1\">-0 1e+06 </Vector>\n"
      "</AlphaVector> </Policy>\n",
      "x.policy", {2, 2, 0}, 3);
  EXPECT_EQ(read.total(), 3);
  EXPECT_EQ(read.action(0, 0), 1);
  EXPECT_EQ(read.vector(0, 0)[1], 3.5e-5);
  EXPECT_EQ(read.vector(0, 1)[0], 4.00002);
  EXPECT_EQ(read.action(1, 0), 2);
  EXPECT_EQ(read.vector(1, 0)[1], 1e6);
}

TEST(ApplPolicy, StagesCannotBeTold) {
  EXPECT_THROW(appl_policy_text(policy_of({2, 1, 2}, some_vectors()), "m"), Error);
}

TEST(ApplPolicy, WhatIsWrongIsRefusedWithItsPlace) {
  const std::string head = "<Policy>\n<AlphaVector vectorLength=\"2\" numObsValue=\"1\">\n";
  const std::string tail = "</AlphaVector></Policy>";
  const std::pair<std::string, std::string> cases[] = {
      {"<Nothing/>", "x.policy:1:1: the root is <Nothing>, not <Policy>"},
      {"<Policy/>", "x.policy:1:1: <AlphaVector> is missing"},
      {"<Policy><AlphaVector vectorLength='3' numObsValue='1'/></Policy>",
       "vectorLength is 3, but the problem's is 2"},
      {"<Policy><AlphaVector vectorLength='2' numObsValue='2'/></Policy>",
       "numObsValue is 2, but the problem's is 1"},
      {head + tail, "no vector has obsValue=\"0\""},
      {head + "<Vector action='0' obsValue='0'>1</Vector>" + tail,
       "x.policy:3:1: 1 numbers, not 2"},
      {head + "<Vector action='0' obsValue='0'>1 2 3</Vector>" + tail, "3 numbers, not 2"},
      {head + "<Vector action='0' obsValue='0'>1 x</Vector>" + tail, "'x' is not a number"},
      {head + "<Vector action='0' obsValue='0'>1 nan</Vector>" + tail, "'nan' is not a number"},
      {head + "<Vector action='0' obsValue='0'>1 1e999</Vector>" + tail, "'1e999' is not a number"},
      {head + "<Vector action='3' obsValue='0'>1 2</Vector>" + tail,
       "action=\"3\" is not a whole number below 3"},
      {head + "<Vector action='-1' obsValue='0'>1 2</Vector>" + tail, "action=\"-1\""},
      {head + "<Vector action='0' obsValue='1'>1 2</Vector>" + tail, "obsValue=\"1\""},
      {head + "<Vector obsValue='0'>1 2</Vector>" + tail, "a <Vector> needs action="},
      {head + "<Other action='0' obsValue='0'/>" + tail, "neither <Vector> nor <SparseVector>"},
      {head + "<SparseVector action='0' obsValue='0'><Entry>2 1</Entry></SparseVector>" + tail,
       "an entry is a place below 2 and a value"},
      {head + "<SparseVector action='0' obsValue='0'><Entry>1</Entry></SparseVector>" + tail,
       "an entry is a place below 2 and a value"},
  };
  for (const auto& [text, message] : cases) {
    try {
      read_appl_policy(text, "x.policy", {2, 1, 0}, 3);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bpo
