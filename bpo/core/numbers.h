// Observations and actions as plain numbers, the language of everybody outside: an agent on a
// robot, a simulator of one's own, another programming language. A discrete observation or action
// is one number, its index; an array is its elements. A problem whose observation is something else
// says how it becomes numbers (HasNumbers).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include "bpo/core/error.h"
#include "bpo/core/problem.h"

namespace bpo {

template <class P>
concept HasNumbers = requires(const P& p, const typename P::Observation& o,
                              typename P::Observation& read, std::span<const double> in,
                              std::span<double> out) {
  { p.observation_size() } -> std::same_as<int>;
  p.to_numbers(o, out);
  p.from_numbers(in, read);
};

/// How many numbers an array of fixed size has; 0 for anything else.
template <class T>
constexpr int array_size() {
  if constexpr (requires { std::tuple_size<T>::value; }) {
    return static_cast<int>(std::tuple_size<T>::value);
  } else if constexpr (requires { T::SizeAtCompileTime; }) {  // Eigen's
    return T::SizeAtCompileTime;
  } else {
    return 0;
  }
}

template <class T>
inline constexpr bool kIsIndex = std::is_integral_v<T> || std::is_enum_v<T>;

/// Whether the problem's observations can be told as plain numbers.
template <class P>
inline constexpr bool kSpeaksNumbers = HasNumbers<P> || kIsIndex<typename P::Observation> ||
                                       (array_size<typename P::Observation>() > 0);

inline void check_count(const char* what, std::size_t found, int wanted) {
  if (found == static_cast<std::size_t>(wanted)) return;
  throw bad_input(fmt::format("{}: {} numbers, and the problem's have {}", what, found, wanted));
}
inline void check_finite(const char* what, std::span<const double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    throw bad_input(fmt::format("{}: number {} is not finite", what, i));
  }
}
/// An index below `count`, or any integer where that is 0.
inline int check_index(const char* what, double number, int count) {
  const bool whole = number == std::floor(number) && std::abs(number) < 1e9;
  if (whole && (count == 0 || (number >= 0.0 && number < count))) return static_cast<int>(number);
  throw bad_input(count == 0 ? fmt::format("{}: {} is not an index", what, number)
                             : fmt::format("{}: {} is not an index: it must be one of 0 to {}",
                                           what, number, count - 1));
}

template <class P>
requires kSpeaksNumbers<P>
int observation_size(const P& problem) {
  if constexpr (HasNumbers<P>) {
    return problem.observation_size();
  } else if constexpr (kIsIndex<typename P::Observation>) {
    return 1;
  } else {
    return array_size<typename P::Observation>();
  }
}

template <class P>
requires kSpeaksNumbers<P>
void write_observation(const P& problem, const typename P::Observation& o, std::span<double> out) {
  if constexpr (HasNumbers<P>) {
    problem.to_numbers(o, out);
  } else if constexpr (kIsIndex<typename P::Observation>) {
    out[0] = static_cast<double>(o);
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = o[i];
  }
}

/// `values` is how many there are of an observation that is one of a few, if that is known. An
/// observation that has memory of its own keeps it, so that an agent's steps allocate nothing.
template <class P>
requires kSpeaksNumbers<P>
void read_observation(const P& problem, std::span<const double> in, int values,
                      typename P::Observation& o) {
  constexpr const char* kWhat = "observation";
  check_count(kWhat, in.size(), observation_size(problem));
  check_finite(kWhat, in);
  using Observation = typename P::Observation;
  if constexpr (HasNumbers<P>) {
    problem.from_numbers(in, o);
  } else if constexpr (kIsIndex<Observation>) {
    o = static_cast<Observation>(check_index(kWhat, in[0], values));
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) o[i] = in[i];
  }
}

/// How many numbers an action is.
inline int action_size(const ActionSpace& actions) { return actions.discrete() ? 1 : actions.dim; }

/// An action of `P` read from plain numbers; that of a box lives in `box`.
template <class P>
typename P::Action read_action(const ActionSpace& actions, std::span<const double> in,
                               std::span<float> box) {
  constexpr const char* kWhat = "action";
  check_count(kWhat, in.size(), action_size(actions));
  check_finite(kWhat, in);
  if constexpr (std::is_integral_v<typename P::Action>) {
    return check_index(kWhat, in[0], actions.size());
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) box[i] = static_cast<float>(in[i]);
    return box;
  }
}

}  // namespace bpo
