// What `bpo check` says of a robot: under a policy, of edits that recompiled models contradict, and
// of corners of the prior.
#include "bpo/problems/mujoco/robot_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "bpo/problems/mujoco/recompile.h"
#include "bpo/problems/mujoco/robot_filter.h"
#include "tests/cli/process.h"
#include "tests/problems/mujoco/small_models.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

const std::string kStart = R"([robot]
mjcf = "m.xml"
frame_skip = 2
horizon = 30
reset = { qpos_noise = 0.1, qvel_noise = 0.1 }
[reward]
alive = 1.0
)";

class Checks : public cli::CliTest {
 protected:
  void SetUp() override {
    cli::CliTest::SetUp();
    cli::spill(path("m.xml"), test::Cart{.body = test::kArm}.mjcf());
  }
  RobotFile read(const std::string& text) { return read_robot("mine", text, path("m.toml")); }
};

TEST_F(Checks, TellThePolicyWhatItSeesWhateverTheFilterIsTold) {
  const std::string noisy = "[observe]\nterms = [\"qpos\", \"qvel\"]\nnoise = { qpos = 0.01 }\n";
  for (const auto& [run_name, observe] :
       {std::pair<std::string, std::string>{"state", ""}, {"observation", noisy}}) {
    cli::spill(path("m.toml"), kStart + observe + "[filter]\nsees = \"" + run_name +
                                   "\"\nsigma = 0.1\n" + test::cart_mass(3));
    const cli::Outcome trained = run(training("m.toml", run_name, 1));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const auto found = run_json({"check", "m.toml", "--policy", run_name});
    ASSERT_TRUE(found.contains("latents")) << run_name;
    EXPECT_GT(found["latents"]["mass"]["policy_effect"].get<double>(), 0.0) << run_name;
  }
  expect_refused({"check", "m.toml", "--policy", "absent"}, 2, {"absent", "not a run"});
}

TEST_F(Checks, OneValueForThingsThatDifferIsNoCompiledModel) {
  const std::string text = kStart + "[filter]\nsigma = 0.1\n" + R"([[latent]]
name = "masses"
edit = "mass"
of = ["cart", "arm"]
op = "set"
prior = { uniform = [0.4, 1.2] }
bins = 3
)";
  const RobotFile file = read(text);
  EXPECT_FALSE(neutral_values(file)[0].has_value());
  EXPECT_LT(edit_drift(file), 1e-9) << "the cart weighs 1 kg and the arm 0.5";
  const RecordingFormat format = robot_recording(text, path("m.toml"));
  EXPECT_FALSE(format.latents[0].nominal.has_value());
  // A step of the compiled model is predicted by it, and by no value of the latent.
  Sim sim("by hand", test::Cart{.body = test::kArm}.mjcf());
  std::vector<double> x{0.1, 0.4, 0.5, -0.3};
  std::vector<double> o = x;
  ASSERT_TRUE(sim.advance(x, std::vector<float>{1.0f}, 2));
  const std::vector<double> half{0.0};  // in the motor's range [-2, 4]
  o.insert(o.end(), o.begin(), o.end());
  std::vector<double> next = x;
  next.insert(next.end(), x.begin(), x.end());
  const Recording log{.actions = {half, half}, .observations = {o, next}, .unused = {}};
  EXPECT_NEAR(format.misses({}, log).rms, 0.0, 1e-6);
  EXPECT_GT(format.misses(std::vector{1.0}, log).rms, 1e-4);
}

/// After as many steps as are foretold, the spread is about a quarter of the prior's.
TEST_F(Checks, CountTheStepsThatAFilterByNoisyReadingsNeeds) {
  const auto robot_of = [&](const std::string& rest) {
    return OwnRobot(OwnRobotOptions(
        std::make_shared<const RobotFile>(read(kStart + rest + test::cart_mass(30)))));
  };
  const OwnRobot robot =
      robot_of("[observe]\nnoise = { qpos = 0.1, qvel = 0.5 }\n[filter]\nsigma = 0.01\n");
  const LatentCheck known = check_latents(robot)[0],
                    told = check_latents(robot_of("[filter]\nsigma = 0.01\n"))[0];
  EXPECT_GT(known.steps, 3.0 * told.steps);
  ASSERT_LT(known.steps, 500.0);
  const RobotFilter filter(robot);
  std::vector<float> belief(static_cast<std::size_t>(filter.belief_dim())), a(1);
  constexpr int kEpisodes = 20;
  double square = 0.0;
  for (std::uint64_t e = 0; e < kEpisodes; ++e) {
    Rng rng(5, Use::kWorld, e);
    const OwnRobot::Latent phi = robot.sample_latent(rng);
    OwnRobot::State s = robot.sample_state(phi, rng);
    OwnRobot::Observation o = robot.observe(s, phi, rng);
    auto w = filter.make_weights();
    filter.begin(w, o);
    for (int t = 0; t < known.steps; ++t) {
      if (t % 5 == 0) a[0] = static_cast<float>(2.0 * rng.uniform() - 1.0);
      robot.step(s, phi, a, rng);
      const OwnRobot::Observation next = robot.observe(s, phi, rng);
      ASSERT_TRUE(filter.update(w, o, a, next));
      o = next;
    }
    filter.belief(w, belief);
    square += belief[1] * belief[1] / kEpisodes;
  }
  const double share = std::sqrt(square) / robot.file().latents[0].prior.moments().second;
  EXPECT_NEAR(share, 0.25, 0.08) << known.steps;
}

