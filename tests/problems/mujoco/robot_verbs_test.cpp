// Robots in files under the verbs of every problem, from an MJCF file to a page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bpo/problems/mujoco/robot_file.h"
#include "tests/cli/process.h"
#include "tests/problems/mujoco/small_models.h"
#include "tests/problems/mujoco/spring_cart.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

class RobotVerbs : public cli::CliTest {};

TEST_F(RobotVerbs, AreSweptForTheirSettingsAndNotSolvedExactly) {
  cli::spill(path("m.xml"), test::Cart{}.mjcf());
  cli::spill(path("mine.toml"), "[robot]\nmjcf = \"m.xml\"\nhorizon = 30\n[reward]\nalive = 1.0\n" +
                                    test::cart_mass(3) + "[filter]\nsigma = 0.1\n");
  cli::spill(path("sweep.toml"),
             "problems = \"mine.toml\"\nseeds = 1\n[grid]\noptimizer.kl = [0.01, 0.03]\n"
             "[set]\nalgo.iterations = 1\nalgo.hidden = 8\nalgo.validate_episodes = 4\n"
             "optimizer.batch_steps = 200\n");
  const cli::Outcome swept =
      run({"sweep", "sweep.toml", "--out", "all", "--threads", "1", "--quiet"});
  EXPECT_EQ(swept.status, 0) << swept.err;
  EXPECT_NE(swept.out.find("2 runs made here"), std::string::npos) << swept.out;
  EXPECT_NE(swept.out.find("done 2, running 0, failed 0"), std::string::npos) << swept.out;
  for (const std::string planner : {"pbvi", "belief-dp", "belief-ilqg"}) {
    expect_refused({"solve", "mine.toml", "--planner", planner, "--out", "solved"}, 2,
                   {planner + " needs a ", "mine"});
    EXPECT_FALSE(cli::fs::exists(path("solved")));
  }
  EXPECT_FALSE(cli::fs::exists(path("runs")));
}

/// A calibration of many particles takes minutes; whoever waits is told for what.
TEST_F(RobotVerbs, SayWhatTakesLong) {
  const std::string folder = std::string(kSourcePath) + "/examples/robots/walker/";
  cli::fs::copy_file(folder + "walker.xml", path("walker.xml"));
  std::string text = cli::slurp(folder + "walker.toml");
  text.replace(text.find("particles = 100"), 15, "particles = 5000");
  cli::spill(path("slow.toml"), text);
  cli::Process check(dir_, {"check", "slow.toml"}), train(dir_, {"train", "slow.toml"});
  std::this_thread::sleep_for(std::chrono::seconds(6));
  for (cli::Process* each : {&check, &train}) each->send(SIGKILL);
  EXPECT_NE(check.wait().err.find("checking slow.toml ... "), std::string::npos);
  EXPECT_NE(train.wait().err.find("reading slow.toml ... "), std::string::npos);
}

/// What was measured of the one file, under the name of the problem, which carries a hash.
nlohmann::json only(const nlohmann::json& found, const std::string& name) {
  EXPECT_EQ(found["problems"].size(), 1u) << found.dump(1);
  const auto first = found["problems"].begin();
  EXPECT_EQ(first.key().rfind(name + "@", 0), 0u) << first.key();
  return first.value();
}

TEST_F(RobotVerbs, AgreeWithMujocoWhereLanesMoveThem) {
  const std::string folder = std::string(kSourcePath) + "/examples/robots/hopper/";
  cli::fs::copy_file(folder + "hopper.xml", path("hopper.xml"));
  std::string text = cli::slurp(folder + "hopper.toml");
  text.replace(text.find("sigma = \"auto\""), 14, "sigma = 0.1");
  cli::spill(path("mine.toml"), text);
  const auto steps = only(run_json({"bench", "mine.toml", "--agreement"}), "mine")["random"];
  EXPECT_GT(steps["steps"].get<int>(), 1000) << steps.dump(1);
  EXPECT_GT(steps["worst_difference"].get<double>(), 0.0) << "lanes did not move it";
  EXPECT_LT(steps["worst_difference"].get<double>(), mjVERSION_HEADER < 300 ? 1e-11 : 1e-4);
}

