// What differs between the versions of MuJoCo that this program can be built with, 2.2.2 and 3.x,
// in one place. A field that only some versions have is asked for by its name, not by a number.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bpo/problems/mujoco/mjcf_files.h"

namespace bpo {

inline constexpr int kSpringNumbers = mjVERSION_HEADER < 230 ? 1 : 2;

/// MuJoCo counted in int, and now in 64 bits.
template <class Count>
int count(Count n) {
  return static_cast<int>(n);
}

/// Which pairs of geoms are looked at; it is always all of them since 3.0.
enum class CollisionSearch { kAll, kExplicit, kDynamic };
template <class Option>
CollisionSearch collision_search(const Option& o) {
  if constexpr (requires { o.collision; }) return static_cast<CollisionSearch>(o.collision);
  return CollisionSearch::kAll;
}

/// Flags that leave the physics as it is: boxes around shapes only save work, and edits that move
/// shapes or inertial frames do without them (forget_boxes).
template <class Model>
int switched_off(const Model& m) {
#if mjVERSION_HEADER >= 300
  return m.opt.disableflags & ~mjDSBL_MIDPHASE;
#else
  return m.opt.disableflags;
#endif
}

/// Boxes around the shapes of a body are derived by the compiler alone, so a model whose shapes or
/// inertial frames will move finds its contacts without them.
inline void forget_boxes(mjModel& m) {
#if mjVERSION_HEADER >= 300
  m.opt.disableflags |= mjDSBL_MIDPHASE;
#endif
  static_cast<void>(m);
}

/// The box around a shape whose sizes were changed, where the model has one.
template <class Model>
void set_box(Model& m, int geom, double x, double y, double z) {
  if constexpr (requires { m.geom_aabb; }) {
    mjtNum* half = m.geom_aabb + 6 * geom + 3;
    half[0] = x;
    half[1] = y;
    half[2] = z;
  }
}

namespace versions {

template <class T>
bool any(const T* x, std::ptrdiff_t n) {
  return std::any_of(x, x + n, [](T value) { return value != T{}; });
}

}  // namespace versions

/// Springs and dampers of higher order, which edits do not reach.
template <class Model>
bool has_polynomials(const Model& m) {
#ifdef mjNPOLY
  return versions::any(m.jnt_stiffnesspoly, m.njnt * mjNPOLY) ||
         versions::any(m.dof_dampingpoly, m.nv * mjNPOLY) ||
         versions::any(m.tendon_stiffnesspoly, m.ntendon * mjNPOLY) ||
         versions::any(m.tendon_dampingpoly, m.ntendon * mjNPOLY);
#else
  static_cast<void>(m);
  return false;
#endif
}

/// What newer versions can do and lanes cannot: compensated gravity, adhesion, surfaces that move,
/// limited joint forces, actuators with damping or inertia of their own.
template <class Model>
bool beyond_lanes(const Model& m) {
  using versions::any;
  if (has_polynomials(m)) return true;
  if constexpr (requires { m.body_gravcomp; }) {
    if (any(m.body_gravcomp, m.nbody)) return true;
  }
  if constexpr (requires { m.jnt_actfrclimited; }) {
    if (any(m.jnt_actfrclimited, m.njnt)) return true;
  }
  if constexpr (requires { m.geom_surfacevel; }) {
    if (any(m.geom_surfacevel, 6 * m.ngeom)) return true;
  }
  if constexpr (requires { m.geom_adhesion; }) {
    if (any(m.geom_adhesion, m.ngeom) || any(m.pair_adhesion, m.npair)) return true;
  }
  if constexpr (requires { m.actuator_armature; }) {
    if (any(m.actuator_armature, m.nu) || any(m.actuator_damping, m.nu)) return true;
  }
  if constexpr (requires { m.pair_solreffriction; }) {
    if (any(m.pair_solreffriction, mjNREF * m.npair)) return true;
  }
  if constexpr (requires { m.opt.disableactuator; }) return m.opt.disableactuator != 0;
  return false;
}

/// What a model has that a robot of this program cannot have, as the end of a sentence: a state
/// that is more than positions, velocities and activations, or actuators of several controls. Empty
/// if it has no such thing.
std::string unsupported(const mjModel& m);

/// Compiles the first of the files, which asks for the others by their names. Null, and MuJoCo's
/// complaint, if it is no model.
mjModel* compile_mjcf(std::span<const MjcfFile> files, std::string& complaint);
/// The same with bodies, by their names, that MuJoCo may not call simple: since version 3 it takes
/// their inertia for diagonal for good. Null where it cannot be told so; before, flags say it all.
mjModel* compile_general(std::span<const MjcfFile> files, std::span<const std::string> bodies);
inline constexpr bool kFlagsSayAll = mjVERSION_HEADER < 300;

/// "; 'kv' of <position> came with MuJoCo 3.1, and this program has 2.2.2 ..." of MuJoCo's own
/// complaint about an element, attribute or keyword that it does not know; empty of any other.
/// `version`: that of this program.
std::string when_known(const std::string& complaint, const char* version = mj_versionString());

}  // namespace bpo
