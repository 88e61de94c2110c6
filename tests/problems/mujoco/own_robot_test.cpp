// A robot from a file: it is what the file says, its belief finds the truth, and a run stands
// alone.
#include "bpo/problems/mujoco/own_robot.h"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "bpo/core/problem_file.h"
#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/robot_file.h"
#include "tests/cli/process.h"
#include "tests/problems/mujoco/small_models.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// With an arm, a servo that is slow to act, and sensors.
const std::string kModel =
    test::Cart{.world = "<geom name='floor' type='plane' size='5 5 1' pos='0 0 -1'/>",
               .body = test::kArm,
               .actuators =
                   "<general name='slow' joint='hinge' dyntype='filter' dynprm='.05' "
                   "gainprm='1'/>",
               .rest =
                   "<sensor><accelerometer name='felt' site='end'/><jointpos name='angle' "
                   "joint='hinge'/></sensor><keyframe><key name='bent' qpos='.3 .5' "
                   "qvel='0 .1' act='.2'/></keyframe>"}
        .mjcf();
constexpr const char* kRobot = R"(
[robot]
mjcf = "m.xml"
frame_skip = 3
horizon = 30
reset = { keyframe = "bent" }
[observe]
terms = ["joint:hinge", "qvel", "act", "sensor:felt", "sensor:angle"]
[reward]
forward = { site = "end", axis = "x", weight = 2.0 }
reach = { kind = "position", site = "end", to = [1, 0, 0], weight = -0.5, power = 2.0 }
tip = { kind = "sensor", sensor = "angle", target = 0.5, weight = -1.0, clip = [0, 0.01] }
upright = { body = "arm", weight = 0.1 }
control = { weight = -0.01 }
energy = { weight = -0.1 }
alive = 3.0
[terminate]
far = { kind = "joint", joint = "rail", max = 2.0 }
[filter]
sees = "state"
sigma = 0.05
)";
const std::string kMass = test::cart_mass();

class OwnRobots : public cli::CliTest {
 protected:
  std::shared_ptr<const RobotFile> read(const std::string& text) {
    cli::spill(path("m.xml"), kModel);
    return std::make_shared<const RobotFile>(read_robot("mine", text, path("m.toml")));
  }
  OwnRobot robot(const std::string& text) {
    OwnRobotOptions options{read(text)};
    options.horizon = options.file->horizon;
    return OwnRobot(options);
  }
};

TEST_F(OwnRobots, IsWhatTheFileSays) {
  const OwnRobot r = robot(std::string(kRobot) + kMass);
  const ProblemSpec spec = r.spec();
  EXPECT_EQ(spec.horizon, 30);
  EXPECT_EQ(spec.obs_dim, 1 + 2 + 1 + 3 + 1);
  EXPECT_EQ(spec.actions.dim, 2);
  EXPECT_EQ(r.cells(), 5);
  EXPECT_NEAR(r.cell_factors(1)[0], 0.95, 1e-12);
  EXPECT_EQ(r.view().latents, std::vector<std::string>{"mass"});

  const OwnRobot::Latent phi = r.latent({1.7});
  Rng rng(1, Use::kState, 0);
  OwnRobot::State s = r.sample_state(phi, rng);
  EXPECT_EQ(s.x, (std::vector<double>{.3, .5, 0, .1, .2}));

  // The same by MuJoCo itself.
  Sim sim("by hand", [] {
    std::string text = kModel;
    text.replace(text.find("mass='1'"), 8, "mass='1.7'");
    return text;
  }());
  std::vector<double> x = s.x;
  const std::vector<float> action{0.5f, 3.0f}, controls{2.5f, 1.0f};
  sim.look(x, controls, false);
  const double before = sim.data().site_xpos[0];
  ASSERT_TRUE(sim.advance(x, controls, 3));
  sim.look(x, controls, true);
  const mjData& d = sim.data();
  const double reach[3] = {1, 0, 0};
  double energy = 0.0;
  for (int i = 0; i < 2; ++i) energy += std::abs(d.actuator_force[i] * d.actuator_velocity[i]);
  const double expected = 2.0 * (d.site_xpos[0] - before) / 0.03 -
                          0.5 * std::pow(mju_dist3(d.site_xpos, reach), 2) -
                          std::min(std::abs(x[1] - 0.5), 0.01) + 0.1 * d.xmat[9 * 2 + 8] -
                          0.01 * (0.25 + 9.0) - 0.1 * energy + 3.0;
  const StepResult result = r.step(s, phi, action, rng);
  EXPECT_NEAR(result.reward, expected, 1e-9);
  EXPECT_FALSE(result.done);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(s.x[i], x[i], 1e-12);
  const auto o = r.observe(s, phi, rng);
  std::vector<float> seen(8);
  r.encode(o, seen);
  EXPECT_FLOAT_EQ(seen[0], static_cast<float>(x[1]));
  EXPECT_FLOAT_EQ(seen[3], static_cast<float>(x[4]));
  EXPECT_NEAR(seen[4], d.sensordata[0], 1e-5);
  EXPECT_FLOAT_EQ(seen[7], static_cast<float>(x[1]));
  s.x[0] = 1.99;
  s.x[2] = 5.0;
  EXPECT_TRUE(r.step(s, phi, action, rng).done);
}

