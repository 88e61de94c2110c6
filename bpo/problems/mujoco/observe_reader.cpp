// [observe] of a robot file: the numbers that a policy sees, by terms such as "qpos[1:]", "qvel",
// "act", "sent", "joint:knee", "joint_speed:knee" and "sensor:foot", and their noise.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "bpo/problems/mujoco/robot_reader.h"

namespace bpo {
namespace {

constexpr std::size_t kMostSeen = 1000;

/// A part of the whole (state, controls sent before, sensors).
struct Part {
  std::string name;
  int first, count;
};
std::vector<Part> parts_of(const mjModel& m, int history) {
  const int nq = count(m.nq), nv = count(m.nv), na = count(m.na), sent = history * count(m.nu);
  return {{"qpos", 0, nq},
          {"qvel", nq, nv},
          {"act", nq + nv, na},
          {"sent", nq + nv + na, sent},
          {"sensor", nq + nv + na + sent, count(m.nsensordata)}};
}

std::string name_of(const RobotFile& file, const std::string& part, int i) {
  const auto state = file.sim->state_names();
  if (i < static_cast<int>(state.size())) return state[static_cast<std::size_t>(i)];
  return fmt::format("{} {}", part, i - static_cast<int>(state.size()) + 1);
}

}  // namespace

void RobotReader::read_term(const toml::node& node) {
  const std::string term = text(node, "a term");
  const mjModel& m = model();
  const auto parts = parts_of(m, out_.history);
  const auto see = [&](const std::string& part, int first, int count) {
    for (int i = first; i < first + count; ++i) {
      out_.seen.push_back({.name = name_of(out_, part, i), .source = i});
    }
  };
  const std::size_t colon = term.find(':');
  const std::string before = term.substr(0, colon);
  if (before == "sensor" || before == "joint" || before == "joint_speed") {
    const std::string name = colon == std::string::npos ? "" : term.substr(colon + 1);
    const int type = before == "sensor" ? mjOBJ_SENSOR : mjOBJ_JOINT;
    const int id = mj_name2id(&m, type, name.c_str());
    if (id < 0) {
      const auto there = names_of(m, type);
      fail(node, fmt::format("no {} of the model is called '{}'{}; there are: {}",
                             before == "sensor" ? "sensor" : "joint", name,
                             did_you_mean(name, there), fmt::join(there, ", ")));
    }
    if (before == "sensor") {
      out_.sees_sensors = true;
      const int first = parts[4].first + m.sensor_adr[id];
      see("sensor", first, m.sensor_dim[id]);
      for (int k = 0; k < m.sensor_dim[id]; ++k) {
        out_.seen[out_.seen.size() - static_cast<std::size_t>(m.sensor_dim[id] - k)].name =
            m.sensor_dim[id] == 1 ? name : fmt::format("{} {}", name, k + 1);
      }
      return;
    }
    const bool free = m.jnt_type[id] == mjJNT_FREE, ball = m.jnt_type[id] == mjJNT_BALL;
    return before == "joint" ? see("qpos", m.jnt_qposadr[id],
                                   free   ? 7
                                   : ball ? 4
                                          : 1)
                             : see("qvel", m.nq + m.jnt_dofadr[id],
                                   free   ? 6
                                   : ball ? 3
                                          : 1);
  }
  static const std::regex kTerm("(qpos|qvel|act|sent)(\\[([0-9]{0,4})(:?)([0-9]{0,4})\\])?");
  std::smatch found;
  if (!std::regex_match(term, found, kTerm)) {
    fail(node, fmt::format("'{}' is no term; terms are qpos, qvel, act, sent (with [first:end] or "
                           "[index]), joint:NAME, joint_speed:NAME and sensor:NAME",
                           term));
  }
  const Part& part = *std::find_if(parts.begin(), parts.end(),
                                   [&](const Part& p) { return p.name == found[1].str(); });
  int first = 0, end = part.count;
  if (found[2].matched) {
    const auto whole = [](const std::string& digits, int otherwise) {
      return digits.empty() ? otherwise : std::stoi(digits);
    };
    first = whole(found[3].str(), 0);
    end = found[4].str().empty() ? first + 1 : whole(found[5].str(), part.count);
  }
  if (first >= end || end > part.count) {
    fail(node, fmt::format("'{}': {} has {} numbers here", term, part.name, part.count));
  }
  see(part.name, part.first + first, end - first);
}

void RobotReader::read_noise(const toml::node& node) {
  const toml::table& t = table(node, "noise");
  only(t, {"qpos", "qvel", "act", "sensor"});
  for (const Part& part : parts_of(model(), out_.history)) {
    const double noise = number(t, part.name.c_str(), 0.0, 1e6, 0.0);
    for (SeenNumber& seen : out_.seen) {
      const int at = seen.source - part.first;
      if (at >= 0 && at < part.count) seen.noise = noise;
    }
  }
}

/// Whether the policy sees all of the state, and that without noise.
bool RobotReader::state_is_seen() const {
  for (int i = 0; i < out_.sim->state_size(); ++i) {
    if (std::none_of(out_.seen.begin(), out_.seen.end(), [i](const SeenNumber& seen) {
          return seen.source == i && seen.noise == 0.0;
        })) {
      return false;
    }
  }
  return true;
}

void RobotReader::read_observe() {
  const toml::node* node = root().get("observe");
  const toml::table empty;
  const toml::table& t = node == nullptr ? empty : table(*node, "observe");
  only(t, {"terms", "noise"});
  if (const toml::node* terms = t.get("terms")) {
    const toml::array* array = terms->as_array();
    if (array == nullptr || array->empty()) fail(*terms, "terms must be a list of texts");
    for (const toml::node& term : *array) read_term(term);
  } else {
    for (const char* term : {"qpos", "qvel"}) read_term(toml::value<std::string>(term));
  }
  if (out_.seen.size() > kMostSeen) {
    fail(*node, fmt::format("a policy sees at most {} numbers", kMostSeen));
  }
  if (const toml::node* noise = t.get("noise")) read_noise(*noise);
}

}  // namespace bpo