TEST_F(RobotVerbs, AreMeasuredAndCompared) {
  cli::spill(path("m.xml"), test::Cart{}.mjcf());
  cli::spill(path("mine.toml"),
             "[robot]\nmjcf = \"m.xml\"\nhorizon = 30\nreset = { qvel_noise = "
             "0.5 }\n[reward]\nalive = 1.0\ncontrol = { weight = -1.0 }\n" +
                 test::cart_mass(3) + "[filter]\nsigma = 0.1\n");
  const auto speed = only(run_json({"bench", "mine.toml", "--seconds", "0.3"}), "mine");
  EXPECT_GT(speed["rollout_steps_per_s"].get<double>(), 100.0) << speed.dump(1);
  EXPECT_GT(speed["ratio"].get<double>(), 1.0) << speed.dump(1);
  EXPECT_GE(speed["filter_models_per_step"].get<double>(), 1.0) << speed.dump(1);
  EXPECT_LE(speed["filter_models_per_step"].get<double>(), 3.0) << speed.dump(1);

  const auto filter = only(run_json({"bench", "mine.toml", "--filter"}), "mine");
  EXPECT_EQ(filter["steps"], 500 * 30) << filter.dump(1);
  EXPECT_EQ(filter["same_best"], filter["steps"]);
  EXPECT_LT(filter["worst_distance"].get<double>(), 0.01);
  EXPECT_GT(filter["pruned_right"].get<int>(), 250) << "a third is right by chance";

  for (const char* algo : {"bpo", "dr"}) {
    ASSERT_EQ(run(training("mine.toml", algo, 1, {"--algo", algo})).status, 0);
  }
  const auto both = run_json({"compare", "bpo", "dr", "--episodes", "20"});
  EXPECT_EQ(both["episodes"], 20) << both.dump(1);
  ASSERT_EQ(both["runs"].size(), 2u);
  for (const auto& of : both["runs"]) {
    EXPECT_EQ(of["problem"].get<std::string>().rfind("mine@", 0), 0u);
    EXPECT_LT(of["over_episodes"]["mean"].get<double>(), 30.0);
  }
  EXPECT_NE(both["runs"][1]["first_minus_this"]["mean"].get<double>(), 0.0);
  expect_refused({"compare", "bpo", "mine.toml"}, 2, {"mine.toml"});
}

