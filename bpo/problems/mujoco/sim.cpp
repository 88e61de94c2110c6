#include "bpo/problems/mujoco/sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <mutex>

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

/// A virtual file system of MuJoCo's with one file, which exists in memory only.
class VirtualFile {
 public:
  static constexpr const char* kName = "model.xml";

  explicit VirtualFile(const std::string& text) {
    const auto size = static_cast<int>(text.size());
    mj_defaultVFS(vfs_.get());
#if mjVERSION_HEADER >= 300
    mj_addBufferVFS(vfs_.get(), kName, text.data(), size);
#else
    mj_makeEmptyFileVFS(vfs_.get(), kName, size);
    std::copy_n(text.data(), size, static_cast<char*>(vfs_->filedata[0]));
#endif
  }
  ~VirtualFile() { mj_deleteVFS(vfs_.get()); }
  VirtualFile(const VirtualFile&) = delete;
  VirtualFile& operator=(const VirtualFile&) = delete;

  const mjVFS* get() const { return vfs_.get(); }

 private:
  std::unique_ptr<mjVFS> vfs_ = std::make_unique<mjVFS>();  // megabytes: not for the stack
};

mjModel* load(const std::string& name, const std::string& mjcf) {
  install_handlers();
  static std::mutex parser;  // it keeps the last model it read in a global
  const std::lock_guard lock(parser);
  const VirtualFile file(mjcf);
  std::array<char, 1000> error{};
  mjModel* model = mj_loadXML(file.kName, file.get(), error.data(), error.size());
  if (model == nullptr) throw bad_input(name + ": " + error.data());
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
  f(m.tendon_lengthspring, (mjVERSION_HEADER < 230 ? 1 : 2) * m.ntendon);
  f(m.tendon_invweight0, m.ntendon);
  f(m.actuator_acc0, m.nu);
  f(m.actuator_length0, m.nu);
  static_assert(sizeof(mjStatistic) == 7 * sizeof(mjtNum) && sizeof(mjtNum) == sizeof(double));
  f(&m.stat.meaninertia, 7);
}

}  // namespace

Sim::Sim(std::string name, const std::string& mjcf)
    : name_(std::move(name)), model_(load(name_, mjcf)), data_(mj_makeData(model_.get())) {}

Sim::Sim(const Sim& other)
    : name_(other.name_),
      model_(mj_copyModel(nullptr, other.model_.get())),
      data_(mj_makeData(model_.get())) {}

bool Sim::advance(std::span<double> state, std::span<const float> controls, int frames,
                  bool euler) {
  mjData& d = *data_;
  const int integrator = model_->opt.integrator;
  if (euler) model_->opt.integrator = mjINT_EULER;
  const auto nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv);
  assert(state.size() == nq + nv && controls.size() == static_cast<std::size_t>(model_->nu));
  std::copy_n(state.data(), nq, d.qpos);
  std::copy_n(state.data() + nq, nv, d.qvel);
  std::copy(controls.begin(), controls.end(), d.ctrl);
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
  if (went_bad() || !finite(d.qpos, nq) || !finite(d.qvel, nv)) return false;
  std::copy_n(d.qpos, nq, state.data());
  std::copy_n(d.qvel, nv, state.data() + nq);
  return true;
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
    if (type != mjGEOM_CAPSULE && type != mjGEOM_SPHERE) continue;
    const mjtNum *centre = data_->geom_xpos + 3 * g, *turned = data_->geom_xmat + 9 * g;
    const mjtNum half = type == mjGEOM_CAPSULE ? model_->geom_size[3 * g + 1] : 0.0;
    Solid solid{.radius = model_->geom_size[3 * g]};
    for (int i = 0; i < 3; ++i) {
      const mjtNum along = half * turned[3 * i + 2];  // a capsule lies along its own z
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
