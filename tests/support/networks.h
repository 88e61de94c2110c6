// The plain forms that the networks are tested against: the network of Fig. 1b in double, one
// column at a time, derivatives by central differences, and random inputs with repeats.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bpo/core/inputs.h"
#include "bpo/core/rng.h"
#include "bpo/nn/network.h"

namespace bpo::test {

inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed, double scale = 1.0) {
  Rng rng(seed, Use::kInit, 77);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(scale * rng.normal());
  return out;
}

inline std::vector<double> to_double(std::span<const float> x) { return {x.begin(), x.end()}; }

/// Biases and log-std too, so that nothing is zero by accident.
inline std::vector<float> random_theta(const Network& network, std::uint64_t seed) {
  std::vector<float> theta = network.initialize(seed);
  const auto noise = random_floats(theta.size(), seed + 1, 0.1);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += noise[i];
  return theta;
}

/// `pairs` pairs (fewer, should some coincide) of `states` random states and `beliefs` beliefs.
inline Inputs random_inputs(const NetworkSpec& spec, int states, int beliefs, int pairs,
                            std::uint64_t seed) {
  Inputs inputs(spec.state_dim, spec.belief_dim);
  const auto o = random_floats(static_cast<std::size_t>(states) * spec.state_dim, seed);
  const auto b = random_floats(static_cast<std::size_t>(beliefs) * spec.belief_dim, seed + 1);
  Rng rng(seed, Use::kShuffle, 5);
  for (int j = 0; j < pairs; ++j) {
    const std::size_t s = rng.below(states), k = rng.below(beliefs);
    inputs.add(o.data() + s * spec.state_dim, b.data() + k * spec.belief_dim);
  }
  return inputs;
}

class NaiveNetwork {
 public:
  explicit NaiveNetwork(const Network& network) : network_(network) {}

  std::vector<double> outputs(std::span<const double> theta, const float* o, const float* b) const {
    const NetworkSpec& spec = network_.spec();
    std::vector<double> joined = encode(theta, "state_encoder", o, spec.state_dim);
    const std::vector<double> belief = encode(theta, "belief_encoder", b, spec.belief_dim);
    joined.insert(joined.end(), belief.begin(), belief.end());
    const auto h = squash(dense(theta, "policy.0", joined));
    return dense(theta, "head", squash(dense(theta, "policy.1", h)));
  }

  /// All columns of `inputs`, one after another.
  std::vector<double> outputs(std::span<const double> theta, const Inputs& inputs) const {
    std::vector<double> all;
    for (int j = 0; j < inputs.size(); ++j) {
      const auto out =
          outputs(theta, inputs.states[inputs.state_of[j]], inputs.beliefs[inputs.belief_of[j]]);
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  }

  const TensorInfo& tensor(const std::string& name) const {
    for (const TensorInfo& t : network_.tensors()) {
      if (t.name == name) return t;
    }
    throw std::out_of_range(name);
  }

 private:
  std::vector<double> dense(std::span<const double> theta, const std::string& name,
                            const std::vector<double>& x) const {
    const TensorInfo& w = tensor(name + ".weight");
    const TensorInfo& c = tensor(name + ".bias");
    std::vector<double> out(w.shape[0]);
    for (std::size_t r = 0; r < out.size(); ++r) {
      out[r] = theta[c.offset + r];
      for (std::size_t k = 0; k < x.size(); ++k) {
        out[r] += theta[w.offset + r * w.shape[1] + k] * x[k];
      }
    }
    return out;
  }
  static std::vector<double> squash(std::vector<double> x) {
    for (double& v : x) v = std::tanh(v);
    return x;
  }
  std::vector<double> encode(std::span<const double> theta, const std::string& name, const float* x,
                             int dim) const {
    std::vector<double> h(x, x + dim);
    if (!network_.spec().encoders || dim == 0) return h;
    return squash(dense(theta, name + ".1", squash(dense(theta, name + ".0", h))));
  }

  const Network& network_;
};

/// d f / d theta[i] for the given i, by central differences in double.
inline double slope(const std::function<double(std::span<const double>)>& f,
                    std::vector<double> theta, std::size_t i, double h = 1e-5) {
  const double at = theta[i];
  theta[i] = at + h;
  const double up = f(theta);
  theta[i] = at - h;
  return (up - f(theta)) / (2.0 * h);
}

/// sqrt(|a - b|^2 / |b|^2): one number for how far two gradients are apart.
inline double relative_distance(std::span<const double> a, std::span<const double> b) {
  double gap = 0.0, size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    gap += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(gap / (size + 1e-300));
}

}  // namespace bpo::test
