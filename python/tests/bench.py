"""Steps per second of environments beside the C++ rollout with the same actions, on one core, and
the share of an own simulator's time that is spent in its own numpy. Rounds alternate; seconds are
those of the processor, so that other programs do not count, but for that share, where both are the
clock's. Exits with 1 where the rewards of the two are not the same."""

import sys
import time

import gymnasium
import numpy as np
import pendulum

import bpo

ROUNDS = 9


def vector(problem: str, lanes: int, steps: int) -> bool:
    envs = gymnasium.make_vec(bpo.gym._name(problem), num_envs=lanes, belief=True)
    envs.action_space.seed(0)
    actions = np.stack([envs.action_space.sample() for _ in range(steps)])
    rates, sums = {"C++": [], "Python": []}, set()
    for _ in range(ROUNDS):
        envs.reset(seed=0)
        start = time.process_time()
        total = envs.core.rollout(actions, steps)
        rates["C++"].append(lanes * steps / (time.process_time() - start))
        envs.reset(seed=0)
        start, rewards = time.process_time(), 0.0
        for t in range(steps):
            _, reward, _, _, _ = envs.step(actions[t])
            rewards += reward.sum()
        rates["Python"].append(lanes * steps / (time.process_time() - start))
        sums |= {round(total, 6), round(rewards, 6)}
    same = "the same rewards" if len(sums) == 1 else f"rewards differ: {sums}"
    ours, theirs = np.median(rates["Python"]), np.median(rates["C++"])
    print(f"vector {problem}, {lanes} lanes: {ours:,.0f} steps/s, {ours / theirs:.2f} of the C++ "
          f"rollout's {theirs:,.0f} ({same})")
    return len(sums) == 1


def scalar(problem: str, steps: int) -> None:
    env = gymnasium.make(bpo.gym._name(problem))
    rates = []
    for _ in range(ROUNDS):
        env.reset(seed=0)
        start = time.process_time()
        for _ in range(steps):
            if env.step(0)[3]:
                env.reset()
        rates.append(steps / (time.process_time() - start))
    print(f"scalar {problem} through gymnasium.make: {np.median(rates):,.0f} steps/s")


def own(lanes: int, steps: int) -> None:
    envs = bpo.gym.make_vec(pendulum.make(horizon=steps + 1), lanes)
    envs.reset(seed=0)
    actions = np.zeros((lanes, 1))
    shares, rates = [], []
    for _ in range(ROUNDS):
        inside, start = bpo._core.callback_time()[0], time.perf_counter()
        for _ in range(steps):
            envs.step(actions)
        elapsed = time.perf_counter() - start
        shares.append((bpo._core.callback_time()[0] - inside) / elapsed)
        rates.append(lanes * steps / elapsed)
    print(f"own pendulum, {lanes} lanes x 25 models: {np.median(rates):,.0f} steps/s, "
          f"{np.median(shares):.2f} of the time inside its own numpy")


if __name__ == "__main__":
    right = vector("tiger", 2048, 100)
    if "half-cheetah" in bpo.list()["problems"]:
        right &= vector("half-cheetah", 64, 20)
    scalar("tiger", 100_000)
    own(64, 100)
    sys.exit(0 if right else 1)
