#include "bpo/runs/posterior_agreement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "bpo/agent/agent.h"
#include "bpo/runs/loaded.h"

namespace bpo {
namespace {

constexpr std::uint64_t kEpisodeSeed = 1;
constexpr int kChunk = 10;  // episodes that are computed by one thread

/// Whether no value of an axis is nearer to the latent's factor than the estimate is.
bool is_nearest(std::span<const float> estimate, std::span<const float> latent,
                const BeliefGrid& grid) {
  for (std::size_t i = 0; i < latent.size(); ++i) {
    const double off = std::abs(double{estimate[i]} - latent[i]);
    for (double value : grid.axes[i]) {
      // An estimate is a float, and an axis has doubles.
      if (std::abs(value - latent[i]) < off - 1e-6) return false;
    }
  }
  return true;
}

/// The problem at its default options, or as a run has it, with these changes.
std::unique_ptr<AnyProblem> problem_of(const std::string& name, const LoadedPolicy* run,
                                       Config changes) {
  if (run != nullptr) return load_plan(run->directory, changes).problem;
  return problems().at(name).make(changes);
}

/// The two beliefs of one world, episode after episode.
class Comparison {
 public:
  Comparison(const AnyProblem& pruned, const AnyProblem& full, const LoadedPolicy* run)
      : pruned_(pruned.make_tracker()), full_(full.make_tracker()), world_(pruned.simulator()) {
    if (run != nullptr) agent_.emplace(load_run(run->directory));
    o_.resize(world_->observation_size());
    a_.resize(world_->action_size());
    latent_.resize(pruned.spec().latent_dim);
  }

  void play(std::uint64_t episode, PosteriorAgreement& out) {
    Rng draw(kEpisodeSeed, Use::kLatent, episode), state(kEpisodeSeed, Use::kState, episode);
    Rng actions(kEpisodeSeed, Use::kAction, episode);
    world_->reset(draw, state);
    world_->latent(latent_);
    world_->observe(state, o_);
    if (agent_) agent_->reset(kEpisodeSeed, episode);
    for (Tracker* tracker : both()) tracker->begin(kEpisodeSeed, episode, o_);
    bool done = false;
    for (int t = 0; t < pruned_->spec().horizon && !done; ++t) {
      for (double& u : a_) u = actions.normal();
      if (agent_) std::ranges::copy(agent_->act(o_), a_.begin());
      done = world_->step(a_, state).done;
      world_->observe(state, o_);
      for (Tracker* tracker : both()) tracker->update(a_, o_);
      if (agent_) agent_->observe(a_, o_);
      count_step(out);
    }
    const BeliefGrid& grid = *pruned_->spec().grid;
    out.pruned_right += is_nearest(pruned_->inputs().estimate[0], latent_, grid);
    out.full_right += is_nearest(full_->inputs().estimate[0], latent_, grid);
    ++out.episodes;
  }

 private:
  std::array<Tracker*, 2> both() const { return {pruned_.get(), full_.get()}; }

  void count_step(PosteriorAgreement& out) const {
    const PolicyInputs &one = pruned_->inputs(), &other = full_->inputs();
    double apart = 0.0;
    for (std::size_t i = 0; i < one.belief[0].size(); ++i) {
      apart += std::abs(double{one.belief[0][i]} - other.belief[0][i]);
    }
    ++out.steps;
    out.same_best += std::ranges::equal(one.estimate[0], other.estimate[0]);
    out.worst = std::max(out.worst, apart);
  }

  std::unique_ptr<Tracker> pruned_, full_;
  std::unique_ptr<Simulator> world_;
  std::optional<Agent> agent_;
  std::vector<double> o_, a_;
  std::vector<float> latent_;
};

}  // namespace

void PosteriorAgreement::visit(Wire& wire) {
  wire(episodes), wire(steps), wire(same_best), wire(worst), wire(pruned_right), wire(full_right);
}

PosteriorAgreement compare_posteriors(const std::string& problem, const LoadedPolicy* run,
                                      std::int64_t episodes, ThreadPool& pool) {
  Config exact;
  exact.set("problem.tolerance=0");
  const auto pruned = problem_of(problem, run, {}), full = problem_of(problem, run, exact);
  if (!pruned->spec().grid) {
    throw bad_input("--filter: the belief of " + problem +
                    " is told by moments, and cells are what is compared");
  }
  const auto chunks = static_cast<int>((episodes + kChunk - 1) / kChunk);
  std::vector<PosteriorAgreement> parts(chunks);
  PosteriorAgreement out;
  map_reduce(
      pool, chunks, [&](int chunk) -> PosteriorAgreement& { return parts[chunk]; },
      [&](int chunk, int) {
        Comparison comparison(*pruned, *full, run);
        const std::int64_t first = std::int64_t{chunk} * kChunk;
        for (std::int64_t e = first; e < std::min(first + kChunk, episodes); ++e) {
          comparison.play(static_cast<std::uint64_t>(e), parts[chunk]);
        }
      },
      [&](int chunk) {
        const PosteriorAgreement& part = parts[chunk];
        out.episodes += part.episodes;
        out.steps += part.steps;
        out.same_best += part.same_best;
        out.worst = std::max(out.worst, part.worst);
        out.pruned_right += part.pruned_right;
        out.full_right += part.full_right;
      });
  return out;
}

}  // namespace bpo
