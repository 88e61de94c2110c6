// What a policy was found to be worth, and where that comes from: the one record of a measurement.
// It is the content of result.json, which is also what `bpo eval --json` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/core/machine.h"
#include "bpo/core/solver.h"
#include "bpo/core/trace.h"
#include "bpo/runs/bounds.h"
#include "bpo/runs/curves.h"

namespace bpo {

struct Measurement {
  // Whose policy it is, and who measured it.
  RunIdentity run = {};
  std::string policy = {};                   // policy_hash()
  std::optional<Training> training = {};     // none where it was planned
  std::optional<std::string> diverged = {};  // why training broke off
  Machine machine = {};
  int threads = 1;

  // On which episodes, in which world.
  std::int64_t eval_seed = 0;
  bool greedy = false;
  std::vector<std::string> sets = {};  // changes to the world it was trained in

  // What it is worth. The 95 % interval has this half width, which one episode does not have; it is
  // 0, without episodes, when the value is exact.
  double mean = 0.0;
  std::optional<double> ci95 = {};
  std::int64_t episodes = 0, faults = 0;  // a fault ends an episode early
  std::string about_faults = {};          // where the first of them was
  bool exact = false;
  std::optional<double> exact_value = {}, optimum = {}, bayes_policy = {};
  std::optional<Bounds> bounds = {};  // those its planner found, in the world it planned for
  // What a reward weighs after an episode's end, where the problem goes on and that is not next to
  // nothing: episodes then lack rewards that bounds count.
  std::optional<double> cut_weight = {};

  // What result.json leaves out.
  std::vector<double> returns = {};  // by episode
  std::optional<Curves> curves = {};
  std::optional<Trace> trace = {};

  /// The exact value where it is known, the mean otherwise.
  double value() const { return exact_value.value_or(mean); }
  /// Whether the bounds are of other tables than the world's: those of Chain have a grid in the
  /// place of its slip. It shows where the optimum is known.
  bool bounds_of_grid() const {
    return bounds && optimum &&
           !(*optimum > bounds->lower - 1e-6 && *optimum < bounds->upper + 1e-6);
  }
  /// Whether the bounds are of the world that is simulated.
  bool bounds_fit() const { return bounds && !bounds_of_grid() && !cut_weight; }
  /// What is missing to the optimum.
  std::optional<double> gap() const;

  /// Ends in a checksum of all the rest.
  Json json() const;
};

inline constexpr const char* kResultName = "result.json";

/// The measurement in the text of a result.json; anything else, and one that was edited, is
/// bad_input that names the file.
Measurement parse_result(std::string_view text, const std::string& name);

}  // namespace bpo
