// Random numbers: Philox4x32-10 (Salmon et al. 2011), a counter-based generator, so every number is
// a pure function of (seed, use, episode, step, draw). No state is shared, and equal keys give
// equal numbers to every policy: comparisons are on common random numbers.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace bpo {

/// What a stream is for; streams of different uses are independent.
enum class Use : std::uint32_t {
  kLatent = 1,
  kState,
  kWorld,
  kAction,
  kInit,
  kShuffle,
  kBootstrap,
  kFilter,
  kPlan
};

class Rng {
 public:
  Rng(std::uint64_t seed, Use use, std::uint64_t episode, std::uint32_t step = 0)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{static_cast<std::uint32_t>(episode), static_cast<std::uint32_t>(episode >> 32),
                  step, static_cast<std::uint32_t>(use) << 24}} {}

  std::uint32_t bits() {
    if (left_ == 0) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_[3];
      left_ = 4;
    }
    return block_[--left_];
  }

  /// A uniform number in the open interval (0, 1), so that its logarithm is finite.
  double uniform() { return (bits() + 0.5) * 0x1p-32; }

  /// Standard normal, Box-Muller.
  double normal();

  /// Uniform on 0..n-1; the bias of the multiply-shift is below n / 2^32.
  int below(int n) {
    return static_cast<int>((static_cast<std::uint64_t>(bits()) * static_cast<std::uint64_t>(n)) >>
                            32);
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  int left_ = 0;
  bool has_spare_ = false;
  double spare_ = 0.0;
};

/// A seed for another purpose (validation, evaluation), unrelated to `seed` and to its neighbours.
constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ULL * (purpose + 1);  // SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// The purpose of the episodes that policies are measured and played on.
inline constexpr std::uint64_t kEvaluationPurpose = 2;

}  // namespace bpo
