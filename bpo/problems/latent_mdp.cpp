// A small world given wholly in a TOML file: finitely many states and actions, and a few models of
// how actions move the state, one of which is the true one. The agent sees the state and does not
// know the model; its belief over the models follows Eq. (2).
//
//   kind = "latent-mdp"
//   horizon = 50
//   discount = 0.95                    # 1 if it is left out
//   states = ["left", "right"]         # an episode begins in the first
//   actions = ["stay", "go"]
//   [[model]]
//   name = "slippery"
//   weight = 2                         # how probable it is beside the others; 1 if left out
//   step = [                           # one for each state and action; rewards are for arriving
//     {from = "left", action = "go", to = {left = 0.3, right = 0.7}, reward = {right = 1.0}},
//     ...]
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "bpo/core/problem_file.h"
#include "bpo/core/toml.h"
#include "bpo/filters/grid.h"

namespace bpo {
namespace {

constexpr std::size_t kMostStates = 200, kMostActions = 50, kMostModels = 1000;
constexpr double kMostNumbers = 2e7;

/// What the file says. Tables are [model][state][action][next].
struct LatentMdp {
  std::string name;
  std::int64_t horizon = 100;
  double discount = 1.0;
  std::vector<std::string> states, actions, models;
  std::vector<double> prior, probability, reward;

  std::size_t at(int model, int s, int a, int next) const {
    return ((static_cast<std::size_t>(model) * states.size() + s) * actions.size() + a) *
               states.size() +
           next;
  }
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& file)
      : file_(file), root_(parse_toml(text, file)) {}

  LatentMdp read() {
    only(root_, {"kind", "horizon", "discount", "states", "actions", "model"});
    LatentMdp out;
    out.horizon = static_cast<std::int64_t>(number(root_, "horizon", 1.0, 100000.0));
    if (root_.contains("discount")) out.discount = number(root_, "discount", 0.0, 1.0);
    out.states = words(root_, "states", kMostStates);
    out.actions = words(root_, "actions", kMostActions);
    const toml::array* models = root_["model"].as_array();
    if (models == nullptr || !models->is_array_of_tables() || models->size() > kMostModels) {
      fail(root_.source(), fmt::format("needs 1 to {} tables [[model]]", kMostModels));
    }
    if (std::pow(out.states.size(), 2.0) * out.actions.size() * models->size() > kMostNumbers) {
      fail(models->source(), "too many models for so many states and actions");
    }
    out.probability.assign(out.at(static_cast<int>(models->size()), 0, 0, 0), 0.0);
    out.reward = out.probability;
    for (const toml::node& node : *models) read_model(*node.as_table(), out);
    const double sum = std::accumulate(out.prior.begin(), out.prior.end(), 0.0);
    for (double& p : out.prior) p /= sum;
    return out;
  }

 private:
  [[noreturn]] void fail(const toml::source_region& at, const std::string& what) const {
    throw bad_input(fmt::format("{}: {}", place_in(file_, at.begin), what));
  }
  void only(const toml::table& table, std::initializer_list<const char*> keys) const {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      fail(node.source(),
           fmt::format("unknown key '{}'; there are: {}", key.str(), fmt::join(keys, ", ")));
    }
  }
  double number(const toml::node& node, const std::string& name, double low, double high) const {
    const auto value = node.value<double>();
    if (node.is_number() && *value >= low && *value <= high) return *value;
    fail(node.source(), fmt::format("{} must be a number in [{}, {}]", name, low, high));
  }
  double number(const toml::table& table, const char* key, double low, double high) const {
    if (const toml::node* node = table.get(key)) return number(*node, key, low, high);
    fail(table.source(), fmt::format("{} is missing", key));
  }
  std::vector<std::string> words(const toml::table& table, const char* key,
                                 std::size_t most) const {
    std::vector<std::string> out;
    const toml::array* array = table[key].as_array();
    if (array != nullptr) {
      for (const toml::node& node : *array) {
        const auto word = node.value<std::string>();
        if (!word || word->empty() || std::find(out.begin(), out.end(), *word) != out.end()) {
          fail(node.source(), fmt::format("{}: must be different words", key));
        }
        out.push_back(*word);
      }
    }
    if (out.empty() || out.size() > most) {
      fail(array ? array->source() : table.source(),
           fmt::format("{} must be a list of 1 to {} words", key, most));
    }
    return out;
  }
  int index(const toml::node& node, const std::string& word, const std::vector<std::string>& among,
            const char* what) const {
    const auto at = std::find(among.begin(), among.end(), word);
    if (at != among.end()) return static_cast<int>(at - among.begin());
    fail(node.source(),
         fmt::format("'{}' is no {}; there are: {}", word, what, fmt::join(among, ", ")));
  }
  int index(const toml::table& table, const char* key, const std::vector<std::string>& among,
            const char* what) const {
    const auto word = table[key].value<std::string>();
    if (!word) fail(table.source(), fmt::format("{} must name one of the {}s", key, what));
    return index(*table.get(key), *word, among, what);
  }

