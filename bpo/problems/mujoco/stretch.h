// The mass of a body that comes from its shapes, as MuJoCo's compiler computes it, and a body made
// longer or shorter: places along it scale, capsules and cylinders keep their radius, boxes and
// ellipsoids grow along their longest side, balls stay. Its mass follows the volume if the compiled
// one did; a body whose inertia was given by hand has mass f m and moments f^3 I, like a rod.
#pragma once

#include <mujoco/mujoco.h>

namespace bpo {

/// The volume of the shapes that give the body its mass at one density; 0 where its inertia does
/// not come from shapes of one density.
double weighing_volume(const mjModel& model, int body);

/// Scales the body's length by f. Shapes that cannot be stretched (meshes, planes, height fields)
/// are bad_input. The constants that MuJoCo derives are left to the caller.
void stretch(mjModel& model, int body, double f);

/// Adds a point mass at `at` in the body's frame, by the parallel-axis theorem.
void add_point_mass(mjModel& model, int body, double mass, const double* at);

}  // namespace bpo
