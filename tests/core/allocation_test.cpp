// No allocation in the hot loop after the first tile: this file counts every operator new of the
// whole test program, by thread.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <new>

#include "bpo/nn/network_policy.h"
#include "tests/support/problems.h"

namespace {

thread_local long allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  size = (size + alignment - 1) / alignment * alignment;
  void* p = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, size)
                                                  : std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) {
  return counted(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace bpo {
namespace {

using test::make_problem;

TEST(Allocations, AreCounted) {
  const long before = allocations;
  std::vector<int> v(100);
  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(v.size(), 100u);
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
  count(counts.begin, [&] { actor.begin(world); });
  while (!world.all_done()) {
    count(counts.act, [&] { actor.act(world, actions); });
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

}  // namespace
}  // namespace bpo
