// Edits of what the eight small models have none of: dampers and friction of tendons, ball and free
// joints, velocity servos, muscles. The program's own way into the text is compared as well.
#include <gtest/gtest.h>

#include "bpo/problems/mujoco/recompile.h"
#include "tests/problems/mujoco/same_model.h"
#include "tests/problems/mujoco/small_models.h"

namespace bpo {
namespace {

using test::resolved;

double as_it_is(const std::string&, double number) { return number; }

const std::string kThings = R"(<mujoco><compiler angle='radian'/><option timestep='.002'/>
<worldbody><site name='wall' pos='.3 0 1'/>
<body name='stone' pos='1 0 1'><joint name='loose' type='free' damping='@loose damping:.2@'
  armature='@loose armature:.02@'/><geom size='.1' mass='1'/></body>
<body name='upper' pos='0 0 1'><joint name='ball' type='ball' damping='@ball damping:.3@'
  frictionloss='@ball dry_friction:.05@' stiffness='@ball stiffness:.8@'
  armature='@ball armature:.04@'/>
<geom type='capsule' fromto='0 0 0 0 .1 -.4' size='.03' mass='1'/>
<body name='lower' pos='0 .1 -.4'><joint name='elbow' type='hinge' axis='0 1 0' damping='.2'/>
<geom type='capsule' fromto='0 0 0 .1 0 -.3' size='.02' mass='.5'/><site name='tip' pos='.1 0 -.3'/>
</body></body></worldbody>
<tendon><fixed name='both' damping='@both damping:.1@' frictionloss='@both dry_friction:.03@'
  stiffness='@both stiffness:2@'><joint joint='elbow' coef='1.5'/></fixed>
<spatial name='string' damping='@string damping:.4@' frictionloss='@string dry_friction:.02@'
  stiffness='@string stiffness:3@'><site site='wall'/><site site='tip'/></spatial></tendon>
<actuator><velocity name='speed' joint='elbow' kv='@speed kd:.6@'/>
<position name='place' joint='elbow' kp='@place kp:4@'/>
<motor name='winch' tendon='string' gear='@winch strength:2@'/></actuator></mujoco>)";

/// A robot with this model and one thing unknown.
RobotFile robot_of(const std::string& mjcf, const std::string& latent) {
  const std::string text =
      "[robot]\nmjcf = \"m.xml\"\nhorizon = 9\n[reward]\nalive = 1.0\n[filter]\nsigma = 1\n"
      "[[latent]]\n" +
      latent + "\n[[file]]\nname = 'm.xml'\ntext = \"\"\"" + mjcf + "\"\"\"\n";
  return read_robot("mine", text, "mine.toml");
}

TEST(EditTargets, TendonsBallsAndServosAreRecompiledModels) {
  const struct {
    EditKind kind;
    std::vector<const char*> of;
  } kEdits[] = {{EditKind::kDamping, {"loose", "ball", "both", "string"}},
                {EditKind::kDryFriction, {"ball", "both", "string"}},
                {EditKind::kStiffness, {"ball", "both", "string"}},
                {EditKind::kArmature, {"loose", "ball"}},
                {EditKind::kKd, {"speed"}},
                {EditKind::kKp, {"place"}}};
  const std::string nominal = resolved(kThings, as_it_is);
  int compared = 0;
  for (const auto& [kind, names] : kEdits) {
    const EditRow& row = edit_row(kind);
    for (const std::string name : names) {
      for (const EditOp op : row.ops) {
        SCOPED_TRACE(fmt::format("{} {} of {}", op_name(op), row.name, name));
        const double v = op == EditOp::kScale ? 1.3 : 0.7;
        const std::string mark = name + " " + row.name,
                          text = resolved(kThings, [&](const std::string&what, double number) {
                            return what == mark ? changed(op, number, v) : number;
                          });
        ASSERT_NE(text, nominal);
        Sim sim("things", nominal);
        const Edit edit{.kind = kind, .op = op, .targets = find_targets(sim.model(), row, {name})};
        ModelEdits(sim, {edit}).patch(sim, std::array{v});
        const Sim compiled("compiled", text);
        test::expect_recompiled(sim.model(), compiled.model());
        test::expect_same_motion(sim.model(), compiled.model());
        const Recompiled written = compare_recompiled(
            robot_of(nominal, fmt::format("edit = \"{}\"\nof = \"{}\"\nop = \"{}\"\nprior = {{ "
                                          "uniform = [0.5, 0.9] }}",
                                          row.name, name, op_name(op))),
            0, v);
        EXPECT_EQ(written.why_not, "");
        EXPECT_LT(written.difference, 1e-9) << written.field;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 14 * 3);
}

/// Strength is of any actuator: a servo's gain and bias, and a motor's force by whatever it pulls.
TEST(EditTargets, StrengthScalesServosAndWhatPullsATendon) {
  for (const std::string mark : {"speed kd", "place kp", "winch strength"}) {
    const std::string name = mark.substr(0, mark.find(' ')), nominal = resolved(kThings, as_it_is);
    SCOPED_TRACE(name);
    Sim sim("things", nominal);
    const EditRow& row = edit_row(EditKind::kStrength);
    const Edit edit{
        .kind = row.kind, .op = EditOp::kScale, .targets = find_targets(sim.model(), row, {name})};
    ModelEdits(sim, {edit}).patch(sim, std::array{1.3});
    const Sim compiled("compiled", resolved(kThings, [&](const std::string& what, double number) {
                         return what == mark ? 1.3 * number : number;
                       }));
    test::expect_same_motion(sim.model(), compiled.model());
    const RobotFile robot = robot_of(
        nominal, "edit = \"strength\"\nof = \"" + name + "\"\nprior = { uniform = [0.5, 1.5] }");
    const Recompiled written = compare_recompiled(robot, 0, 1.3);
    EXPECT_EQ(written.why_not, "");
    EXPECT_LT(written.difference, 1e-9) << written.field;
  }
}

/// Their length ranges are the compiler's, which finds others for other masses.
TEST(EditTargets, MusclesAreLeftTheirLengthRanges) {
  const std::string nominal = resolved(test::muscle_arm().text, as_it_is);
  const struct {
    const char *edit, *of;
  } kEdits[] = {{"mass", "of = \"upper\""},
                {"density", "of = \"upper\""},
                {"payload", "of = \"lower\""},
                {"com", "of = \"lower\"\naxis = \"z\""},
                {"damping", "of = \"shoulder\""},
                {"stiffness", "of = \"elbow\"\nop = \"add\""},
                {"armature", "of = \"elbow\"\nop = \"add\""},
                {"gravity", ""},
                {"strength", "of = \"re:.*\""}};
  for (const auto& edit : kEdits) {
    const RobotFile robot = robot_of(
        nominal,
        fmt::format("edit = \"{}\"\n{}\nprior = {{ uniform = [0.8, 1.4] }}", edit.edit, edit.of));
    const Recompiled found = compare_recompiled(robot, 0, 1.3);
    EXPECT_EQ(found.why_not, "") << edit.edit;
    EXPECT_LT(found.difference, test::kAxes) << edit.edit << ": " << found.field;
  }
  // The test must try what it is about.
  std::string heavy = nominal;
  heavy.replace(heavy.find("mass='1'"), 8, "mass='2'");
  const Sim one("one", nominal), two("two", heavy);
  double apart = 0.0;
  for (int i = 0; i < 2 * one.model().nu; ++i) {
    EXPECT_NE(one.model().actuator_lengthrange[i], 0.0);
    apart = std::max(
        apart, std::abs(one.model().actuator_lengthrange[i] - two.model().actuator_lengthrange[i]));
  }
  EXPECT_GT(apart, 1e-6);
}

/// A muscle's strongest pull is given, or follows from a scale and how fast it could be.
TEST(EditTargets, StrengthScalesAMusclesPull) {
  for (const auto& [name, mark] :
       {std::pair<std::string, std::string>{"lift", "force"}, {"bend", "scale"}}) {
    Sim sim("muscles", resolved(test::muscle_arm().text, as_it_is));
    const Sim before = sim;
    const EditRow& row = edit_row(EditKind::kStrength);
    const Edit edit{
        .kind = row.kind, .op = EditOp::kScale, .targets = find_targets(sim.model(), row, {name})};
    ModelEdits(sim, {edit}).patch(sim, std::array{1.3});
    const Sim compiled(
        "compiled", resolved(test::muscle_arm().text, [&](const std::string& what, double number) {
          return what == mark ? 1.3 * number : number;
        }));
    test::expect_recompiled(sim.model(), compiled.model());
    test::expect_same_motion(sim.model(), compiled.model());
    const auto pull = [&](const mjModel& m) {
      const int i = edit.targets[0].id;
      const double* range = m.actuator_lengthrange + 2 * i;
      return mju_muscleGain(0.5 * (range[0] + range[1]), 0.0, range, m.actuator_acc0[i],
                            m.actuator_gainprm + mjNGAIN * i);
    };
    EXPECT_LT(pull(before.model()), -1.0) << name;
    EXPECT_NEAR(pull(sim.model()), 1.3 * pull(before.model()), 1e-9) << name;
  }
}

}  // namespace
}  // namespace bpo
