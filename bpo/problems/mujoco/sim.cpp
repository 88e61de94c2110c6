#include "bpo/problems/mujoco/sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <mutex>
#include <numeric>
#include <regex>

#include "bpo/core/error.h"

namespace bpo {
namespace {

// MuJoCo's own handlers wait for a key and write MUJOCO_LOG.TXT. Warnings are also counted in
// mjData, where went_bad() looks.
void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_error = [](const char* text) { throw bad_input(std::string("MuJoCo: ") + text); };
    mju_user_warning = [](const char*) {};
  });
}

/// MuJoCo's sentence as one line with its place: "hopper.xml:12: unrecognized attribute: 'x'".
std::string with_place(const std::string& name, std::string text) {
  static const std::regex kLine("line\\s*=?\\s*([0-9]+)");
  std::smatch found;
  const std::string line =
      std::regex_search(text, found, kLine) ? fmt::format(":{}", found[1].str()) : "";
  const std::string when = when_known(text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return fmt::format("{}{}: {}{}", name, line, text, when);
}

mjModel* load(const std::string& name, std::span<const MjcfFile> files) {
  install_handlers();
  std::string complaint;
  mjModel* model = compile_mjcf(files, complaint);
  if (model == nullptr) throw bad_input(with_place(name, complaint));
  return model;
}

/// Calls f(values, count) on every field that a patch holds.
template <class F>
void for_each_patched(mjModel& m, F f) {
  f(m.body_pos, 3 * m.nbody);
  f(m.body_ipos, 3 * m.nbody);
  f(m.body_iquat, 4 * m.nbody);
  f(m.body_mass, m.nbody);
  f(m.body_subtreemass, m.nbody);
  f(m.body_inertia, 3 * m.nbody);
  f(m.body_invweight0, 2 * m.nbody);
  f(m.dof_M0, m.nv);
  f(m.dof_invweight0, m.nv);
  f(m.geom_pos, 3 * m.ngeom);
  f(m.geom_size, 3 * m.ngeom);
  f(m.geom_rbound, m.ngeom);
  f(m.tendon_length0, m.ntendon);
  f(m.tendon_lengthspring, kSpringNumbers * m.ntendon);
  f(m.tendon_invweight0, m.ntendon);
  f(m.actuator_acc0, m.nu);
  f(m.actuator_length0, m.nu);
  static_assert(sizeof(mjStatistic) == 7 * sizeof(mjtNum) && sizeof(mjtNum) == sizeof(double));
  f(&m.stat.meaninertia, 7);
}

}  // namespace

Sim::Sim(std::string name, const std::string& mjcf)
    : Sim(std::move(name), std::array{MjcfFile{"model.xml", mjcf}}) {}

Sim::Sim(std::string name, std::span<const MjcfFile> files)
    : name_(std::move(name)),
      files_(std::make_shared<const std::vector<MjcfFile>>(files.begin(), files.end())),
      model_(load(name_, files)),
      data_(mj_makeData(model_.get())) {}

Sim::Sim(const Sim& other)
    : name_(other.name_),
      files_(other.files_),
      model_(mj_copyModel(nullptr, other.model_.get())),
      data_(mj_makeData(model_.get())) {}

bool Sim::advance(std::span<double> state, std::span<const float> controls, int frames,
                  bool euler) {
  mjData& d = *data_;
  const int integrator = model_->opt.integrator;
  if (euler) model_->opt.integrator = mjINT_EULER;
  const auto nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv),
             na = static_cast<std::size_t>(model_->na);
  put(state, controls);
  std::fill_n(d.qacc_warmstart, nv, 0.0);
  d.time = 0.0;
  try {
    for (int frame = 0; frame < frames; ++frame) mj_step(model_.get(), &d);
    model_->opt.integrator = integrator;
  } catch (...) {
    model_->opt.integrator = integrator;
    mj_resetData(model_.get(), &d);  // its stack was left as it was
    throw;
  }
  const auto finite = [](const mjtNum* x, std::size_t n) {
    return std::all_of(x, x + n, [](mjtNum value) { return std::isfinite(value); });
  };
  if (went_bad() || !finite(d.qpos, nq) || !finite(d.qvel, nv) || !finite(d.act, na)) return false;
  std::copy_n(d.qpos, nq, state.data());
  std::copy_n(d.qvel, nv, state.data() + nq);
  std::copy_n(d.act, na, state.data() + nq + nv);
  return true;
}