TEST_F(OwnRobots, ArePaidForPosesAndForSensorsByTheirComponents) {
  std::string text = std::string(kRobot) + kMass;
  const std::size_t from = text.find("forward ="), to = text.find("[terminate]");
  text.replace(from, to - from, R"(pose = { body = "arm", quat = [2, 0, 2, 0], weight = -1.0 }
turned = { kind = "pose", site = "end", quat = [-1, 0, 0, 0], weight = -10.0 }
bent = { kind = "pose", joints = ["hinge", "rail"], to = [0.3, -0.1], weight = -100.0 }
felt = { kind = "sensor", sensor = "felt", target = [1, 2, 3], weight = -1000.0 }
)");
  text += "\n";
  const OwnRobot r = robot(text);
  const OwnRobot::Latent phi = r.latent({1.0});
  Rng rng(1, Use::kState, 0);
  OwnRobot::State s = r.sample_state(phi, rng);
  const std::vector<float> action{0.5f, 1.0f}, controls{2.5f, 1.0f};
  const StepResult result = r.step(s, phi, action, rng);
  // The arm is turned by the hinge's angle about the y-axis.
  Sim sim("by hand", kModel);
  sim.look(s.x, controls, true);
  const double angle = s.x[1];
  const mjtNum* felt = sim.data().sensordata;
  const double goal[3] = {1, 2, 3};
  EXPECT_NEAR(result.reward,
              -(std::numbers::pi / 2 - angle) - 10.0 * std::abs(angle) -
                  100.0 * std::hypot(angle - 0.3, s.x[0] + 0.1) - 1000.0 * mju_dist3(felt, goal),
              1e-6);
}

TEST_F(OwnRobots, ArePaidForTouchingWhileTheyTouch) {
  std::string model = kModel, text = std::string(kRobot) + kMass;
  model.replace(model.find("pos='0 0 -1'"), 12, "pos='0 0 -.52'");
  cli::spill(path("m.xml"), model);
  const std::size_t from = text.find("forward ="), to = text.find("[terminate]");
  text.replace(from, to - from,
               "contact = { body = \"arm\", weight = 2.0 }\n"
               "dry = { kind = \"contact\", body = \"cart\", weight = -1.0 }\n");
  const OwnRobot r{
      OwnRobotOptions{std::make_shared<const RobotFile>(read_robot("mine", text, path("m.toml")))}};
  const OwnRobot::Latent phi = r.latent({1.0});
  Rng rng(1, Use::kState, 0);
  const std::vector<float> nothing{0.0f, 0.0f};
  for (const auto& [angle, paid] : {std::pair{0.0, 2.0}, {1.0, 0.0}}) {
    OwnRobot::State s = r.sample_state(phi, rng);
    s.x[1] = angle;
    EXPECT_EQ(r.step(s, phi, nothing, rng).reward, paid) << angle;
  }
}

