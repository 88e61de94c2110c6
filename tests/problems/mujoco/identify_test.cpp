// From a recorded episode back to the latents it was made with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli/process.h"
#include "tests/problems/mujoco/small_models.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// With an arm that no motor moves, and a stone that nothing touches.
const std::string kModel =
    test::Cart{.world = "<body name='stone' pos='0 0 3'><geom size='.1' mass='1'/></body>",
               .body = test::kArm}
        .mjcf();
const std::string kRobot = R"(
[robot]
mjcf = "m.xml"
frame_skip = 2
horizon = 60
reset = { qpos_noise = 0.5, qvel_noise = 0.5 }
[reward]
alive = 1.0
)" + test::cart_mass(11) + R"(
[[latent]]
name = "late"
edit = "delay"
prior = { choice = [0.0, 0.02, 0.04] }
[[latent]]
name = "idle"
edit = "mass"
of = "stone"
prior = { uniform = [0.5, 2.0] }
bins = 3
)";

class Identify : public cli::CliTest {
 protected:
  void SetUp() override {
    cli::CliTest::SetUp();
    cli::spill(path("m.xml"), kModel);
    cli::spill(path("m.toml"), kRobot);
    const auto command = training("m.toml", "run", 1);
    const cli::Outcome trained = run(command);
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
};

TEST_F(Identify, FindsWhatALogWasMadeWith) {
  for (const auto& [mass, late] : {std::pair{0.7, 0.04}, {1.6, 0.0}}) {
    const cli::Outcome played =
        run({"play", "run", "--log", "log.csv", "--set", fmt::format("problem.mass={}", mass),
             "--set", fmt::format("problem.late={}", late), "--episode", "3"});
    ASSERT_EQ(played.status, 0) << played.err;
    const auto found = run_json({"identify", "m.toml", "log.csv", "-o", "page.html"});
    const auto& m = found["latents"]["mass"];
    EXPECT_NEAR(m["mean"].get<double>(), mass, 0.1) << found.dump(1);
    EXPECT_LT(m["low"].get<double>(), mass);
    EXPECT_GT(m["high"].get<double>(), mass);
    EXPECT_NEAR(found["latents"]["late"]["mean"].get<double>(), late, 0.005);
    EXPECT_TRUE(m["identifiable"].get<bool>());
    EXPECT_FALSE(found["latents"]["idle"]["identifiable"].get<bool>());
    EXPECT_LT(found["misses"]["posterior_mean"].get<double>(),
              found["misses"]["as_compiled"].get<double>());
    EXPECT_EQ(found["rows"], 61);
  }
  const cli::Outcome text = run({"identify", "m.toml", "log.csv"});
  EXPECT_NE(text.out.find("not identifiable"), std::string::npos) << text.out;
  EXPECT_NE(cli::slurp(path("page.html")).find("posterior mean and 90 % interval"),
            std::string::npos);
}

TEST_F(Identify, NamesWhatTheLogDoesNotTellApart) {
  std::string text = kRobot.substr(0, kRobot.find("[[latent]]\nname = \"late\"")) + R"([[latent]]
name = "strength"
edit = "strength"
of = "push"
prior = { uniform = [0.5, 2.0] }
bins = 11
[[latent]]
name = "swing"
edit = "damping"
of = "hinge"
prior = { uniform = [0.2, 5.0] }
bins = 3
[filter]
sigma = 0.02
)";
  cli::spill(path("two.toml"), text);
  ASSERT_EQ(run(training("two.toml", "two", 1)).status, 0);
  ASSERT_EQ(run({"play", "two", "--log", "two.csv"}).status, 0);
  const auto found = run_json({"identify", "two.toml", "two.csv"})["latents"];
  using Names = std::vector<std::string>;
  EXPECT_EQ(found["mass"]["confounded"], Names{"strength"}) << found.dump(1);
  EXPECT_EQ(found["strength"]["confounded"], Names{"mass"});
  EXPECT_EQ(found["swing"]["confounded"], Names{});
  EXPECT_NE(run({"identify", "two.toml", "two.csv"}).out.find("confounded with strength"),
            std::string::npos);
}

TEST_F(Identify, AsksTheFilterOfTheFile) {
  const std::string noisy = kRobot + "[observe]\nnoise = { qpos = 0.002 }\n[filter]\n";
  for (const std::string filter : {"kind = \"grid\"\n", "kind = \"particle\"\nparticles = 100\n"}) {
    cli::spill(path("seen.toml"), noisy + filter + "sigma = 0.01\n");
    ASSERT_EQ(run(training("seen.toml", filter.substr(8, 4), 1)).status, 0);
    ASSERT_EQ(run({"play", filter.substr(8, 4), "--log", "seen.csv", "--set", "problem.mass=1.6",
                   "--set", "problem.late=0.02", "--episode", "3"})
                  .status,
              0);
    const auto found = run_json({"identify", "seen.toml", "seen.csv"});
    EXPECT_NEAR(found["latents"]["mass"]["mean"].get<double>(), 1.6, 0.2) << found.dump(1);
    EXPECT_TRUE(found["latents"]["mass"]["identifiable"].get<bool>());
    const double missed = found["misses"]["posterior_mean"].get<double>();
    EXPECT_LT(missed, found["misses"]["as_compiled"].get<double>()) << found.dump(1);
    EXPECT_LT(missed, 2.0) << found.dump(1);
  }
}

