#include "python/src/own_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bpo/filters/grid.h"
#include "python/src/own_evidence.h"

namespace bpo::python {
namespace {

constexpr const char* kAnyFunctions = "any";

struct OwnOptions {
  std::shared_ptr<const OwnDefinition> definition;
  std::int64_t horizon = 0;
  std::string functions;
  std::vector<std::optional<double>> fixed = {};  // [latent]: the world's own, if a person fixed it

  void visit(OptionVisitor& v) {
    v.integer("horizon", horizon, {1, 100000}, "steps per episode");
    v.choice("functions", functions, {definition->functions, kAnyFunctions},
             "hash of the functions that a run is of; any: the run can be loaded with others");
    fixed.resize(definition->latents.size());
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      v.number_or(definition->latents[i].name.c_str(), fixed[i], "prior", {-1e9, 1e9},
                  "the world's latent: drawn per episode, or fixed (the belief's prior stays)");
    }
  }
  TrainingDefaults training_defaults() const {
    return {{"algo.iterations", 100},
            {"algo.whiten", true},
            {"algo.validate_every", 10},
            {"algo.validate_episodes", 256},
            {"optimizer.batch_steps", 10000},
            {"optimizer.discount", std::min(definition->discount, 0.99)},
            {"optimizer.kl", 0.03}};
  }
};

/// `A`: int where actions are discrete, span<const float> where they are a box.
template <class A>
class OwnProblem {
 public:
  using Latent = std::vector<double>;
  struct State {
    std::vector<double> x, o;
    int t = 0;
    std::shared_ptr<const double> held = {};  // what the functions keep for the episode
  };
  using Observation = std::vector<double>;
  using Action = A;

  explicit OwnProblem(const OwnOptions& options)
      : options_(options), calls_(options.definition), grid_(definition().grid()) {}

  const OwnDefinition& definition() const { return *options_.definition; }
  const OwnCalls& calls() const { return calls_; }
  const std::vector<std::vector<double>>& grid() const { return grid_; }

  ProblemSpec spec() const {
    BeliefGrid axes{.joint = true};
    for (const OwnLatent& latent : definition().latents) {
      std::vector<double>& axis = axes.axes.emplace_back();
      for (int k = 0; k < latent.cells; ++k)
        axis.push_back(latent.prior.cell_value(k, latent.cells));
    }
    return {.name = definition().name,
            .horizon = static_cast<int>(options_.horizon),
            .discount = definition().discount,
            .actions = definition().actions,
            .obs_dim = definition().obs_dim,
            .latent_dim = static_cast<int>(definition().latents.size()),
            .grid = std::move(axes)};
  }
  ProblemView view() const {
    ProblemView out{.observation = definition().observation_names,
                    .actions = definition().action_names};
    for (const OwnLatent& latent : definition().latents) out.latents.push_back(latent.name);
    return out;
  }

  Latent sample_latent(Rng& rng) const {
    Latent out;
    for (std::size_t i = 0; i < definition().latents.size(); ++i) {
      const double drawn = definition().latents[i].prior.quantile(rng.uniform());
      out.push_back(options_.fixed[i].value_or(drawn));
    }
    return out;
  }
  Latent nominal_latent() const {
    Latent out;
    for (const OwnLatent& latent : definition().latents) out.push_back(latent.prior.middle());
    return out;
  }
  Latent latent_of(std::span<const double> values) const { return {values.begin(), values.end()}; }

