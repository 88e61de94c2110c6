// Lines over the seeds of a study's subjects, and the words beneath them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bpo/report/line_chart.h"
#include "bpo/report/statistics.h"
#include "bpo/runs/study.h"

namespace bpo::report {

/// "19.23", "not finite".
std::string rounded(double x);
/// "19.23 +- 0.02" with the sign itself, "19.23 (one)".
std::string rounded(const Mean& x);

inline bool enough_seeds(const Subject& s) { return s.group.seeds() >= kEnoughSeeds; }

/// Neighbours among more points than these are averaged.
inline constexpr std::size_t kMostPoints = 200;

/// The curves of several runs as one: the mean, and with enough runs its 95 % interval.
Line line_over_runs(const std::string& name, const std::vector<std::map<double, double>>& runs);

/// How the lines of a chart came about, for its caption.
std::string about_lines(const Study& study);
/// "1000 episodes of seed 0, greedy".
std::string about_episodes(const Study& study);

}  // namespace bpo::report