TEST_F(Checks, SayWhatAFrictionNeedsOfNoOtherLatent) {
  cli::spill(path("m.xml"),
             test::Cart{.world = "<body name='stone' pos='0 0 3'><geom name='stone' size='.1' "
                                 "mass='1'/></body>"}
                 .mjcf());
  const auto note_on = [&](const std::string& edit) {
    cli::spill(path("m.toml"), kStart + "[filter]\nsigma = 0.1\n[[latent]]\nname = \"idle\"\n" +
                                   "edit = \"" + edit + "\"\nof = \"stone\"\n" +
                                   "prior = { uniform = [0.5, 2.0] }\nbins = 2\n");
    return run_json({"check", "m.toml"})["notes"].dump();
  };
  EXPECT_NE(note_on("friction").find("idle changes nothing that is measured; of two frictions"),
            std::string::npos);
  const std::string mass = note_on("mass");
  EXPECT_NE(mass.find("idle changes nothing that is measured"), std::string::npos) << mass;
  EXPECT_EQ(mass.find("friction"), std::string::npos) << mass;
}

/// A motor that is twice as strong moves a cart of twice the mass alike, where nothing brakes it;
/// the arm beside it is another's affair.
TEST_F(Checks, NameWhatIsConfoundedWithWhich) {
  std::string model = test::Cart{.world = test::kArm}.mjcf();
  const std::string brake = "axis='1 0 0' damping='.1'";
  cli::spill(path("m.xml"), model.replace(model.find(brake), brake.size(), "axis='1 0 0'"));
  cli::spill(path("m.toml"),
             kStart + "[filter]\nsigma = 0.005\n" + test::cart_mass(3) + R"([[latent]]
name = "strength"
edit = "strength"
of = "push"
prior = { uniform = [0.5, 2.0] }
bins = 3
[[latent]]
name = "swing"
edit = "damping"
of = "hinge"
prior = { uniform = [0.5, 2.0] }
bins = 3
)");
  const auto found = run_json({"check", "m.toml"});
  using Names = std::vector<std::string>;
  EXPECT_EQ(found["latents"]["mass"]["confounded"], Names{"strength"}) << found.dump(1);
  EXPECT_EQ(found["latents"]["strength"]["confounded"], Names{"mass"});
  EXPECT_EQ(found["latents"]["swing"]["confounded"], Names{});
  for (const char* speed : {"plain", "belief"}) {
    EXPECT_GT(found["steps_per_s"][speed].get<double>(), 100.0) << speed;
  }
  const std::string said = run({"check", "m.toml"}).out;
  EXPECT_TRUE(std::regex_search(said, std::regex("mass +scale mass of cart .* strength *\n")))
      << said;
  EXPECT_TRUE(std::regex_search(
      said, std::regex("speed +[0-9]+ steps/s plain, [0-9]+ with belief, of one thread")))
      << said;
}

