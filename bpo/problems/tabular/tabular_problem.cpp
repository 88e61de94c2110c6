#include "bpo/problems/tabular/tabular_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/filters/discrete.h"
#include "bpo/problems/tabular/lint.h"

namespace bpo {
namespace {

/// Above this, a hidden state is told to an oracle or by an estimate as one number instead of a
/// one-hot, and a belief is too long to be drawn.
constexpr int kFewHidden = 1000;

/// Names, or numbers where there are none.
std::vector<std::string> all_names(const std::vector<std::string>& names, const char* one, int n) {
  if (!names.empty()) return names;
  std::vector<std::string> out;
  for (int i = 0; i < n; ++i) out.push_back(fmt::format("{} {}", one, i));
  return out;
}

/// The column that u in [0, 1) falls on; entries sum to one.
template <class Entries>
int draw(const Entries& entries, double u) {
  int last = 0;
  for (const SparseRows::Entry& e : entries) {
    last = e.column;
    if ((u -= e.value) < 0.0) break;
  }
  return last;
}

struct Setting {
  std::string name;
  TabularOptions options;
  std::shared_ptr<const TabularModel> tables;
};

class TabularProblem {
 public:
  struct State {
    int x = 0, o = 0;
  };
  using Latent = int;  // y
  using Observation = State;
  using Action = int;

  explicit TabularProblem(const Setting& setting)
      : name_(setting.name), options_(setting.options), tables_(setting.tables) {
    const TabularModel& m = *tables_;
    auto start = std::make_shared<Start>();
    start->seen.resize(m.hidden());
    start->over.resize(m.states);
    for (int y = 0; y < m.hidden(); ++y) {
      double sum = 0.0;
      for (int x = 0; x < m.visible; ++x) {
        const double p = m.initial[static_cast<std::size_t>(x) * m.hidden() + y];
        if (p > 0.0) start->seen[y].push_back({x, p});
        sum += p;
      }
      for (auto& e : start->seen[y]) e.value /= sum;
      if (sum > 0.0) start->hidden.push_back({y, sum});
    }
    for (int s = 0; s < m.states; ++s) start->over[s] = is_over(m, s);
    start_ = std::move(start);
  }

  ProblemSpec spec() const {
    const bool clock = options_.discount == 1.0;
    return {.name = name_,
            .horizon = options_.steps(),
            .discount = options_.discount,
            .actions = {.count = tables_->actions},
            .clock = clock ? 4.0 : 0.0,
            .obs_dim = seen_size() + heard_size(),
            .latent_dim = estimate_size()};
  }
  ProblemView view() const {
    const TabularModel& m = *tables_;
    ProblemView view{.actions = all_names(m.names.actions, "action", m.actions)};
    if (seen_size() > 0) {
      view.observation.push_back("seen state");
      view.seen_values = all_names(m.names.seen, "state", m.visible);
    }
    if (heard_size() > 0) {
      view.observation.push_back("observation");
      view.observation_values = all_names(m.names.observations, "observation", m.observations);
      view.observation_values.push_back("(none yet)");
    }
    if (m.hidden() <= kFewHidden) {
      view.latent_values = all_names(m.names.hidden, "state", m.hidden());
      view.latents = view.latent_values;
    } else {
      view.latents = {"state"};
    }
    view.latent_units.assign(view.latents.size(), "1");  // shares: of belief, or of the states
    return view;
  }

  Latent sample_latent(Rng& rng) const { return draw(start_->hidden, rng.uniform()); }
  Latent latent_of(std::span<const double> numbers) const {
    const auto at = std::max_element(numbers.begin(), numbers.end());
    const double y = numbers.size() > 1 ? static_cast<double>(at - numbers.begin())
                                        : std::round(numbers[0] * tables_->hidden());
    const int chosen = check_index("hidden state", y, tables_->hidden());
    if (!start_->seen[chosen].empty()) return chosen;
    throw bad_input(fmt::format("latent: no episode begins in hidden state {}", chosen));
  }
  /// Hidden states have no mean: the most probable one where an episode begins stands for it, the
  /// first of several. It moves on as any other.
  Latent nominal_latent() const {
    const auto less = [](const auto& a, const auto& b) { return a.value < b.value; };
    return std::max_element(start_->hidden.begin(), start_->hidden.end(), less)->column;
  }
  State sample_state(const Latent& y, Rng& rng) const {
    return {draw(start_->seen[y], rng.uniform()), tables_->observations};
  }
  StepResult step(State& s, Latent& y, Action a, Rng& rng) const {
    const TabularModel& m = *tables_;
    const int now = s.x * m.hidden() + y;
    const double reward = m.reward[static_cast<std::size_t>(now) * m.actions + a];
    const int next = draw(m.transition[a].row(now), rng.uniform());
    s = {next / m.hidden(), draw(m.observation[a].row(next), rng.uniform())};
    y = next % m.hidden();
    return {reward, start_->over[next]};
  }
  Observation observe(const State& s, const Latent&, Rng&) const { return s; }

