// Policies that `bpo train` made, in loops of one's own: the agent keeps the belief and chooses,
// the world is ours.   act runs/tiger/policy.safetensors runs/lightdark/policy.safetensors
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "bpo/agent/agent.h"

double play_tiger(bpo::Agent& agent, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution right(0.85), coin(0.5);
  int tiger = coin(random);
  double heard = 2, total = 0, weight = 1;  // 0: left, 1: right, 2: nothing
  agent.reset(seed);
  for (int t = 0; t < 100; ++t, weight *= 0.95) {
    const double action = agent.act({&heard, 1})[0];  // 0: listen, 1: open left, 2: open right
    total += weight * (action == 0 ? -1 : tiger == action - 1 ? -100 : 10);
    if (action == 0) {
      heard = right(random) ? tiger : 1 - tiger;
    } else {
      tiger = coin(random), heard = 2;
    }
    agent.observe({&action, 1}, {&heard, 1});
  }
  return total;
}

double distance_in_lightdark(bpo::Agent& agent, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> across(0, 2), along(-2, 4);
  std::normal_distribution<> normal;
  double x = 2 + across(random), y = along(random);
  std::array<double, 4> o{0, 0, across(random), along(random)};  // measured x and y, the goal's
  const auto measure = [&] {
    o[0] = std::clamp(x + std::abs(x - 5) / std::sqrt(2) * normal(random), -1.0, 7.0);
    o[1] = std::clamp(y + std::abs(x - 5) / std::sqrt(2) * normal(random), -2.0, 4.0);
    return std::hypot(x - o[2], y - o[3]);
  };
  double distance = measure();
  agent.reset(seed);
  for (int t = 0; t < 15 && distance >= 0.1; ++t) {
    const auto action = agent.act(o);
    x = std::clamp(x + std::clamp(action[0], -0.5, 0.5), -1.0, 7.0);
    y = std::clamp(y + std::clamp(action[1], -0.5, 0.5), -2.0, 4.0);
    distance = measure();
    agent.observe(action, o);
  }
  return distance;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::puts("act TIGER_POLICY LIGHTDARK_POLICY"), 2;
  bpo::Agent listener = bpo::Agent::load(argv[1]), walker = bpo::Agent::load(argv[2]);
  double total = 0, distance = 0;
  for (unsigned seed = 0; seed < 200; ++seed) total += play_tiger(listener, seed) / 200;
  for (unsigned seed = 0; seed < 200; ++seed) distance += distance_in_lightdark(walker, seed) / 200;
  std::printf("tiger: return %.2f, lightdark: %.3f from the goal\n", total, distance);
}