  State sample_state(const Latent& phi, Rng& rng, int lane = 0) const {
    State out{std::vector<double>(static_cast<std::size_t>(definition().state_dim)),
              std::vector<double>(static_cast<std::size_t>(definition().obs_dim))};
    const Rows rows{.count = 1, .latents = phi, .rng = {&rng}, .lane = {lane}, .time = {0}};
    calls_.reset(rows, out.x);
    out.held = calls_.hold(out.x[0]);
    calls_.observe(rows, out.x, out.o);
    return out;
  }
  StepResult step(State& s, const Latent& phi, const Action& a, Rng& rng) const {
    Move<OwnProblem> move{&s, &phi, a, {}, &rng};
    step_together({&move, 1});
    return move.result;
  }
  void step_together(std::span<Move<OwnProblem>> moves) const {
    if (moves.empty()) return;
    const std::size_t latents = definition().latents.size();
    Rows rows = rows_of(moves.size(), static_cast<std::size_t>(definition().state_dim));
    rows.latents.resize(rows.count * latents);
    rows.rng.resize(rows.count);
    for (std::size_t r = 0; r < rows.count; ++r) {
      const Move<OwnProblem>& move = moves[r];
      put(rows, r, move.s->x, move.a);
      std::copy(move.phi->begin(), move.phi->end(), rows.latents.begin() + r * latents);
      rows.rng[r] = move.rng;
      rows.lane[r] = move.lane;
      rows.time[r] = move.s->t;
    }
    const auto states = static_cast<std::size_t>(definition().state_dim),
               seen = static_cast<std::size_t>(definition().obs_dim);
    std::vector<double> x(rows.count * states), o(rows.count * seen), rewards(rows.count);
    std::vector<char> done(rows.count);
    calls_.step(rows, x, rewards, done);
    calls_.observe(rows, x, o);
    for (std::size_t r = 0; r < rows.count; ++r) {
      State& s = *moves[r].s;
      s.x.assign(x.begin() + r * states, x.begin() + (r + 1) * states);
      s.o.assign(o.begin() + r * seen, o.begin() + (r + 1) * seen);
      ++s.t;
      moves[r].result = {.reward = rewards[r], .done = done[r] != 0};
    }
  }
  Observation observe(const State& s, const Latent&, Rng&) const { return s.o; }

  void encode(const Observation& o, std::span<float> out) const {
    std::copy(o.begin(), o.end(), out.begin());
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_copies(out, 0, definition().obs_dim);
    return out;
  }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    std::copy(phi.begin(), phi.end(), out.begin());
  }

  int observation_size() const { return definition().obs_dim; }
  void to_numbers(const Observation& o, std::span<double> out) const {
    std::copy(o.begin(), o.end(), out.begin());
  }
  void from_numbers(std::span<const double> in, Observation& o) const {
    o.assign(in.begin(), in.end());
  }

  Rows rows_of(std::size_t count, std::size_t dim) const {
    Rows out{.count = count};
    out.states.resize(count * dim);
    out.actions.resize(count * static_cast<std::size_t>(std::max(1, definition().actions.dim)));
    out.lane.resize(count);
    out.time.resize(count);
    return out;
  }
  /// A row of a call: where it is, and what is done there, within the limits of actions.
  void put(Rows& rows, std::size_t r, const std::vector<double>& numbers, const Action& a) const {
    std::copy(numbers.begin(), numbers.end(), rows.states.begin() + r * numbers.size());
    if constexpr (std::is_integral_v<Action>) {
      rows.actions[r] = a;
    } else {
      const ActionSpace& space = definition().actions;
      std::transform(a.begin(), a.end(), rows.actions.begin() + r * a.size(),
                     [&](float u) { return std::clamp<double>(u, space.low, space.high); });
    }
  }

 private:
  OwnOptions options_;
  OwnCalls calls_;
  std::vector<std::vector<double>> grid_;
};

/// Eq. (2) over all cells; their predictions come from one call for all lanes.
template <class P>
class OwnFilter {
 public:
  static constexpr const char* kName = "grid";
  static constexpr float kGrain = 0x1p-14f;  // beliefs that are all but equal become equal
  struct Weights {
    std::vector<double> log;  // [cell]
    int best = 0, t = 0;
  };
  using Step = Evidence<P, OwnFilter>;

  explicit OwnFilter(const P& problem) : problem_(problem) {}