void Sim::put(std::span<const double> state, std::span<const float> controls) {
  assert(static_cast<int>(state.size()) == state_size());
  assert(static_cast<int>(controls.size()) == model_->nu);
  std::copy_n(state.data(), model_->nq, data_->qpos);
  std::copy_n(state.data() + model_->nq, model_->nv, data_->qvel);
  std::copy_n(state.data() + model_->nq + model_->nv, model_->na, data_->act);
  std::copy(controls.begin(), controls.end(), data_->ctrl);
}

void Sim::step_bare(std::span<const float> controls, int frames) {
  std::copy(controls.begin(), controls.end(), data_->ctrl);
  for (int frame = 0; frame < frames; ++frame) mj_step(model_.get(), data_.get());
}

void Sim::look(std::span<const double> state, std::span<const float> controls, bool forces) {
  put(state, controls);
  if (!forces) return mj_kinematics(model_.get(), data_.get());
  std::fill_n(data_->qacc_warmstart, model_->nv, 0.0);
  data_->time = 0.0;
  try {
    mj_forward(model_.get(), data_.get());
  } catch (...) {
    mj_resetData(model_.get(), data_.get());
    throw;
  }
  went_bad();
}

bool Sim::went_bad() {
  bool bad = false;
  for (int kind = 0; kind < mjNWARNING; ++kind) {
    if (data_->warning[kind].number == 0) continue;
    data_->warning[kind].number = 0;
    if (kind == mjWARN_CONTACTFULL || kind == mjWARN_CNSTRFULL) {
      throw bad_input(name_ + ": more contacts or constraints than <size nconmax, njmax> allow");
    }
    bad = true;
  }
  return bad;
}

std::vector<Solid> Sim::solids(std::span<const double> state) {
  std::copy_n(state.data(), model_->nq, data_->qpos);
  mj_kinematics(model_.get(), data_.get());
  std::vector<Solid> out;
  for (int g = 0; g < model_->ngeom; ++g) {
    const int type = model_->geom_type[g];
    if (type == mjGEOM_PLANE || type == mjGEOM_HFIELD) continue;
    const mjtNum *centre = data_->geom_xpos + 3 * g, *turned = data_->geom_xmat + 9 * g;
    const mjtNum* size = model_->geom_size + 3 * g;
    int axis = 2;  // a capsule lies along its own z
    mjtNum half = type == mjGEOM_CAPSULE ? size[1] : 0.0;
    Solid solid{.radius = size[0]};
    if (type == mjGEOM_CYLINDER) {
      solid.radius = std::min(size[0], size[1]);
      half = size[1] - solid.radius;
    } else if (type != mjGEOM_CAPSULE && type != mjGEOM_SPHERE) {
      axis = static_cast<int>(std::max_element(size, size + 3) - size);
      solid.radius =
          std::max(std::min(size[(axis + 1) % 3], size[(axis + 2) % 3]), 0.3 * size[axis]);
      half = size[axis] - solid.radius;
    }
    for (int i = 0; i < 3; ++i) {
      const mjtNum along = half * turned[3 * i + axis];
      solid.from[i] = centre[i] - along;
      solid.to[i] = centre[i] + along;
    }
    out.push_back(solid);
  }
  return out;
}

namespace {

std::string name_in(const mjModel& model, mjtObj type, int i, const char* what) {
  const char* name = mj_id2name(&model, type, i);
  return name == nullptr || *name == '\0' ? fmt::format("{} {}", what, i + 1) : name;
}

}  // namespace

std::vector<std::string> Sim::state_names() const {
  static const std::vector<std::string> kOne{""}, kTurn{" w", " x", " y", " z"},
      kFree{" x", " y", " z", " turn w", " turn x", " turn y", " turn z"};
  static const std::vector<std::string> kTurning{" about x", " about y", " about z"},
      kMoving{" along x", " along y", " along z", " about x", " about y", " about z"};
  std::vector<std::string> positions, velocities;
  for (int j = 0; j < model_->njnt; ++j) {
    const std::string name = name_in(*model_, mjOBJ_JOINT, j, "joint");
    const int type = model_->jnt_type[j];
    const auto& of_position = type == mjJNT_FREE ? kFree : type == mjJNT_BALL ? kTurn : kOne;
    const auto& of_velocity = type == mjJNT_FREE ? kMoving : type == mjJNT_BALL ? kTurning : kOne;
    for (const std::string& part : of_position) positions.push_back(name + part);
    for (const std::string& part : of_velocity) velocities.push_back(name + part + " velocity");
  }
  positions.insert(positions.end(), velocities.begin(), velocities.end());
  for (int i = 0; i < model_->na; ++i) positions.push_back(fmt::format("activation {}", i + 1));
  return positions;
}

