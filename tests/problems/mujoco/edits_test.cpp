// An edit of a compiled model is the model compiled from an edited text: every kind of edit on
// eight models, every field, and the motion that follows.
#include "bpo/problems/mujoco/edits.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "bpo/core/error.h"
#include "bpo/core/rng.h"
#include "tests/problems/mujoco/same_model.h"
#include "tests/problems/mujoco/small_models.h"

namespace bpo {
namespace {

using test::expect_recompiled;
using test::expect_same_motion;
using test::kAxes;
using test::resolved;
using test::small_models;
using test::SmallModel;

double as_it_is(const std::string&, double number) { return number; }

const char* target_of(EditKind kind) {
  switch (kind) {
    case EditKind::kFriction:
      return "rod";
    case EditKind::kDamping:
    case EditKind::kDryFriction:
    case EditKind::kStiffness:
    case EditKind::kArmature:
    case EditKind::kJointZero:
      return "knee";
    case EditKind::kStrength:
    case EditKind::kForceLimit:
      return "motor";
    case EditKind::kKp:
    case EditKind::kKd:
      return "servo";
    default:
      return "link";
  }
}

Edit edit_of(const mjModel& m, EditKind kind, EditOp op) {
  const EditRow& row = edit_row(kind);
  Edit edit{.kind = kind, .op = op, .at = {.02, -.1, .05}};
  if (row.needs_axis) edit.axis = kind == EditKind::kCom ? 2 : 0;
  edit.targets = find_targets(
      m, row,
      row.of.empty() ? std::vector<std::string>{} : std::vector<std::string>{target_of(kind)});
  return edit;
}

/// The body's inertia as MuJoCo's text has it.
std::string inertial(double mass, const Eigen::Vector3d& at, const Eigen::Matrix3d& i) {
  return fmt::format(
      "<inertial mass='{:.17g}' pos='{:.17g} {:.17g} {:.17g}' fullinertia='{:.17g} {:.17g} {:.17g} "
      "{:.17g} {:.17g} {:.17g}'/>",
      mass, at.x(), at.y(), at.z(), i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
}

/// What compiles to the edited model, by other ways than the edit's.
std::string edited_text(const SmallModel& model, const Sim& nominal, const Edit& edit, double v) {
  const std::string kind = edit_row(edit.kind).name;
  const auto to = [&](double number) {  // a range or a servo may have its negative as well
    return std::copysign(changed(edit.op, std::abs(number), v), number);
  };
  const bool mass = edit.kind == EditKind::kMass || edit.kind == EditKind::kDensity;
  const double now = nominal_value(nominal.model(), edit, edit.targets[0]),
               then = changed(edit.op, now, v);
  std::string text = resolved(model.text, [&](const std::string& what, double number) {
    if (edit.kind == EditKind::kGravity || edit.kind == EditKind::kWind ||
        edit.kind == EditKind::kJointZero) {
      return what != kind                      ? number
             : edit.kind == EditKind::kGravity ? to(number)
                                               : changed(edit.op, number, v);
    }
    if (edit.kind == EditKind::kForceLimit && what == kind) return number * to(5.0) / 5.0;
    if (mass && (what == "density" || what == "rod_mass" || what == "rod_inertia")) {
      return number * then / now;
    }
    if (edit.kind == EditKind::kLength && what == "rod_mass") return number * v;
    if (edit.kind == EditKind::kLength && what == "rod_inertia") return number * v * v * v;
    return what == kind ? to(number) : number;
  });
  if (edit.kind != EditKind::kCom && edit.kind != EditKind::kPayload) return text;
  // The whole body's moments, summed over eight points that have them.
  const mjModel& m = nominal.model();
  const int b = edit.targets[0].id;
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
  mju_quat2Mat(turn.data(), m.body_iquat + 4 * b);
  const Eigen::Vector3d i = Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * b);
  Eigen::Vector3d centre = Eigen::Map<const Eigen::Vector3d>(m.body_ipos + 3 * b);
  double total = m.body_mass[b];
  const Eigen::Vector3d half =
      ((Eigen::Vector3d::Constant(i.sum()) - 2.0 * i) / (2.0 * total)).cwiseSqrt();
  std::vector<std::pair<double, Eigen::Vector3d>> points;
  for (int corner = 0; corner < 8; ++corner) {
    const Eigen::Vector3d sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    points.push_back({total / 8.0, centre + turn * half.cwiseProduct(sign)});
  }
  if (edit.kind == EditKind::kCom) {
    for (auto& [share, place] : points) place[*edit.axis] += then - now;
    centre[*edit.axis] = then;
  } else {
    const Eigen::Vector3d at = Eigen::Map<const Eigen::Vector3d>(edit.at.data());
    centre = (total * centre + v * at) / (total + v);
    total += v;
    points.push_back({v, at});
  }
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  for (const auto& [share, place] : points) {
    const Eigen::Vector3d d = place - centre;
    moments += share * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  const std::string mark = "<!--inertial-->";
  text.replace(text.find(mark), mark.size(), inertial(total, centre, moments));
  if (const auto own = text.find("<inertial pos="); own != std::string::npos) {
    text.erase(own, text.find("/>", own) + 2 - own);
  }
  return text;
}

class Edits : public testing::TestWithParam<int> {
 protected:
  const SmallModel& model_ = small_models()[static_cast<std::size_t>(GetParam())];
  Sim sim_{"small", resolved(model_.text, as_it_is)};
};

/// Values that make an edit of this kind and way.
double value_of(EditKind kind, EditOp op) {
  if (kind == EditKind::kGravity || kind == EditKind::kForceLimit)
    return op == EditOp::kScale ? .7 : 3.;
  if (kind == EditKind::kDensity && op != EditOp::kScale) return 300.0;
  return op == EditOp::kScale ? 1.3 : 0.15;
}

TEST_P(Edits, AreRecompiledModels) {
  int compared = 0;
  for (const EditRow& row : edit_table()) {
    if (!row.of_model()) continue;
    if (row.kind == EditKind::kDensity && model_.own_inertia) continue;  // refused, below
    for (const EditOp op : row.ops) {
      if (row.kind == EditKind::kWind && op == EditOp::kScale) continue;
      SCOPED_TRACE(fmt::format("{} {} on {}", op_name(op), row.name, model_.name));
      Sim sim = sim_;
      const Edit edit = edit_of(sim.model(), row.kind, op);
      const double v = value_of(row.kind, op);
      const std::string text = edited_text(model_, sim_, edit, v);
      const ModelEdits edits(sim, {edit});
      const Patch patch = edits.patch(sim, std::array{v});
      edits.patch(sim, std::array{op == EditOp::kScale ? 1.1 : 0.01});
      edits.apply(sim, patch);
      const Sim compiled("compiled", text);
      const bool turns = row.kind == EditKind::kLength || row.kind == EditKind::kCom ||
                         row.kind == EditKind::kPayload;
      expect_recompiled(sim.model(), compiled.model(), turns ? kAxes : 1e-10);
      expect_same_motion(sim.model(), compiled.model());
      EXPECT_NE(text, resolved(model_.text, as_it_is));
      ++compared;
    }
  }
  EXPECT_GE(compared, 30);
}

TEST_P(Edits, NothingEditedIsTheCompiledModel) {
  for (const EditRow& row : edit_table()) {
    if (!row.of_model() || (row.kind == EditKind::kDensity && model_.own_inertia)) continue;
    SCOPED_TRACE(row.name);
    const bool scale = std::find(row.ops.begin(), row.ops.end(), EditOp::kScale) != row.ops.end() &&
                       row.kind != EditKind::kWind;
    Sim sim = sim_;
    const ModelEdits edits(sim,
                           {edit_of(sim.model(), row.kind, scale ? EditOp::kScale : EditOp::kAdd)});
    edits.patch(sim, std::array{scale ? 1.0 : 0.0});
    expect_recompiled(sim.model(), sim_.model(), kAxes);
  }
}

INSTANTIATE_TEST_SUITE_P(SmallModels, Edits, testing::Range(0, 8));

std::string refusal(const SmallModel& model, Edit edit, double value) {
  Sim sim("small", resolved(model.text, as_it_is));
  try {
    const ModelEdits edits(sim, {edit});
    edits.patch(sim, std::array{value});
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  ADD_FAILURE() << edit_row(edit.kind).name << " " << value << " was taken";
  return "";
}

TEST(EditTable, ValuesWithoutAModelAreRefused) {
  const SmallModel& arm = small_models()[0];
  const Sim sim("small", resolved(arm.text, as_it_is));
  const auto of = [&](EditKind kind, EditOp op) { return edit_of(sim.model(), kind, op); };
  const auto says = [](const std::string& text, const char* word) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  says(refusal(arm, of(EditKind::kMass, EditOp::kScale), 0.0), "mass of 'link' would be 0");
  says(refusal(arm, of(EditKind::kMass, EditOp::kAdd), -100.0), "above 0");
  says(refusal(arm, of(EditKind::kLength, EditOp::kScale), -1.0), "length of 'link'");
  says(refusal(arm, of(EditKind::kPayload, EditOp::kAdd), -100.0), "payload of 'link'");
  says(refusal(arm, of(EditKind::kMass, EditOp::kScale), NAN), "would be nan");
  says(refusal(arm, of(EditKind::kDamping, EditOp::kAdd), -1.0), "at least 0");
  says(refusal(small_models()[1], of(EditKind::kDensity, EditOp::kScale), 1.1), "edit = \"mass\"");
  Edit wind = of(EditKind::kWind, EditOp::kScale);
  says(refusal(arm, wind, 2.0), "scaling that does nothing");
  Edit servo = of(EditKind::kKp, EditOp::kScale);
  servo.targets = find_targets(sim.model(), edit_row(EditKind::kKp), {"motor"});
  says(refusal(arm, servo, 2.0), "no position servo");
  Edit stone = of(EditKind::kLength, EditOp::kScale);
  const Sim mesh("small", resolved(small_models()[7].text, as_it_is));
  stone.targets = find_targets(mesh.model(), edit_row(EditKind::kLength), {"tool"});
  says(refusal(small_models()[7], stone, 1.1), "is a mesh");
  // What muscles are measured between moves with links and with the zeros of joints.
  const SmallModel& muscles = test::muscle_arm();
  const Sim strong("small", resolved(muscles.text, as_it_is));
  Edit link = of(EditKind::kLength, EditOp::kScale), zero = of(EditKind::kJointZero, EditOp::kAdd);
  link.targets = find_targets(strong.model(), edit_row(EditKind::kLength), {"lower"});
  zero.targets = find_targets(strong.model(), edit_row(EditKind::kJointZero), {"elbow"});
  says(refusal(muscles, link, 1.1), "length range ('bend'");
  says(refusal(muscles, zero, 0.1), "length range ('bend'");
}

TEST(EditTable, NamesAreFoundOrNamed) {
  const Sim sim("small", resolved(small_models()[0].text, as_it_is));
  const auto names = [&](EditKind kind, std::vector<std::string> of) {
    std::vector<std::string> out;
    for (const EditTarget& t : find_targets(sim.model(), edit_row(kind), of)) out.push_back(t.name);
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(EditKind::kMass, {"re:.*l.*"}), (Names{"link", "tool"}));
  EXPECT_EQ(names(EditKind::kMass, {"tool", "re:t.*"}), Names{"tool"});
  EXPECT_EQ(names(EditKind::kFriction, {"tool"}), Names{"geom 1 of tool"});
  const auto refused = [&](EditKind kind, std::vector<std::string> of) {
    try {
      names(kind, of);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(EditKind::kMass, {"lnik"}).find("did you mean 'link'"), std::string::npos);
  EXPECT_NE(refused(EditKind::kMass, {"re:foot.*"}).find("there are: base, link, tool"),
            std::string::npos);
  EXPECT_NE(refused(EditKind::kMass, {"re:("}).find("regular expression"), std::string::npos);
  EXPECT_NE(refused(EditKind::kMass, {}).find("needs of"), std::string::npos);
  EXPECT_NE(refused(EditKind::kGravity, {"link"}).find("not of anything"), std::string::npos);
}

/// MuJoCo takes the inertia of a body without children on a free joint for diagonal.
TEST(EditTable, ABodyOfItsOwnStopsBeingSimple) {
  const auto model = [](double height) {
    return fmt::format(
        "<mujoco><worldbody><body name='drone' pos='0 0 1'><freejoint/><inertial pos='0 0 {}' "
        "mass='1' diaginertia='.1 .2 .25'/><geom size='.1' mass='0'/></body></worldbody></mujoco>",
        height);
  };
  Sim sim("drone", model(0.0));
  ASSERT_NE(sim.model().body_simple[1], 0);
  Edit com{.kind = EditKind::kCom, .op = EditOp::kAdd, .axis = 2};
  com.targets = find_targets(sim.model(), edit_row(EditKind::kCom), {"drone"});
  ModelEdits(sim, {com}).patch(sim, std::array{0.1});
  const Sim compiled("drone", model(0.1));
  expect_recompiled(sim.model(), compiled.model(), kAxes);
  expect_same_motion(sim.model(), compiled.model());
}

TEST(EditTable, SeveralEditsAreMadeInOneOrder) {
  const SmallModel& arm = small_models()[0];
  Sim first("small", resolved(arm.text, as_it_is)), second = first;
  const Edit mass = edit_of(first.model(), EditKind::kMass, EditOp::kScale),
             load = edit_of(first.model(), EditKind::kPayload, EditOp::kAdd);
  const double before = first.model().body_mass[2];
  ModelEdits(first, {mass, load}).patch(first, std::array{1.5, 0.4});
  ModelEdits(second, {load, mass}).patch(second, std::array{0.4, 1.5});
  EXPECT_DOUBLE_EQ(first.model().body_mass[2], 1.5 * before + 0.4);
  expect_recompiled(first.model(), second.model());
}

}  // namespace
}  // namespace bpo
