// The code of the documents that needs a run: a model of one's own that is trained, an agent's
// loop, a policy in C, a kind of problem file; and what the documents quote of the sources.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "bpo/agent/agent.h"
#include "bpo/algorithms/train.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/loaded.h"
#include "tests/cli/process.h"
#include "tests/support/recurrent_model.h"

namespace bpo {
namespace {

using test::RecurrentModel;
#include "documents/model.inc"

ProblemEntry read_mine(const std::string& problem, const std::string& text, const std::string&) {
  ProblemEntry entry = problems().at("tiger");
  entry.name = problem;
  entry.summary = text;
  return entry;
}
#include "documents/kind.inc"

void loop(std::uint64_t seed, std::span<const double> observation,
          std::span<const double> next_observation) {
#include "documents/loop.inc"
}

/// A block of a document: its language with what follows, and its code.
struct Block {
  std::string head, code;
};

std::vector<Block> blocks_of(const cli::fs::path& document) {
  std::istringstream lines(cli::slurp(document));
  std::vector<Block> out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.starts_with("```");
    if (fence && !inside) out.push_back({line.substr(3), ""});
    if (!fence && inside) out.back().code += line + "\n";
    inside ^= fence;
  }
  return out;
}

const cli::fs::path kDocuments = cli::fs::path(kSourcePath) / "docs";

class DocumentsRuns : public cli::CliTest {
 protected:
  static Config settings(const std::string& algorithm) {
    Config config;
    for (const char* set : {"run.problem=tiger", "problem.horizon=12", "algo.iterations=6",
                            "algo.hidden=8", "algo.validate_every=3", "algo.baseline=linear",
                            "algo.validate_episodes=100", "optimizer.batch_steps=600"}) {
      config.set(set);
    }
    config.set("run.algorithm=" + algorithm);
    return config;
  }
  std::unique_ptr<bpo::Run> made(const std::string& name, const std::string& algorithm,
                                 std::int64_t iterations = 6) {
    auto run = Run::create(path(name), make_plan(settings(algorithm)), false, pool_);
    run->solve({.iterations = iterations}, 1e9, log_);
    return run;
  }

  ThreadPool pool_{1};
  NullLog log_;
};

TEST_F(DocumentsRuns, AModelOfOnesOwnIsTrainedResumedAndLoadedLikeAnyOther) {
  const auto whole = made("whole", "recurrent");
  made("cut", "recurrent", 2);
  ASSERT_EQ(Run::resume(path("cut"), pool_)->solve({}, 1e9, log_), Run::End::kFinished);
  EXPECT_EQ(policy_hash(path("cut")), policy_hash(path("whole")));

  const LoadedPolicy loaded = load_run(path("cut"));
  const auto mean = [&](const Policy& policy) {
    return evaluate(*loaded.problem, policy, 5, 500, pool_).mean();
  };
  EXPECT_EQ(mean(*loaded.policy), mean(*whole->solution().policy()));
  Agent agent = Agent::load(policy_path(path("cut")));
  const double nothing = 2.0, listen = 0.0, left = 0.0;
  const double action = agent.act({&nothing, 1})[0];
  EXPECT_TRUE(action == 0.0 || action == 1.0 || action == 2.0);
  EXPECT_TRUE(agent.observe({&listen, 1}, {&left, 1}));
  EXPECT_NEAR(agent.belief()[0], 0.85, 1e-6);
}

TEST_F(DocumentsRuns, TheAgentsLoopRuns) {
  made("runs/tiger-0", "bpo");
  cli::fs::current_path(dir_);
  const std::vector<double> nothing{2.0}, left{0.0};
  EXPECT_NO_THROW(loop(1, nothing, left));
  EXPECT_THROW(loop(1, nothing, std::vector<double>{3.0}), Error) << "3 is nothing one hears";
  cli::fs::current_path("/");
}

TEST_F(DocumentsRuns, AKindOfFileIsOneLine) {
  cli::spill(path("p.mine"), "a tiger of mine");
  EXPECT_EQ(problems().at(open_problem(path("p.mine"))).summary, "a tiger of mine");
}

TEST_F(DocumentsRuns, ThePolicyInCCompiles) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no cc";
  made("run", "bpo");
  ASSERT_EQ(run({"export", "run", "--to", "c", "policy"}).status, 0);
  const std::vector<Block> blocks = blocks_of(kDocuments / "deploy.md");
  const auto block = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) {
    return b.code.find("BPO_POLICY_IMPLEMENTATION") != std::string::npos;
  });
  ASSERT_NE(block, blocks.end());
  const std::size_t body = block->code.find("\n\n");
  cli::spill(
      path("policy/main.c"),
      block->code.substr(0, body) +
          "\nstatic void read_sensors(double* o) { o[0] = 2; }\n"
          "static void apply(const double* a) { (void)a; }\n"
          "void loop(uint64_t seed, uint64_t episode) {\ndouble observation[1], action[1];\n" +
          block->code.substr(body) + "}\n");
  const std::string command = "cd '" + path("policy") + "' && cc -std=c99 -Wall -Werror -c main.c";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(DocumentsRuns, WhatTheyQuoteIsThere) {
  int quotes = 0;
  for (const auto& document : cli::fs::directory_iterator(kDocuments)) {
    if (document.path().extension() != ".md") continue;
    for (const Block& block : blocks_of(document.path())) {
      const std::size_t at = block.head.find("quoted=");
      if (at == std::string::npos) continue;
      const cli::fs::path source = cli::fs::path(kSourcePath) / block.head.substr(at + 7);
      EXPECT_NE(cli::slurp(source).find(block.code), std::string::npos)
          << document.path() << " quotes what is not in " << source << ":\n"
          << block.code;
      ++quotes;
    }
  }
  EXPECT_GT(quotes, 0);
}

}  // namespace
}  // namespace bpo
