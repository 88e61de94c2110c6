// How many seeds each series gets, what they are expected to take, and what --quick cuts: one table
// for all items.
#pragma once

#include <string>
#include <vector>

#include "bpo/experiments/experiment.h"
#include "bpo/experiments/paper_values.h"

namespace bpo::experiments {

/// The series at this scale, with the seeds and the seconds that the table gives it.
Series plan(const std::string& problem, const std::string& method, std::vector<std::string> sets,
            const Scale& scale);
/// How its policies are measured unless an item wants more.
Protocol protocol(const std::string& problem, const Scale& scale);

/// Adds settings: the last assignment of a key counts, and earlier ones are removed.
void change(std::vector<std::string>& sets, const std::vector<std::string>& more);

/// Whether it plans; else it is trained.
bool is_planner(const std::string& method);

/// Whether the method can be trained on the problem: nominal TRPO needs a mean world.
bool applies(const std::string& problem, const std::string& method);

/// Perseus on Chain with ten bins a slip, planned for the 1000 steps that it is measured for, at
/// slip 0.2.
Request perseus_on_chain(bool tied, const Scale& scale);

/// The request behind a cell of the appendix table. A method that sees no belief has the Chain runs
/// of ten bins for every grid.
Request cell(const PaperProblem& problem, const std::string& method, const Scale& scale);

}  // namespace bpo::experiments
