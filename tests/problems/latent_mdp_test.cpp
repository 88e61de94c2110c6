// A problem that is a file: read, refused, trained, opened again far from its file.
#include <gtest/gtest.h>

#include "bpo/agent/agent.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/simulate.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

const std::string kBridges = std::string(kSourcePath) + "/examples/problems/bridges.toml";

std::unique_ptr<AnyProblem> bridges() {
  Config config;
  return problems().at(open_problem(kBridges)).make(config);
}

TEST(LatentMdp, IsWhatTheFileSays) {
  const auto problem = bridges();
  EXPECT_EQ(problem->spec().name, "bridges");
  EXPECT_EQ(problem->spec().horizon, 20);
  EXPECT_EQ(problem->view().latent_values,
            (std::vector<std::string>{"north holds", "south holds"}));
  const auto tables = problem->tabular();
  check(*tables, "bridges");
  EXPECT_EQ(tables->states, 6);
  EXPECT_NEAR(tables->reward[0], 9.0, 1e-12);  // bank, north holds, north
  EXPECT_NEAR(tables->reward[1], 2.0, 1e-12);
  const auto tracker = problem->make_tracker();
  tracker->begin(0, 0, std::vector<double>{0.0});
  tracker->update(std::vector<double>{0.0}, std::vector<double>{1.0});
  EXPECT_NEAR(tracker->inputs().belief[0][0], 0.9 / 1.1, 1e-6);
}

TEST(LatentMdp, TheWorldHasTheTablesFrequencies) {
  const auto problem = bridges();
  const auto tables = problem->tabular();
  const auto simulator = problem->simulator();
  double home = 0.0, north = 0.0;
  constexpr int kTries = 20000;
  for (int e = 0; e < kTries; ++e) {
    Rng latent(1, Use::kLatent, e), state(1, Use::kState, e), world(1, Use::kWorld, e);
    simulator->reset(latent, state);
    std::vector<float> model(1);
    simulator->latent(model);
    if (model[0] != 0.0f) continue;
    ++north;
    home += simulator->step(std::vector<double>{0.0}, world).reward > 0.0;
  }
  EXPECT_NEAR(north / kTries, 0.5, 4 * 0.5 / std::sqrt(kTries));
  EXPECT_NEAR(home / north, 0.9, 4 * 0.3 / std::sqrt(north));
}

