#include "bpo/algorithms/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bpo/algorithms/chosen.h"
#include "bpo/core/simulate.h"
#include "bpo/optimizers/advantages.h"

namespace bpo {
namespace {

constexpr std::uint64_t kValidationPurpose = 1, kWhiteningPurpose = 3;
constexpr int kMostRejected = 10;
constexpr double kDeterministic = 0.01;  // nats of mean action entropy

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

/// The largest of the lowest `share` of the values.
double lower_quantile(std::vector<double> values, double share) {
  const auto k = static_cast<std::size_t>(
      std::max(0.0, std::ceil(share * static_cast<double>(values.size())) - 1.0));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[k];
}

std::unique_ptr<Baseline> make_baseline(const TrainOptions& options, const Model& model,
                                        const ProblemSpec& problem, std::uint64_t seed,
                                        ThreadPool& pool) {
  const InputDims dims = model.inputs();
  if (options.baseline == "linear") return make_linear_baseline(dims.state + dims.belief);
  return model.make_baseline({.horizon = problem.horizon,
                              .seed = seed,
                              .whiten = options.whiten,
                              .init_hidden = static_cast<float>(options.init_hidden),
                              .damping = options.value_damping,
                              .subsample = options.value_subsample,
                              .latent_dim = options.privileged() ? problem.latent_dim : 0,
                              .steps = static_cast<int>(options.value_steps)},
                             pool);
}

/// The logarithm of the first standard deviation, where actions are continuous.
float first_log_std(const ActionSpace& actions, double share) {
  if (actions.discrete()) return 0.0f;
  return static_cast<float>(std::log(share * 0.5 * (actions.high - actions.low)));
}

/// EPOpt begins with all trajectories, for at most half of its iterations.
void begin_with_all(Config& config, TrainOptions& train) {
  config.change_default("algo.epsilon_from", std::min(train.epsilon_from, train.iterations / 2));
  config.read("algo", train);
}

}  // namespace

void TrainOptions::visit(OptionVisitor& v) {
  v.integer("iterations", iterations, {1, 1e9}, "number of iterations, n_itr of Algorithm 1");
  v.integer("hidden", hidden, {8, 1024}, "N_h, units per layer; a multiple of 8");
  v.number("init_std", init_std, {1e-6, 1e6},
           "first standard deviation of continuous actions, in half widths of their box");
  v.number("init_hidden", init_hidden, {1e-6, 1e3},
           "scale of the hidden layers' first weights: small ones start nearly linear");
  v.number("init_head", init_head, {1e-6, 1e3},
           "scale of the last layer's first weights: small ones start without a preference");
  v.flag("whiten", whiten, "whether first layers start out with inputs of mean 0 and variance 1");
  v.flag("scale_belief", scale_belief,
         "whether beliefs enter the network scaled by sqrt(cells), or as cosines on a joint grid, "
         "a variance as its logarithm, and a position relative to the goal");
  v.choice("spread", spread, {"shared", "own"},
           "the standard deviation of continuous actions: one for all inputs, or each its own");
  v.choice("baseline", baseline, {"linear", "network", "privileged"},
           "the value function: rllab's, a network, or one that also sees the true latent");
  v.number("value_damping", value_damping, {0.0, 1e3},
           "damping of the Gauss-Newton steps by which a network's value function is fitted");
  v.number("value_subsample", value_subsample, {0.01, 1.0},
           "share of a batch's inputs that the Gauss-Newton products are computed on");
  v.integer("value_steps", value_steps, {1, 1000},
            "Gauss-Newton steps by which a network as value function learns from a batch");
  v.integer("validate_every", validate_every, {1, 1e9}, "iterations between validations");
  v.integer("validate_episodes", validate_episodes, {1, 1e8}, "episodes of a validation");
  if (worst_share) {
    v.number("epsilon", epsilon, {0.001, 1.0}, "share of the worst trajectories that is kept");
    v.integer("epsilon_from", epsilon_from, {0, 1e9},
              "iterations at the start that keep all trajectories");
  }
  if (hidden % 8 != 0) {
    throw bad_input(fmt::format("algo.hidden = {}: must be a multiple of 8", hidden));
  }
}

std::shared_ptr<const Model> make_model(const ProblemSpec& problem, const Method& method,
                                        const TrainOptions& options) {
  if (method.model) return method.model(problem, options);
  return std::make_shared<NetworkModel>(
      std::make_shared<Network>(network_spec(problem, method.sees, method.encoders,
                                             static_cast<int>(options.hidden), options.scale_belief,
                                             options.spread == "own")),
      method.sees);
}

TrainSettings resolve_setup(const std::string& problem, const std::string& algorithm,
                            Config& config) {
  TrainSettings setup;
  setup.method = algorithms().at(algorithm).method;
  setup.problem = problems().at(problem).resolve(config);
  setup.train.worst_share = setup.method.worst_share;
  config.read("algo", setup.train);
  config.read("optimizer", setup.optimizer);
  make_default(chosen(problem, algorithm), config, setup.train, setup.optimizer);
  if (setup.method.worst_share) begin_with_all(config, setup.train);
  config.finish();
  config.finish_defaults();
  if (setup.method.latents == LatentSource::kNominal && !setup.problem.has_nominal) {
    throw bad_input(fmt::format(
        "algorithm '{}' trains on the prior's mean, and the latent of '{}' has none; use bpo, "
        "bpo-minus, up-mle, dr, epopt or oracle",
        algorithm, problem));
  }
  return setup;
}

TrainSetup make_setup(const std::string& problem, const std::string& algorithm, Config& config) {
  const TrainSettings settings = resolve_setup(problem, algorithm, config);
  return {settings.problem.build(), settings.method, settings.train, settings.optimizer};
}

Trainer::Trainer(const AnyProblem& problem, const Method& method, const TrainOptions& options,
                 const OptimizerOptions& optimizer, std::uint64_t seed, ThreadPool& pool)
    : problem_(problem),
      method_(method),
      options_(options),
      optimizer_options_(optimizer),
      seed_(seed),
      pool_(pool),
      model_(make_model(problem.spec(), method, options)),
      sampler_(problem, *model_, method.latents, options.privileged(), pool),
      optimizer_(make_optimizer(*model_, optimizer, pool)),
      baseline_(make_baseline(options, *model_, problem.spec(), seed, pool)) {
  state_.theta =
      model_->initialize({.seed = seed,
                          .hidden = static_cast<float>(options.init_hidden),
                          .head = static_cast<float>(options.init_head),
                          .log_std = first_log_std(problem.spec().actions, options.init_std)});
  if (options.whiten) {
    const Batch batch = sampler_.sample(state_.theta, derive_seed(seed, kWhiteningPurpose), 0,
                                        optimizer.batch_steps);
    model_->whiten(batch, state_.theta);
  }
  state_.best_theta = state_.theta;
}

std::vector<std::uint8_t> Trainer::choose(const Batch& batch) const {
  if (!method_.worst_share || state_.iteration < options_.epsilon_from) return {};
  const double cutoff = lower_quantile(batch.episode_return, options_.epsilon);
  std::vector<std::uint8_t> keep(batch.steps(), 0);
  for (int e = 0; e < batch.episodes(); ++e) {
    if (batch.episode_return[e] > cutoff) continue;
    std::fill(keep.begin() + batch.start[e], keep.begin() + batch.start[e + 1], 1);
  }
  return keep;
}

Metrics Trainer::iterate() {
  const Batch batch =
      sampler_.sample(state_.theta, seed_, state_.iteration, optimizer_options_.batch_steps);
  check_faults(batch.faults, batch.steps(),
               fmt::format("that was in iteration {} of seed {}; make the problem gentler "
                           "(problem.*) or optimizer.kl smaller",
                           state_.iteration, seed_));
  std::vector<std::uint8_t> keep = choose(batch);
  baseline_->bind(batch);
  const std::vector<double> values = baseline_->predict();
  const double discount = optimizer_options_.discount;
  const std::vector<double> returns = rewards_to_go(batch, discount);
  std::vector<double> advantages =
      generalized_advantages(batch, values, discount, optimizer_options_.lambda);
  standardize(advantages, keep);
  const UpdateStats stats = optimizer_->update(
      state_.theta, {batch, std::move(advantages), std::move(keep)},
      {seed_, state_.iteration,
       static_cast<double>(state_.iteration) / static_cast<double>(options_.iterations)});
  baseline_->fit(lambda_returns(batch, values, discount, optimizer_options_.value_lambda));

  ++state_.iteration;
  state_.steps += batch.steps();
  state_.filter_fallbacks += batch.filter_fallbacks;
  state_.faults += static_cast<std::int64_t>(batch.faults.size());
  state_.rejected += !stats.accepted;
  state_.rejected_in_a_row = stats.accepted ? 0 : state_.rejected_in_a_row + 1;

  Metrics metrics{state_.iteration,
                  {{"return", mean_of(batch.objective)},
                   {"kl", stats.kl},
                   {"entropy", stats.entropy},
                   {"belief_entropy", batch.belief_entropy},
                   {"surrogate", stats.surrogate},
                   {"explained_variance", explained_variance(values, returns)},
                   {"steps", static_cast<double>(state_.steps)},
                   {"distinct_inputs", static_cast<double>(batch.inputs.size())},
                   {"rejected", static_cast<double>(state_.rejected)},
                   {"filter_fallbacks", static_cast<double>(state_.filter_fallbacks)},
                   {"faults", static_cast<double>(state_.faults)}}};
  const bool stuck = state_.rejected_in_a_row >= kMostRejected;
  state_.settled = stuck && problem_.spec().actions.discrete() && stats.entropy < kDeterministic;
  if (state_.iteration % options_.validate_every == 0 || finished()) validate(metrics);
  if (stuck && !state_.settled) {
    throw Error(ErrorCode::kDiverged,
                fmt::format("{} updates in a row found no better policy within the trust region or "
                            "had no finite gradient (iteration {}); try a larger "
                            "optimizer.batch_steps or optimizer.damping",
                            kMostRejected, state_.iteration));
  }
  return metrics;
}

void Trainer::validate(Metrics& metrics) {
  // The same episodes each time, none of which is trained on. All methods are judged by the mean,
  // which is what is reported of them.
  const Evaluation evaluation =
      evaluate(problem_, *current_policy(), derive_seed(seed_, kValidationPurpose),
               options_.validate_episodes, pool_);
  const double score = evaluation.mean();
  metrics.values.emplace_back("validation", score);
  if (state_.has_best && !(score > state_.best_score)) return;
  state_.has_best = true;
  state_.best_score = score;
  state_.best_theta = state_.theta;
  state_.best_iteration = state_.iteration;
}

TrainState Trainer::save() const {
  TrainState out = state_;
  optimizer_->save(out.parts);
  baseline_->save(out.parts);
  return out;
}

void Trainer::load(TrainState state) {
  if (state.theta.size() != model_->parameters() ||
      state.best_theta.size() != model_->parameters()) {
    throw bad_input(fmt::format("has a network of {} numbers, and the run's settings ask for {}",
                                state.theta.size(), model_->parameters()));
  }
  optimizer_->load(state.parts);
  baseline_->load(state.parts);
  state.parts.clear();
  state_ = std::move(state);
}

std::unique_ptr<Policy> Trainer::best_policy() const {
  return model_->make_policy(state_.best_theta, false);
}
std::unique_ptr<Policy> Trainer::current_policy() const {
  return model_->make_policy(state_.theta, false);
}

}  // namespace bpo
