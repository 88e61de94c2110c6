// Many episodes at a time, in tiles of 64 lanes: what a vector Gymnasium environment is made of.
#include <algorithm>
#include <cstring>
#include <utility>

#include "bpo/core/parallel.h"
#include "bpo/core/simulate.h"
#include "python/src/environment.h"

namespace bpo::python {
namespace {

/// What happens to a lane whose episode is over; Gymnasium's AutoresetMode.
enum class Autoreset { kNextStep, kSameStep, kDisabled };

/// Lanes in tiles of 64. Lane i begins with episode 0 of its seed and goes on with 1, 2, ...
class VectorEnvironment : public Environment {
 public:
  VectorEnvironment(const std::string& name, const std::vector<std::string>& sets, Form form,
                    int lanes, Autoreset autoreset, int threads)
      : Environment(name, sets, form),
        lanes_(lanes),
        autoreset_(autoreset),
        pool_(threads > 0 ? threads : ThreadPool::available()),
        seed_(lanes),
        episode_(lanes) {
    const int tiles = (lanes + kLanes - 1) / kLanes;
    bpo::check_memory(*problem_, std::min(lanes, kLanes), tiles);
    for (int tile = 0; tile < tiles; ++tile) {
      worlds_.push_back(make_world());
      worlds_.back()->reset({0, first(tile), std::min(kLanes, lanes - tile * kLanes)},
                            LatentSource::kPrior);
      actions_.emplace_back(spec().actions.dim);
    }
  }

  /// Begins an episode in each lane of the mask: the one that is chosen, or the first one of its
  /// seed, or the next one where there are no seeds. Latents are drawn where none are given.
  void reset(const Array<std::uint64_t>& seeds, const Array<std::uint64_t>& episodes,
             const Array<bool>& mask, const Array<double>& latents) {
    const auto dim = static_cast<std::size_t>(spec().latent_dim);
    const bool chosen = latents.size() > 0;
    const bool all = std::find(mask.data(), mask.data() + lanes_, false) == mask.data() + lanes_;
    const bool begun = std::exchange(begun_, false) || all;
    const py::gil_scoped_release release;
    each_tile([&](int tile) {
      for (int lane = 0; lane < count(tile); ++lane) {
        const std::size_t i = first(tile) + lane;
        if (!mask.data()[i]) continue;
        if (seeds.size() > 0) seed_[i] = episode_seed(seeds.data()[i]);
        episode_[i] = episodes.size() > 0 ? episodes.data()[i]
                      : seeds.size() > 0  ? 0
                                          : episode_[i] + 1;
        const std::span<const double> latent{chosen ? latents.data() + i * dim : nullptr,
                                             chosen ? dim : 0};
        worlds_[tile]->begin(lane, {seed_[i], episode_[i], latent});
      }
    });
    begun_ = begun;
  }

  /// (state, belief, latent) of every lane.
  py::tuple look() const {
    Arrays out(*this);
    {
      const py::gil_scoped_release release;
      each_tile([&](int tile) { out.write(tile, *worlds_[tile], *this); });
    }
    return py::make_tuple(out.state, out.belief, out.latent);
  }

