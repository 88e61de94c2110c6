// Problems by name, with options as they are typed after --set, and plain policies to run on them.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "bpo/core/any_problem.h"
#include "bpo/core/policy.h"

namespace bpo::test {

inline std::unique_ptr<AnyProblem> make_problem(const std::string& name,
                                                std::initializer_list<const char*> options = {}) {
  Config config;
  for (const char* option : options) config.set(option);
  auto problem = problems().at(name).make(config);
  config.finish();
  return problem;
}

/// Acts by a function of what the lane shows; has no probabilities.
class FunctionPolicy final : public Policy {
 public:
  using Choose = std::function<void(const PolicyInputs&, int lane, Actions&)>;
  explicit FunctionPolicy(Choose choose) : choose_(std::move(choose)) {}

  std::unique_ptr<Actor> make_actor() const override { return std::make_unique<Chooser>(choose_); }

 private:
  struct Chooser final : Actor {
    explicit Chooser(const Choose& f) : choose(f) {}
    void begin(const PolicyInputs&) override {}
    void act(const PolicyInputs& in, Actions& actions) override {
      for (int lane = 0; lane < in.episodes.count; ++lane) {
        if (!in.done[lane]) choose(in, lane, actions);
      }
    }
    const Choose& choose;
  };
  Choose choose_;
};

/// Always the same action; this one has probabilities.
class ConstantPolicy final : public Policy, private ActionProbabilities {
 public:
  ConstantPolicy(int action, int actions) : action_(action), actions_(actions) {}

  std::unique_ptr<Actor> make_actor() const override { return std::make_unique<Same>(action_); }
  const ActionProbabilities* probabilities() const override { return this; }

 private:
  void compute(const PolicyInputs& in, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0f);
    for (int lane = 0; lane < in.episodes.count; ++lane) out[lane * actions_ + action_] = 1.0f;
  }
  struct Same final : Actor {
    explicit Same(int a) : action(a) {}
    void begin(const PolicyInputs&) override {}
    void act(const PolicyInputs&, Actions& actions) override { actions.index.fill(action); }
    int action;
  };
  int action_, actions_;
};

/// Uniform over the actions, from the action stream of the lane's episode and step.
inline int random_action(const PolicyInputs& in, int lane, int actions) {
  Rng rng(in.episodes.seed, Use::kAction, in.episodes.first + lane,
          static_cast<std::uint32_t>(in.time));
  return rng.below(actions);
}
inline FunctionPolicy random_policy(int count) {
  return FunctionPolicy([=](const PolicyInputs& in, int lane, Actions& actions) {
    actions.index[lane] = random_action(in, lane, count);
  });
}

}  // namespace bpo::test