  int belief_dim() const { return static_cast<int>(problem_.grid().size()); }
  int estimate_dim() const { return static_cast<int>(problem_.definition().latents.size()); }
  double belief_scale() const { return std::sqrt(static_cast<double>(belief_dim())); }
  Weights make_weights() const { return {std::vector<double>(problem_.grid().size())}; }
  void reset(Weights& w) const {
    std::fill(w.log.begin(), w.log.end(), 0.0);
    w.best = w.t = 0;
  }
  bool update(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    Step step{&w, &o, a, &next};
    update_together({&step, 1});
    return step.alive;
  }
  void update_together(std::span<Step> steps) const {
    if (steps.empty()) return;
    const std::size_t cells = problem_.grid().size();
    const auto dim = static_cast<std::size_t>(problem_.definition().obs_dim);
    Rows rows = problem_.rows_of(steps.size(), dim);
    std::vector<double> next(rows.count * dim), evidence(rows.count * cells);
    for (std::size_t r = 0; r < rows.count; ++r) {
      const Step& step = steps[r];
      problem_.put(rows, r, *step.o, step.a);
      std::copy(step.next->begin(), step.next->end(), next.begin() + r * dim);
      rows.lane[r] = step.lane;
      rows.time[r] = step.w->t++;
    }
    problem_.calls().evidence(rows, next, evidence);
    for (std::size_t r = 0; r < rows.count; ++r) {
      Weights& w = *steps[r].w;
      steps[r].alive = LogWeights::add(w.log, evidence.data() + r * cells);
      if (!steps[r].alive) std::fill(w.log.begin(), w.log.end(), 0.0);
      w.best = static_cast<int>(std::find(w.log.begin(), w.log.end(), 0.0) - w.log.begin());
    }
  }

  void belief(const Weights& w, std::span<float> out) const {
    LogWeights::probabilities(w.log, out);
    out[w.best] += 1.0f - round_to(out, kGrain);  // exact, as all are multiples of the grain
  }
  void estimate(const Weights& w, std::span<float> out) const {
    const std::vector<double>& values = problem_.grid()[w.best];
    std::copy(values.begin(), values.end(), out.begin());
  }
  double entropy(const Weights& w) const { return LogWeights::entropy(w.log); }

 private:
  const P& problem_;
};

template <class A>
std::unique_ptr<AnyProblem> build(const OwnOptions& options) {
  using P = OwnProblem<A>;
  return std::make_unique<ProblemWith<P, OwnFilter<P>>>(options);
}

std::map<std::string, std::shared_ptr<const OwnDefinition>>& definitions() {
  static std::map<std::string, std::shared_ptr<const OwnDefinition>> all;
  return all;
}

OwnOptions defaults(const std::string& name) {
  const auto& definition = definitions().at(name);
  return {definition, definition->horizon, definition->functions};
}

/// A run is of the functions that it was begun with.
void check_functions(const OwnDefinition& definition, const Config& config) {
  const std::string wanted = config.text("problem.functions");
  if (wanted.empty() || wanted == definition.functions || wanted == kAnyFunctions) return;
  throw bad_input(fmt::format(
      "{}: the functions, priors or spaces of this bpo.Problem ({}) are not those that the run is "
      "of ({}); define it as it was, give it another name, or take these all the same by "
      "set={{\"problem.functions\": \"any\"}}",
      definition.name, definition.functions, wanted));
}

ProblemEntry entry_of(const OwnDefinition& definition) {
  const std::string name = definition.name;
  return {.name = name,
          .summary = definition.summary,
          .resolve = [name](Config& config) -> ResolvedProblem {
            OwnOptions options = defaults(name);
            check_functions(*options.definition, config);
            config.read("problem", options);
            for (const auto& [key, value] : options.training_defaults()) {
              config.set_default(key, value);
            }
            const bool discrete = options.definition->actions.discrete();
            return {static_cast<int>(options.horizon), true, [=] {
                      return discrete ? build<int>(options)
                                      : build<std::span<const float>>(options);
                    }};
          },
          .options = [name] { return Config::rows("problem", defaults(name)); }};
}

}  // namespace

std::vector<std::vector<double>> OwnDefinition::grid() const {
  std::vector<std::vector<double>> out{{}};
  for (const OwnLatent& latent : latents) {
    std::vector<std::vector<double>> longer;
    for (const auto& values : out) {
      for (int cell = 0; cell < latent.cells; ++cell) {
        longer.push_back(values);
        longer.back().push_back(latent.prior.cell_value(cell, latent.cells));
      }
    }
    out = std::move(longer);
  }
  return out;
}

void define(OwnDefinition definition) {
  const std::string name = definition.name;
  if (!definitions().contains(name) && problems().contains(name)) {
    throw bad_input(
        fmt::format("Problem: '{}' is a problem of the program; choose another name", name));
  }
  auto& place = definitions()[name];
  place = std::make_shared<const OwnDefinition>(std::move(definition));
  problems().put(entry_of(*place));
}

std::int64_t usual_episodes(const std::string& problem) {
  return definitions().contains(problem) ? 1000 : 0;
}

}  // namespace bpo::python
