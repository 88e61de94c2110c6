#include "bpo/cli/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bpo/cli/measure.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/settings.h"

namespace bpo::cli {
namespace {

constexpr int kSteps = 8;  // after which actions are asked for

Subject open_subject(const std::string& directory, const EpisodeArguments& episodes) {
  Subject subject{.group = {.directory = directory}};
  for (const std::string& run : runs_of(directory)) {
    LoadedPolicy loaded = load_policy(run, episodes.sets, episodes.greedy);
    subject.runs.push_back({run, std::move(loaded), load_history(run)});
    const StudiedRun& first = subject.runs.front();
    check_one_training(first.directory, first.loaded, run, subject.runs.back().loaded);
  }
  return subject;
}

/// What is known exactly, if the world and the policy are the ones of here. Subjects in different
/// worlds have no optimum in common.
void add_exact(Study& study, ThreadPool& pool) {
  if (!study.episodes.sets.empty() || study.episodes.greedy) return;
  const Waiting waiting(study.problem + ": exact values", false);
  for (Subject& subject : study.subjects) {
    for (const StudiedRun& run : subject.runs) {
      const Result result =
          exact_numbers(run.directory, *run.loaded.problem, *run.loaded.policy, pool);
      if (result.optimum) study.optimum = result.optimum;
      if (result.exact_value) subject.exact.push_back(*result.exact_value);
    }
    if (subject.exact.size() < subject.runs.size()) subject.exact.clear();
  }
  if (!study.one_world()) study.optimum.reset();
}

void label(std::vector<Subject>& subjects) {
  std::map<std::string, int> count;
  for (const Subject& s : subjects) ++count[s.runs.front().loaded.run.algorithm];
  for (Subject& s : subjects) {
    s.label = s.runs.front().loaded.run.algorithm;
    if (count[s.label] > 1) s.label += fmt::format(" ({})", s.group.directory);
  }
}

void measure_study(Study& study, ThreadPool& pool) {
  const bool simulated = study.subjects.front().spec().simulated;
  if (study.episodes.count == 0) study.episodes.count = simulated ? 100 : 1000;
  std::vector<std::string> directories;
  for (const Subject& s : study.subjects) directories.push_back(s.group.directory);
  const Waiting waiting(
      fmt::format("{}: simulating {} episodes of each run", study.problem, study.episodes.count),
      false);
  std::vector<Group> groups = measure_groups(directories, study.episodes, pool);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    study.subjects[i].group = std::move(groups[i]);
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
        const int count = model.outcomes(t, i, a, View::kBelieved, outcomes);
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
  for (const StudiedRun& run : runs) all.push_back(run.loaded.run.seed);
  return fmt::format("seed{} {}", all.size() == 1 ? "" : "s", fmt::join(all, ", "));
}

bool Study::one_world() const {
  return std::all_of(subjects.begin(), subjects.end(),
                     [](const Subject& s) { return s.group.differs.empty(); });
}

std::uint64_t Study::seed() const {
  return derive_seed(static_cast<std::uint64_t>(episodes.seed), kEvaluationPurpose);
}

int Study::watched() const {
  const int most = subjects.front().spec().simulated ? kLanes / 4 : kLanes;
  return static_cast<int>(std::min<std::int64_t>(most, episodes.count));
}

std::vector<Study> study(const std::vector<std::string>& directories,
                         const EpisodeArguments& episodes, ThreadPool& pool) {
  std::vector<Study> studies;
  for (const std::string& directory : directories) {
    Subject subject = open_subject(directory, episodes);
    const std::string& problem = subject.runs.front().loaded.run.problem;
    auto found = std::find_if(studies.begin(), studies.end(),
                              [&](const Study& s) { return s.problem == problem; });
    if (found == studies.end()) found = studies.insert(found, {problem, episodes, {}, {}});
    found->subjects.push_back(std::move(subject));
  }
  for (Study& one : studies) {
    label(one.subjects);
    measure_study(one, pool);
    add_exact(one, pool);
  }
  return studies;
}

std::map<double, std::vector<double>> action_probabilities(const LoadedPolicy& loaded) {
  const ProblemSpec& spec = loaded.problem->spec();
  const InformationModel* model = loaded.problem->information();
  if (model == nullptr || spec.belief_dim != 2 || spec.horizon <= kSteps) return {};
  const auto actions = static_cast<std::size_t>(spec.actions.size());
  std::map<double, std::vector<double>> sums;
  std::map<double, double> counts;
  PolicyInputs in(spec);
  in.episodes.count = 1;
  std::vector<float> out(kLanes * actions);
  for (const std::size_t i : reachable(*model)) {
    model->inputs(kSteps, i, {in.obs[0], in.belief[0], in.estimate[0]});
    try {
      loaded.policy->probabilities(in, out);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadInput) throw;
      return {};
    }
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

}  // namespace bpo::cli
