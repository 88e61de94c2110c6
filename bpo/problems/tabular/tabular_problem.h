// A finite problem given by its tables, as a Problem with the exact filter of its hidden states.
// What reads or makes such tables ends in one of these entries.
#pragma once

#include <memory>
#include <string>

#include "bpo/core/any_problem.h"

namespace bpo {

/// How an episode of a finite problem is simulated and weighted.
struct TabularOptions {
  static constexpr double kNothing = 1e-4;  // a reward that weighs no more counts for nothing
  std::int64_t horizon = 0;
  double discount = 0.95;

  void visit(OptionVisitor& v);
  TrainingDefaults training_defaults() const {
    return {{"algo.iterations", 400},
            {"optimizer.batch_steps", 20000},
            {"optimizer.discount", discount},
            {"optimizer.kl", 0.03},
            {"optimizer.kl_end", 0.0001}};
  }
  /// Steps of an episode: the horizon, or until what follows weighs next to nothing.
  int steps() const;
};

/// A problem that is called `name`. Tables whose horizon is 0 are those of the problem that goes
/// on; a simulation of it ends after options.steps().
std::unique_ptr<AnyProblem> make_tabular(const std::string& name, const TabularOptions& options,
                                         std::shared_ptr<const TabularModel> tables);

/// The entry of tables that a file holds.
ProblemEntry tabular_entry(const std::string& name, const std::string& summary,
                           TabularModel tables);

}  // namespace bpo
