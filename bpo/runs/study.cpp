#include "bpo/runs/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bpo/runs/result.h"
#include "bpo/runs/settings.h"

namespace bpo {
namespace {

constexpr int kSteps = 8;  // after which actions are asked for

Subject open_subject(const std::string& directory, const Protocol& protocol) {
  Subject subject{.policies = load_runs(directory, protocol.sets, protocol.greedy),
                  .group = {.directory = directory}};
  for (const LoadedPolicy& run : subject.policies) {
    subject.histories.push_back(load_history(run.directory));
  }
  return subject;
}

/// What is known exactly, if the world and the policy are the ones of here. Subjects in different
/// worlds have no optimum in common.
void add_exact(Study& study, Log& log, ThreadPool& pool) {
  if (!study.protocol.sets.empty() || study.protocol.greedy) return;
  const Activity activity(log, study.problem + ": exact values");
  for (Subject& subject : study.subjects) {
    for (std::size_t k = 0; k < subject.policies.size(); ++k) {
      const Measurement exact = exact_numbers(subject.policies[k], pool);
      if (exact.optimum) study.optimum = exact.optimum;
      subject.group.runs[k].exact_value = exact.exact_value;
    }
    if (subject.group.exact()) continue;
    for (Measurement& run : subject.group.runs) run.exact_value.reset();
  }
  if (!study.one_world()) study.optimum.reset();
}

void label(std::vector<Subject>& subjects) {
  std::map<std::string, int> count;
  for (const Subject& s : subjects) ++count[s.policies.front().run.algorithm];
  for (Subject& s : subjects) {
    s.label = s.policies.front().run.algorithm;
    if (count[s.label] > 1) s.label += fmt::format(" ({})", s.group.directory);
  }
}

void measure_study(Study& study, Log& log, ThreadPool& pool) {
  const LoadedPolicy& first = study.subjects.front().policies.front();
  std::int64_t& episodes = study.protocol.episodes;
  if (episodes == 0) episodes = first.problem->spec().simulated ? 100 : 1000;
  const Activity activity(
      log, fmt::format("{}: simulating {} episodes of each run", study.problem, episodes));
  NullLog quiet;
  for (Subject& s : study.subjects) {
    s.group = measure_group(s.group.directory, s.policies, study.protocol, quiet, pool);
    s.group.differs = world_difference(first, s.policies.front());
  }
}

/// The information states that can be reached in kSteps steps.
std::set<std::size_t> reachable(const InformationModel& model) {
  std::set<std::size_t> now{model.start()};
  std::array<Outcome, kMaxOutcomes> outcomes;
  for (int t = 0; t < kSteps; ++t) {
    std::set<std::size_t> next;
    for (const std::size_t i : now) {
      for (int a = 0; a < model.spec().actions.size(); ++a) {
        const int count = model.outcomes(t, i, a, Perspective::kBelieved, outcomes);
        for (int k = 0; k < count; ++k) {
          if (outcomes[k].probability > 0.0) next.insert(outcomes[k].next);
        }
      }
    }
    now = std::move(next);
  }
  return now;
}

}  // namespace

std::string Subject::seeds() const {
  std::vector<std::int64_t> all;
  for (const LoadedPolicy& run : policies) all.push_back(run.run.seed);
  return fmt::format("seed{} {}", all.size() == 1 ? "" : "s", fmt::join(all, ", "));
}

bool Study::one_world() const {
  return std::all_of(subjects.begin(), subjects.end(),
                     [](const Subject& s) { return s.group.differs.empty(); });
}

int Study::watched() const {
  const int most = subjects.front().spec().simulated ? kLanes / 4 : kLanes;
  return static_cast<int>(std::min<std::int64_t>(most, protocol.episodes));
}

std::vector<Study> study(const std::vector<std::string>& directories, const Protocol& protocol,
                         Log& log, ThreadPool& pool) {
  std::vector<Study> studies;
  for (const std::string& directory : directories) {
    Subject subject = open_subject(directory, protocol);
    const std::string& problem = subject.policies.front().run.problem;
    auto found = std::find_if(studies.begin(), studies.end(),
                              [&](const Study& s) { return s.problem == problem; });
    if (found == studies.end()) found = studies.insert(found, {problem, protocol, {}, {}});
    found->subjects.push_back(std::move(subject));
  }
  for (Study& one : studies) {
    label(one.subjects);
    measure_study(one, log, pool);
    add_exact(one, log, pool);
  }
  return studies;
}

std::map<double, std::vector<double>> action_probabilities(const LoadedPolicy& loaded) {
  const ProblemSpec& spec = loaded.problem->spec();
  const InformationModel* model = loaded.problem->information();
  if (model == nullptr || spec.belief_dim != 2 || spec.horizon <= kSteps) return {};
  const ActionProbabilities* probabilities = loaded.policy->probabilities();
  if (probabilities == nullptr) return {};
  const auto actions = static_cast<std::size_t>(spec.actions.size());
  std::map<double, std::vector<double>> sums;
  std::map<double, double> counts;
  PolicyInputs in(spec);
  in.episodes.count = 1;
  std::vector<float> out(kLanes * actions);
  for (const std::size_t i : reachable(*model)) {
    model->inputs(kSteps, i, {in.obs[0], in.belief[0], in.estimate[0]});
    probabilities->compute(in, out);
    const double belief = in.belief[0][0];
    sums[belief].resize(actions);
    for (std::size_t a = 0; a < actions; ++a) sums[belief][a] += out[a];
    ++counts[belief];
  }
  for (auto& [belief, sum] : sums) {
    for (double& p : sum) p /= counts[belief];
  }
  return sums;
}

}  // namespace bpo
