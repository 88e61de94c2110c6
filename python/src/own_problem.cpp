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
             "which ones a run is of, by hash; any: the run can be loaded with others");
    fixed.resize(definition->latents.size());
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      v.number_or(definition->latents[i].name.c_str(), fixed[i], "prior", {-1e9, 1e9},
                  "the world's own: drawn per episode, or fixed (the belief's prior stays)");
    }
  }
  TrainingDefaults training() const {
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
    Rows rows{.count = moves.size()};
    make_room(rows, static_cast<std::size_t>(definition().state_dim));
    rows.latents.reserve(rows.count * definition().latents.size());
    rows.rng.reserve(rows.count);
    for (Move<OwnProblem>& move : moves) {
      append(rows, move.s->x, move.a);
      rows.latents.insert(rows.latents.end(), move.phi->begin(), move.phi->end());
      rows.rng.push_back(move.rng);
      rows.lane.push_back(move.lane);
      rows.time.push_back(move.s->t);
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
  void encode_latent(const Latent& phi, std::span<float> out) const {
    std::copy(phi.begin(), phi.end(), out.begin());
  }

  int observation_size() const { return definition().obs_dim; }
  void to_numbers(const Observation& o, std::span<double> out) const {
    std::copy(o.begin(), o.end(), out.begin());
  }
  Observation from_numbers(std::span<const double> in) const { return {in.begin(), in.end()}; }

  void make_room(Rows& rows, std::size_t dim) const {
    rows.states.reserve(rows.count * dim);
    rows.actions.reserve(rows.count * std::max(1, definition().actions.dim));
    rows.lane.reserve(rows.count);
    rows.time.reserve(rows.count);
  }
  /// A row of a call: where it is, and what is done there, within the limits of actions.
  void append(Rows& rows, const std::vector<double>& numbers, const Action& a) const {
    rows.states.insert(rows.states.end(), numbers.begin(), numbers.end());
    const ActionSpace& space = definition().actions;
    if constexpr (std::is_integral_v<Action>) {
      rows.actions.push_back(a);
    } else {
      for (float u : a) rows.actions.push_back(std::clamp<double>(u, space.low, space.high));
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
    Rows rows{.count = steps.size()};
    std::vector<double> next, evidence(rows.count * cells);
    problem_.make_room(rows, static_cast<std::size_t>(problem_.definition().obs_dim));
    next.reserve(rows.states.capacity());
    for (const Step& step : steps) {
      problem_.append(rows, *step.o, step.a);
      next.insert(next.end(), step.next->begin(), step.next->end());
      rows.lane.push_back(step.lane);
      rows.time.push_back(step.w->t++);
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
            for (const auto& [key, value] : options.training()) config.set_default(key, value);
            const bool discrete = options.definition->actions.discrete();
            return {static_cast<int>(options.horizon), true, [=] {
                      return discrete ? build<int>(options)
                                      : build<std::span<const float>>(options);
                    }};
          },
          .options = [name] { return Config::rows("problem", defaults(name)); },
          .training = defaults(name).training()};
}

}  // namespace

void define(OwnDefinition definition) {
  const std::string name = definition.name;
  if (!definitions().contains(name) && problems().contains(name)) {
    throw bad_input(
        fmt::format("Problem: '{}' is a problem of the program; choose another name", name));
  }
  const bool known = definitions().contains(name);
  auto& place = definitions()[name];
  place = std::make_shared<const OwnDefinition>(std::move(definition));
  if (!known) problems().add(entry_of(*place));
}

std::int64_t usual_episodes(const std::string& problem) {
  return definitions().contains(problem) ? 1000 : 0;
}

void bind_own_problems(py::module_& m) {
  py::class_<RowNoise, std::shared_ptr<RowNoise>>(
      m, "RowNoise", "Random numbers, of which every row has a stream of its own.")
      .def(
          "normal",
          [](RowNoise& self, const py::args& shape) {
            return self.normal(shape.cast<std::vector<py::ssize_t>>());
          },
          "Standard normal numbers: rng.normal(2) is an array of shape (rows, 2).")
      .def(
          "uniform",
          [](RowNoise& self, const py::args& shape) {
            return self.uniform(shape.cast<std::vector<py::ssize_t>>());
          },
          "Numbers in (0, 1): rng.uniform() is an array of shape (rows,).");
  m.def("define_problem", [](const py::dict& said) {
    OwnDefinition d;
    d.name = said["name"].cast<std::string>();
    d.summary = said["summary"].cast<std::string>();
    for (const py::handle item : said["latents"]) {
      const auto [name, kind, low, high, mean, sd, values, cells] =
          item.cast<std::tuple<std::string, std::string, double, double, double, double,
                               std::vector<double>, int>>();
      const Prior::Kind of = kind == "uniform"       ? Prior::Kind::kUniform
                             : kind == "log-uniform" ? Prior::Kind::kLogUniform
                             : kind == "normal"      ? Prior::Kind::kNormal
                                                     : Prior::Kind::kChoice;
      d.latents.push_back({name, {of, low, high, mean, sd, values}, cells});
    }
    const auto [count, dim, low, high] =
        said["actions"].cast<std::tuple<int, int, double, double>>();
    d.actions = {count, dim, low, high};
    d.obs_dim = said["obs_dim"].cast<int>();
    d.state_dim = said["state_dim"].cast<int>();
    d.horizon = said["horizon"].cast<std::int64_t>();
    d.discount = said["discount"].cast<double>();
    d.observation_names = said["observation_names"].cast<std::vector<std::string>>();
    d.action_names = said["action_names"].cast<std::vector<std::string>>();
    d.functions = said["functions"].cast<std::string>();
    for (const auto& [name, to] : {std::pair{"reset", &d.reset},
                                   {"step", &d.step},
                                   {"observe", &d.observe},
                                   {"predict", &d.predict},
                                   {"release", &d.release}}) {
      *to = keep(said[name]);
    }
    define(std::move(d));
  });
  m.def("callback_time", [] {
    const CallbackTime& time = callback_time();
    return py::make_tuple(time.seconds, time.calls);
  });
}

}  // namespace bpo::python
