// Rewards R(a, s, s', o) as a file tells them: rules, each of which may leave any of the four open,
// and the last that fits a step holds. Rules are kept by which of the four they name.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bpo {

class RewardRules {
 public:
  static constexpr int kAny = -1;
  using Step = std::array<int, 4>;  // a, s, s', o

  void add(const Step& step, double value) { rules_.push_back({step, order_++, value}); }
  /// Sorts the rules; must come before reward().
  void finish();
  bool names_next() const { return names_[2]; }
  bool names_observation() const { return names_[3]; }
  /// The reward of a step, all of which is named; 0 where no rule fits.
  double reward(const Step& step) const;

 private:
  struct Rule {
    Step step;
    std::uint32_t order;
    double value;
  };
  struct Kind {
    std::array<bool, 4> named{};
    std::vector<Rule> rules;  // by step, each once
  };

  std::vector<Rule> rules_;
  std::uint32_t order_ = 0;
  std::vector<Kind> kinds_;
  std::array<bool, 4> names_{};  // whether any rule does
};

}  // namespace bpo
