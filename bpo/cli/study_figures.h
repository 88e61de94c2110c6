// The parts of a report on one problem.
#pragma once

#include "bpo/cli/study.h"
#include "bpo/report/page.h"

namespace bpo::cli {

/// What was achieved: a table, bars, and episode by episode the first run against each other one.
void add_results(report::Page& page, const Study& study);
/// Learning curves.
void add_learning(report::Page& page, const Study& study);
/// KL, entropy, explained variance and what else tells whether a training was well.
void add_health(report::Page& page, const Study& study);
/// How the belief grows certain, and what the policies make of it.
void add_beliefs(report::Page& page, const Study& study);
/// One episode of every run: paths, beliefs, replays.
void add_episode(report::Page& page, const Study& study, std::uint64_t episode);

}  // namespace bpo::cli
