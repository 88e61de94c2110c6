// A problem together with its filter, type-erased, and the table of those that can be asked for by
// name. A problem's file ends in one RegisterProblem.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpo/core/belief_dynamics.h"
#include "bpo/core/closed_form.h"
#include "bpo/core/config.h"
#include "bpo/core/information.h"
#include "bpo/core/registry.h"
#include "bpo/core/simulator.h"
#include "bpo/core/tabular.h"
#include "bpo/core/tracker.h"
#include "bpo/core/view.h"
#include "bpo/core/world.h"

namespace bpo {

class AnyProblem {
 public:
  virtual ~AnyProblem() = default;
  virtual const ProblemSpec& spec() const = 0;
  /// How to name and to draw it; every number has a name.
  virtual const ProblemView& view() const = 0;
  virtual std::unique_ptr<World> make_world() const = 0;
  /// The same world without a filter: its beliefs are empty.
  virtual std::unique_ptr<World> make_plain_world() const = 0;
  /// The world for a policy: a simulated belief that the policy does not see is left out.
  std::unique_ptr<World> make_world(bool sees_belief) const {
    return sees_belief || !spec().simulated ? make_world() : make_plain_world();
  }
  /// About what the belief of one lane takes, where that may be much.
  virtual Footprint belief_footprint() const = 0;
  virtual bool has_nominal() const = 0;
  /// Null unless the history compresses to finitely many information states.
  virtual const InformationModel* information() const = 0;
  /// Null unless the belief moves as a vector.
  virtual const BeliefDynamics* dynamics() const = 0;
  /// A belief to be kept by hand, and a world to be stepped by hand; null unless the problem's
  /// observations can be told as plain numbers.
  virtual std::unique_ptr<Tracker> make_tracker() const = 0;
  virtual std::unique_ptr<Simulator> simulator() const = 0;
  /// Null unless the problem is finite. Made anew with each call.
  virtual std::unique_ptr<TabularModel> tabular() const = 0;
  /// What an agent computes beside its network, as far as that is plain data. Made anew with each
  /// call.
  virtual ClosedForm closed_form() const { return {}; }
  /// A control step of the bare simulator under the world, from where the last one ended; empty
  /// where there is none. It is what the speed of a world is compared with.
  virtual std::function<void(std::span<const float> action)> bare_step() const { return {}; }
};

template <Problem P, FilterFor<P> F>
class ProblemWith final : public AnyProblem {
 public:
  template <class Options>
  explicit ProblemWith(const Options& options)
      : problem_(options), filter_(problem_), spec_(complete_spec(problem_, filter_)) {
    if constexpr (HasView<P>) view_ = problem_.view();
    name_all(view_.actions, "action", spec_.actions.size());
    name_all(view_.latents, "factor", spec_.latent_dim);
    if constexpr (kSpeaksNumbers<P>) {
      name_all(view_.observation, "observation", observation_size(problem_));
    }
    if constexpr (HasInformationState<P>) {
      information_ = std::make_unique<Information<P, F>>(spec_, problem_, filter_);
    }
    if constexpr (requires { filter_.make_dynamics(); }) dynamics_ = filter_.make_dynamics();
  }
  const ProblemSpec& spec() const override { return spec_; }
  const ProblemView& view() const override { return view_; }
  std::unique_ptr<World> make_world() const override {
    return std::make_unique<BeliefMdp<P, F>>(problem_, spec_);
  }
  std::unique_ptr<World> make_plain_world() const override {
    return std::make_unique<BeliefMdp<P, NoFilter>>(problem_,
                                                    complete_spec(problem_, NoFilter(problem_)));
  }
  Footprint belief_footprint() const override {
    if constexpr (requires { filter_.footprint(); }) return filter_.footprint();
    return {};
  }
  bool has_nominal() const override { return HasNominalLatent<P>; }
  const InformationModel* information() const override { return information_.get(); }
  const BeliefDynamics* dynamics() const override { return dynamics_.get(); }
  std::unique_ptr<Tracker> make_tracker() const override {
    if constexpr (kSpeaksNumbers<P>) {
      const auto values = static_cast<int>(view_.observation_values.size());
      return std::make_unique<ProblemTracker<P, F>>(problem_, spec_, values);
    }
    return nullptr;
  }
  std::unique_ptr<Simulator> simulator() const override {
    if constexpr (kSpeaksNumbers<P>) return std::make_unique<ProblemSimulator<P>>(problem_);
    return nullptr;
  }
  std::unique_ptr<TabularModel> tabular() const override {
    if constexpr (HasTables<P>) return std::make_unique<TabularModel>(problem_.tabular());
    return nullptr;
  }
  ClosedForm closed_form() const override {
    ClosedForm out;
    if constexpr (HasInputTerms<P>) out.inputs = problem_.input_terms();
    if constexpr (requires { filter_.form(spec_); }) out.filter = filter_.form(spec_);
    return out;
  }
  std::function<void(std::span<const float> action)> bare_step() const override {
    if constexpr (requires { problem_.bare_step(); }) return problem_.bare_step();
    return {};
  }

