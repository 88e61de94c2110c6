// The result.json of a run: what was measured when its training ended.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "bpo/core/log.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/measurement.h"
#include "bpo/runs/run.h"

namespace bpo {

/// The call's value; nothing where the library refuses it as bad input, too large or not there.
template <class Call>
auto if_possible(Call call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadInput) throw;
    return std::nullopt;
  }
}

/// Nothing where there is none, where it is damaged, or where it is not about the policy and the
/// settings that are there now: it has to be measured again.
std::optional<Measurement> stored_result(const std::string& directory);

/// Measures the best policy on fresh episodes (0: the usual number), exactly where possible, and
/// writes result.json. Once `stop` is set it ends by Interrupted.
Measurement write_result(Run& run, std::int64_t episodes, const std::atomic<bool>& stop, Log& log,
                         ThreadPool& pool);

/// What is known exactly of a run in its own world: from its result, or computed if that says
/// nothing.
Measurement exact_numbers(const LoadedPolicy& loaded, ThreadPool& pool);

}  // namespace bpo