class ProblemFiles : public cli::CliTest {
 protected:
  std::string refusal(const std::string& text, const std::string& name = "p.toml") {
    cli::spill(path(name), text);
    try {
      open_problem(path(name));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return "";
  }
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST_F(ProblemFiles, WhatIsWrongIsNamedWithItsPlace) {
  const std::string good = cli::slurp(kBridges);
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& word) {
    const std::string found = refusal(with(good, from, to));
    EXPECT_NE(found.find(word), std::string::npos) << found;
    EXPECT_NE(found.find("p.toml"), std::string::npos) << found;
  };
  expect("kind = \"latent-mdp\"", "kind = \"latent-mpd\"", "latent-mdp");
  expect("kind = \"latent-mdp\"", "", "kind = \"latent-mdp\"");
  expect("horizon = 20", "horizon = 0", "p.toml:4:11");
  expect("horizon = 20", "horizon = nan", "horizon");
  expect("horizon = 20", "horizons = 20", "unknown key 'horizons'");
  expect("home = 0.9, river = 0.1", "home = 0.9, river = 0.2", "sum to 1.1");
  expect("home = 0.9, river = 0.1", "home = 0.9, lake = 0.1", "'lake' is no state");
  expect("home = 0.9, river = 0.1", "home = 1.9, river = -0.9", "probability");
  expect("reward = {home = 10}", "reward = {home = inf}", "reward");
  expect("\"bank\", \"home\", \"river\"", "\"bank\", \"bank\", \"river\"", "different words");
  expect("{from = \"bank\",  action = \"north\"", "{from = \"home\",  action = \"north\"", "told");
  EXPECT_NE(refusal("kind = \"latent-mdp\"\nhorizon = 3\nstates = [\"a\"]\nactions = [\"b\"]\n")
                .find("[[model]]"),
            std::string::npos);
  EXPECT_NE(refusal("= 3").find("p.toml:1:"), std::string::npos);
  EXPECT_NE(refusal("x", "p.zebra").find("zebra"), std::string::npos);
  EXPECT_NE(refusal("x", "zebra.").find("no kind"), std::string::npos);
  expect_refused({"train", "absent.toml"}, 5, {"absent.toml"});
  expect_refused({"train", "tigr"}, 2, {"did you mean 'tiger'"});
}

TEST_F(ProblemFiles, ARunStandsAlone) {
  cli::fs::copy_file(kBridges, path("mine.toml"));
  std::vector<std::string> command = training("mine.toml", "run", 3);
  ASSERT_EQ(run(command).status, 0) << run(command).err;
  const std::string text = cli::slurp(path("mine.toml"));
  EXPECT_EQ(cli::slurp(path("run/problem.toml")), text);
  cli::spill(path("mine.toml"), "gone");
  const cli::Outcome eval = run({"eval", "run", "--episodes", "200", "--json"});
  ASSERT_EQ(eval.status, 0) << eval.err;
  EXPECT_NE(eval.out.find("mine@"), std::string::npos) << eval.out;
  EXPECT_EQ(run({"play", "run", "--trace"}).status, 0);
  EXPECT_EQ(run({"resume", "run"}).status, 0);

  cli::fs::rename(path("run/policy.safetensors"), path("alone.safetensors"));
  Agent agent = Agent::load(path("alone.safetensors"));
  EXPECT_EQ(agent.names().observation_values[2], "river");
  agent.act(std::vector<double>{0.0});
  agent.observe(std::vector<double>{1.0}, std::vector<double>{1.0});
  EXPECT_NEAR(agent.belief()[1], 0.9 / 1.1, 1e-6);

  cli::fs::rename(path("alone.safetensors"), path("run/policy.safetensors"));
  cli::spill(path("run/problem.toml"), with(text, "river = 0.1", "river = 0.10"));
  expect_refused({"eval", "run"}, 2, {"problem.toml", "put that one back"});
  cli::fs::remove(path("run/problem.toml"));
  expect_refused({"eval", "run"}, 2, {"problem.*", "missing"});
}

TEST_F(ProblemFiles, EveryVerbThatTakesANameTakesAPath) {
  EXPECT_NE(run({"list", "--options", kBridges}).out.find("problem.horizon"), std::string::npos);
  expect_refused({"solve", kBridges, "--planner", "belief-ilqg"}, 2, {"bridges"});
  cli::spill(path("s.toml"), "problems = \"" + kBridges +
                                 "\"\n[set]\nalgo.iterations = 1\noptimizer.batch_steps = 100\n"
                                 "algo.validate_episodes = 20\n");
  const std::vector<std::vector<std::string>> all{
      {"bench", kBridges, "--seconds", "0.05"},
      {"check", kBridges},
      {"write-problem", kBridges, "bridges.pomdp"},
      {"solve", kBridges, "--planner", "sarsop", "--out", "plan", "--episodes", "20"},
      training(kBridges, "run", 2),
      {"sweep", "s.toml", "--out", "all", "--quiet"},
      {"status", "run"},
      {"resume", "run"},
      {"eval", "run", "--episodes", "20"},
      {"play", "run", "--trace"},
      {"compare", "run", "plan", "--episodes", "20"},
      {"export", "run", "--to", "c", "c"},
      {"report", "run", "-o", "page.html", "--episodes", "20"}};
  for (const auto& command : all) {
    const cli::Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << command.front() << ": " << outcome.err;
  }
  EXPECT_NE(cli::slurp(path("bridges.pomdp")).find("observations:"), std::string::npos);
  EXPECT_NE(cli::slurp(path("page.html")).find("bridges"), std::string::npos);
}

// A kind of one's own is one file that ends in its registration.
const RegisterFileKind kZebra{
    {"stripes", "as many steps as the file has letters",
     [](const std::string& problem, const std::string& text, const std::string&) {
       ProblemEntry entry = problems().at("tiger");
       entry.name = problem;
       entry.resolve = [steps = text.size()](Config& config) {
         config.set_default("problem.horizon", static_cast<std::int64_t>(steps));
         return problems().at("tiger").resolve(config);
       };
       return entry;
     }}};

TEST_F(ProblemFiles, ANewKindIsOneFile) {
  cli::spill(path("z.stripes"), "zebra");
  Config config;
  EXPECT_EQ(problems().at(open_problem(path("z.stripes"))).make(config)->spec().horizon, 5);
}

}  // namespace
}  // namespace bpo
