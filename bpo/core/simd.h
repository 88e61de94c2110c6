// Eight floats at a time, with exp and tanh. An element's result never depends on where it stands
// in an array or how the array is aligned (library versions peel and treat the edges differently),
// so work may be regrouped freely without changing a bit. Polynomials after Cephes; errors below 2
// ulp. The compiler fuses nothing by itself (-ffp-contract=off), because what it would fuse depends
// on the optimisation level; a fused multiply-add is written as fma().
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

namespace bpo::simd {

inline constexpr int kWidth = 8;
using Vec = float __attribute__((vector_size(32)));
using IntVec = std::int32_t __attribute__((vector_size(32)));
using LooseVec = float __attribute__((vector_size(32), aligned(4), may_alias));

inline constexpr int round_up(int n) { return (n + kWidth - 1) / kWidth * kWidth; }

inline Vec load(const float* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
inline Vec broadcast(float x) { return Vec{x, x, x, x, x, x, x, x}; }

/// The first n of eight; the others are `rest`.
inline Vec load_part(const float* p, int n, float rest = 0.0f) {
  Vec v = broadcast(rest);
  std::memcpy(&v, p, static_cast<std::size_t>(n) * sizeof(float));
  return v;
}
inline void store_part(float* p, Vec v, int n) {
  std::memcpy(p, &v, static_cast<std::size_t>(n) * sizeof(float));
}

inline Vec abs(Vec x) { return std::bit_cast<Vec>(std::bit_cast<IntVec>(x) & 0x7FFFFFFF); }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }
inline Vec max(Vec a, Vec b) { return a > b ? a : b; }

/// a * b + c, rounded once.
inline Vec fma(Vec a, Vec b, Vec c) {
#ifdef __FMA__
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int k = 0; k < kWidth; ++k) c[k] = __builtin_fmaf(a[k], b[k], c[k]);
  return c;
#endif
}
inline Vec fma(Vec a, float b, Vec c) { return fma(a, broadcast(b), c); }

/// A polynomial by Horner's rule; coefficients from the highest power's down.
template <class... Floats>
inline Vec polynomial(Vec x, float highest, Floats... lower) {
  Vec p = broadcast(highest);
  ((p = fma(p, x, broadcast(lower))), ...);
  return p;
}

inline float sum(Vec v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/// e^x for x in [-87, 88]; outside it saturates. NaN stays NaN: min and max return their second
/// argument.
inline Vec exp(Vec x) {
  x = min(broadcast(88.0f), max(broadcast(-87.0f), x));
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  const Vec shifted = fma(x, 1.44269504088896341f, broadcast(12582912.0f));
  const Vec n = shifted - 12582912.0f;
  const Vec r = fma(n, 2.12194440e-4f, fma(n, -0.693359375f, x));
  Vec p = polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                     1.6666665459e-1f, 5.0000001201e-1f);
  p = fma(p, r * r, r + 1.0f);
  const IntVec exponent = (std::bit_cast<IntVec>(shifted) - 0x4B400000 + 127) << 23;
  return p * std::bit_cast<Vec>(exponent);
}

inline Vec tanh(Vec x) {
  const Vec a = abs(x);
  const Vec far = 1.0f - 2.0f / (exp(a + a) + 1.0f);
  const Vec z = x * x;
  const Vec p = polynomial(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f,
                           1.33314422036e-1f, -3.33332819422e-1f);
  const Vec near = fma(p * z, x, x);
  const IntVec sign = std::bit_cast<IntVec>(x) & static_cast<std::int32_t>(0x80000000u);
  const Vec signed_far = std::bit_cast<Vec>(std::bit_cast<IntVec>(far) | sign);
  return a < 0.625f ? near : signed_far;
}

}  // namespace bpo::simd
