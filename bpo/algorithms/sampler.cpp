#include "bpo/algorithms/sampler.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "bpo/core/simulate.h"

namespace bpo {
namespace {

// Lanes of a training tile; fewer than a full tile, so that a batch of 100 episodes still feeds
// several threads.
constexpr int kBatchLanes = 32;
constexpr int kEntropyLooks = 10;

}  // namespace

void BatchSampler::Record::visit(Wire& wire) {
  wire(source);
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

/// The tiles that are simulated together. What another process simulated comes with the inputs that
/// its tiles need, each once however many tiles saw it.
class BatchSampler::Wave final : public Chunks {
 public:
  using Simulate = std::function<Record(int tile, int thread)>;

  Wave(const BatchSampler& of, int tiles, Simulate simulate)
      : records(static_cast<std::size_t>(tiles)), of_(of), simulate_(std::move(simulate)) {}

  int size() const override { return static_cast<int>(records.size()); }
  void compute(int tile, int thread) override { records[tile] = simulate_(tile, thread); }
  void carry(int begin, int end, Wire& wire) override {
    const std::span tiles = std::span(records).subspan(begin, end - begin);
    wire.reads() ? receive(tiles, wire) : send(tiles, wire);
  }
  Transfer& inputs_of(const Record& record) {
    const int threads = this->threads(), source = record.source;
    const Inputs& inputs =
        source < threads ? of_.scratch_[source].actor->inputs() : told_[source - threads];
    return transfers_.try_emplace(source, inputs.view()).first->second;
  }

  std::vector<Record> records;

 private:
  int threads() const { return static_cast<int>(of_.scratch_.size()); }

  void send(std::span<const Record> tiles, Wire& wire) const {
    std::vector<Record> sent(tiles.begin(), tiles.end());
    std::vector<Inputs> sources;
    for (int thread = 0; thread < threads(); ++thread) {
      const auto& actor = of_.scratch_[thread].actor;
      if (!actor) continue;
      std::vector<int> number(actor->inputs().size(), -1), chosen;
      for (Record& record : sent) {
        if (record.source != thread) continue;
        of_.each_cell(record, [&](std::size_t at) {
          int& column = record.column[at];
          if (number[column] < 0) {
            number[column] = static_cast<int>(chosen.size());
            chosen.push_back(column);
          }
          column = number[column];
        });
      }
      for (Record& record : sent) {
        if (record.source == thread) record.source = static_cast<int>(sources.size());
      }
      sources.push_back(of_.no_inputs());
      sources.back().select(actor->inputs().view(), chosen);
    }
    std::uint64_t count = sources.size();
    wire(count);
    for (Inputs& source : sources) wire(source);
    for (Record& record : sent) wire(record);
  }

  void receive(std::span<Record> tiles, Wire& wire) {
    const int first = threads() + static_cast<int>(told_.size());
    std::uint64_t count = 0;
    wire(count);
    for (std::uint64_t i = 0; i < count; ++i) wire(told_.emplace_back(of_.no_inputs()));
    for (Record& record : tiles) {
      wire(record);
      record.source += first;
    }
  }

  const BatchSampler& of_;
  Simulate simulate_;
  std::deque<Inputs> told_;  // by other processes
  std::map<int, Transfer> transfers_;
};

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
    Wave together(*this, tiles, [&](int tile, int thread) {
      const std::int64_t offset = static_cast<std::int64_t>(tile) * most;
      const Episodes episodes{seed,
                              (iteration << 32) + static_cast<std::uint64_t>(episode + offset),
                              static_cast<int>(std::min<std::int64_t>(most, wave - offset))};
      return run_tile(episodes, thread);
    });
    pool_.run(together);
    for (const Record& record : together.records) {
      append(record, together.inputs_of(record), batch);
      for (const double one : record.entropy) entropy += one;
      entropies += record.entropies;
    }
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
  Record record{.source = thread};
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
  return record;
}

/// The actor's numbers are its own: which inputs it has seen before is chance. The batch numbers
/// inputs as they appear, episode by episode.
void BatchSampler::append(const Record& record, Transfer& inputs, Batch& batch) const {
  const ProblemSpec& spec = problem_.spec();
  const int dim = spec.actions.dim;
  for (std::size_t lane = 0; lane < record.length.size(); ++lane) {
    double sum = 0.0, discounted = 0.0, weight = 1.0;
    for (int t = 0; t < record.length[lane]; ++t) {
      const std::size_t at = lane * spec.horizon + t;
      batch.column.push_back(inputs.number(record.column[at], batch.inputs));
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