/// What `init` makes of muscles is a task for them, and the check says nothing false of them.
TEST_F(RobotVerbs, StartWithMuscles) {
  cli::spill(path("m.xml"),
             test::resolved(test::muscle_arm().text, [](auto&, double number) { return number; }));
  const std::string start = run({"init", "m.xml"}).out;
  EXPECT_NE(start.find("\nreach = { kind = \"position\", site = \"hand\""), std::string::npos)
      << start;
  cli::spill(path("mine.toml"), start);
  const auto found = run_json({"check", "mine.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  for (const char* latent : {"mass", "strength", "damping"}) {
    EXPECT_LT(found["recompiled"][latent]["difference"].get<double>(), 1e-6) << found.dump(1);
    EXPECT_GT(found["latents"][latent]["effect"].get<double>(), 1e-3) << latent;
  }
  EXPECT_EQ(run(training("mine.toml", "run", 1, {"--set", "problem.horizon=50"})).status, 0);
}

TEST_F(RobotVerbs, StartWithWhatTheRobotItselfCanDo) {
  const std::string ball = "<body name='ball' pos='0 0 1'><freejoint/><geom size='.02'/></body>";
  cli::spill(path("m.xml"), test::Cart{.world = ball, .body = test::kArm}.mjcf());
  const std::string hangs = run({"init", "m.xml"}).out;
  EXPECT_NE(hangs.find("\nreach = { kind = \"position\", site = \"end\""), std::string::npos)
      << hangs;
  EXPECT_EQ(hangs.find("forward"), std::string::npos) << "the ball is free, not the robot";

  std::string model = test::Cart{.rail = "limited='true' range='-1 3'", .body = test::kArm}.mjcf();
  model.replace(model.find("0 0 -.5'"), 8, "0 0 .5'");
  cli::spill(path("m.xml"), model);
  const std::string stands = run({"init", "m.xml"}).out;
  EXPECT_NE(stands.find("\n\"hinge\" = { kind = \"joint\", joint = \"hinge\", target = 0,"),
            std::string::npos)
      << stands;
  EXPECT_NE(stands.find("\n\"rail\" = { kind = \"joint\", joint = \"rail\", target = 1,"),
            std::string::npos)
      << stands;
  EXPECT_NE(stands.find("\"rail\", min = -0.8, max = 2.8 }"), std::string::npos) << stands;
}

/// Names of latents are keys in a run's files, whatever names the model has.
TEST_F(RobotVerbs, EachOfSeveralThingsIsALatentUnderAKeyOfItsOwn) {
  const auto foot = [](const char* side) {
    return fmt::format("<body name='{} foot'><geom size='.1'/><geom size='.2'/></body>", side);
  };
  cli::spill(path("m.xml"), test::Cart{.body = foot("left") + foot("right")}.mjcf());
  const auto text = [](const std::string& load) {
    return "[robot]\nmjcf = \"m.xml\"\nhorizon = 30\n[reward]\nalive = 1.0\n[filter]\nsigma = 0.1\n"
           "[[latent]]\nname = \"load\"\nedit = \"mass\"\nof = [\"re:.* foot\"]\ngroup = \"each\"\n"
           "prior = { " +
           load +
           " }\nbins = 2\n[[latent]]\nedit = \"friction\"\n"
           "of = [\"left foot\"]\ngroup = \"each\"\nprior = { uniform = [0.5, 1.5] }\nbins = 2\n";
  };
  const std::string normal = "normal = [1.0, 0.3], limits = [0.5, 2.0]";
  const RobotFile file = read_robot("mine", text(normal), path("mine.toml"));
  std::vector<std::string> names;
  for (const RobotLatent& latent : file.latents) {
    names.push_back(latent.name);
    EXPECT_EQ(latent.edit.targets.size(), 1u);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"load_left_foot", "load_right_foot",
                                             "friction_geom_1_of_left_foot",
                                             "friction_geom_2_of_left_foot"}));
  const Prior& prior = file.latents[0].prior;
  EXPECT_EQ(prior.kind, Prior::Kind::kNormal);
  EXPECT_EQ((std::vector{prior.mean, prior.sd, prior.low, prior.high}),
            (std::vector{1.0, 0.3, 0.5, 2.0}));
  cli::spill(path("mine.toml"), text(normal));
  const cli::Outcome trained =
      run(training("mine.toml", "run", 1, {"--set", "problem.load_left_foot=1.2"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const cli::Outcome eval = run({"eval", "run", "--episodes", "4"});
  EXPECT_EQ(eval.status, 0) << eval.err;
  for (const char* wrong : {"normal = [1.0, 0.0], limits = [0.5, 2.0]",
                            "normal = [9.0, 0.3], limits = [0.5, 2.0]", "normal = [1.0, 0.3]"}) {
    cli::spill(path("wrong.toml"), text(wrong));
    expect_refused({"check", "wrong.toml"}, 2, {"wrong.toml:13:", "sd"});
  }
}

TEST_F(RobotVerbs, TakeALatentThatChangesAndParticlesToTheSameBits) {
  cli::spill(path("m.toml"), test::kSpringRobot +
                                 std::string("[observe]\nnoise = { qpos = 0.02 }\n[filter]\nkind = "
                                             "\"particle\"\nparticles = 30\nsigma = 0.01\n") +
                                 test::cart_mass(6) + "changes = { rate = 0.02 }\n" +
                                 test::kSpringModel);
  ASSERT_EQ(run(training("m.toml", "one", 2, {"--threads", "1"})).status, 0);
  const cli::Outcome two = run(training("m.toml", "two", 2, {"--threads", "2"}));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(metrics("one"), metrics("two"));
  const cli::Outcome play = run({"play", "one", "--trace"});
  EXPECT_EQ(play.status, 0) << play.err;
  EXPECT_NE(play.out.find("+-"), std::string::npos) << play.out;
  EXPECT_EQ(run({"report", "one", "-o", "page.html"}).status, 0);
  EXPECT_NE(cli::slurp(path("page.html")).find("Belief over mass"), std::string::npos);
}

/// The robots that ship, as they are but for the spreads, whose calibration has tests of its own.
class Shipped : public RobotVerbs, public testing::WithParamInterface<const char*> {};

TEST_P(Shipped, RobotsAreCheckedAndTrain) {
  const std::string name = GetParam(),
                    folder = fmt::format("{}/examples/robots/{}/", kSourcePath, name);
  cli::fs::copy_file(folder + name + ".xml", path(name + ".xml"));
  std::string text = cli::slurp(folder + name + ".toml");
  text.replace(text.find("sigma = \"auto\""), 14, "sigma = 0.1");
  cli::spill(path("robot.toml"), text);
  const auto found = run_json({"check", "robot.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  const cli::Outcome trained =
      run(training("robot.toml", "run", 2,
                   {"--set", "algo.validate_episodes=8", "--set", "problem.horizon=50"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(run({"eval", "run", "--episodes", "4"}).status, 0);
}

std::string test_name(const testing::TestParamInfo<const char*>& robot) {
  std::string out = robot.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}
const auto kShipped = testing::Values("arm", "cart-pole", "hopper", "quadruped", "walker");
INSTANTIATE_TEST_SUITE_P(Examples, Shipped, kShipped, test_name);

/// From an MJCF file to a page by the commands of the document, each with its defaults.
class Started : public RobotVerbs, public testing::WithParamInterface<const char*> {};

TEST_P(Started, FilesAreCheckedTrainAndAreReported) {
  const std::string name = GetParam();
  cli::fs::copy_file(fmt::format("{0}/examples/robots/{1}/{1}.xml", kSourcePath, name),
                     path(name + ".xml"));
  const cli::Outcome start = run({"init", name + ".xml"});
  ASSERT_EQ(start.status, 0) << start.err;
  cli::spill(path("robot.toml"), start.out);
  const bool stands = name != "arm";
  EXPECT_EQ(start.out.find("\n[terminate]") != std::string::npos, stands) << start.out;
  const std::string what = name == "arm"         ? "\nreach = "
                           : name == "cart-pole" ? "\n\"hinge\" = { kind = \"joint\""
                                                 : "\nforward = ";
  EXPECT_NE(start.out.find(what), std::string::npos) << start.out;
  const auto found = run_json({"check", "robot.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  for (const auto& [latent, known] : found["recompiled"].items()) {
    EXPECT_TRUE(known.contains("difference")) << latent << ": " << known.dump();
  }
  const cli::Outcome trained = run(training("robot.toml", "run", 2));
  ASSERT_EQ(trained.status, 0) << trained.err;
  ASSERT_EQ(run({"report", "run", "-o", "page.html"}).status, 0);
  EXPECT_NE(cli::slurp(path("page.html")).find("Belief over mass"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Examples, Started, kShipped, test_name);

}  // namespace
}  // namespace bpo
