#include "bpo/problems/mujoco/robot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace bpo {

RobotFile RobotReader::read(const std::string& problem) {
  only(root(), {"schema", "kind", "robot", "observe", "reward", "terminate", "filter", "latent",
                "train", "calibrated", "file"});
  if (integer(root(), "schema", 1, 1000000, 1) != 1) {
    fail(need(root(), "schema"), "this program reads schema = 1");
  }
  choice(root(), "kind", {"robot"}, "robot");
  out_.name = problem;
  read_robot_table();
  read_latents();
  read_observe();
  out_.rewards = rewards(model(), table(need(root(), "reward"), "reward"));
  if (const toml::node* node = root().get("terminate")) {
    out_.terminations = terminations(model(), table(*node, "terminate"));
  }
  const toml::table none;
  const toml::node* filter = root().get("filter");
  read_filter(filter == nullptr ? none : table(*filter, "filter"));
  if (out_.particles == 0) check_cells();
  if (const toml::node* node = root().get("train")) read_training(table(*node, "train"));
  if (const toml::node* node = root().get("calibrated")) read_calibrated(*node);
  return std::move(out_);
}

std::vector<MjcfFile> RobotReader::model_files(const toml::node& mjcf) const {
  const toml::node* kept = root().get("file");
  if (kept == nullptr) {
    const auto folder = std::filesystem::path(file()).parent_path();
    return at(mjcf, [&] { return gather_mjcf((folder / text(mjcf, "mjcf")).string()); });
  }
  const toml::array* array = kept->as_array();
  if (array == nullptr || array->empty() || !array->is_array_of_tables()) {
    fail(*kept, "file must be tables [[file]] with name and text or base64");
  }
  std::vector<MjcfFile> out;
  for (const toml::node& node : *array) {
    const toml::table& t = *node.as_table();
    only(t, {"name", "text", "base64"});
    const bool plain = t.contains("text");
    const std::string bytes = text(need(t, plain ? "text" : "base64"), "a file's content");
    out.push_back({text(need(t, "name"), "name"),
                   plain ? bytes : at(node, [&] { return base64_decoded(bytes); })});
  }
  return out;
}

void RobotReader::read_robot_table() {
  const toml::table& t = table(need(root(), "robot"), "robot");
  only(t, {"mjcf", "frame_skip", "horizon", "reset", "camera"});
  const toml::node& mjcf = need(t, "mjcf");
  out_.files = model_files(mjcf);
  out_.sim = at(
      mjcf, [&] { return std::make_shared<const Sim>(out_.files[0].name, std::span(out_.files)); });
  if (model().nu == 0) fail(mjcf, "the model has no actuators: there is nothing to control");
  if (const std::string why = unsupported(model()); !why.empty()) {
    fail(mjcf, fmt::format("the model {}: that is not supported", why));
  }
  if (model().nv == 0) fail(mjcf, "the model has no joints: nothing moves");
  out_.frame_skip = integer(t, "frame_skip", 1, 1000, 5);
  out_.horizon = integer(t, "horizon", 1, 10000, 200);
  const std::string camera = choice(t, "camera", {"side", "top", "corner"}, "side");
  out_.camera = camera == "side" ? Camera::kSide : camera == "top" ? Camera::kTop : Camera::kCorner;
  const toml::node* reset = t.get("reset");
  if (reset == nullptr) return;
  const toml::table& r = table(*reset, "reset");
  only(r, {"keyframe", "qpos_noise", "qvel_noise"});
  if (const toml::node* key = r.get("keyframe")) {
    out_.keyframe = id_of(model(), mjOBJ_KEY, *key, "keyframe");
  }
  out_.qpos_noise = number(r, "qpos_noise", 0.0, 100.0, 0.0);
  out_.qvel_noise = number(r, "qvel_noise", 0.0, 100.0, 0.0);
}

