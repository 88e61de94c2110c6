#include "bpo/agent/export/taken_apart.h"

#include <fmt/format.h>

#include "bpo/core/tracker.h"

namespace bpo {
namespace {

constexpr std::size_t kMostNumbers = 2'000'000;  // the most that a filter's tables may have

std::size_t numbers_in(const FilterForm& form) {
  if (const auto* grid = std::get_if<GridForm>(&form)) {
    return grid->evidence.size() + grid->kind.size() + grid->transition.size();
  }
  std::size_t sum = 0;
  if (const auto* state = std::get_if<StateForm>(&form)) {
    for (const auto* tables : {&state->tables.transition, &state->tables.observation}) {
      for (const SparseRows& rows : *tables) {
        for (int i = 0; i < rows.rows(); ++i) sum += 1 + rows.row(i).size();
      }
    }
  }
  return sum;
}

}  // namespace

int TakenApart::belief_size() const {
  if (!sees_belief()) return 0;
  return sees_estimate() ? spec().estimate_dim : spec().belief_dim;
}

std::vector<float> TakenApart::prior() const {
  if (!sees_belief()) return {};
  const auto tracker = loaded->problem->make_tracker();
  const PolicyInputs& in = tracker->inputs();
  const auto seen = sees_estimate() ? in.estimate[0] : in.belief[0];
  return {seen.begin(), seen.end()};
}

std::vector<float> TakenApart::clock() const {
  std::vector<float> out;
  if (!(spec().clock > 0.0)) return out;
  for (int t = 0; t <= spec().horizon; ++t) out.push_back(clock_feature(spec(), t));
  return out;
}

std::vector<int> TakenApart::index_sizes() const {
  std::vector<int> out(static_cast<std::size_t>(observation_size));
  for (const InputTerm& term : inputs) {
    if (term.equals >= 0) out[term.number] = std::max(out[term.number], term.equals + 1);
  }
  return out;
}

TakenApart take_apart(const LoadedPolicy& loaded) {
  const std::string& name = loaded.problem->spec().name;
  TakenApart out{.loaded = &loaded,
                 .policy = dynamic_cast<const NetworkPolicy*>(loaded.policy.get())};
  if (out.policy == nullptr) {
    throw bad_input(fmt::format(
        "{}: what {} makes is no network, and only networks are exported; train one (`bpo train`), "
        "or act with it through libbpo (docs/agent.md)",
        name, loaded.run.algorithm));
  }
  if (out.policy->sees_latent()) {
    throw bad_input(fmt::format(
        "{}: {} sees the true latent, which nobody knows outside of a simulation; export a policy "
        "that keeps a belief, such as bpo's",
        name, loaded.run.algorithm));
  }
  const auto tracker = loaded.problem->make_tracker();
  if (tracker == nullptr) {
    throw bad_input(fmt::format("{}: its observations cannot be told as plain numbers", name));
  }
  ClosedForm form = loaded.problem->closed_form();
  const int seen = out.spec().obs_dim - (out.spec().clock > 0.0);
  out.encoded = form.inputs.empty();
  out.observation_size = out.encoded ? seen : tracker->observation_size();
  if (out.encoded) add_copies(form.inputs, 0, seen);
  out.inputs = std::move(form.inputs);
  if (out.sees_belief() && !out.encoded) out.filter = std::move(form.filter);
  if (const std::size_t numbers = numbers_in(out.filter); numbers > kMostNumbers) {
    throw bad_input(fmt::format(
        "{}: its filter is {} numbers, and at most {} are written out; use libbpo-runtime "
        "(docs/deploy.md), which reads the policy as it is",
        name, numbers, kMostNumbers));
  }
  return out;
}

}  // namespace bpo
