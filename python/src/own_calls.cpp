// Calls of the user's functions: arrays in, and every exception with its step, its lane and the
// user's own traceback. What they answer is checked in own_answers.cpp.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "python/src/own_evidence.h"
#include "python/src/own_problem.h"

namespace bpo::python {
namespace {

template <class Draw>
py::array_t<double> drawn(std::span<Rng* const> rows, std::vector<py::ssize_t> shape, Draw draw) {
  if (rows.empty()) throw bad_input("rng: it can be used inside of the call only");
  shape.insert(shape.begin(), static_cast<py::ssize_t>(rows.size()));
  py::array_t<double> out(shape);
  const std::size_t each = static_cast<std::size_t>(out.size()) / rows.size();
  double* to = out.mutable_data();
  for (Rng* rng : rows) {
    for (std::size_t i = 0; i < each; ++i) *to++ = draw(*rng);
  }
  return out;
}

/// Not the processor's time, which takes a call of the system to read.
double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::shared_ptr<py::object> raised(py::error_already_set& error) {
  py::object value = error.value();
  if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  return keep(std::move(value));
}

/// "ValueError: what it says". Where it was raised stands in its traceback, which is kept.
std::string text_of(const py::error_already_set& error) {
  const auto name = error.type().attr("__name__").cast<std::string>();
  try {
    const auto said = py::str(error.value()).cast<std::string>();
    return said.empty() ? name : name + ": " + said;
  } catch (py::error_already_set&) {
    return name;  // its own str() raises
  }
}

/// What a function that goes row by row itself says with what it raises (bpo/problem.py).
std::optional<std::size_t> row_of(const py::error_already_set& error) {
  const py::object row = py::getattr(error.value(), "_bpo_row", py::none());
  if (row.is_none()) return std::nullopt;
  return row.cast<std::size_t>();
}

}  // namespace

CallbackTime& callback_time() {
  static CallbackTime time;
  return time;
}

py::array_t<double> RowNoise::normal(const std::vector<py::ssize_t>& shape) {
  return drawn(rows, shape, [](Rng& rng) { return rng.normal(); });
}
py::array_t<double> RowNoise::uniform(const std::vector<py::ssize_t>& shape) {
  return drawn(rows, shape, [](Rng& rng) { return rng.uniform(); });
}

OwnCalls::OwnCalls(std::shared_ptr<const OwnDefinition> definition)
    : definition_(std::move(definition)),
      grid_(definition_->grid()),
      columns_(definition_->latents.size()) {
  for (const auto& values : grid_) {
    for (std::size_t i = 0; i < values.size(); ++i) columns_[i].push_back(values[i]);
  }
}

std::string OwnCalls::place(const char* what, const Rows& rows, std::size_t row) const {
  return fmt::format("{}: {}: at step {} of lane {}", definition_->name, what, rows.time[row],
                     rows.lane[row]);
}

/// The function's answer. If it raises for all rows together, each is tried alone, to say which one
/// it is; but not where that would move once more what the user keeps. Ctrl-C is nobody's mistake.
py::object OwnCalls::call(const char* what, const py::object& function, const Rows& rows,
                          const Arguments& arguments) const {
  std::vector<Rng> before;
  before.reserve(rows.rng.size());
  for (const Rng* rng : rows.rng) before.push_back(*rng);
  const auto noise = std::make_shared<RowNoise>();
  const auto run = [&](std::size_t first, std::size_t count) {
    if (!rows.rng.empty()) {
      noise->rows.assign(rows.rng.begin() + static_cast<std::ptrdiff_t>(first),
                         rows.rng.begin() + static_cast<std::ptrdiff_t>(first + count));
    }
    const py::tuple given = arguments(first, count, noise);
    const double start = seconds_now();
    py::object out = function(*given);
    CallbackTime& time = callback_time();
    time.seconds += seconds_now() - start;
    ++time.calls;
    noise->rows.clear();
    return out;
  };
  try {
    return run(0, rows.count);
  } catch (py::error_already_set& together) {
    noise->rows.clear();
    const auto failure = [&](const std::string& where, py::error_already_set& error) {
      return CallbackError(fmt::format("{}: {}", where, text_of(error)), raised(error));
    };
    if (const auto row = row_of(together)) throw failure(place(what, rows, *row), together);
    if (rows.count == 1 || !together.matches(PyExc_Exception)) {
      throw failure(place(what, rows, 0), together);
    }
    const std::string all = fmt::format("{}: {}: at step {}, with {} lanes together",
                                        definition_->name, what, rows.time[0], rows.count);
    if (!definition_->release->is_none() && &function == definition_->step.get()) {
      throw failure(all, together);
    }
    for (std::size_t i = 0; i < rows.rng.size(); ++i) *rows.rng[i] = before[i];
    for (std::size_t row = 0; row < rows.count; ++row) {
      try {
        run(row, 1);
      } catch (py::error_already_set& alone) {
        throw failure(place(what, rows, row), alone);
      }
    }
    throw failure(all + " and with none of them alone", together);
  }
}

py::array OwnCalls::matrix(std::span<const double> numbers, std::size_t dim, std::size_t first,
                           std::size_t count) const {
  py::array_t<double> out({count, dim});
  std::memcpy(out.mutable_data(), numbers.data() + first * dim, count * dim * sizeof(double));
  return out;
}

py::dict OwnCalls::latents_of(const Rows& rows, std::size_t first, std::size_t count) const {
  const std::size_t dim = definition_->latents.size();
  py::dict out;
  for (std::size_t i = 0; i < dim; ++i) {
    py::array_t<double> column(static_cast<py::ssize_t>(count));
    double* to = column.mutable_data();
    for (std::size_t r = 0; r < count; ++r) to[r] = rows.latents[(first + r) * dim + i];
    out[py::str(definition_->latents[i].name)] = column;
  }
  return out;
}

py::object OwnCalls::actions_of(const Rows& rows, std::size_t first, std::size_t count,
                                std::size_t times) const {
  const ActionSpace& space = definition_->actions;
  const std::size_t dim = space.discrete() ? 1 : static_cast<std::size_t>(space.dim);
  const double* from = rows.actions.data() + first * dim;
  if (space.discrete()) {
    py::array_t<std::int64_t> out(static_cast<py::ssize_t>(count * times));
    std::int64_t* to = out.mutable_data();
    for (std::size_t r = 0; r < count; ++r) {
      to = std::fill_n(to, times, static_cast<std::int64_t>(from[r]));
    }
    return out;
  }
  py::array_t<double> out({count * times, dim});
  double* to = out.mutable_data();
  for (std::size_t r = 0; r < count; ++r) to = repeat({from + r * dim, dim}, times, to);
  return out;
}

void OwnCalls::reset(const Rows& rows, std::span<double> states) const {
  const py::gil_scoped_acquire gil;
  const py::object out = call("reset", *definition_->reset, rows,
                              [&](std::size_t first, std::size_t count, const auto& noise) {
                                return py::make_tuple(latents_of(rows, first, count), noise);
                              });
  take("reset", "states", out, {static_cast<py::ssize_t>(rows.count), definition_->state_dim}, rows,
       states);
}

std::shared_ptr<const double> OwnCalls::hold(double first) const {
  if (definition_->release->is_none()) return nullptr;
  return {new double(first), [release = definition_->release](const double* held) {
            const std::unique_ptr<const double> owned(held);
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire gil;
            try {
              (*release)(*owned);
            } catch (py::error_already_set& error) {
              error.discard_as_unraisable("release");
            }
          }};
}

void OwnCalls::step(const Rows& rows, std::span<double> states, std::span<double> rewards,
                    std::span<char> done) const {
  const py::gil_scoped_acquire gil;
  const auto n = static_cast<py::ssize_t>(rows.count);
  const auto dim = static_cast<std::size_t>(definition_->state_dim);
  const py::object out = call("step", *definition_->step, rows,
                              [&](std::size_t first, std::size_t count, const auto& noise) {
                                return py::make_tuple(matrix(rows.states, dim, first, count),
                                                      actions_of(rows, first, count, 1),
                                                      latents_of(rows, first, count), noise);
                              });
  if (!py::isinstance<py::tuple>(out) || py::len(out) < 2 || py::len(out) > 3) {
    throw CallbackError(
        place("step", rows, 0) + ": it returns (states, rewards) or (states, rewards, done)",
        nullptr);
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(out);
  take("step", "states", parts[0], {n, definition_->state_dim}, rows, states);
  take("step", "rewards", parts[1], {n}, rows, rewards);
  std::fill(done.begin(), done.end(), false);
  if (parts.size() < 3) return;
  std::vector<double> over(rows.count);
  take("step", "done", parts[2], {n}, rows, over);
  for (std::size_t r = 0; r < rows.count; ++r) done[r] = over[r] != 0.0;
}

void OwnCalls::observe(const Rows& rows, std::span<const double> states,
                       std::span<double> observations) const {
  if (definition_->observe->is_none()) {
    std::copy(states.begin(), states.end(), observations.begin());
    return;
  }
  const py::gil_scoped_acquire gil;
  const auto dim = static_cast<std::size_t>(definition_->state_dim);
  const py::object out = call("observe", *definition_->observe, rows,
                              [&](std::size_t first, std::size_t count, const auto& noise) {
                                return py::make_tuple(matrix(states, dim, first, count),
                                                      latents_of(rows, first, count), noise);
                              });
  take("observe", "observations", out, {static_cast<py::ssize_t>(rows.count), definition_->obs_dim},
       rows, observations);
}

py::tuple OwnCalls::predictions(const Rows& rows) const {
  const std::size_t cells = grid_.size(), dim = static_cast<std::size_t>(definition_->obs_dim);
  const py::object answer =
      call("predict", *definition_->predict, rows,
           [&](std::size_t first, std::size_t count, const auto&) {
             py::array_t<double> o({count * cells, dim});
             double* to = o.mutable_data();
             for (std::size_t r = first; r < first + count; ++r) {
               to = repeat({&rows.states[r * dim], dim}, cells, to);
             }
             py::dict latents;
             for (std::size_t i = 0; i < columns_.size(); ++i) {
               py::array_t<double> column(static_cast<py::ssize_t>(count * cells));
               repeat(columns_[i], count, column.mutable_data());
               latents[py::str(definition_->latents[i].name)] = column;
             }
             return py::make_tuple(o, actions_of(rows, first, count, cells), latents);
           });
  if (py::isinstance<py::tuple>(answer) && py::len(answer) == 2) return answer;
  throw CallbackError(place("predict", rows, 0) + ": it returns (mean, sd)", nullptr);
}

void OwnCalls::evidence(const Rows& rows, std::span<const double> next,
                        std::span<double> out) const {
  const py::gil_scoped_acquire gil;
  const std::size_t cells = grid_.size(), dim = static_cast<std::size_t>(definition_->obs_dim);
  const py::tuple parts = predictions(rows);
  const Numbers mean =
      shaped("predict", "means", parts[0],
             {static_cast<py::ssize_t>(rows.count * cells), static_cast<py::ssize_t>(dim)}, rows);
  const auto size = static_cast<std::size_t>(mean.size());
  std::vector<double> precision = spreads(parts[1], rows, size);  // 1 / sd
  for (double& x : precision) x = 1.0 / x;
  if (!gaussian_evidence(next, {mean.data(), size}, precision, dim, cells, out)) {
    check_finite("predict", "means", mean, rows);  // or they are far from what was seen
  }
}

}  // namespace bpo::python
