#include "bpo/algorithms/sampler.h"

#include <algorithm>

#include "bpo/core/simulate.h"

namespace bpo {
namespace {

// Lanes of a training tile; fewer than a full tile, so that a batch of 100 episodes still feeds
// several threads.
constexpr int kBatchLanes = 32;
constexpr int kEntropyLooks = 10;

}  // namespace

void BatchSampler::Record::visit(Wire& wire) {
  wire(inputs);
  wire(column);
  wire(action);
  wire(box);
  wire(latent);
  wire(reward);
  wire(length);
  wire(entropy);
  wire(entropies);
  wire(fallbacks);
  wire(faults);
}

BatchSampler::BatchSampler(const AnyProblem& problem, const Model& model, LatentSource source,
                           bool latents, ThreadPool& pool)
    : problem_(problem),
      model_(model),
      source_(source),
      latent_dim_(latents ? problem.spec().latent_dim : 0),
      pool_(pool),
      scratch_(pool.threads()) {}

Batch BatchSampler::sample(std::span<const float> theta, std::uint64_t seed,
                           std::uint64_t iteration, std::int64_t steps) {
  const int horizon = problem_.spec().horizon;
  theta_ = theta;
  for (Scratch& s : scratch_) {
    if (s.actor) s.actor->set_theta(theta);
  }
  Batch batch(model_.inputs().state, model_.inputs().belief);
  std::int64_t episode = 0;
  double entropy = 0.0;
  std::int64_t entropies = 0;
  // Episodes may end early: another wave fills up what is missing.
  while (batch.steps() < steps) {
    const std::int64_t wave = (steps - batch.steps() + horizon - 1) / horizon;
    const int most = tile_lanes(problem_.spec(), kBatchLanes, wave, pool_.workers());
    const int tiles = static_cast<int>((wave + most - 1) / most);
    std::vector<Record> records(tiles);
    const auto run = [&](int tile, int thread) {
      const std::int64_t offset = static_cast<std::int64_t>(tile) * most;
      const Episodes episodes{seed,
                              (iteration << 32) + static_cast<std::uint64_t>(episode + offset),
                              static_cast<int>(std::min<std::int64_t>(most, wave - offset))};
      records[tile] = run_tile(episodes, thread);
    };
    map_reduce(
        pool_, tiles, [&](int tile) -> Record& { return records[tile]; }, run,
        [&](int tile) {
          append(records[tile], batch);
          for (const double one : records[tile].entropy) entropy += one;
          entropies += records[tile].entropies;
        });
    episode += wave;
  }
  batch.belief_entropy = entropy / static_cast<double>(std::max<std::int64_t>(1, entropies));
  return batch;
}

BatchSampler::Scratch& BatchSampler::scratch_of(int thread) {
  Scratch& s = scratch_[thread];
  if (!s.world) {
    s.world = problem_.make_world(model_.sees_belief());
    s.actor = model_.make_actor(theta_);
  }
  return s;
}

BatchSampler::Record BatchSampler::run_tile(const Episodes& episodes, int thread) {
  Scratch& scratch = scratch_of(thread);
  const ProblemSpec& spec = problem_.spec();
  const std::size_t cells = static_cast<std::size_t>(episodes.count) * spec.horizon;
  const int dim = spec.actions.dim;
  Record record;
  record.column.resize(cells);
  record.reward.resize(cells);
  record.action.resize(spec.actions.discrete() ? cells : 0);
  record.box.resize(cells * dim);
  record.latent.resize(cells * latent_dim_);
  record.length.assign(episodes.count, 0);
  record.entropy.assign(episodes.count, 0.0);
  const std::int64_t fallbacks = scratch.world->filter_fallbacks();
  const int look_every = std::max(1, spec.horizon / kEntropyLooks);
  const auto cell = [&](int lane) {
    return static_cast<std::size_t>(lane) * spec.horizon + record.length[lane];
  };
  std::array<bool, kLanes> active{};
  simulate(
      *scratch.world, *scratch.actor, episodes, source_,
      [&](const World& world, const Actions& actions) {
        const bool look = world.time() % look_every == 0;
        for (int lane = 0; lane < episodes.count; ++lane) {
          active[lane] = !world.done(lane);
          if (!active[lane]) continue;
          const std::size_t at = cell(lane);
          record.column[at] = scratch.actor->column(lane);
          if (spec.actions.discrete()) record.action[at] = actions.index[lane];
          const auto box = actions.box[lane];
          std::copy(box.begin(), box.end(), record.box.begin() + at * dim);
          std::copy_n(world.latent()[lane].begin(), latent_dim_,
                      record.latent.begin() + at * latent_dim_);
          if (!look) continue;
          record.entropy[lane] += world.belief_entropy(lane);
          ++record.entropies;
        }
      },
      [&](const World& world, const Actions&) {
        for (int lane = 0; lane < episodes.count; ++lane) {
          if (!active[lane]) continue;
          record.reward[cell(lane)] = world.reward(lane);
          if (world.fault(lane)) record.faults.push_back(fault_of(world, lane));
          ++record.length[lane];
        }
      });
  record.fallbacks = scratch.world->filter_fallbacks() - fallbacks;
  // The actor's numbers are its own: which inputs it has seen before is chance. The record numbers
  // inputs as they appear, episode by episode, and so does the batch.
  for (int lane = 0; lane < episodes.count; ++lane) {
    int* column = record.column.data() + static_cast<std::size_t>(lane) * spec.horizon;
    for (int t = 0; t < record.length[lane]; ++t) column[t] = scratch.extract.number(column[t]);
  }
  record.inputs = scratch.extract.take(scratch.actor->inputs());
  return record;
}

void BatchSampler::append(const Record& record, Batch& batch) const {
  const ProblemSpec& spec = problem_.spec();
  const std::vector<int> number = batch.inputs.merge(record.inputs);
  const int dim = spec.actions.dim;
  for (std::size_t lane = 0; lane < record.length.size(); ++lane) {
    double sum = 0.0, discounted = 0.0, weight = 1.0;
    for (int t = 0; t < record.length[lane]; ++t) {
      const std::size_t at = lane * spec.horizon + t;
      batch.column.push_back(number[record.column[at]]);
      if (spec.actions.discrete()) batch.action.push_back(record.action[at]);
      batch.box.insert(batch.box.end(), record.box.begin() + at * dim,
                       record.box.begin() + (at + 1) * dim);
      batch.latent.insert(batch.latent.end(), record.latent.begin() + at * latent_dim_,
                          record.latent.begin() + (at + 1) * latent_dim_);
      batch.reward.push_back(record.reward[at]);
      sum += record.reward[at];
      discounted += weight * record.reward[at];
      weight *= spec.discount;
    }
    batch.start.push_back(batch.steps());
    batch.episode_return.push_back(sum);
    batch.objective.push_back(discounted);
  }
  batch.filter_fallbacks += record.fallbacks;
  batch.faults.insert(batch.faults.end(), record.faults.begin(), record.faults.end());
}

}  // namespace bpo
