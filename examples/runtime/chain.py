"""A policy that `bpo train chain` made, on a chain of our own, through libbpo-runtime and ctypes.

    python3 chain.py /usr/lib/libbpo-runtime.so runs/chain-0/policy.safetensors
"""
import ctypes
import random
import sys


class Agent:
    def __init__(self, library, policy):
        self.c = ctypes.CDLL(library)
        self.c.bpo_load.restype = ctypes.c_void_p
        for name in ("bpo_error", "bpo_observation_name"):
            getattr(self.c, name).restype = ctypes.c_char_p
        self.agent = ctypes.c_void_p(self.c.bpo_load(policy.encode()))
        if not self.agent:
            sys.exit(self.c.bpo_error(None).decode())
        self.action = (ctypes.c_double * self.c.bpo_action_size(self.agent))()
        self.estimated = (ctypes.c_float * self.c.bpo_estimate_size(self.agent))()

    def numbers(self, values):
        return (ctypes.c_double * len(values))(*values)

    def check(self, status):
        if status < 0:
            raise ValueError(self.c.bpo_error(self.agent).decode())
        return status

    def reset(self, seed, episode):
        self.check(self.c.bpo_reset(self.agent, ctypes.c_uint64(seed), ctypes.c_uint64(episode)))

    def act(self, observation):
        self.check(self.c.bpo_act(self.agent, self.numbers(observation), self.action))
        return list(self.action)

    def observe(self, executed, following):
        numbers = self.numbers
        return self.check(self.c.bpo_observe(self.agent, numbers(executed), numbers(following))) == 0

    def estimate(self):
        self.check(self.c.bpo_estimate(self.agent, self.estimated))
        return list(self.estimated)


def main(library, policy):
    agent, total, missed = Agent(library, policy), 0.0, 0.0
    for episode in range(100):
        chance = random.Random(episode)
        slip, state = chance.random(), 0
        agent.reset(1, episode)
        for _ in range(100):
            action = agent.act([state])
            forward = (action[0] == 0) != (chance.random() < slip)
            total += (10.0 if state == 4 else 0.0) if forward else 2.0
            state = min(state + 1, 4) if forward else 0
            agent.observe(action, [state])
        missed += abs(agent.estimate()[0] - slip)
    agent.reset(1, 0)
    try:
        agent.act([7])
        sys.exit("a state that is none was accepted")
    except ValueError as error:
        print("refused:", error)
    print(f"chain: return {total / 100:.1f}, slip missed by {missed / 100:.3f}")


main(*sys.argv[1:])
