// Four numbers at a time, one per model, and vectors of two or three of them. As the compiler fuses
// nothing by itself, sums of products are written with fma(), dot() and cross() where they are hot.
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bpo::lanes {

inline constexpr int kLanes = 4;
using Vec = double __attribute__((vector_size(8 * kLanes)));
using Mask = std::int64_t __attribute__((vector_size(8 * kLanes)));

inline bool any(Mask m) {
  std::int64_t all = 0;
  for (int lane = 0; lane < kLanes; ++lane) all |= m[lane];
  return all != 0;
}
inline Vec where(Mask m, Vec x) { return m ? x : Vec{}; }
inline Vec abs(Vec x) { return x < 0.0 ? -x : x; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }
inline Vec sqrt(Vec x) {
  for (int lane = 0; lane < kLanes; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
}

/// a * b + c, rounded once.
inline Vec fma(Vec a, Vec b, Vec c) {
#ifdef __FMA__
  return _mm256_fmadd_pd(a, b, c);
#else
  for (int lane = 0; lane < kLanes; ++lane) c[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  return c;
#endif
}
inline Vec broadcast(double x) { return Vec{x, x, x, x}; }
inline Vec fma(double a, Vec b, Vec c) { return fma(broadcast(a), b, c); }

template <std::size_t N>
using Vecs = std::array<Vec, N>;
using Vec2 = Vecs<2>;
using Vec3 = Vecs<3>;

template <std::size_t N>
Vecs<N> operator+(Vecs<N> a, const Vecs<N>& b) {
  for (std::size_t k = 0; k < N; ++k) a[k] += b[k];
  return a;
}
template <std::size_t N>
Vecs<N> operator-(Vecs<N> a, const Vecs<N>& b) {
  for (std::size_t k = 0; k < N; ++k) a[k] -= b[k];
  return a;
}
template <std::size_t N>
Vecs<N> operator*(Vec s, Vecs<N> a) {
  for (std::size_t k = 0; k < N; ++k) a[k] = s * a[k];
  return a;
}
/// s * a + b.
template <std::size_t N>
Vecs<N> fma(Vec s, const Vecs<N>& a, Vecs<N> b) {
  for (std::size_t k = 0; k < N; ++k) b[k] = fma(s, a[k], b[k]);
  return b;
}
template <std::size_t N>
Vec dot(const Vecs<N>& a, const Vecs<N>& b) {
  Vec sum = a[0] * b[0];
  for (std::size_t k = 1; k < N; ++k) sum = fma(a[k], b[k], sum);
  return sum;
}
template <std::size_t N>
Vecs<N> broadcast(const std::array<double, N>& a) {
  Vecs<N> out;
  for (std::size_t k = 0; k < N; ++k) out[k] = broadcast(a[k]);
  return out;
}

/// a * d - b * c.
inline Vec determinant(Vec a, Vec b, Vec c, Vec d) { return fma(a, d, -(b * c)); }
inline Vec cross(const Vec2& a, const Vec2& b) { return determinant(a[0], a[1], b[0], b[1]); }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {determinant(a[1], a[2], b[1], b[2]), determinant(a[2], a[0], b[2], b[0]),
          determinant(a[0], a[1], b[0], b[1])};
}

/// By Horner's rule, from the highest power's coefficient down.
template <class... Doubles>
Vec polynomial(Vec x, double highest, Doubles... lower) {
  Vec p = broadcast(highest);
  ((p = fma(p, x, broadcast(lower))), ...);
  return p;
}

/// To the last place or two for |x| < 1e5, by Cody and Waite's reduction and Cephes' polynomials.
inline void sin_cos(Vec x, Vec& sine, Vec& cosine) {
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
  const Vec shifted = fma(2.0 / std::numbers::pi, x, broadcast(0x1.8p52));
  const Vec n = shifted - 0x1.8p52;
  const Mask quadrant = (Mask)shifted;
  const Vec r =
      fma(-0x1.3198a2e037073p-69, n, fma(-0x1.0b4611a6p-34, n, fma(-0x1.921fb544p0, n, x)));
  const Vec z = r * r;
  Vec s = polynomial(z, 1.58962301576546568060e-10, -2.50507477628578072866e-8,
                     2.75573136213857245213e-6, -1.98412698295895385996e-4,
                     8.33333333332211858878e-3, -1.66666666666666307295e-1);
  s = fma(s * z, r, r);
  Vec c = polynomial(z, -1.13585365213876817300e-11, 2.08757008419747316778e-9,
                     -2.75573141792967388112e-7, 2.48015872888517045348e-5,
                     -1.38888888888730564116e-3, 4.16666666666665929218e-2);
  c = fma(c * z, z, fma(-0.5, z, broadcast(1.0)));
  const Mask swap = (quadrant & 1) != 0;
  const Vec a = swap ? c : s, b = swap ? s : c;
  sine = (quadrant & 2) != 0 ? -a : a;
  cosine = ((quadrant + 1) & 2) != 0 ? -b : b;
}

}  // namespace bpo::lanes
