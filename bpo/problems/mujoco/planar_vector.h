// Four numbers at a time, one per model, and vectors of two of them.
#pragma once

#include <array>
#include <cstdint>
#include <numbers>

#include "bpo/problems/mujoco/planar_tree.h"

namespace bpo::planar {

using Vec = double __attribute__((vector_size(8 * kLanes)));
using Mask = std::int64_t __attribute__((vector_size(8 * kLanes)));
using Vec2 = std::array<Vec, 2>;

inline bool any(Mask m) {
  std::int64_t all = 0;
  for (int lane = 0; lane < kLanes; ++lane) all |= m[lane];
  return all != 0;
}
inline Vec where(Mask m, Vec x) { return m ? x : Vec{}; }
inline Vec abs(Vec x) { return x < 0.0 ? -x : x; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }

inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {a[0] + b[0], a[1] + b[1]}; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline Vec2 operator*(Vec s, const Vec2& a) { return {s * a[0], s * a[1]}; }
inline Vec dot(const Vec2& a, const Vec2& b) { return a[0] * b[0] + a[1] * b[1]; }
inline Vec cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }
inline Vec2 quarter_turn(const Vec2& a) { return {-a[1], a[0]}; }
inline Vec2 broadcast(const std::array<double, 2>& a) { return {Vec{} + a[0], Vec{} + a[1]}; }

/// Square of the distance from p to the segment from a along `way`.
inline Vec to_segment(const Vec2& p, const Vec2& a, const Vec2& way) {
  const Vec2 from = p - a;
  const Vec t = dot(from, way) / (dot(way, way) + 1e-300);
  const Vec2 apart = from - (t < 0.0 ? Vec{} : min(t, Vec{} + 1.0)) * way;
  return dot(apart, apart);
}

/// To the last place or two for |x| < 1e5, by Cody and Waite's reduction and Cephes' polynomials.
inline void sin_cos(Vec x, Vec& sine, Vec& cosine) {
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
  const Vec shifted = x * (2.0 / std::numbers::pi) + 0x1.8p52;
  const Vec n = shifted - 0x1.8p52;
  const Mask quadrant = (Mask)shifted;
  const Vec r = ((x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  const Vec z = r * r;
  Vec s = z * 1.58962301576546568060e-10 - 2.50507477628578072866e-8;
  s = s * z + 2.75573136213857245213e-6;
  s = s * z - 1.98412698295895385996e-4;
  s = s * z + 8.33333333332211858878e-3;
  s = s * z - 1.66666666666666307295e-1;
  s = s * z * r + r;
  Vec c = z * -1.13585365213876817300e-11 + 2.08757008419747316778e-9;
  c = c * z - 2.75573141792967388112e-7;
  c = c * z + 2.48015872888517045348e-5;
  c = c * z - 1.38888888888730564116e-3;
  c = c * z + 4.16666666666665929218e-2;
  c = c * z * z + (1.0 - 0.5 * z);
  const Mask swap = (quadrant & 1) != 0;
  const Vec a = swap ? c : s, b = swap ? s : c;
  sine = (quadrant & 2) != 0 ? -a : a;
  cosine = ((quadrant + 1) & 2) != 0 ? -b : b;
}

}  // namespace bpo::planar
