// A pack is four numbers, one per model; Pack2 and Pack3 are vectors of two and three packs. As the
// compiler fuses nothing by itself, sums of products are written with fma(), dot() and cross()
// where they are hot.
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bpo::lanes {

inline constexpr int kPackSize = 4;
using Pack = double __attribute__((vector_size(8 * kPackSize)));
using Mask = std::int64_t __attribute__((vector_size(8 * kPackSize)));

inline bool any(Mask m) {
  std::int64_t all = 0;
  for (int lane = 0; lane < kPackSize; ++lane) all |= m[lane];
  return all != 0;
}
inline Pack where(Mask m, Pack x) { return m ? x : Pack{}; }
inline Pack abs(Pack x) { return x < 0.0 ? -x : x; }
inline Pack min(Pack a, Pack b) { return a < b ? a : b; }
inline Pack sqrt(Pack x) {
  for (int lane = 0; lane < kPackSize; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
}

/// a * b + c, rounded once.
inline Pack fma(Pack a, Pack b, Pack c) {
#ifdef __FMA__
  return _mm256_fmadd_pd(a, b, c);
#else
  for (int lane = 0; lane < kPackSize; ++lane) c[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  return c;
#endif
}
inline Pack broadcast(double x) { return Pack{x, x, x, x}; }
inline Pack fma(double a, Pack b, Pack c) { return fma(broadcast(a), b, c); }

template <std::size_t N>
using Packs = std::array<Pack, N>;
using Pack2 = Packs<2>;
using Pack3 = Packs<3>;

template <std::size_t N>
Packs<N> operator+(Packs<N> a, const Packs<N>& b) {
  for (std::size_t k = 0; k < N; ++k) a[k] += b[k];
  return a;
}
template <std::size_t N>
Packs<N> operator-(Packs<N> a, const Packs<N>& b) {
  for (std::size_t k = 0; k < N; ++k) a[k] -= b[k];
  return a;
}
template <std::size_t N>
Packs<N> operator*(Pack s, Packs<N> a) {
  for (std::size_t k = 0; k < N; ++k) a[k] = s * a[k];
  return a;
}
/// s * a + b.
template <std::size_t N>
Packs<N> fma(Pack s, const Packs<N>& a, Packs<N> b) {
  for (std::size_t k = 0; k < N; ++k) b[k] = fma(s, a[k], b[k]);
  return b;
}
template <std::size_t N>
Pack dot(const Packs<N>& a, const Packs<N>& b) {
  Pack sum = a[0] * b[0];
  for (std::size_t k = 1; k < N; ++k) sum = fma(a[k], b[k], sum);
  return sum;
}
template <std::size_t N>
Packs<N> broadcast(const std::array<double, N>& a) {
  Packs<N> out;
  for (std::size_t k = 0; k < N; ++k) out[k] = broadcast(a[k]);
  return out;
}

/// a * d - b * c.
inline Pack determinant(Pack a, Pack b, Pack c, Pack d) { return fma(a, d, -(b * c)); }
inline Pack cross(const Pack2& a, const Pack2& b) { return determinant(a[0], a[1], b[0], b[1]); }
inline Pack3 cross(const Pack3& a, const Pack3& b) {
  return {determinant(a[1], a[2], b[1], b[2]), determinant(a[2], a[0], b[2], b[0]),
          determinant(a[0], a[1], b[0], b[1])};
}

/// A polynomial by Horner's rule; coefficients from the highest power's down.
template <class... Doubles>
Pack polynomial(Pack x, double highest, Doubles... lower) {
  Pack p = broadcast(highest);
  ((p = fma(p, x, broadcast(lower))), ...);
  return p;
}

/// To the last place or two for |x| < 1e5, by Cody and Waite's reduction and Cephes' polynomials.
inline void sin_cos(Pack x, Pack& sine, Pack& cosine) {
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
  const Pack shifted = fma(2.0 / std::numbers::pi, x, broadcast(0x1.8p52));
  const Pack n = shifted - 0x1.8p52;
  const Mask quadrant = (Mask)shifted;
  const Pack r =
      fma(-0x1.3198a2e037073p-69, n, fma(-0x1.0b4611a6p-34, n, fma(-0x1.921fb544p0, n, x)));
  const Pack z = r * r;
  Pack s = polynomial(z, 1.58962301576546568060e-10, -2.50507477628578072866e-8,
                      2.75573136213857245213e-6, -1.98412698295895385996e-4,
                      8.33333333332211858878e-3, -1.66666666666666307295e-1);
  s = fma(s * z, r, r);
  Pack c = polynomial(z, -1.13585365213876817300e-11, 2.08757008419747316778e-9,
                      -2.75573141792967388112e-7, 2.48015872888517045348e-5,
                      -1.38888888888730564116e-3, 4.16666666666665929218e-2);
  c = fma(c * z, z, fma(-0.5, z, broadcast(1.0)));
  const Mask swap = (quadrant & 1) != 0;
  const Pack a = swap ? c : s, b = swap ? s : c;
  sine = (quadrant & 2) != 0 ? -a : a;
  cosine = ((quadrant + 1) & 2) != 0 ? -b : b;
}

}  // namespace bpo::lanes
