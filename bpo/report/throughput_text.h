// How fast a problem is, in words.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/report/table.h"
#include "bpo/runs/benchmark.h"

namespace bpo::report {

inline const std::vector<std::string> kThroughputHeader{
    "problem", "rollout steps/s", "train steps/s", "nominal GFLOP/s", "of peak"};
/// A row below it; `peak` is a core's, in GFLOP/s.
std::vector<std::string> throughput_row(const std::string& problem, const Throughput& t,
                                        double peak);
/// A line on what the belief costs; empty where it is a table's.
std::string belief_note(const std::string& problem, const Throughput& t);

Json throughput_json(const Throughput& t);

/// What else a benchmark tells: the machine, its peak, and the signature of its results.
struct BenchmarkNotes {
  double peak_gflops = 0.0;
  std::int64_t threads = 1;
  std::string signature;
};
std::string notes_text(const BenchmarkNotes& notes);
void add_notes(const BenchmarkNotes& notes, Json& out);

}  // namespace bpo::report