  void read_model(const toml::table& table, LatentMdp& out) const {
    only(table, {"name", "weight", "step"});
    const int model = static_cast<int>(out.models.size());
    out.models.push_back(table["name"].value_or(fmt::format("model {}", model + 1)));
    out.prior.push_back(table.contains("weight") ? number(table, "weight", 1e-9, 1e9) : 1.0);
    const toml::array* steps = table["step"].as_array();
    if (steps == nullptr || !steps->is_array_of_tables()) {
      fail(table.source(),
           "a model needs step = [{from, action, to, reward}, ...] for each state and action");
    }
    std::vector<bool> given(out.states.size() * out.actions.size());
    for (const toml::node& node : *steps) read_step(*node.as_table(), model, given, out);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i]) continue;
      fail(table.source(),
           fmt::format("model '{}' says nothing of action '{}' in state '{}'", out.models.back(),
                       out.actions[i % out.actions.size()], out.states[i / out.actions.size()]));
    }
  }

  void read_step(const toml::table& table, int model, std::vector<bool>& given,
                 LatentMdp& out) const {
    only(table, {"from", "action", "to", "reward"});
    const int s = index(table, "from", out.states, "state");
    const int a = index(table, "action", out.actions, "action");
    const std::size_t pair = static_cast<std::size_t>(s) * out.actions.size() + a;
    if (given[pair]) fail(table.source(), "this state and action are told twice");
    given[pair] = true;
    const toml::table* to = table["to"].as_table();
    if (to == nullptr) fail(table.source(), "to must be a table of probabilities, {state = p}");
    double sum = 0.0;
    for (const auto& [word, node] : *to) {
      const int next = index(node, std::string(word.str()), out.states, "state");
      sum += out.probability[out.at(model, s, a, next)] = number(node, "a probability", 0.0, 1.0);
    }
    if (std::abs(sum - 1.0) > 1e-9) {
      fail(to->source(), fmt::format("the probabilities sum to {}, not 1", sum));
    }
    for (int next = 0; next < static_cast<int>(out.states.size()); ++next) {
      out.probability[out.at(model, s, a, next)] /= sum;
    }
    if (!table.contains("reward")) return;
    const toml::table* reward = table["reward"].as_table();
    if (reward == nullptr) fail(table.source(), "reward must be a table, {state = number}");
    for (const auto& [word, node] : *reward) {
      const int next = index(node, std::string(word.str()), out.states, "state");
      out.reward[out.at(model, s, a, next)] = number(node, "a reward", -1e9, 1e9);
    }
  }

  std::string file_;
  toml::table root_;
};

struct LatentMdpOptions {
  std::shared_ptr<const LatentMdp> file;
  std::int64_t horizon = 100;

  void visit(OptionVisitor& v) {
    v.integer("horizon", horizon, {1, 100000}, "steps per episode; the file's if not given");
  }
  TrainingDefaults training_defaults() const {
    return {{"optimizer.discount", file ? file->discount : 1.0}};
  }
};

class LatentMdpProblem {
 public:
  using Latent = int;  // the true model
  using State = int;
  using Observation = int;
  using Action = int;

  explicit LatentMdpProblem(const LatentMdpOptions& options)
      : file_(options.file), horizon_(static_cast<int>(options.horizon)) {}

