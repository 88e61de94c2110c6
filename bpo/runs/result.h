// The result.json of a run: what was measured when its solution was finished.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "bpo/core/log.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/measurement.h"
#include "bpo/runs/protocol.h"
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

/// How a run's own policy is measured: on episodes of its own seed (0: the usual number), exactly
/// where possible.
Protocol usual_protocol(const Run& run, std::int64_t episodes = 0);

/// Measures the best policy and writes result.json. Once `stop` is set it ends by Interrupted.
Measurement write_result(Run& run, const Protocol& protocol, const std::atomic<bool>& stop,
                         Log& log, ThreadPool& pool);

/// Solves and measures without a directory: nothing is kept.
Measurement solve_and_measure(const RunPlan& plan, Budget budget, const Protocol& protocol,
                              Log& log, ThreadPool& pool);

/// What is known exactly of a run in its own world: from its result, or computed if that says
/// nothing.
Measurement exact_numbers(const LoadedPolicy& loaded, ThreadPool& pool);

}  // namespace bpo
