#include "bpo/problems/mujoco/measure_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace bpo {
namespace {

struct Row {
  const char* name;
  Quantity what;
  std::vector<std::string> keys;  // what it takes beyond the keys of all
};
const std::vector<Row> kRows{{"alive", Quantity::kAlive, {}},
                             {"control", Quantity::kControl, {}},
                             {"speed", Quantity::kSpeed, {"body", "site", "axis"}},
                             {"forward", Quantity::kSpeed, {"body", "site", "axis"}},
                             {"position", Quantity::kPosition, {"body", "site", "axis", "to"}},
                             {"height", Quantity::kPosition, {"body", "site"}},
                             {"pose", Quantity::kPose, {"body", "site", "quat", "joints", "to"}},
                             {"upright", Quantity::kUpright, {"body"}},
                             {"joint", Quantity::kJoint, {"joint"}},
                             {"joint_speed", Quantity::kJointSpeed, {"joint"}},
                             {"sensor", Quantity::kSensor, {"sensor"}},
                             {"energy", Quantity::kEnergy, {}},
                             {"contact", Quantity::kContact, {"body"}}};

int count_of(const mjModel& m, int type) {
  switch (type) {
    case mjOBJ_BODY:
      return m.nbody;
    case mjOBJ_JOINT:
      return m.njnt;
    case mjOBJ_SITE:
      return m.nsite;
    case mjOBJ_SENSOR:
      return m.nsensor;
    case mjOBJ_KEY:
      return m.nkey;
    case mjOBJ_GEOM:
      return m.ngeom;
    case mjOBJ_ACTUATOR:
      return m.nu;
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::string> names_of(const mjModel& m, int type) {
  std::vector<std::string> out;
  for (int i = 0; i < count_of(m, type); ++i) {
    const char* name = mj_id2name(&m, type, i);
    if (name != nullptr && *name != '\0') out.push_back(name);
  }
  return out;
}

int MeasureReader::id_of(const mjModel& m, int type, const toml::node& node,
                         const char* what) const {
  const std::string name = text(node, what);
  if (const int id = mj_name2id(&m, type, name.c_str()); id >= 0) return id;
  const auto there = names_of(m, type);
  fail(node, fmt::format("no {} of the model is called '{}'{}; there are: {}", what, name,
                         did_you_mean(name, there), fmt::join(there, ", ")));
}

Measure MeasureReader::measure(const mjModel& m, const toml::table& table, const std::string& name,
                               std::vector<std::string> keys) const {
  std::vector<std::string> kinds;
  for (const Row& row : kRows) kinds.emplace_back(row.name);
  const bool known = std::find(kinds.begin(), kinds.end(), name) != kinds.end();
  if (!known && !table.contains("kind")) {
    fail(table, fmt::format("'{}' needs kind = one of: {}{}", name, fmt::join(kinds, ", "),
                            did_you_mean(name, kinds)));
  }
  const std::string kind = choice(table, "kind", kinds, name);
  const Row& row =
      *std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == kind; });
  keys.emplace_back("kind");
  keys.insert(keys.end(), row.keys.begin(), row.keys.end());
  only(table, keys);
  const auto takes = [&](const char* key) {
    return std::find(row.keys.begin(), row.keys.end(), key) != row.keys.end();
  };
  Measure out{.what = row.what};
  if (takes("site") && table.contains("site")) {
    out.site = true;
    out.id = id_of(m, mjOBJ_SITE, need(table, "site"), "site");
  } else if (takes("body") && !table.contains("joints")) {
    out.id = id_of(m, mjOBJ_BODY, need(table, "body"), "body");
  }
  if (takes("sensor")) out.id = id_of(m, mjOBJ_SENSOR, need(table, "sensor"), "sensor");
  if (takes("joint")) {
    out.id = joint_number(m, need(table, "joint"), row.what == Quantity::kJointSpeed);
  }
  if (row.what == Quantity::kPose) {
    read_pose(m, table, out);
    return out;
  }
  const std::string axis = choice(table, "axis", kAxes, kind == "height" ? "z" : "x");
  out.axis = axis[0] - 'x';
  if (const toml::node* to = table.get("to"); takes("to") && to != nullptr) {
    const auto place = numbers(*to, "to", 3, 3);
    out.to = {place[0], place[1], place[2]};
  }
  return out;
}

int MeasureReader::joint_number(const mjModel& m, const toml::node& node, bool velocity) const {
  const int joint = id_of(m, mjOBJ_JOINT, node, "joint");
  if (m.jnt_type[joint] != mjJNT_HINGE && m.jnt_type[joint] != mjJNT_SLIDE) {
    fail(node, "only hinges and slides have one number");
  }
  return velocity ? m.jnt_dofadr[joint] : m.jnt_qposadr[joint];
}

void MeasureReader::read_pose(const mjModel& m, const toml::table& table, Measure& out) const {
  const bool joints = table.contains("joints"), turn = table.contains("quat");
  const bool place = table.contains("body") || table.contains("site");
  if (joints == turn || joints != table.contains("to") || turn != place) {
    fail(table,
         "a pose is { body = NAME, quat = [w, x, y, z] }, the same of a site, or { joints = "
         "[names], to = [their positions] }");
  }
  if (turn) {
    const toml::node& quat = need(table, "quat");
    out.target = numbers(quat, "quat", 4, 4);
    if (mju_normalize4(out.target.data()) < 1e-6) fail(quat, "quat must not be 0");
    return;
  }
  const toml::array* names = need(table, "joints").as_array();
  if (names == nullptr || names->empty())
    fail(need(table, "joints"), "joints must be a list of names");
  for (const toml::node& node : *names) out.joints.push_back(joint_number(m, node, false));
  out.target = numbers(need(table, "to"), "to", names->size(), names->size());
}

std::vector<RewardTerm> MeasureReader::rewards(const mjModel& m, const toml::table& table) const {
  std::vector<RewardTerm> out;
  for (const auto& [key, node] : table) {
    RewardTerm term{.name = std::string(key.str())};
    if (node.is_number()) {
      if (term.name != "alive") {
        fail(node, fmt::format("{} must be a table, as {{ weight = 1.0 }}; only alive is a number",
                               term.name));
      }
      term.weight = number(node, term.name, -1e6, 1e6);
    } else {
      const toml::table& t = this->table(node, term.name);
      term.measure = measure(m, t, term.name, {"weight", "target", "power", "clip"});
      term.weight = number(need(t, "weight"), "weight", -1e6, 1e6);
      term.power = number(t, "power", 0.1, 10.0, 1.0);
      const toml::node* target = t.get("target");
      if (target != nullptr && target->is_array() && term.measure.what == Quantity::kSensor) {
        const auto n = static_cast<std::size_t>(m.sensor_dim[term.measure.id]);
        term.measure.target = numbers(*target, "target", n, n);
      } else if (target != nullptr) {
        term.target = number(*target, "target", -1e6, 1e6);
      }
      if (const toml::node* clip = t.get("clip")) {
        const auto limits = numbers(*clip, "clip", 2, 2);
        if (!(limits[0] < limits[1])) fail(*clip, "clip must be [least, most]");
        term.least = limits[0];
        term.most = limits[1];
      }
    }
    out.push_back(std::move(term));
  }
  if (out.empty()) fail(table, "[reward] needs at least one term, as alive = 1.0");
  return out;
}

std::vector<Termination> MeasureReader::terminations(const mjModel& m,
                                                     const toml::table& table) const {
  std::vector<Termination> out;
  for (const auto& [key, node] : table) {
    Termination end{.name = std::string(key.str())};
    const toml::table& t = this->table(node, end.name);
    end.measure = measure(m, t, end.name, {"min", "max"});
    end.least = number(t, "min", -1e9, 1e9, -1e300);
    end.most = number(t, "max", -1e9, 1e9, 1e300);
    if (!t.contains("min") && !t.contains("max")) fail(node, "needs min or max, or both");
    if (!(end.least < end.most)) fail(node, "min must be below max");
    out.push_back(std::move(end));
  }
  return out;
}

}  // namespace bpo