void RobotReader::read_filter(const toml::table& t) {
  only(t, {"kind", "sigma", "sees", "particles", "shows", "every"});
  const bool particle = choice(t, "kind", {"grid", "particle"}, "grid") == "particle";
  if (!particle && t.contains("particles")) {
    fail(need(t, "particles"), "a grid has no particles; they go with kind = \"particle\"");
  }
  if (particle) out_.particles = integer(t, "particles", 20, 5000, 200);
  const std::string otherwise = state_is_seen() ? "state" : "observation";
  out_.sees_state = choice(t, "sees", {"state", "observation"}, otherwise) == "state";
  out_.every = integer(t, "every", 1, 100, 1);
  if (out_.every > 1 && !out_.sees_state) {
    fail(need(t, "every"),
         "a filter that estimates the state looks at every step; every goes with sees = \"state\"");
  }
  out_.shows_moments = choice(t, "shows", {"moments", "cells"},
                              particle || !out_.sees_state ? "moments" : "cells") == "moments";
  if (particle && !out_.shows_moments) {
    fail(need(t, "shows"), "particles have no cells; they show moments");
  }
  if (out_.shows_moments && out_.on_plain_grid()) {
    fail(need(t, "shows"),
         "a grid that is told the state and does not change shows its cells; moments go with "
         "kind = \"particle\", sees = \"observation\" or latents that change");
  }
  const toml::node* sigma = t.get("sigma");
  if (sigma == nullptr || sigma->value_or(std::string()) == "auto") return;
  if (sigma->is_string()) fail(*sigma, "sigma must be \"auto\" or a number");
  out_.sigma = number(*sigma, "sigma", 1e-9, 1e6);
}

void RobotReader::read_calibrated(const toml::node& node) {
  const toml::table& t = table(node, "calibrated");
  only(t, {"sigma", "seen"});
  const auto count = static_cast<std::size_t>(2 * model().nv + model().na);
  out_.calibrated = numbers(need(t, "sigma"), "sigma", count, count);
  for (const double s : out_.calibrated) {
    if (!(s > 0.0)) fail(node, "spreads must be positive");
  }
  if (out_.sees_state) return;
  out_.calibrated_seen = numbers(need(t, "seen"), "seen", out_.seen.size(), out_.seen.size());
  for (const double s : out_.calibrated_seen) {
    if (!(s >= 0.0)) fail(node, "spreads of what is seen must not be negative");
  }
}

void RobotReader::read_training(const toml::table& t) {
  struct Key {
    const char *name, *option;
    double low, high;
    bool whole;
  };
  static const std::vector<Key> kKeys{{"iterations", "algo.iterations", 1, 1e6, true},
                                      {"hidden", "algo.hidden", 1, 1024, true},
                                      {"init_std", "algo.init_std", 0.01, 10, false},
                                      {"batch_steps", "optimizer.batch_steps", 64, 1e7, true},
                                      {"discount", "optimizer.discount", 0.5, 1, false},
                                      {"lambda", "optimizer.lambda", 0, 1, false},
                                      {"kl", "optimizer.kl", 1e-5, 1, false},
                                      {"kl_end", "optimizer.kl_end", 1e-5, 1, false}};
  std::vector<std::string> names{"whiten"};
  for (const Key& key : kKeys) names.emplace_back(key.name);
  only(t, names);
  if (const toml::node* whiten = t.get("whiten")) {
    if (!whiten->is_boolean()) fail(*whiten, "whiten must be true or false");
    out_.training.emplace_back("algo.whiten", *whiten->value<bool>());
  }
  for (const Key& key : kKeys) {
    const toml::node* node = t.get(key.name);
    if (node == nullptr) continue;
    const double value = number(*node, key.name, key.low, key.high);
    if (key.whole && value != std::floor(value)) {
      fail(*node, fmt::format("{} must be a whole number", key.name));
    }
    if (key.whole) {
      out_.training.emplace_back(key.option, static_cast<std::int64_t>(value));
    } else {
      out_.training.emplace_back(key.option, value);
    }
  }
}

int RobotFile::cells() const {
  int product = 1;
  for (const RobotLatent& latent : latents) product *= latent.bins;
  return product;
}

bool RobotFile::changes() const {
  return std::any_of(latents.begin(), latents.end(),
                     [](const RobotLatent& latent) { return latent.rate > 0.0; });
}

std::vector<std::vector<double>> RobotFile::corners() const {
  constexpr std::size_t kFree = 10;
  const std::size_t n = latents.size(), free = std::min(n, kFree);
  const auto corner = [&](auto&& is_high) {
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) {
      out.push_back(is_high(i) ? latents[i].prior.high : latents[i].prior.low);
    }
    return out;
  };
  std::vector<std::vector<double>> out;
  for (std::size_t bits = 0; bits < std::size_t{1} << free; ++bits) {
    out.push_back(corner([&](std::size_t i) { return (bits >> i % free & 1) != 0; }));
  }
  for (std::size_t other = 0; other < n && n > kFree; ++other) {  // else two might always agree
    out.push_back(corner([&](std::size_t i) { return i == other; }));
    out.push_back(corner([&](std::size_t i) { return i != other; }));
  }
  return out;
}

bool RobotFile::sees_sensor(const SeenNumber& number) const {
  return number.source >= sim->state_size() + history * sim->model().nu;
}

RobotFile read_robot(const std::string& problem, const std::string& text, const std::string& file) {
  return RobotReader(text, file).read(problem);
}

}  // namespace bpo