 private:
  P problem_;
  F filter_;
  ProblemSpec spec_;
  ProblemView view_;
  std::unique_ptr<InformationModel> information_;
  std::unique_ptr<BeliefDynamics> dynamics_;
};

/// Defaults of algo.* and optimizer.* that suit a problem; a struct of options offers them by
/// `TrainingDefaults training_defaults() const`.
using TrainingDefaults = std::vector<std::pair<std::string, Config::Value>>;

/// What the options of a problem say before anything is built.
struct ResolvedProblem {
  int horizon = 0;
  bool has_nominal = false;  // the same as AnyProblem::has_nominal()
  std::function<std::unique_ptr<AnyProblem>()> build;
};

struct ProblemEntry {
  std::string name, summary;
  /// Reads "problem.*" and sets the training defaults that go with it. Building may take long, as a
  /// robot's does, and may still refuse what its options say.
  std::function<ResolvedProblem(Config&)> resolve;
  std::function<std::vector<OptionRow>()> options;
  /// Options that change what the agent sees or believes and leave the world as it is, so that
  /// episodes can still be compared one by one.
  std::vector<std::string> agent_options;
  /// The text of the file that the problem came from, and a name to keep it under; or nothing.
  std::string source, source_file;

  std::unique_ptr<AnyProblem> make(Config& config) const { return resolve(config).build(); }
};

/// A struct of options names them in kAgentOptions, if it has any.
template <class Options>
std::vector<std::string> agent_options() {
  if constexpr (requires { Options::kAgentOptions; }) {
    return {Options::kAgentOptions.begin(), Options::kAgentOptions.end()};
  }
  return {};
}

/// The problem with the filter F, or the one of Others that `options.filter` names.
template <class P, class Options, class F, class... Others>
std::unique_ptr<AnyProblem> with_filter(const Options& options) {
  if constexpr (sizeof...(Others) > 0) {
    if (options.filter != F::kName) return with_filter<P, Options, Others...>(options);
  }
  return std::make_unique<ProblemWith<P, F>>(options);
}

/// `defaults`: where nothing else is said; a problem from a file has its own.
template <Problem P, class Options, FilterFor<P>... Filters>
ProblemEntry problem_entry(std::string name, std::string summary, const Options& defaults = {}) {
  return {std::move(name), std::move(summary),
          [defaults](Config& config) -> ResolvedProblem {
            Options options = defaults;
            config.read("problem", options);
            for (const auto& [key, value] : options.training_defaults()) {
              config.set_default(key, value);
            }
            return {static_cast<int>(options.horizon), HasNominalLatent<P>,
                    [=] { return with_filter<P, Options, Filters...>(options); }};
          },
          [defaults] { return Config::rows("problem", defaults); }, agent_options<Options>()};
}

inline Registry<ProblemEntry>& problems() {
  static Registry<ProblemEntry> registry("problem");
  return registry;
}

struct RegisterProblem {
  explicit RegisterProblem(ProblemEntry entry) { problems().add(std::move(entry)); }
};

}  // namespace bpo
