// Units that a contract says of what is seen and unknown: of what slides, turns, does both or
// neither.
#include "bpo/problems/mujoco/units.h"

#include <gtest/gtest.h>

#include "bpo/problems/mujoco/own_robot.h"
#include "tests/cli/process.h"

namespace bpo {
namespace {

class Units : public cli::CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    cli::spill(path("m.xml"), R"(<mujoco><compiler angle='radian'/><worldbody>
<body name='cart'><joint name='rail' type='slide' axis='1 0 0'/><geom name='box' size='.1'/>
 <site name='anchor'/>
 <body name='pole'><joint name='pivot' type='hinge' axis='0 1 0'/><geom size='.1' pos='0 0 .3'/>
  <site name='tip' pos='0 0 .3'/></body></body>
<body name='loose' pos='0 2 0'><freejoint name='free'/><geom size='.1'/></body>
<body name='arm' pos='0 4 0'><joint name='ball' type='ball'/><geom size='.1' pos='0 0 .2'/></body>
</worldbody>
<tendon>
 <spatial name='rope' stiffness='1'><site site='anchor'/><site site='tip'/></spatial>
 <fixed name='both'><joint joint='rail' coef='1'/><joint joint='pivot' coef='1'/></fixed>
 <fixed name='turned'><joint joint='pivot' coef='2'/></fixed>
</tendon>
<actuator><position name='drive' joint='rail' kp='3' forcelimited='true' forcerange='-4 4'/>
 <position name='turn' joint='pivot' kp='3' forcelimited='true' forcerange='-4 4'/>
 <general name='slow' tendon='rope' dyntype='integrator'/></actuator>
<sensor><jointpos joint='pivot'/><jointvel joint='rail'/><tendonpos tendon='rope'/>
 <tendonvel tendon='turned'/><tendonpos tendon='both'/><actuatorfrc actuator='turn'/>
 <framepos name='place' objtype='site' objname='tip'/><framezaxis objtype='site' objname='tip'/>
 <accelerometer site='tip'/><gyro site='tip'/><subtreeangmom body='cart'/><user objtype='site' objname='tip' datatype='real' needstage='pos' dim='1'/></sensor>
</mujoco>)");
  }
  Sim sim() const { return Sim("units", cli::slurp(path("m.xml"))); }
};

using Names = std::vector<std::string>;

TEST_F(Units, OfNumbersFollowJointsAndSensors) {
  cli::spill(path("m.toml"), R"(schema = 1
[robot]
mjcf = "m.xml"
[observe]
terms = ["qvel[0:2]", "act", "sent", "sensor:place", "joint:ball"]
[reward]
alive = 1.0
[filter]
kind = "grid"
sees = "observation"
sigma = 0.1
[[latent]]
name = "late"
edit = "delay"
prior = { choice = [0.0, 0.01] }
[[latent]]
name = "heavy"
edit = "mass"
of = ["pole"]
op = "add"
prior = { uniform = [0.0, 1.0] }
)");
  const auto file = std::make_shared<const RobotFile>(
      read_robot("mine", cli::slurp(path("m.toml")), path("m.toml")));
  ASSERT_EQ(file->history, 1);
  EXPECT_EQ(number_units(*file->sim, file->history), (Names{"m",
                                                            "rad",
                                                            "m",
                                                            "m",
                                                            "m",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",
                                                            "quaternion",  //
                                                            "m/s",
                                                            "rad/s",
                                                            "m/s",
                                                            "m/s",
                                                            "m/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "unit of the activation",  //
                                                            "unit of the control",
                                                            "unit of the control",
                                                            "unit of the control",  //
                                                            "rad",
                                                            "m/s",
                                                            "m",
                                                            "rad/s",
                                                            "m or rad",
                                                            "N m",
                                                            "m",
                                                            "m",
                                                            "m",
                                                            "1",
                                                            "1",
                                                            "1",
                                                            "m/s^2",
                                                            "m/s^2",
                                                            "m/s^2",
                                                            "rad/s",
                                                            "rad/s",
                                                            "rad/s",
                                                            "kg m^2/s",
                                                            "kg m^2/s",
                                                            "kg m^2/s",
                                                            "unit of the sensor"}));
  const ProblemView view = OwnRobot(OwnRobotOptions{file}).view();
  EXPECT_EQ(view.units, (Names{"m/s", "rad/s", "unit of the activation", "unit of the control",
                               "unit of the control", "unit of the control", "m", "m", "m",
                               "quaternion", "quaternion", "quaternion", "quaternion"}));
  EXPECT_EQ(view.observation.size(), view.units.size());
  EXPECT_EQ(view.latent_units, (Names{"s", "kg"}));
}

TEST_F(Units, OfEditsFollowWhatTheyAreOf) {
  const Sim model = sim();
  const auto unit = [&](EditKind kind, EditOp op, const Names& of) {
    const Edit edit{
        .kind = kind, .op = op, .targets = find_targets(model.model(), edit_row(kind), of)};
    return edit_unit(model.model(), edit);
  };
  const EditOp add = EditOp::kAdd;
  EXPECT_EQ(unit(EditKind::kMass, EditOp::kScale, {"cart"}), "1");
  EXPECT_EQ(unit(EditKind::kMass, add, {"cart"}), "kg");
  EXPECT_EQ(unit(EditKind::kFriction, EditOp::kSet, {"box"}), "1");
  EXPECT_EQ(unit(EditKind::kDamping, add, {"rail"}), "N s/m");
  EXPECT_EQ(unit(EditKind::kDamping, add, {"pivot"}), "N m s/rad");
  EXPECT_EQ(unit(EditKind::kDamping, add, {"rail", "pivot"}), "N s/m or N m s/rad");
  EXPECT_EQ(unit(EditKind::kDamping, add, {"free"}), "N s/m or N m s/rad");
  EXPECT_EQ(unit(EditKind::kDamping, EditOp::kScale, {"rail", "pivot"}), "1");
  EXPECT_EQ(unit(EditKind::kStiffness, EditOp::kSet, {"rope"}), "N/m");
  EXPECT_EQ(unit(EditKind::kStiffness, EditOp::kSet, {"turned"}), "N m/rad");
  EXPECT_EQ(unit(EditKind::kArmature, add, {"pivot"}), "kg m^2");
  EXPECT_EQ(unit(EditKind::kKp, add, {"drive"}), "N/m");
  EXPECT_EQ(unit(EditKind::kForceLimit, add, {"turn"}), "N m");
  EXPECT_EQ(unit(EditKind::kEncoderBias, add, {"pivot"}), "rad");
  EXPECT_EQ(unit(EditKind::kJointZero, add, {"rail"}), "m");
  EXPECT_EQ(unit(EditKind::kWind, add, {}), "m/s");
}

}  // namespace
}  // namespace bpo
