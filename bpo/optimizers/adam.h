// Adam (Kingma and Ba 2015), ascending.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "bpo/optimizers/optimizer.h"

namespace bpo {

class Adam {
 public:
  Adam(std::size_t n, double rate) : rate_(rate), mean_(n, 0.0), square_(n, 0.0) {}

  /// theta moves up the gradient. False, and nothing changed, if the gradient is not finite.
  bool step(const std::vector<double>& gradient, std::vector<float>& theta) {
    for (double g : gradient) {
      if (!std::isfinite(g)) return false;
    }
    ++steps_;
    const double rate = rate_ * std::sqrt(1.0 - std::pow(kSquareDecay, steps_)) /
                        (1.0 - std::pow(kMeanDecay, steps_));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double g = gradient[i];
      mean_[i] += (1.0 - kMeanDecay) * (g - mean_[i]);
      square_[i] += (1.0 - kSquareDecay) * (g * g - square_[i]);
      theta[i] += static_cast<float>(rate * mean_[i] / (std::sqrt(square_[i]) + 1e-8));
    }
    return true;
  }

  void save(const std::string& name, SavedNumbers& state) const {
    state[name + ".mean"] = mean_;
    state[name + ".square"] = square_;
    state[name + ".steps"] = {steps_};
  }
  void load(const std::string& name, const SavedNumbers& state) {
    mean_ = state.at(name + ".mean");
    square_ = state.at(name + ".square");
    steps_ = state.at(name + ".steps").at(0);
  }

 private:
  static constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999;
  double rate_;
  std::vector<double> mean_, square_;
  double steps_ = 0.0;
};

}  // namespace bpo
