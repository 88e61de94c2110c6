#include "bpo/runs/peak.h"

#include <algorithm>
#include <chrono>

#include "bpo/core/simd.h"

namespace bpo {
namespace {

using simd::fma;
using simd::Vec;

// Two FMA ports with a latency of four or five cycles: twelve chains keep them busy, and with the
// two constants they fit the sixteen registers.
constexpr int kChains = 12, kRounds = 20000;

/// Returns the operations done.
double burn() {
  Vec a = simd::broadcast(0.9999f), b = simd::broadcast(1e-4f);
  Vec x0 = b, x1 = b, x2 = b, x3 = b, x4 = b, x5 = b, x6 = b, x7 = b, x8 = b, x9 = b, x10 = b,
      x11 = b;
  asm volatile("" : "+x"(a), "+x"(b));
  for (int round = 0; round < kRounds; ++round) {
    x0 = fma(x0, a, b), x1 = fma(x1, a, b), x2 = fma(x2, a, b), x3 = fma(x3, a, b);
    x4 = fma(x4, a, b), x5 = fma(x5, a, b), x6 = fma(x6, a, b), x7 = fma(x7, a, b);
    x8 = fma(x8, a, b), x9 = fma(x9, a, b), x10 = fma(x10, a, b), x11 = fma(x11, a, b);
    asm volatile(""  // neither hoisted nor left out
                 : "+x"(x0), "+x"(x1), "+x"(x2), "+x"(x3), "+x"(x4), "+x"(x5), "+x"(x6), "+x"(x7),
                   "+x"(x8), "+x"(x9), "+x"(x10), "+x"(x11));
  }
  return 2.0 * 8.0 * kChains * kRounds;
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
