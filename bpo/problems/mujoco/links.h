// A robot's mechanism as data: a tree of links made of capsules and spheres of one density. From it
// come the MJCF text and the edit that turns a compiled model into that of other lengths. Both give
// the same model (a test compares every field), but an edit takes microseconds.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bpo/problems/mujoco/sim.h"

namespace bpo {

using Vec3 = std::array<double, 3>;

/// A capsule: all points within `radius` of a segment of length 2 `half` along `axis`; or a sphere.
struct Shape {
  Vec3 centre{};
  Vec3 axis{0.0, 0.0, 1.0};  // a unit vector
  double radius = 0.0, half = 0.0;
  bool sphere = false;
};
Shape capsule(const Vec3& from, const Vec3& to, double radius);

/// `pos` is in the parent's frame, all else in the link's own. Parents come before their children,
/// and a link's descendants directly after it, so that link i is body i + 1.
struct Link {
  std::string name;
  int parent = -1;  // the world
  Vec3 pos{};
  std::vector<Shape> shapes;
  std::string joints;  // MJCF
};

struct Motor {
  std::string joint;
  double gear = 1.0;
};

/// Which geoms may touch: each with the floor, or those of links that are not parent and child.
enum class Contacts { kFloor, kLinks };
/// Explicit pairs are what MuJoCo's own search would find, to the bit, without the search.
enum class Collision { kPairs, kSearch };

/// The properties of contacts between shapes and with the floor.
struct Surface {
  Vec3 friction{1.0, 0.005, 0.0001};  // sliding, spinning, rolling
  std::array<double, 2> solref{0.02, 1.0};
  Vec3 solimp{0.9, 0.95, 0.001};
  double margin = 0.0;
};

struct Mechanism {
  std::string name;
  std::string settings;  // MJCF: compiler, option, default of joints
  Surface surface;
  std::vector<Link> links;
  std::vector<Motor> motors;
  Contacts contacts = Contacts::kFloor;
  double density = 1000.0;
};

std::string to_mjcf(const Mechanism& mechanism, Collision collision = Collision::kPairs);

/// The patch that gives `sim`, built from a mechanism with the same tree, the lengths of this one.
/// Throws if a length is not finite and positive.
Patch reshape(Sim& sim, const Mechanism& mechanism);

Vec3 operator*(double scale, const Vec3& v);
/// The link with all its shapes made larger or smaller.
Link scaled(double scale, Link link);

}  // namespace bpo