TEST_F(OwnRobots, AModelExplainsItsOwnSteps) {
  const std::string latents = R"(
[[latent]]
name = "late"
edit = "delay"
prior = { choice = [0.0, 0.01, 0.03, 0.07] }
[[latent]]
name = "reading"
edit = "encoder_bias"
of = ["hinge"]
prior = { uniform = [-0.2, 0.2] }
bins = 3
[[latent]]
edit = "gravity"
prior = { uniform = [0.8, 1.2] }
bins = 3
)";
  const OwnRobot r = robot(std::string(kRobot) + latents);
  ASSERT_EQ(r.cells(), 36);
  const ModelGridFilter<OwnRobot> filter(r);
  for (int cell = 0; cell < r.cells(); cell += 5) {
    const OwnRobot::Latent phi = r.latent(r.cell_factors(cell));
    Rng rng(2, Use::kState, static_cast<std::uint64_t>(cell));
    OwnRobot::State s = r.sample_state(phi, rng);
    auto w = filter.make_weights();
    filter.reset(w);
    auto o = r.observe(s, phi, rng);
    EXPECT_NEAR(o[1] - s.x[1], r.cell_factors(cell)[1], 1e-12);
    std::vector<double> missed(static_cast<std::size_t>(r.residual_size()));
    for (int t = 0; t < 25; ++t) {
      const std::vector<float> a{static_cast<float>(rng.normal()),
                                 static_cast<float>(rng.normal())};
      ASSERT_FALSE(r.step(s, phi, a, rng).fault);
      const auto next = r.observe(s, phi, rng);
      ASSERT_TRUE(r.residual(phi, o, a, next, missed));
      for (const double x : missed) EXPECT_NEAR(x, 0.0, 1e-12);
      filter.update(w, o, a, next);
      o = next;
    }
    std::vector<float> estimate(3);
    filter.estimate(w, estimate);
    for (std::size_t f = 0; f < 3; ++f) {
      EXPECT_FLOAT_EQ(estimate[f], static_cast<float>(r.cell_factors(cell)[f])) << cell;
    }
  }
}

TEST_F(OwnRobots, ADelayIsTheControlsOfBefore) {
  const OwnRobot r = robot(std::string(kRobot) + R"(
[[latent]]
edit = "delay"
prior = { uniform = [0.0, 0.09] }
)");
  // Frames of 0.01 s, three to a step: 0.04 s is one step and one frame.
  const OwnRobot::Latent late = r.latent({0.04}), prompt = r.latent({0.0});
  EXPECT_EQ(late.delay, 4);
  Rng rng(1, Use::kState, 0);
  OwnRobot::State s = r.sample_state(late, rng);
  Sim sim("by hand", kModel);
  std::vector<double> x = s.x;
  const std::vector<std::vector<float>> actions{{1, .5}, {-1, .1}, {.3, -.8}, {.2, .9}};
  const auto control = [&](int t) {
    if (t < 0) return std::vector<float>{0, 0};
    const auto& a = actions[static_cast<std::size_t>(t)];
    return std::vector<float>{1.0f + 3.0f * a[0], a[1]};
  };
  for (int t = 0; t < 4; ++t) {
    ASSERT_FALSE(r.step(s, late, actions[static_cast<std::size_t>(t)], rng).fault);
    ASSERT_TRUE(sim.advance(x, control(t - 2), 1));
    ASSERT_TRUE(sim.advance(x, control(t - 1), 2));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(s.x[i], x[i], 1e-12) << t;
  }
}

TEST_F(OwnRobots, RedrawALatentAtItsRateAndTheNominalOneNever) {
  const OwnRobot mine = robot(kRobot + kMass + "changes = { rate = 0.1 }\n");
  Rng rng(1, Use::kLatent, 0);
  OwnRobot::Latent phi = mine.sample_latent(rng);
  int changes = 0;
  for (int t = 0; t < 5000; ++t) {
    const double before = phi.values[0];
    mine.change(phi, rng);
    changes += phi.values[0] != before;
  }
  EXPECT_NEAR(changes, 500, 106);  // 5 sd
  phi = mine.nominal_latent();
  for (int t = 0; t < 100; ++t) mine.change(phi, rng);
  EXPECT_EQ(phi.values, mine.nominal_latent().values);
}

TEST_F(OwnRobots, AreStartedFromMjcfAndChecked) {
  const std::string folder = std::string(kSourcePath) + "/examples/robots/hopper/";
  cli::fs::copy_file(folder + "hopper.xml", path("hopper.xml"));
  const cli::Outcome start = run({"init", "hopper.xml"});
  ASSERT_EQ(start.status, 0) << start.err;
  cli::spill(path("robot.toml"), start.out);
  const auto found = run_json({"check", "robot.toml"});
  EXPECT_TRUE(found["ok"].get<bool>());
  EXPECT_EQ(found["moves by"], "lanes, four at a time");
  std::istringstream sigma(found["sigma"].get<std::string>());  // found by "auto": 2 nv + na
  EXPECT_EQ(std::distance(std::istream_iterator<double>(sigma), {}), 2 * 6 + 0);
  for (const char* latent : {"mass", "strength", "damping"}) {
    EXPECT_GT(found["latents"][latent]["effect"].get<double>(), 0.01) << latent;
  }
  EXPECT_LT(found["latents"]["strength"]["steps"].get<double>(), 100.0);
  expect_refused({"init", "robot.toml"}, 2, {".xml"});

  // The larger of two frictions counts: the floor's, which is below the foot's, does nothing.
  std::string text = start.out;
  text.replace(text.find("edit = \"damping\"\nof = [\"hip\"]"), 29,
               "edit = \"friction\"\nof = [\"floor\"]");
  cli::spill(path("masked.toml"), text);
  const auto masked = run_json({"check", "masked.toml"});
  EXPECT_TRUE(masked["latents"]["damping"]["steps"].is_null()) << masked.dump();
  EXPECT_NE(masked["notes"].dump().find("damping changes nothing"), std::string::npos);

  text = start.out;
  text.replace(text.find("uniform = [0.8, 1.2]"), 20, "uniform = [-0.8, 1.2]");
  cli::spill(path("impossible.toml"), text);
  expect_refused({"check", "impossible.toml"}, 2, {"impossible.toml"});
  EXPECT_NE(run({"check", "impossible.toml"}).out.find("no valid model at mass = -0.8"),
            std::string::npos);
}

