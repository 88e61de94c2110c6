// Problems as environments to be stepped by hand: one episode at a time, or tiles of 64 lanes. Both
// are a World (bpo/core/world.h), so an environment's episode is the one that `bpo eval` meets.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "python/src/bindings.h"

namespace bpo::python {

/// The problem of this name or file, with problem.* as `sets` say.
std::unique_ptr<AnyProblem> make_problem(const std::string& name,
                                         const std::vector<std::string>& sets);

inline std::uint64_t episode_seed(std::uint64_t seed) {
  return derive_seed(seed, kEvaluationPurpose);
}

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

/// What an observation of an environment holds.
enum class Form { kState, kDict, kFlat };

/// What both kinds of environment have: the problem, and what Gymnasium's spaces are made of.
class Environment {
 public:
  Environment(const std::string& name, const std::vector<std::string>& sets, Form form)
      : problem_(make_problem(name, sets)), form_(form) {
    const ProblemSpec spec = make_world()->spec();
    state_dim_ = spec.obs_dim;
    belief_dim_ = spec.belief_dim;
    numbers_.resize(problem_->view().observation.size());
  }
  const ProblemSpec& spec() const { return problem_->spec(); }
  const ProblemView& view() const { return problem_->view(); }
  int state_dim() const { return state_dim_; }
  int belief_dim() const { return belief_dim_; }
  /// Whether a belief is of probabilities.
  bool on_grid() const { return spec().grid.has_value(); }

 protected:
  std::unique_ptr<World> make_world() const {
    return form_ == Form::kState ? problem_->make_plain_world() : problem_->make_world();
  }

  std::unique_ptr<AnyProblem> problem_;
  Form form_;
  int state_dim_ = 0, belief_dim_ = 0;
  std::vector<double> numbers_;
};

void bind_scalar_environment(py::module_& m);
void bind_vector_environment(py::module_& m);

}  // namespace bpo::python
