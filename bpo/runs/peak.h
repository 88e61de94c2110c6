// The arithmetic peak of one core, to compare throughput with.
#pragma once

namespace bpo {

/// Measured with fused multiply-adds on independent 256-bit vectors of floats, in 1e9 operations
/// per second; the best of several windows of `seconds`.
double measure_peak_gflops(double seconds, int windows);

}  // namespace bpo
