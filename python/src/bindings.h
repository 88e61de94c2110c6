// The Python module is a thin face of the library: each file binds one of its parts.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bpo/core/error.h"

namespace bpo::python {

namespace py = pybind11;

/// A Python object that may be let go of by any thread, and after the interpreter has ended.
std::shared_ptr<py::object> keep(py::object object);

/// A new array of these numbers.
template <class T>
py::array_t<T> array_of(std::span<const T> x) {
  py::array_t<T> out(static_cast<py::ssize_t>(x.size()));
  std::copy(x.begin(), x.end(), out.mutable_data());
  return out;
}

/// What a callback of the user's did wrong; `cause` is the exception that it raised, if it did.
class CallbackError : public Error {
 public:
  CallbackError(const std::string& message, std::shared_ptr<py::object> cause)
      : Error(ErrorCode::kBadInput, message), cause_(std::move(cause)) {}
  const std::shared_ptr<py::object>& cause() const { return cause_; }

 private:
  std::shared_ptr<py::object> cause_;
};

/// How many episodes measure a policy where nobody says: 0, which is as many as usual, or fewer
/// where the simulator is Python's.
std::int64_t usual_episodes(const std::string& problem);

void bind_errors(py::module_& m);
void bind_runs(py::module_& m);
void bind_reports(py::module_& m);
void bind_agent(py::module_& m);
void bind_environments(py::module_& m);
void bind_own_problems(py::module_& m);

}  // namespace bpo::python
