// What the user's functions answer: numbers of the right shape, real and finite, or a sentence with
// step and lane.
#include <fmt/ranges.h>

#include <cmath>

#include "python/src/own_evidence.h"
#include "python/src/own_problem.h"

namespace bpo::python {
namespace {

std::string text_of(const std::vector<py::ssize_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

bool is_complex(const py::handle& value) {
  const auto array = py::array::ensure(value);
  return array && array.dtype().kind() == 'c';
}
/// Null where there is no real number for each: numpy would leave imaginary parts out.
Numbers real_numbers(const py::handle& value) {
  const auto array = py::array::ensure(value);  // of a list once
  if (!array || array.dtype().kind() == 'c') return py::reinterpret_steal<Numbers>(py::handle());
  return Numbers::ensure(array);
}

}  // namespace

Numbers OwnCalls::shaped(const char* what, const char* name, const py::handle& value,
                         const std::vector<py::ssize_t>& shape, const Rows& rows) const {
  Numbers array = real_numbers(value);
  if (!array) {
    const char* why = is_complex(value) ? "complex, and real numbers are wanted" : "not numbers";
    throw CallbackError(fmt::format("{}: {} are {}", place(what, rows, 0), name, why), nullptr);
  }
  const std::vector<py::ssize_t> found(array.shape(), array.shape() + array.ndim());
  if (found != shape) {
    throw CallbackError(fmt::format("{}: {} have the shape {}, and {} is wanted",
                                    place(what, rows, 0), name, text_of(found), text_of(shape)),
                        nullptr);
  }
  return array;
}

void OwnCalls::check_finite(const char* what, const char* name, const Numbers& array,
                            const Rows& rows) const {
  const double* from = array.data();
  const auto size = static_cast<std::size_t>(array.size());
  if (all_finite({from, size})) return;
  std::size_t i = 0;
  while (std::isfinite(from[i])) ++i;
  throw CallbackError(fmt::format("{}: {} have a number that is not finite ({})",
                                  place(what, rows, i / (size / rows.count)), name, from[i]),
                      nullptr);
}

void OwnCalls::take(const char* what, const char* name, const py::handle& value,
                    const std::vector<py::ssize_t>& shape, const Rows& rows,
                    std::span<double> out) const {
  const Numbers array = shaped(what, name, value, shape, rows);
  check_finite(what, name, array, rows);
  std::copy_n(array.data(), out.size(), out.begin());
}

/// One spread for all, one per number of an observation, or one for each: as many as `each`, or as
/// an observation has numbers.
std::vector<double> OwnCalls::spreads(const py::handle& told, const Rows& rows,
                                      std::size_t each) const {
  const auto dim = static_cast<std::size_t>(definition_->obs_dim);
  const auto sds = real_numbers(told);
  std::vector<double> out;
  if (sds && sds.size() == 1) {
    out.assign(dim, *sds.data());
  } else if (sds && sds.ndim() == 1 && static_cast<std::size_t>(sds.size()) == dim) {
    out.assign(sds.data(), sds.data() + dim);
  } else {
    out.resize(each);
    take("predict", "sd", told,
         {static_cast<py::ssize_t>(each / dim), static_cast<py::ssize_t>(dim)}, rows, out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] > 0.0 && std::isfinite(out[i])) continue;
    const std::size_t row = out.size() == each ? i / (each / rows.count) : 0;
    throw CallbackError(
        fmt::format("{}: sd is {}, and it must be positive", place("predict", rows, row), out[i]),
        nullptr);
  }
  return out;
}

}  // namespace bpo::python
