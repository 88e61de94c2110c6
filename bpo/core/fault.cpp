#include "bpo/core/fault.h"

#include <fmt/format.h>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr double kMostFaults = 0.2;  // the largest share of steps that may break down

}  // namespace

std::string describe(std::span<const Fault> faults, std::int64_t steps) {
  const Fault& first = faults.front();
  return fmt::format(
      "the simulation broke down in {} of {} steps; the first: episode {}, step {}, latent ({})",
      faults.size(), steps, first.episode, first.step, fmt::join(first.latent, ", "));
}

void check_faults(std::span<const Fault> faults, std::int64_t steps, const std::string& hint) {
  if (static_cast<double>(faults.size()) <= kMostFaults * static_cast<double>(steps)) return;
  throw Error(ErrorCode::kDiverged, fmt::format("{}; {}", describe(faults, steps), hint));
}

}  // namespace bpo