  /// (state, belief, latent, reward, terminated, truncated, fault, final state, final belief, final
  /// latent); the last three are None unless an episode has ended and another begun in this step,
  /// and fault is unless a simulation broke down in it.
  py::tuple step(const py::array& told) {
    if (!begun_) throw bad_input("step: call reset() for all lanes first");
    const Array<int> index = spec().actions.discrete() ? indices(told) : Array<int>();
    const Array<float> box = spec().actions.discrete() ? Array<float>() : boxes(told);
    Arrays out(*this);
    py::array_t<double> reward(lanes_);
    py::array_t<bool> terminated(lanes_), truncated(lanes_), broken(lanes_);
    double* rewards = reward.mutable_data();
    bool *terminal = terminated.mutable_data(), *cut = truncated.mutable_data(),
         *fault = broken.mutable_data();
    std::vector<char> ended(worlds_.size(), false);
    begun_ = false;  // a step that breaks off leaves half of it behind
    {
      const py::gil_scoped_release release;
      each_tile([&](int tile) {
        World& world = *worlds_[tile];
        std::array<bool, kLanes> over = world.inputs().done;
        fill(tile, index.data(), box.data());
        world.step(actions_[tile]);
        for (int lane = 0; lane < count(tile); ++lane) {
          const std::size_t i = first(tile) + lane;
          if (over[lane]) {
            if (autoreset_ == Autoreset::kNextStep) go_on(world, lane, i);
            rewards[i] = 0.0;
            terminal[i] = cut[i] = fault[i] = false;
            continue;
          }
          rewards[i] = world.reward(lane);
          terminal[i] = world.terminal(lane);
          cut[i] = world.done(lane) && !terminal[i];
          fault[i] = world.fault(lane);
          ended[tile] = ended[tile] || world.done(lane);
        }
        if (!ended[tile] || autoreset_ != Autoreset::kSameStep) out.write(tile, world, *this);
      });
    }
    const bool any = std::find(ended.begin(), ended.end(), true) != ended.end();
    const bool sound = std::find(fault, fault + lanes_, true) == fault + lanes_;
    const py::object faults = sound ? py::object(py::none()) : py::object(broken);
    if (autoreset_ != Autoreset::kSameStep || !any) {
      begun_ = true;
      return py::make_tuple(out.state, out.belief, out.latent, reward, terminated, truncated,
                            faults, py::none(), py::none(), py::none());
    }
    Arrays last(*this);
    {
      const py::gil_scoped_release release;
      each_tile([&](int tile) {
        World& world = *worlds_[tile];
        last.write(tile, world, *this);
        if (!ended[tile]) return;
        for (int lane = 0; lane < count(tile); ++lane) {
          if (world.done(lane)) go_on(world, lane, first(tile) + lane);
        }
        out.write(tile, world, *this);
      });
    }
    begun_ = true;
    return py::make_tuple(out.state, out.belief, out.latent, reward, terminated, truncated, faults,
                          last.state, last.belief, last.latent);
  }

  /// What the steps alone take: actions[t] for all lanes, tile by tile, and nothing is handed out.
  /// The sum of rewards.
  double rollout(const py::array& told, std::int64_t steps) {
    const bool discrete = spec().actions.discrete();
    const Array<int> index = discrete ? Array<int>(told) : Array<int>();
    const Array<float> box = discrete ? Array<float>() : Array<float>(told);
    const std::size_t stride =
        static_cast<std::size_t>(lanes_) * (discrete ? 1 : spec().actions.dim);
    double sum = 0.0;
    {
      const py::gil_scoped_release release;
      for (int tile = 0; tile < static_cast<int>(worlds_.size()); ++tile) {
        World& world = *worlds_[tile];
        for (std::int64_t t = 0; t < steps; ++t) {
          fill(tile, discrete ? index.data() + t * stride : nullptr,
               discrete ? nullptr : box.data() + t * stride);
          world.step(actions_[tile]);
          for (int lane = 0; lane < count(tile); ++lane) {
            sum += world.reward(lane);
            if (world.done(lane)) go_on(world, lane, first(tile) + lane);
          }
        }
      }
    }
    return sum;
  }

 private:
  struct Arrays {
    explicit Arrays(const VectorEnvironment& env)
        : state({env.lanes_,
                 env.form_ == Form::kFlat ? env.state_dim_ + env.belief_dim_ : env.state_dim_}),
          belief({env.lanes_, env.form_ == Form::kDict ? env.belief_dim_ : 0}),
          latent({env.lanes_, env.spec().latent_dim}),
          states(state.mutable_data()),
          beliefs(belief.mutable_data()),
          latents(latent.mutable_data()) {}
    py::array_t<float> state, belief, latent;
    float *states, *beliefs, *latents;

