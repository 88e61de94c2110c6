"""A pendulum of unknown mass, written as a user would: arrays with a leading batch axis."""

import numpy as np

import bpo

DT, NOISE = 0.05, 0.05


def move(states, actions, latents):
    angle, speed = states[:, 0], states[:, 1]
    torque = 2.0 * actions[:, 0]
    mass = latents["mass"]
    speed = np.clip(speed + DT * (9.81 * np.sin(angle) + torque / mass), -8.0, 8.0)
    return np.column_stack([angle + DT * speed, speed])


def reset(latents, rng):
    return (rng.uniform(2) - 0.5) * [2.0, 1.0]


def step(states, actions, latents, rng):
    after = move(states, actions, latents)
    after[:, 1] += NOISE * rng.normal()
    cost = after[:, 0] ** 2 + 0.1 * after[:, 1] ** 2 + 0.01 * actions[:, 0] ** 2
    return after, -cost


def predict(observations, actions, latents):
    return move(observations, actions, latents), [DT * NOISE + 0.002, NOISE]


def make(name="pendulum", **changes):
    said = dict(name=name, latents={"mass": bpo.Uniform(0.5, 2.0)}, actions=bpo.Box(-1, 1, 1),
                obs_dim=2, horizon=60, reset=reset, step=step, predict=predict)
    said.update(changes)
    return bpo.Problem(**said)
