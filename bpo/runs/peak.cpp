#include "bpo/runs/peak.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "bpo/core/simd.h"

namespace bpo {
namespace {

using simd::fma;
using simd::Vec;

// Two FMA ports with a latency of four or five cycles: twelve chains keep them busy, and with the
// two constants they fit the sixteen registers.
constexpr int kChains = 12, kRounds = 20000;

/// Returns the operations done. Factors that no compiler knows and a sum that it must keep: nothing
/// is left out, and chains that begin differently stay apart.
double burn() {
  static volatile float factor = 0.9999f, offset = 1e-4f, kept;
  const Vec a = simd::broadcast(factor), b = simd::broadcast(offset);
  std::array<Vec, kChains> x;
  for (int i = 0; i < kChains; ++i) x[i] = simd::broadcast(static_cast<float>(i));
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (Vec& chain : x) chain = fma(chain, a, b);
  }
  for (int i = 0; i < kChains * simd::kWidth; ++i) {
    kept = kept + x[i / simd::kWidth][i % simd::kWidth];
  }
  return 2.0 * simd::kWidth * kChains * kRounds;
}

}  // namespace

double measure_peak_gflops(double seconds, int windows) {
  using Clock = std::chrono::steady_clock;
  double best = 0.0;
  for (int w = 0; w < windows; ++w) {
    const Clock::time_point start = Clock::now();
    double operations = 0.0, elapsed = 0.0;
    do {
      operations += burn();
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    best = std::max(best, operations / elapsed);
  }
  return best / 1e9;
}

}  // namespace bpo
