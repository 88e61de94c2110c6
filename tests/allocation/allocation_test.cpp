// No allocation in the hot loop after the first tile: this program counts every operator new, by
// thread. It is a program of its own, for an operator new replaces that of the whole program.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "bpo/agent/bpo_runtime.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/solver.h"
#include "bpo/nn/network_policy.h"
#include "tests/cli/process.h"
#include "tests/support/problems.h"

namespace {

thread_local long allocations = 0;

void* counted(std::size_t size, std::align_val_t align) noexcept {
  ++allocations;
  const auto alignment = static_cast<std::size_t>(align);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* counted_or_throw(std::size_t size, std::align_val_t align) {
  void* p = counted(size, align);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

constexpr std::align_val_t kAnyAlignment{1};

}  // namespace

// Every form is replaced. One left to the library, or to a sanitizer's runtime, would have its
// memory freed by a delete from here.
using std::align_val_t, std::nothrow_t, std::size_t;

void* operator new(size_t n) { return counted_or_throw(n, kAnyAlignment); }
void* operator new[](size_t n) { return counted_or_throw(n, kAnyAlignment); }
void* operator new(size_t n, align_val_t a) { return counted_or_throw(n, a); }
void* operator new[](size_t n, align_val_t a) { return counted_or_throw(n, a); }
void* operator new(size_t n, const nothrow_t&) noexcept { return counted(n, kAnyAlignment); }
void* operator new[](size_t n, const nothrow_t&) noexcept { return counted(n, kAnyAlignment); }
void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept { return counted(n, a); }
void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept { return counted(n, a); }

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }

namespace bpo {
namespace {

using test::make_problem;

struct alignas(64) Wide {
  char bytes[64];
};

/// The allocations of one `new` and its `delete`, called by hand: the compiler may leave out pairs
/// of expressions.
template <class... Form>
long made_by(Form... form) {
  const long before = allocations;
  ::operator delete(::operator new(100, form...), form...);
  ::operator delete[](::operator new[](100, form...), form...);
  return allocations - before;
}

TEST(Allocations, AreCountedInEveryForm) {
  const long before = allocations;
  std::vector<int> v(100);
  EXPECT_EQ(allocations, before + 1);
  std::vector<Wide> wide(3);
  EXPECT_EQ(allocations, before + 2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.data()) % alignof(Wide), 0u);
  EXPECT_EQ(v.size(), 100u);
  EXPECT_EQ(made_by(), 2);
  EXPECT_EQ(made_by(std::nothrow), 2);
  EXPECT_EQ(made_by(std::align_val_t{64}), 2);
  EXPECT_EQ(made_by(std::align_val_t{64}, std::nothrow), 2);
}

long steps_of_a_tile(World& world, Actions& actions) {
  world.reset({1, 0, kLanes}, LatentSource::kPrior);
  const long before = allocations;
  while (!world.all_done()) {
    for (int lane = 0; lane < kLanes; ++lane) {
      actions.index[lane] = (world.time() + lane) % world.spec().actions.size();
      for (float& u : actions.box[lane]) u = std::sin(static_cast<float>(world.time() + lane));
    }
    world.step(actions);
  }
  return allocations - before;
}

TEST(Allocations, AWorldsStepsMakeNone) {
  for (const char* name : {"chain", "tiger", "lightdark"}) {
    const auto problem = make_problem(name);
    const auto world = problem->make_world();
    Actions actions(world->spec().actions.dim);
    steps_of_a_tile(*world, actions);  // warms up what is kept per thread
    EXPECT_EQ(steps_of_a_tile(*world, actions), 0) << name;
  }
  for (const char* name : {"half-cheetah", "swimmer", "ant"}) {
    if (!problems().contains(name)) continue;  // built without MuJoCo
    const auto problem = make_problem(name, {"problem.horizon=10"});
    const auto world = problem->make_world();
    Actions actions(world->spec().actions.dim);
    EXPECT_EQ(steps_of_a_tile(*world, actions), 0) << name;
  }
  const auto semi = make_problem("chain", {"problem.tying=semi", "problem.bins=100"});
  const auto world = semi->make_world();
  Actions actions;
  EXPECT_EQ(steps_of_a_tile(*world, actions), 0);
  const auto particles = make_problem("lightdark", {"problem.filter=particle"});
  const auto room = particles->make_world();
  Actions ways(2);
  EXPECT_EQ(steps_of_a_tile(*room, ways), 0);
}

struct Counts {
  long reset = 0, begin = 0, act = 0, step = 0;
};

Counts run_tile(World& world, Actor& actor, Actions& actions) {
  Counts counts;
  const auto count = [](long& into, const auto& task) {
    const long before = allocations;
    task();
    into += allocations - before;
  };
  count(counts.reset, [&] { world.reset({3, 0, kLanes}, LatentSource::kPrior); });
  count(counts.begin, [&] { actor.begin(world.inputs()); });
  while (!world.all_done()) {
    count(counts.act, [&] { actor.act(world.inputs(), actions); });
    count(counts.step, [&] { world.step(actions); });
  }
  return counts;
}

TEST(Allocations, AnActorsSecondTileMakesNone) {
  for (const char* name : {"chain", "tiger"}) {
    for (Sees sees : {Sees::kBelief, Sees::kEstimate, Sees::kLatent, Sees::kNothing}) {
      const auto problem = make_problem(name);
      const auto world = problem->make_world();
      const Network network(network_spec(world->spec(), sees, sees == Sees::kBelief, 32));
      const std::vector<float> theta = network.initialize(4);
      NetworkActor actor(network, theta, sees, false);
      Actions actions;
      run_tile(*world, actor, actions);
      const Counts second = run_tile(*world, actor, actions);
      EXPECT_EQ(second.reset, 0) << name;
      EXPECT_EQ(second.begin, 0) << name;
      EXPECT_EQ(second.act, 0) << name;
      EXPECT_EQ(second.step, 0) << name;
    }
  }
}

TEST(Allocations, VectorsAreChosenFromWithoutAny) {
  ThreadPool pool(1);
  NullLog quiet;
  for (const char* name : {"rocksample", "tiger"}) {
    Config config;
    const SolverSetup setup = solvers().at("sarsop").resolve(name, config);
    const auto problem = setup.problem.build();
    const auto solution = setup.solver->start(*problem, 7, pool);
    solve(*solution, {.iterations = 5}, quiet);
    const auto policy = solution->policy();
    const auto actor = policy->make_actor();
    const auto world = problem->make_world();
    Actions actions;
    run_tile(*world, *actor, actions);
    const Counts second = run_tile(*world, *actor, actions);
    EXPECT_EQ(second.reset, 0) << name;
    EXPECT_EQ(second.begin, 0) << name;
    EXPECT_EQ(second.act, 0) << name;
    EXPECT_EQ(second.step, 0) << name;
  }
}

class Runtime : public cli::CliTest {
 protected:
  /// The calls of three episodes with the policy of `run`, in the world of this problem.
  void expect_none(const std::string& name) const {
    SCOPED_TRACE(name);
    bpo_agent* const agent = bpo_load(path("run/policy.safetensors").c_str());
    ASSERT_NE(agent, nullptr) << bpo_error(nullptr);
    Config config;
    const auto world = problems().at(open_problem(name)).make(config)->simulator();
    std::vector<double> o(static_cast<std::size_t>(bpo_observation_size(agent)));
    std::vector<double> a(static_cast<std::size_t>(bpo_action_size(agent)));
    std::vector<float> b(static_cast<std::size_t>(bpo_belief_size(agent)));
    for (std::uint64_t episode = 0; episode < 3; ++episode) {
      Rng latent(7, Use::kLatent, episode), state(7, Use::kState, episode);
      world->reset(latent, state);
      world->observe(state, o);
      const auto counted = [&](const auto& call) {
        const long before = allocations;
        const std::size_t held = mallinfo2().uordblks;
        EXPECT_GE(call(), 0) << bpo_error(agent);
        EXPECT_EQ(allocations, before);
        EXPECT_EQ(mallinfo2().uordblks, held);
      };
      counted([&] { return bpo_reset(agent, 7, episode); });
      for (std::uint32_t t = 0; t < 50; ++t) {
        counted([&] { return bpo_act(agent, o.data(), a.data()); });
        counted([&] { return bpo_belief(agent, b.data()); });
        Rng rng(7, Use::kWorld, episode, t);
        if (world->step(a, rng).done) break;
        world->observe(rng, o);
        counted([&] { return bpo_observe(agent, a.data(), o.data()); });
      }
    }
    bpo_free(agent);
  }
  void train(const std::string& name, std::vector<std::string> more) {
    cli::fs::remove_all(path("run"));
    more.insert(more.end(), {"--set", "problem.horizon=20"});
    const cli::Outcome trained = run(training(name, "run", 1, more));
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
};

TEST_F(Runtime, AllocatesNothingAfterItIsLoaded) {
  const std::string robots = std::string(kSourcePath) + "/examples/robots/";
  // Its spreads are found by running the filter, which few particles make short.
  const std::string particles = "particles = 100\n";
  std::string walker = cli::slurp(robots + "walker/walker.toml");
  walker.replace(walker.find(particles), particles.size(), "particles = 20\n");
  cli::spill(path("walker.toml"), walker);
  cli::fs::copy_file(robots + "walker/walker.xml", path("walker.xml"));
  ASSERT_EQ(
      run({"write-problem", "rocksample", path("rocks.pomdpx"), "--set", "problem.n=3"}).status, 0);
  for (const std::string& name :
       {std::string("tiger"), std::string("chain"), std::string("lightdark"), path("rocks.pomdpx"),
        std::string("half-cheetah"), robots + "hopper/hopper.toml",
        robots + "cart-pole/cart-pole.toml", path("walker.toml")}) {
    if (!problems().contains("half-cheetah") &&
        (name.ends_with(".toml") || name == "half-cheetah")) {
      continue;  // built without MuJoCo
    }
    train(name, {});
    expect_none(name);
  }
  for (const char* filter : {"moment", "particle"}) {
    train("lightdark", {"--set", std::string("problem.filter=") + filter});
    expect_none("lightdark");
  }
}

/// Vectors of a planner instead of a network.
TEST_F(Runtime, ChoosesFromVectorsWithoutAllocating) {
  for (const char* name : {"tiger", "rocksample"}) {
    cli::fs::remove_all(path("run"));
    const cli::Outcome solved = run(
        {"solve", name, "--planner", "sarsop", "--time", "1", "--episodes", "10", "--out", "run"});
    ASSERT_EQ(solved.status, 0) << solved.err;
    expect_none(name);
  }
}

}  // namespace
}  // namespace bpo
