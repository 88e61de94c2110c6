#include "bpo/problems/mujoco/recompile.h"

#include <mujoco/mjxmacro.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/edit_fields.h"
#include "bpo/problems/mujoco/recompile_writer.h"

namespace bpo {
namespace {

/// Flags and sparsity only save work, boxes are not used after edits, lengths of joints are for
/// bodies that sleep, how a control is called is no physics, and axes of inertia are compared by
/// the moments they stand for.
bool is_physics(std::string_view field) {
  static const std::set<std::string_view> kNot{
      "body_simple", "body_sameframe", "geom_sameframe", "site_sameframe", "dof_simplenum",
      "body_iquat",  "body_inertia",   "bvh_aabb",       "dof_length",     "actuator_ctrlspec"};
  return !kNot.contains(field) && !field.starts_with("M_") && !field.starts_with("D_") &&
         !field.starts_with("map");
}

template <class T>
void compare(const char* field, const T* a, const T* b, std::ptrdiff_t n, Recompiled& out) {
  double scale = 1e-9, worst = 0.0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  if (worst / scale > out.difference) {
    out.difference = worst / scale;
    out.field = field;
  }
}

Eigen::Matrix3d moments_of(const mjModel& m, int b) {
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
  mju_quat2Mat(turn.data(), m.body_iquat + 4 * b);
  return turn * Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * b).asDiagonal() *
         turn.transpose();
}

/// Length ranges of muscles are found by a simulation that stops at a tolerance of its own and is
/// another with other masses and dampers, so they are compared where an edit moves what they are
/// measured between, and else not.
bool keeps_length_ranges(const Edit& edit) {
  return (edit_row(edit.kind).groups & (edit_groups::kLengths | edit_groups::kZeros)) == 0;
}

void compare_models(const mjModel* a, const mjModel* b, const Edit& edit, Recompiled& out) {
  const auto compared = [keeps = keeps_length_ranges(edit)](std::string_view field) {
    return is_physics(field) && !(keeps && field == "actuator_lengthrange");
  };
  MJMODEL_POINTERS_PREAMBLE(a)
#define X(type, name, rows, columns) \
  if (compared(#name)) compare(#name, a->name, b->name, a->rows*(columns), out);
  MJMODEL_POINTERS
#undef X
  static_cast<void>(std::array{nuser_body, nuser_jnt, nuser_geom, nuser_site, nuser_cam,
                               nuser_tendon, nuser_actuator, nuser_sensor, nq, nv, na, nu, nmocap});
  for (int i = 1; i < a->nbody; ++i) {
    compare("body_inertia", moments_of(*a, i).data(), moments_of(*b, i).data(), 9, out);
  }
  compare("stat.meaninertia", &a->stat.meaninertia, &b->stat.meaninertia, 1, out);
  compare("stat.meanmass", &a->stat.meanmass, &b->stat.meanmass, 1, out);
  compare("opt.gravity", a->opt.gravity, b->opt.gravity, 3, out);
  compare("opt.wind", a->opt.wind, b->opt.wind, 3, out);
}

}  // namespace

Recompiled compare_recompiled(const RobotFile& file, std::size_t latent, double value) {
  Recompiled out;
  try {
    const Edit& edit = file.latents[latent].edit;
    const auto files = RecompileWriter(file.sim->model(), file.files, edit, value).files();
    Sim edited(file.files[0].name, file.files);
    ModelEdits(edited, {edit}).patch(edited, {{value}});
    const Sim again("the edited text", files);
    const mjModel &a = edited.model(), &b = again.model();
    if (a.nbody != b.nbody || a.ngeom != b.ngeom || a.nv != b.nv) {
      out.why_not = "the edited text makes a model of another size";
    } else {
      compare_models(&a, &b, edit, out);
    }
  } catch (const NotWritten& reason) {
    out.why_not = reason.why;
  } catch (const Error& error) {
    out.why_not = error.what();
  }
  return out;
}

}  // namespace bpo