TEST_F(Checks, ManyLatentsAreTriedInPairs) {
  std::string text = kStart + "[filter]\nkind = \"particle\"\nparticles = 20\nsigma = 0.1\n";
  for (int i = 0; i < 10; ++i) {
    text += fmt::format(
        "[[latent]]\nname = \"wind{0}\"\nedit = \"{1}\"\n{2}prior = {{ uniform = [0.5, 1.0] }}\n",
        i,
        i == 0   ? "gravity"
        : i == 1 ? "strength"
                 : "payload",
        i == 0   ? ""
        : i == 1 ? "of = [\"push\"]\n"
                 : fmt::format("of = [\"b{}\"]\n", i));
  }
  // The last two go together badly only at the one's least and the other's most.
  text +=
      "[[latent]]\nname = \"cart\"\nedit = \"mass\"\nop = \"set\"\nof = [\"cart\"]\n"
      "prior = { uniform = [0.5, 2.0] }\n"
      "[[latent]]\nname = \"drop\"\nedit = \"payload\"\nof = [\"cart\"]\n"
      "prior = { uniform = [-1.0, 0.0] }\n";
  std::string bodies;
  for (int i = 2; i < 10; ++i) {
    bodies += fmt::format("<body name='b{0}' pos='{0} 0 3'><geom size='.1' mass='1'/></body>", i);
  }
  cli::spill(path("m.xml"), test::Cart{.world = bodies}.mjcf());
  const RobotFile file = read(text);
  const auto corners = file.corners();
  ASSERT_EQ(file.latents.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::set<std::pair<double, double>> met;
      for (const auto& corner : corners) met.emplace(corner[i], corner[j]);
      EXPECT_EQ(met.size(), 4u) << i << " " << j;
    }
  }
  const auto invalid = invalid_corners(file);
  ASSERT_FALSE(invalid.empty());
  EXPECT_NE(invalid[0].find("cart = 0.5, drop = -1"), std::string::npos) << invalid[0];
  try {
    OwnRobot robot{OwnRobotOptions{std::make_shared<const RobotFile>(file)}};
    ADD_FAILURE() << "training takes what the check does not";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("payload of 'cart'"), std::string::npos);
  }
}

TEST_F(Checks, AnEditThatARecompiledModelContradictsFails) {
  std::string model = test::Cart{}.mjcf();
  model.replace(model.find("angle='radian'"), 14, "angle='radian' boundmass='0.8'");
  cli::spill(path("m.xml"), model);
  std::string mass = test::cart_mass(2);
  mass.replace(mass.find("[0.5, 2.0]"), 10, "[0.5, 0.7]");
  cli::spill(path("m.toml"), kStart + "[filter]\nsigma = 0.1\n" + mass);
  expect_refused({"check", "m.toml"}, 2, {"m.toml", "has problems"});
  const std::string said = run({"check", "m.toml"}).out;
  EXPECT_TRUE(std::regex_search(said, std::regex("mass: [a-z_0-9]+ differs from a recompiled")))
      << said;
  EXPECT_NE(said.find("0 of 1 equal recompiled models"), std::string::npos) << said;
}

/// Every kind of edit on eight models, written into the text by the program itself.
class Rewritten : public Checks, public testing::WithParamInterface<int> {};

TEST_P(Rewritten, EditsAreEditedModels) {
  const test::SmallModel& model = test::small_models()[static_cast<std::size_t>(GetParam())];
  cli::spill(path("m.xml"),
             test::resolved(model.text, [](auto&, double number) { return number; }));
  const struct {
    const char *edit, *of, *more;
  } kEdits[] = {{"length", "link", ""},
                {"density", "link", ""},
                {"mass", "link", ""},
                {"mass", "link\", \"tool", ""},
                {"com", "link", "axis = \"z\"\nop = \"add\"\n"},
                {"payload", "link", "at = [0.02, -0.1, 0.05]\n"},
                {"friction", "rod", ""},
                {"friction", "link", ""},
                {"damping", "knee", ""},
                {"dry_friction", "knee", ""},
                {"stiffness", "knee", ""},
                {"armature", "knee", ""},
                {"strength", "motor", ""},
                {"kp", "servo", ""},
                {"kd", "servo", ""},
                {"force_limit", "motor", ""},
                {"gravity", "", "axis = \"z\"\n"},
                {"wind", "", "axis = \"x\"\nop = \"add\"\n"},
                {"joint_zero", "knee", "op = \"add\"\n"}};
  for (const auto& edit : kEdits) {
    if (model.own_inertia && edit.edit == std::string("density")) continue;  // refused elsewhere
    const std::string of = *edit.of == '\0' ? "" : fmt::format("of = [\"{}\"]\n", edit.of);
    const RobotFile file =
        read(fmt::format("{}[filter]\nsigma = 1\n[[latent]]\nedit = \"{}\"\n{}{}prior = {{ uniform "
                         "= [1.1, 1.4] }}\n",
                         kStart, edit.edit, of, edit.more));
    const Recompiled found = compare_recompiled(file, 0, 1.3);
    EXPECT_EQ(found.why_not, "") << edit.edit << " on " << model.name;
    EXPECT_LT(found.difference, 1e-5)
        << edit.edit << " of " << edit.of << " on " << model.name << ": " << found.field;
  }
}

INSTANTIATE_TEST_SUITE_P(SmallModels, Rewritten, testing::Range(0, 8));

}  // namespace
}  // namespace bpo