  ProblemSpec spec() const {
    return {.name = file_->name,
            .horizon = horizon_,
            .discount = file_->discount,
            .actions = {.count = actions()},
            .obs_dim = states(),
            .latent_dim = 1};
  }
  ProblemView view() const {
    return {.observation = {"state"},
            .observation_values = file_->states,
            .actions = file_->actions,
            .latents = {"model"},
            .latent_values = file_->models,
            .latent_units = {"index"}};
  }

  Latent sample_latent(Rng& rng) const { return draw(file_->prior, rng); }
  Latent latent_of(std::span<const double> numbers) const {
    return check_index("model", numbers[0], cells());
  }
  State sample_state(const Latent&, Rng&) const { return 0; }
  StepResult step(State& s, const Latent& model, Action a, Rng& rng) const {
    const int next =
        draw({file_->probability.data() + file_->at(model, s, a, 0), file_->states.size()}, rng);
    const double reward = file_->reward[file_->at(model, s, a, next)];
    s = next;
    return {reward};
  }
  Observation observe(const State& s, const Latent&, Rng&) const { return s; }
  void encode(const Observation& s, std::span<float> out) const {
    for (int i = 0; i < states(); ++i) out[i] = i == s ? 1.0f : 0.0f;
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_one_hot(out, 0, states());
    return out;
  }
  void encode_latent(const Latent& model, std::span<float> out) const {
    out[0] = static_cast<float>(model);
  }

  // The grid: one cell per model. A kind of evidence is (s, a, s').
  int factors() const { return 1; }
  int cells() const { return static_cast<int>(file_->models.size()); }
  double cell_value(int cell) const { return cell; }
  double log_prior(int, int cell) const { return std::log(file_->prior[cell]); }
  int evidence_kinds() const { return states() * actions() * states(); }
  int evidence(const Observation& s, Action a, const Observation& next) const {
    return (s * actions() + a) * states() + next;
  }
  double log_likelihood(int kind, int, int cell) const {
    return std::log(file_->probability[file_->at(cell, 0, 0, 0) + kind]);
  }

  // A state of the tables is (s, model), of which s is seen.
  TabularModel tabular() const {
    TabularModel m{.states = cells() * states(),
                   .actions = actions(),
                   .observations = states(),
                   .visible = states(),
                   .discount = file_->discount,
                   .horizon = horizon_,
                   .transition = std::vector<SparseRows>(actions()),
                   .observation = std::vector<SparseRows>(actions())};
    check_states(m.states, "models");
    std::vector<SparseRows::Entry> row(states());
    for (int from = 0; from < m.states; ++from) {
      const int s = from / cells(), model = from % cells();
      for (int a = 0; a < actions(); ++a) {
        double reward = 0.0;
        for (int next = 0; next < states(); ++next) {
          const std::size_t at = file_->at(model, s, a, next);
          row[next] = {next * cells() + model, file_->probability[at]};
          reward += file_->probability[at] * file_->reward[at];
        }
        m.transition[a].add_row(row);
        m.observation[a].add_row(std::array{SparseRows::Entry{s, 1.0}});
        m.reward.push_back(reward);
      }
      m.initial.push_back(s == 0 ? file_->prior[model] : 0.0);
    }
    return m;
  }

 private:
  int states() const { return static_cast<int>(file_->states.size()); }
  int actions() const { return static_cast<int>(file_->actions.size()); }
  static int draw(std::span<const double> p, Rng& rng) {
    double u = rng.uniform();
    int last = 0;
    for (int i = 0; i < static_cast<int>(p.size()); ++i) {
      if (p[i] == 0.0) continue;
      last = i;
      if ((u -= p[i]) < 0.0) break;
    }
    return last;
  }

  std::shared_ptr<const LatentMdp> file_;
  int horizon_;
};

const RegisterFileKind kLatentMdp{
    {"latent-mdp", "finitely many states, and a few models of how actions move them (TOML)",
     [](const std::string& problem, const std::string& text, const std::string& file) {
       LatentMdp read = Reader(text, file).read();
       read.name = problem;
       LatentMdpOptions options{std::make_shared<const LatentMdp>(std::move(read))};
       options.horizon = options.file->horizon;
       return problem_entry<LatentMdpProblem, LatentMdpOptions, GridFilter<LatentMdpProblem>>(
           problem, "from " + file, options);
     }}};

}  // namespace
}  // namespace bpo