TEST_F(OwnRobots, AreWhatTheRobotsOfThePaperCanBeShownAs) {
  for (const std::string name : {"half-cheetah", "swimmer", "ant"}) {
    const cli::Outcome text = run({"list", "--file", name});
    ASSERT_EQ(text.status, 0) << text.err;
    cli::spill(path(name + ".toml"), text.out);
    const auto found = run_json({"check", name + ".toml"});
    EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
    EXPECT_EQ(found["moves by"], "lanes, four at a time") << name;
    EXPECT_EQ(found["latents"].size(), 2u);
    for (const auto& [latent, known] : found["recompiled"].items()) {
      EXPECT_LT(known.value("difference", 1.0), 1e-9) << name << " " << latent << ": " << known;
    }
  }
  expect_refused({"list", "--file", "tiger"}, 2, {"half-cheetah", "write-problem"});
}

TEST_F(OwnRobots, ARunStandsAlone) {
  std::string text = std::string(kRobot) + kMass;
  text.replace(text.find("sigma = 0.05"), 12, "sigma = \"auto\"");
  cli::spill(path("mine.toml"), text);
  cli::fs::create_directory(path("parts"));
  std::string model = kModel;
  model.replace(model.find("<sensor>"), 0, "<include file='parts/rest.xml'/>");
  cli::spill(path("m.xml"), model);
  cli::spill(path("parts/rest.xml"),
             "<mujoco><worldbody><body pos='0 0 3'><geom type='mesh' "
             "mesh='stone'/></body></worldbody><asset><mesh name='stone' "
             "file='stone.stl'/></asset></mujoco>");
  std::string stl(84, '\0');  // a binary file of four triangles
  stl[80] = 4;
  const std::vector<float> p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& [a, b, c] : {std::tuple{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
    stl.append(12, '\0');
    for (const int k : {a, b, c}) stl.append(reinterpret_cast<const char*>(p[k].data()), 12);
    stl.append(2, '\0');
  }
  cli::spill(path("stone.stl"), stl);
  const cli::Outcome trained = run(training("mine.toml", "run", 3, {"--threads", "1"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  ASSERT_EQ(run(training("mine.toml", "again", 2, {"--threads", "2"})).status, 0);
  for (const char* file : {"mine.toml", "m.xml", "stone.stl", "parts/rest.xml"}) {
    cli::fs::remove(path(file));
  }
  const cli::Outcome eval = run({"eval", "run", "--episodes", "20", "--json"});
  ASSERT_EQ(eval.status, 0) << eval.err;
  EXPECT_NE(eval.out.find("mine@"), std::string::npos) << eval.out;
  const cli::Outcome play = run({"play", "run", "--trace"});
  EXPECT_EQ(play.status, 0) << play.err;
  EXPECT_EQ(run({"report", "run", "-o", "page.html"}).status, 0);
  EXPECT_NE(cli::slurp(path("page.html")).find("Belief over mass"), std::string::npos);
  EXPECT_EQ(run({"eval", "run", "--episodes", "5", "--set", "problem.mass=1.2"}).status, 0);
  expect_refused({"eval", "run", "--set", "problem.mass=-1"}, 2, {"mass = -1"});
  // The kept file trains to the same bits, with another number of threads, after its end.
  const auto kept = training("run/problem.toml", "kept", 3, {"--threads", "2"});
  ASSERT_EQ(run(kept).status, 0) << run(kept).err;
  EXPECT_EQ(metrics("kept"), metrics("run"));
}

}  // namespace
}  // namespace bpo
