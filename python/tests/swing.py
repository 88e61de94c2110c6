"""A Gymnasium environment that takes a parameter by reset(options=...): a pendulum and its mass."""

import gymnasium
import numpy as np
import pendulum

import bpo


class Swing(gymnasium.Env):
    """Its state is plain attributes: what is not reset or put shows in what comes next."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Box(-1, 1, (1,))
    made = 0

    def __init__(self):
        Swing.made += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.mass = (options or {}).get("mass", 1.0)
        self.state = self.np_random.uniform(-1, 1, 2)
        return self.state, {}

    def step(self, action):
        self.state = pendulum.move(self.state[None], np.asarray(action, float)[None],
                                   {"mass": np.array([self.mass])})[0]
        return self.state, -float(self.state[0] ** 2), False, False, {}


def put(env, observation):
    env.state = observation.copy()


def wrap(name="swing", **changes):
    said = dict(horizon=20, sd=0.01, put=put, name=name)
    said.update(changes)
    return bpo.from_gymnasium(Swing, {"mass": bpo.Uniform(0.5, 2.0, 5)}, **said)