    void write(int tile, const World& world, const VectorEnvironment& env) {
      const auto copy = [&](const Tile& from, float* to) {
        const auto dim = static_cast<std::size_t>(from.dim());
        const std::size_t lanes = static_cast<std::size_t>(env.count(tile));
        std::memcpy(to + env.first(tile) * dim, from[0].data(), lanes * dim * sizeof(float));
      };
      copy(world.latent(), latents);
      if (env.form_ != Form::kFlat) {
        copy(world.obs(), states);
        if (env.form_ == Form::kDict) copy(world.belief(), beliefs);
        return;
      }
      for (int lane = 0; lane < env.count(tile); ++lane) {
        float* to = states + (env.first(tile) + lane) * (env.state_dim_ + env.belief_dim_);
        to = std::copy(world.obs()[lane].begin(), world.obs()[lane].end(), to);
        std::copy(world.belief()[lane].begin(), world.belief()[lane].end(), to);
      }
    }
  };

  std::uint64_t first(int tile) const { return static_cast<std::uint64_t>(tile) * kLanes; }
  int count(int tile) const { return worlds_[tile]->episodes().count; }
  void go_on(World& world, int lane, std::size_t i) {
    world.begin(lane, {seed_[i], ++episode_[i]});
  }
  template <class Work>
  void each_tile(Work work) const {
    pool_.run(static_cast<int>(worlds_.size()), [&](int tile, int) { work(tile); });
  }

  Array<int> indices(const py::array& told) const {
    if (told.ndim() != 1 || told.size() != lanes_) {
      throw bad_input(fmt::format("actions: {} numbers are wanted, one per lane", lanes_));
    }
    Array<int> out(told);
    for (int i = 0; i < lanes_; ++i) {
      const int index = out.data()[i];
      if (index < 0 || index >= spec().actions.count) {
        throw bad_input(fmt::format("actions: lane {}: {} is not one of 0 to {}", i, index,
                                    spec().actions.count - 1));
      }
    }
    return out;
  }
  Array<float> boxes(const py::array& told) const {
    if (told.ndim() != 2 || told.shape(0) != lanes_ || told.shape(1) != spec().actions.dim) {
      throw bad_input(
          fmt::format("actions: an array of shape ({}, {}) is wanted", lanes_, spec().actions.dim));
    }
    Array<float> out(told);
    for (py::ssize_t i = 0; i < out.size(); ++i) {
      if (std::isfinite(out.data()[i])) continue;
      throw bad_input(
          fmt::format("actions: lane {}: a number is not finite", i / spec().actions.dim));
    }
    return out;
  }
  void fill(int tile, const int* index, const float* box) {
    Actions& actions = actions_[tile];
    const auto dim = static_cast<std::size_t>(spec().actions.dim);
    if (dim > 0) {
      std::memcpy(actions.box[0].data(), box + first(tile) * dim,
                  static_cast<std::size_t>(count(tile)) * dim * sizeof(float));
    } else {
      std::copy_n(index + first(tile), count(tile), actions.index.begin());
    }
  }

  int lanes_;
  Autoreset autoreset_;
  mutable ThreadPool pool_;
  std::vector<std::unique_ptr<World>> worlds_;
  std::vector<Actions> actions_;
  std::vector<std::uint64_t> seed_, episode_;
  bool begun_ = false;
};

}  // namespace

void bind_vector_environment(py::module_& m) {
  py::enum_<Autoreset>(m, "Autoreset")
      .value("NextStep", Autoreset::kNextStep)
      .value("SameStep", Autoreset::kSameStep)
      .value("Disabled", Autoreset::kDisabled);
  py::class_<VectorEnvironment, Environment>(m, "VectorEnvironment")
      .def(py::init<const std::string&, const std::vector<std::string>&, Form, int, Autoreset,
                    int>())
      .def("reset", &VectorEnvironment::reset)
      .def("look", &VectorEnvironment::look)
      .def("step", &VectorEnvironment::step)
      .def("rollout", &VectorEnvironment::rollout);
}

}  // namespace bpo::python