std::vector<std::string> Sim::state_units() const {
  std::vector<std::string> positions, velocities;
  const auto add = [](std::vector<std::string>& to, int count, const char* unit) {
    to.insert(to.end(), static_cast<std::size_t>(count), unit);
  };
  for (int j = 0; j < model_->njnt; ++j) {
    const int type = model_->jnt_type[j];
    const bool free = type == mjJNT_FREE, turns = free || type == mjJNT_BALL;
    if (free || type == mjJNT_SLIDE) {
      add(positions, free ? 3 : 1, "m");
      add(velocities, free ? 3 : 1, "m/s");
    }
    if (type == mjJNT_SLIDE) continue;
    add(positions, turns ? 4 : 1, turns ? "quaternion" : "rad");
    add(velocities, turns ? 3 : 1, "rad/s");
  }
  positions.insert(positions.end(), velocities.begin(), velocities.end());
  add(positions, count(model_->na), "unit of the activation");
  return positions;
}

std::vector<std::string> Sim::control_names() const {
  std::vector<std::string> out;
  for (int i = 0; i < model_->nu; ++i) out.push_back(name_in(*model_, mjOBJ_ACTUATOR, i, "motor"));
  return out;
}

void Sim::set_constants() {
  mj_setConst(model_.get(), data_.get());
  if (went_bad()) throw bad_input(name_ + ": the edited model's inertia is singular");
  if (kFlagsSayAll) return;
  // Since version 3 the compiler alone finds these; the solver scales its tolerance by the first.
  mjModel& m = *model_;
  double mass = 0.0, bodies = 0.0;
  for (int b = 1; b < m.nbody; ++b) {
    mass += m.body_mass[b];
    bodies += m.body_mass[b] > mjMINVAL;
  }
  m.stat.meanmass = mass / std::max(bodies, 1.0);
  m.stat.meaninertia = std::accumulate(m.dof_M0, m.dof_M0 + m.nv, 0.0) / std::max(count(m.nv), 1);
}

void Sim::generalize(std::span<const int> bodies) {
  std::vector<std::string> simple;
  for (const int b : bodies) {
    if (model_->body_simple[b] != 0) simple.emplace_back(model_->names + model_->name_bodyadr[b]);
  }
  if (!simple.empty() && !kFlagsSayAll) {
    mjModel* general = compile_general(*files_, simple);
    if (general == nullptr) {
      throw bad_input(
          fmt::format("{}: MuJoCo {} takes the inertia of '{}' for diagonal and cannot be told "
                      "otherwise; 3.11 and newer can, and so can 2.2.2",
                      name_, mj_versionString(), simple[0]));
    }
    model_.reset(general);
    data_.reset(mj_makeData(general));
  }
  mjModel& m = *model_;
  for (const int b : bodies) {
    m.body_sameframe[b] = m.body_simple[b] = 0;
    for (int g = 0; g < m.ngeom; ++g) {
      if (m.geom_bodyid[g] == b) m.geom_sameframe[g] = 0;
    }
    for (int s = 0; s < m.nsite; ++s) {
      if (m.site_bodyid[s] == b) m.site_sameframe[s] = 0;
    }
  }
  int run = 0;
  for (int i = count(m.nv) - 1; i >= 0; --i) {
    m.dof_simplenum[i] = run = m.body_simple[m.dof_bodyid[i]] ? run + 1 : 0;
  }
  if (!bodies.empty()) forget_boxes(m);
}

Patch Sim::edit(const std::function<void(mjModel&)>& change) {
  change(*model_);
  set_constants();
  Patch patch;
  for_each_patched(*model_, [&](const mjtNum* x, int n) { patch.insert(patch.end(), x, x + n); });
  return patch;
}

void Sim::apply(const Patch& patch) {
  const double* from = patch.data();
  for_each_patched(*model_, [&](mjtNum* x, int n) {
    std::copy_n(from, n, x);
    from += n;
  });
}

}  // namespace bpo