  // A one-hot of x, where there are several, and one of o, with an entry more for none yet.
  void encode(const Observation& o, std::span<float> out) const {
    std::fill_n(out.begin(), seen_size() + heard_size(), 0.0f);
    if (seen_size() > 0) out[o.x] = 1.0f;
    if (heard_size() > 0) out[seen_size() + o.o] = 1.0f;
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_one_hot(out, 0, seen_size());
    add_one_hot(out, heard_at(), heard_size());
    return out;
  }
  void encode_latent(const Latent& y, std::span<float> out) const {
    if (out.size() == 1) {
      out[0] = static_cast<float>(y) / static_cast<float>(tables_->hidden());
      return;
    }
    std::fill(out.begin(), out.end(), 0.0f);
    out[y] = 1.0f;
  }

  int observation_size() const { return (seen_size() > 0) + (heard_size() > 0); }
  void to_numbers(const Observation& o, std::span<double> out) const {
    if (seen_size() > 0) out[0] = o.x;
    if (heard_size() > 0) out.back() = o.o;
  }
  void from_numbers(std::span<const double> in, Observation& o) const {
    o = {};
    if (seen_size() > 0) o.x = check_index("seen state", in[0], seen_size());
    if (heard_size() > 0) o.o = check_index("observation", in.back(), heard_size());
  }

  const TabularModel& tables() const { return *tables_; }
  int seen(const Observation& o) const { return o.x; }
  int heard(const Observation& o) const { return heard_size() > 0 ? o.o : 0; }
  int seen_at() const { return seen_size() > 0 ? 0 : -1; }
  int heard_at() const { return heard_size() > 0 ? observation_size() - 1 : -1; }
  int estimate_size() const { return tables_->hidden() <= kFewHidden ? tables_->hidden() : 1; }
  TabularModel tabular() const {
    TabularModel m = *tables_;
    m.discount = options_.discount;
    m.horizon = static_cast<int>(options_.horizon);
    return m;
  }

 private:
  struct Start {
    std::vector<SparseRows::Entry> hidden;             // y and its probability
    std::vector<std::vector<SparseRows::Entry>> seen;  // by y: x and its probability
    std::vector<bool> over;                            // by s: the episode ends there
  };

  int seen_size() const { return tables_->visible > 1 ? tables_->visible : 0; }
  int heard_size() const {
    return tables_->observations > 1 || tables_->visible == 1 ? tables_->observations + 1 : 0;
  }

  std::string name_;
  TabularOptions options_;
  std::shared_ptr<const TabularModel> tables_;
  std::shared_ptr<const Start> start_;
};

}  // namespace

void TabularOptions::visit(OptionVisitor& v) {
  v.integer("horizon", horizon, {0, 100000},
            "steps per episode; 0: it goes on, and a simulation ends where rewards weigh nothing");
  v.number("discount", discount, {0.0, 1.0}, "weight of a reward that comes a step later");
}

int TabularOptions::steps() const {
  constexpr int kMost = 500, kUndiscounted = 100;
  if (horizon > 0) return static_cast<int>(horizon);
  if (discount == 1.0) return kUndiscounted;
  if (discount <= kNothing) return 1;
  return std::clamp(static_cast<int>(std::ceil(std::log(kNothing) / std::log(discount))), 1, kMost);
}

std::unique_ptr<AnyProblem> make_tabular(const std::string& name, const TabularOptions& options,
                                         std::shared_ptr<const TabularModel> tables) {
  return std::make_unique<ProblemWith<TabularProblem, DiscreteFilter<TabularProblem>>>(
      Setting{name, options, std::move(tables)});
}

ProblemEntry tabular_entry(const std::string& name, const std::string& summary,
                           TabularModel tables) {
  TabularOptions defaults{.horizon = tables.horizon, .discount = tables.discount};
  const auto shared = std::make_shared<const TabularModel>(std::move(tables));
  return {.name = name,
          .summary = summary,
          .resolve = [=](Config& config) -> ResolvedProblem {
            TabularOptions options = defaults;
            config.read("problem", options);
            for (const auto& [key, value] : options.training_defaults()) {
              config.set_default(key, value);
            }
            return {options.steps(), true, [=] { return make_tabular(name, options, shared); }};
          },
          .options = [=] { return Config::rows("problem", defaults); }};
}

}  // namespace bpo
