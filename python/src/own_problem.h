// A simulator of the user's own, in numpy: functions over arrays with a leading batch axis become a
// Problem (bpo/core/problem.h), so that worlds, filter, training, measuring and pages are the same
// as for every other problem.
//
//   reset(latents, rng) -> states;  step(states, actions, latents, rng) -> states, rewards[, done];
//   observe(states, latents, rng) -> observations, or the states themselves;
//   predict(observations, actions, latents) -> mean, sd of the next observations.
//
// All lanes of a tile go into one call of step, all lanes and all cells of the belief into one of
// predict. A latent's cells are equally probable parts of its prior; the belief is over all their
// combinations, p(o' | o, a, phi) = N(o'; mean, diag(sd^2)), and Eq. (2) without approximation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/problems/prior.h"
#include "python/src/bindings.h"

namespace bpo::python {

struct OwnLatent {
  std::string name;
  Prior prior;
  int cells = 1;
};

/// What a bpo.Problem says. The functions are None where they are not given.
struct OwnDefinition {
  std::string name, summary;
  std::vector<OwnLatent> latents;
  ActionSpace actions;
  int obs_dim = 0, state_dim = 0;
  std::int64_t horizon = 0;
  double discount = 1.0;
  std::vector<std::string> observation_names, action_names;
  std::shared_ptr<py::object> reset, step, observe, predict;
  /// Is told the first number of a state when nobody has that state's episode any more.
  std::shared_ptr<py::object> release;
  /// A hash of what the functions do and of what is declared; a run keeps it.
  std::string functions;

  /// The values of every cell of the belief, the last latent changing fastest: [cell][latent].
  std::vector<std::vector<double>> grid() const;
};

/// Seconds that the user's functions took since the program began, and their calls.
struct CallbackTime {
  double seconds = 0.0;
  std::int64_t calls = 0;
};
CallbackTime& callback_time();

/// The random numbers of the rows of one call: each row has a stream of its own, so that what
/// becomes of a row does not depend on the others. Of no use after the call.
struct RowNoise {
  std::vector<Rng*> rows;

  py::array_t<double> normal(const std::vector<py::ssize_t>& shape);
  py::array_t<double> uniform(const std::vector<py::ssize_t>& shape);
};

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Rows of a call, row after row, and whose they are.
struct Rows {
  std::size_t count = 0;
  std::vector<double> states, actions, latents;  // [row][number]
  std::vector<Rng*> rng;
  std::vector<int> lane, time;
};

/// Calls the user's functions and checks what they return. Every method takes the lock.
class OwnCalls {
 public:
  explicit OwnCalls(std::shared_ptr<const OwnDefinition> definition);

  const OwnDefinition& definition() const { return *definition_; }
  /// The first states, or new ones with rewards and whether it is over.
  void reset(const Rows& rows, std::span<double> states) const;
  void step(const Rows& rows, std::span<double> states, std::span<double> rewards,
            std::span<char> done) const;
  /// What a state begins with, until the last copy of the returned pointer tells release(); null
  /// where there is no such function.
  std::shared_ptr<const double> hold(double first) const;
  void observe(const Rows& rows, std::span<const double> states,
               std::span<double> observations) const;
  /// log p(next | o, a, cell) + constant, on the lattice of LogWeights: out[row][cell]. The rows'
  /// states are observations.
  void evidence(const Rows& rows, std::span<const double> next, std::span<double> out) const;

 private:
  /// Makes the arguments of a call for some of the rows.
  using Arguments = std::function<py::tuple(std::size_t first, std::size_t count,
                                            const std::shared_ptr<RowNoise>& noise)>;
  py::object call(const char* what, const py::object& function, const Rows& rows,
                  const Arguments& arguments) const;
  py::array matrix(std::span<const double> numbers, std::size_t dim, std::size_t first,
                   std::size_t count) const;
  py::dict latents_of(const Rows& rows, std::size_t first, std::size_t count) const;
  py::object actions_of(const Rows& rows, std::size_t first, std::size_t count,
                        std::size_t times) const;
  py::tuple predictions(const Rows& rows) const;
  std::vector<double> spreads(const py::handle& told, const Rows& rows, std::size_t each) const;
  std::string place(const char* what, const Rows& rows, std::size_t row) const;
  /// What a function gave, if it is numbers of this shape.
  Numbers shaped(const char* what, const char* name, const py::handle& value,
                 const std::vector<py::ssize_t>& shape, const Rows& rows) const;
  void check_finite(const char* what, const char* name, const Numbers& array,
                    const Rows& rows) const;
  void take(const char* what, const char* name, const py::handle& value,
            const std::vector<py::ssize_t>& shape, const Rows& rows, std::span<double> out) const;

  std::shared_ptr<const OwnDefinition> definition_;
  std::vector<std::vector<double>> grid_;     // [cell][latent]
  std::vector<std::vector<double>> columns_;  // [latent][cell]
};

/// Registers the problem, or replaces the one of this name that was defined before.
void define(OwnDefinition definition);

}  // namespace bpo::python