/// What is not observed need not be recorded, and a sensor's column has the sensor's name.
TEST_F(Identify, NeedsWhatIsObservedWhereTheFilterIsNotToldTheState) {
  cli::spill(path("m.xml"),
             test::Cart{.body = test::kArm,
                        .rest = "<sensor><jointpos name='angle' joint='hinge'/></sensor>"}
                 .mjcf());
  cli::spill(path("seen.toml"), kRobot.substr(0, kRobot.rfind("[[latent]]")) +
                                    "[observe]\nterms = [\"qpos\", \"sensor:angle\"]\n"
                                    "noise = { qpos = 0.002, sensor = 0.002 }\n"
                                    "[filter]\nsigma = 0.01\n");
  ASSERT_EQ(run(training("seen.toml", "seen", 1)).status, 0);
  ASSERT_EQ(run({"play", "seen", "--log", "seen.csv", "--set", "problem.mass=1.6", "--set",
                 "problem.late=0.02", "--episode", "3"})
                .status,
            0);
  std::string text = cli::slurp(path("seen.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n')), "time,control:push,rail,hinge,angle");
  const auto found = run_json({"identify", "seen.toml", "seen.csv"});
  EXPECT_NEAR(found["latents"]["mass"]["mean"].get<double>(), 1.6, 0.2) << found.dump(1);
  text.replace(text.find("angle"), 5, "angel");
  cli::spill(path("wrong.csv"), text);
  expect_refused({"identify", "seen.toml", "wrong.csv"}, 2, {"wrong.csv:1:1", "'angle'"});
}

/// A log of a machine begins where the machine was, and not where episodes do.
TEST_F(Identify, TakesALogThatBeginsInTheMiddle) {
  std::string text = kRobot;
  text.replace(text.find("qpos_noise = 0.5, qvel_noise = 0.5"), 34, "");
  cli::spill(path("seen.toml"),
             text + "[observe]\nnoise = { qpos = 0.002 }\n[filter]\nsigma = 0.01\n");
  ASSERT_EQ(run(training("seen.toml", "seen", 1)).status, 0);
  ASSERT_EQ(run({"play", "seen", "--log", "all.csv", "--set", "problem.mass=1.6", "--set",
                 "problem.late=0", "--set", "problem.horizon=90"})
                .status,
            0);
  const std::string all = cli::slurp(path("all.csv"));
  std::size_t from = 0;
  for (int row = 0; row < 30; ++row) from = all.find('\n', from) + 1;
  cli::spill(path("late.csv"), all.substr(0, all.find('\n') + 1) + all.substr(from));
  const auto found = run_json({"identify", "seen.toml", "late.csv"});
  EXPECT_NEAR(found["latents"]["mass"]["mean"].get<double>(), 1.6, 0.2) << found.dump(1);
  EXPECT_EQ(found["lost_steps"], 0);
  EXPECT_LT(found["misses"]["posterior_mean"].get<double>(), 2.0) << found.dump(1);
  // Whoever says that it begins like an episode is believed, and nothing fits.
  const auto wrong = run_json({"identify", "seen.toml", "late.csv", "--set", "start=reset"});
  EXPECT_GT(std::abs(wrong["latents"]["mass"]["mean"].get<double>() - 1.6), 0.2) << wrong.dump(1);
}

TEST_F(Identify, RefusesWhatIsNoLogOfTheRobot) {
  ASSERT_EQ(run({"play", "run", "--log", "log.csv"}).status, 0);
  std::string text = cli::slurp(path("log.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "time,control:push,rail,hinge,rail velocity,hinge velocity");
  text.replace(text.find("hinge"), 5, "higne");
  cli::spill(path("wrong.csv"), text);
  expect_refused({"identify", "m.toml", "wrong.csv", "-o", "page.html"}, 2,
                 {"wrong.csv:1:1", "'hinge'", "did you mean 'higne'"});
  EXPECT_FALSE(cli::fs::exists(path("page.html")));
  expect_refused({"identify", "tiger", "log.csv"}, 2, {"only robots from files"});
  expect_refused({"identify", "m.toml", "absent.csv"}, 5, {"absent.csv"});
}

}  // namespace
}  // namespace bpo
