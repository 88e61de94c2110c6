// [[latent]] of a robot file: what is unknown, and what is known of it before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>

#include "bpo/problems/mujoco/robot_reader.h"

namespace bpo {
namespace {

constexpr int kMostCells = 1000, kMostHistory = 50;

/// What an object's name adds to that of its latent, which is a key in files: `left foot` and
/// `geom 1 of tool` become `left_foot` and `geom_1_of_tool`.
std::string as_key(const std::string& name) {
  return std::regex_replace(name, std::regex("[^A-Za-z0-9_-]+"), "_");
}

}  // namespace

Prior RobotReader::read_prior(const toml::node& node, int& bins) const {
  const toml::table& t = table(node, "prior");
  only(t, {"uniform", "loguniform", "normal", "limits", "choice"});
  const int kinds = static_cast<int>(t.contains("uniform")) + t.contains("loguniform") +
                    t.contains("normal") + t.contains("choice");
  if (kinds != 1 || t.contains("limits") != t.contains("normal")) {
    fail(node,
         "prior must be { uniform = [low, high] }, { loguniform = [low, high] }, "
         "{ normal = [mean, sd], limits = [low, high] } or { choice = [values] }");
  }
  Prior out;
  if (t.contains("choice")) {
    out.kind = Prior::Kind::kChoice;
    out.values = numbers(need(t, "choice"), "choice", 2, 100);
    if (!std::is_sorted(out.values.begin(), out.values.end(), std::less_equal<>())) {
      fail(node, "the values of a choice must ascend");
    }
    bins = static_cast<int>(out.values.size());
    out.low = out.values.front();
    out.high = out.values.back();
    return out;
  }
  const char* range = t.contains("uniform")  ? "uniform"
                      : t.contains("normal") ? "limits"
                                             : "loguniform";
  const auto limits = numbers(need(t, range), range, 2, 2);
  out.low = limits[0];
  out.high = limits[1];
  if (!(out.low < out.high)) fail(need(t, range), fmt::format("{} must be [low, high]", range));
  if (t.contains("loguniform")) {
    out.kind = Prior::Kind::kLogUniform;
    if (!(out.low > 0.0)) fail(node, "loguniform needs positive limits");
  }
  if (t.contains("normal")) {
    out.kind = Prior::Kind::kNormal;
    const auto shape = numbers(need(t, "normal"), "normal", 2, 2);
    out.mean = shape[0];
    out.sd = shape[1];
    if (!(out.sd > 0.0)) fail(node, "normal must be [mean, sd] with a positive sd");
    if (out.low > out.mean + 8.0 * out.sd || out.high < out.mean - 8.0 * out.sd) {
      fail(node, "the limits are further than eight sd from the mean");
    }
  }
  return out;
}

void RobotReader::read_changes(const toml::node& node, RobotLatent& latent) const {
  const toml::table& t = table(node, "changes");
  only(t, {"rate"});
  const toml::node& rate = need(t, "rate");
  latent.rate = number(rate, "rate", 0.0, 1.0);
  if (latent.rate == 0.0) fail(rate, "a rate of 0 is no change; leave changes out");
}

void RobotReader::read_latent(const toml::table& t) {
  only(t, {"name", "edit", "of", "op", "axis", "at", "prior", "bins", "group", "changes"});
  std::vector<std::string> kinds, ops;
  for (const EditRow& row : edit_table()) kinds.emplace_back(row.name);
  need(t, "edit");
  const std::string kind = choice(t, "edit", kinds, "");
  const EditRow& row = *std::find_if(edit_table().begin(), edit_table().end(),
                                     [&](const EditRow& r) { return r.name == kind; });
  RobotLatent latent{.name = t.contains("name") ? text(need(t, "name"), "name") : kind,
                     .edit = {.kind = row.kind},
                     .place = place_in(file(), t.source().begin)};
  static const std::regex kName("[A-Za-z][A-Za-z0-9_-]*");
  if (!std::regex_match(latent.name, kName)) {
    fail(need(t, "name"), "a name is letters, digits, _ and -, and begins with a letter");
  }
  for (const EditOp op : row.ops) ops.emplace_back(op_name(op));
  const std::string op = choice(t, "op", ops, ops[0]);
  latent.edit.op =
      row.ops[static_cast<std::size_t>(std::find(ops.begin(), ops.end(), op) - ops.begin())];
  if (t.contains("axis") && !row.takes_axis) fail(need(t, "axis"), kind + " takes no axis");
  if (row.needs_axis) need(t, "axis");
  if (t.contains("axis")) latent.edit.axis = choice(t, "axis", kAxes, "x")[0] - 'x';
  if (const toml::node* place = t.get("at")) {
    if (row.kind != EditKind::kPayload) fail(*place, "only a payload is at a place");
    const auto p = numbers(*place, "at", 3, 3);
    std::copy(p.begin(), p.end(), latent.edit.at.begin());
  }
  const toml::node* of = t.get("of");
  const auto names = of == nullptr ? std::vector<std::string>{} : words(*of, "of");
  const auto targets = at(of == nullptr ? static_cast<const toml::node&>(t) : *of,
                          [&] { return find_targets(model(), row, names); });
  latent.bins = integer(t, "bins", 1, kMostCells, 5);
  latent.prior = read_prior(need(t, "prior"), latent.bins);
  if (const toml::node* changes = t.get("changes")) read_changes(*changes, latent);
  if (choice(t, "group", {"shared", "each"}, "shared") == "shared" || targets.size() == 1) {
    latent.edit.targets = targets;
    return add_latent(t, std::move(latent));
  }
  for (const EditTarget& target : targets) {
    RobotLatent each = latent;
    each.name = fmt::format("{}_{}", latent.name, as_key(target.name));
    each.edit.targets = {target};
    add_latent(t, std::move(each));
  }
}

void RobotReader::add_latent(const toml::table& t, RobotLatent latent) {
  static const std::vector<std::string> kTaken{"horizon", "simulator", "tolerance", "estimate",
                                               "start"};
  for (const RobotLatent& other : out_.latents) {
    if (other.name == latent.name) {
      fail(t, fmt::format("two latents are called '{}'; give each a name", latent.name));
    }
    if (other.edit.kind != latent.edit.kind || other.edit.axis != latent.edit.axis) continue;
    for (const EditTarget& a : other.edit.targets) {
      for (const EditTarget& b : latent.edit.targets) {
        if (a.type != b.type || a.id != b.id) continue;
        fail(t, fmt::format("'{}' and '{}' both are the {} of '{}'", other.name, latent.name,
                            edit_row(latent.edit.kind).name, a.name));
      }
    }
  }
  if (std::find(kTaken.begin(), kTaken.end(), latent.name) != kTaken.end()) {
    fail(t, fmt::format("'{}' is an option of every robot; take another name", latent.name));
  }
  out_.latents.push_back(std::move(latent));
}

void RobotReader::check_cells() const {
  double cells = 1.0;
  std::string product;
  for (const RobotLatent& latent : out_.latents) {
    cells *= latent.bins;
    product += (product.empty() ? "" : " x ") + std::to_string(latent.bins);
  }
  if (cells > kMostCells) {
    fail(*root().get("latent"),
         fmt::format("a grid of {} = {:g} cells is more than {}; give latents fewer bins, or take "
                     "[filter] kind = \"particle\", which has none",
                     product, cells, kMostCells));
  }
}

void RobotReader::check_delays(const toml::node& latents) {
  const double timestep = model().opt.timestep;
  for (const RobotLatent& latent : out_.latents) {
    if (latent.edit.kind != EditKind::kDelay) continue;
    const double most = std::round(latent.prior.high / timestep);
    if (latent.prior.low < 0.0 || most > kMostHistory * out_.frame_skip) {
      fail(latents, fmt::format("a delay must be within 0 and {:g} seconds",
                                kMostHistory * out_.frame_skip * timestep));
    }
    out_.history = static_cast<int>(std::ceil(most / out_.frame_skip));
  }
}

void RobotReader::read_latents() {
  const toml::array* array = root()["latent"].as_array();
  if (array == nullptr || !array->is_array_of_tables()) {
    fail(root(), "needs at least one [[latent]]: what is unknown of the robot");
  }
  for (const toml::node& node : *array) read_latent(*node.as_table());
  check_delays(*array);
  std::vector<Edit> edits;
  for (const RobotLatent& latent : out_.latents) edits.push_back(latent.edit);
  Sim edited = *out_.sim;
  out_.edits = at(*array, [&] { return std::make_shared<const ModelEdits>(edited, edits); });
  out_.sim = std::make_shared<const Sim>(edited);
}

}  // namespace bpo
