// What a problem looks like, for those who watch it: solids in the world at one moment, and where
// from to look at them.
#pragma once

#include <array>
#include <concepts>
#include <vector>

namespace bpo {

/// A capsule, in metres; a ball where both ends are one.
struct Solid {
  std::array<double, 3> from{}, to{};
  double radius = 0.0;
};

enum class Camera { kSide, kTop, kCorner };  // along y, down on x and y, from above a corner

struct Stage {
  Camera camera = Camera::kSide;
  double step_seconds = 1.0;
};

/// A problem that can be watched. Its view has a stage.
template <class P>
concept Drawable = requires(const P& p, const typename P::State& s, const typename P::Latent& phi) {
  { p.scene(s, phi) } -> std::same_as<std::vector<Solid>>;
};

}  // namespace bpo
