// The parts of a report on one problem.
#pragma once

#include "bpo/report/page.h"
#include "bpo/runs/study.h"

namespace bpo::report {

/// What was achieved: a table, bars, and episode by episode the first run against each other one.
void add_results(Page& page, const Study& study);
/// Learning curves.
void add_learning(Page& page, const Study& study);
/// Planners' bounds over time, their policies over the beliefs of two or three states, and the
/// vectors of small problems.
void add_planning(Page& page, const Study& study);
/// KL, entropy, explained variance and what else tells whether a training was well.
void add_health(Page& page, const Study& study);
/// How the belief grows certain, and what the policies make of it.
void add_beliefs(Page& page, const Study& study, Log& log);
/// One episode of every run: paths, beliefs, replays.
void add_episode(Page& page, const Study& study, std::uint64_t episode, Log& log);

}  // namespace bpo::report
