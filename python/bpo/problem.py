"""A simulator of one's own, in numpy: functions over arrays with a leading batch axis."""

import itertools
import math
import re
import time
import warnings
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._identity import hash_of
from ._library import core
from ._said import refuse


@dataclass(frozen=True)
class Uniform:
    """Equally likely anywhere between two numbers.

    >>> bpo.Uniform(0.5, 2.0, cells=10)
    """

    low: float
    high: float
    cells: Optional[int] = None

    def _row(self):
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            refuse(f"Uniform({self.low}, {self.high}): the first must be below the second")
        return ("uniform", self.low, self.high, 0.0, 1.0, [])


@dataclass(frozen=True)
class LogUniform:
    """Equally likely in every factor: as often between 1 and 2 as between 2 and 4.

    >>> bpo.LogUniform(0.01, 1.0)
    """

    low: float
    high: float
    cells: Optional[int] = None

    def _row(self):
        if not 0 < self.low < self.high < math.inf:
            refuse(f"LogUniform({self.low}, {self.high}): 0 < low < high is wanted")
        return ("log-uniform", self.low, self.high, 0.0, 1.0, [])


@dataclass(frozen=True)
class Normal:
    """A normal distribution, cut off where it is four deviations away or where you say.

    >>> bpo.Normal(1.0, 0.2, low=0.5)
    """

    mean: float
    sd: float
    low: Optional[float] = None
    high: Optional[float] = None
    cells: Optional[int] = None

    def _row(self):
        low = self.mean - 4 * self.sd if self.low is None else self.low
        high = self.mean + 4 * self.sd if self.high is None else self.high
        if not (self.sd > 0 and math.isfinite(self.mean) and low < high):
            refuse(f"Normal({self.mean}, {self.sd}): sd > 0 and low < high are wanted")
        return ("normal", low, high, self.mean, self.sd, [])


@dataclass(frozen=True)
class Choice:
    """One of a few numbers, equally likely; each is a cell of the belief.

    >>> bpo.Choice([0.2, 0.8])
    """

    values: Sequence[float]

    def _row(self):
        values = sorted(float(v) for v in self.values)
        if not values or len(set(values)) < len(values) or not np.isfinite(values).all():
            refuse(f"Choice({self.values}): different finite numbers are wanted")
        return ("choice", values[0], values[-1], 0.0, 1.0, values)


@dataclass(frozen=True)
class Box:
    """Actions of `dim` numbers between two limits, the same for each.

    >>> bpo.Box(-1, 1, 2)
    """

    low: float
    high: float
    dim: int

    def _row(self):
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            refuse(f"Box({self.low}, {self.high}, {self.dim}): the first must be below the second")
        if self.dim < 1:
            refuse(f"Box({self.low}, {self.high}, {self.dim}): at least one number is wanted")
        return (0, int(self.dim), float(self.low), float(self.high))


@dataclass(frozen=True)
class Discrete:
    """One of `n` actions.

    >>> bpo.Discrete(3)
    """

    n: int

    def _row(self):
        if self.n < 2:
            refuse(f"Discrete({self.n}): at least two actions are wanted")
        return (int(self.n), 0, -1.0, 1.0)


Prior = Union[Uniform, LogUniform, Normal, Choice]
_MOST_CELLS = 10000


class Problem:
    """A problem whose simulator is yours. It goes wherever the name of a problem does.

    latents: what is unknown, by name, with its prior. A belief has `cells` per latent (25 for one
        latent, 5 each for several), equally probable parts of the prior.
    reset(latents, rng) -> states of shape (n, state_dim).
    step(states, actions, latents, rng) -> (states, rewards) or (states, rewards, done).
    predict(observations, actions, latents) -> (mean, sd) of the next observations; sd is a number,
        one per number of an observation, or one for each.
    observe(states, latents, rng) -> observations of shape (n, obs_dim); without it, the states.

    release(number): where a state stands for something that you keep, it is told the first number
        of a state whose episode is over and forgotten.
    version: anything that tells this problem from another of its name, beside its functions.

    `latents` is a dict of arrays of shape (n,); `rng.normal(k)` and `rng.uniform(k)` give arrays of
    shape (n, k), from a stream of its own for every row, so that equal seeds give equal bits.

    >>> problem = bpo.Problem(name="pendulum", latents={"mass": bpo.Uniform(.5, 2)},
    ...     actions=bpo.Box(-1, 1, 1), obs_dim=2, horizon=100, reset=reset, step=step,
    ...     predict=predict)
    >>> bpo.train(problem, algo="bpo", iterations=50, out="runs/pendulum")
    """

    def __init__(self, latents: Mapping[str, Prior], actions: Union[Box, Discrete], obs_dim: int,
                 horizon: int, reset: Callable, step: Callable, predict: Callable,
                 observe: Optional[Callable] = None, state_dim: Optional[int] = None,
                 discount: float = 1.0, name: str = "own",
                 observation_names: Sequence[str] = (), action_names: Sequence[str] = (),
                 summary: str = "a simulator in Python", release: Optional[Callable] = None,
                 version: object = None):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
            refuse(f"Problem: name '{name}': letters, digits, '-' and '_' are wanted")
        if not latents:
            refuse("Problem: latents: at least one is wanted, as {'mass': bpo.Uniform(.5, 2)}")
        for what, function in (("reset", reset), ("step", step), ("predict", predict)):
            if not callable(function):
                refuse(f"Problem: {what}: a function is wanted")
        if observe is None and state_dim not in (None, obs_dim):
            refuse("Problem: observe: without it the states are the observations, and state_dim "
                    f"= {state_dim} is not obs_dim = {obs_dim}")
        if obs_dim < 1 or horizon < 1 or not 0 < discount <= 1:
            refuse("Problem: obs_dim and horizon are at least 1, and 0 < discount <= 1")
        self.name = name
        rows, total = [], 1
        for latent, prior in latents.items():
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", latent) or latent == "horizon":
                refuse(f"Problem: latent '{latent}': a name of letters, digits and '_' is wanted")
            kind, low, high, mean, sd, values = prior._row()
            usual = 25 if len(latents) == 1 else 5
            given = getattr(prior, "cells", None)
            cells = len(values) or (usual if given is None else int(given))
            if cells < 1:
                refuse(f"Problem: latent '{latent}': at least one cell is wanted")
            total *= cells
            rows.append((latent, kind, float(low), float(high), float(mean), float(sd), values,
                         cells))
        if total > _MOST_CELLS:
            refuse(f"Problem: the belief has {total} cells; at most {_MOST_CELLS} are possible: "
                    "give latents fewer cells")
        self.cells = total
        names = list(action_names)
        if isinstance(actions, Discrete) and names and len(names) != actions.n:
            refuse(f"Problem: action_names: {actions.n} names are wanted")
        said = {
            "latents": rows, "actions": actions._row(), "obs_dim": int(obs_dim),
            "state_dim": int(obs_dim if state_dim is None else state_dim),
            "discount": float(discount), "reset": reset, "step": step, "observe": observe,
            "predict": predict}
        self.functions = hash_of(said, version)
        core.define_problem({
            **said, "name": name, "summary": summary, "horizon": int(horizon),
            "functions": self.functions,
            "observation_names": list(observation_names), "action_names": names,
            "release": release})

    def __repr__(self) -> str:
        return f"bpo.Problem({self.name!r}, {self.cells} cells)"


def from_gymnasium(make: Callable, latents: Mapping[str, Prior], horizon: int,
                   predict: Optional[Callable] = None, put: Optional[Callable] = None, sd=None,
                   options: Callable[[dict], dict] = dict, name: str = "gymnasium",
                   discount: float = 1.0) -> Problem:
    """Wraps a Gymnasium environment that takes parameters by reset(options=...): the slow path.

    make() makes an environment; options(latents) makes of {"mass": 1.2} what reset() is given.
    The filter needs either predict(), as a `bpo.Problem` has it, or put(env, observation), which
    brings an environment into the state that an observation tells, and `sd`: then a model is an
    environment of its own. Every row is a call of step(), and the wrapper says how slow that is.
    `terminated` ends an episode; one that is `truncated` before the horizon is refused.

    >>> problem = bpo.from_gymnasium(make, {"gravity": bpo.Uniform(5, 15)}, horizon=200,
    ...     put=lambda env, o: setattr(env.unwrapped, "state", o), sd=0.01)
    """
    if predict is None and (put is None or sd is None):
        refuse("from_gymnasium: the filter needs predict=, or put= and sd=")
    from gymnasium import spaces

    first = make()
    space, seen = first.action_space, first.observation_space
    if seen.shape is None or not isinstance(space, (spaces.Discrete, spaces.Box)):
        refuse(f"from_gymnasium: actions {space} and observations {seen}: a Discrete or a Box of "
               "actions and one array of observations are wanted; gymnasium.wrappers makes such")
    limit = getattr(first.spec, "max_episode_steps", None)
    if limit is not None and limit < horizon:
        refuse(f"from_gymnasium: horizon {horizon}: the environment cuts its episodes off after "
               f"{limit} steps; say at most that, or make it with a larger max_episode_steps")
    discrete = isinstance(space, spaces.Discrete)
    least = int(space.start) if discrete else 0
    if discrete:
        actions: Union[Box, Discrete] = Discrete(int(space.n))
    else:
        low, high = np.unique(space.low), np.unique(space.high)
        if low.size != 1 or high.size != 1:
            refuse("from_gymnasium: the limits of all numbers of an action must be the same; "
                    "gymnasium.wrappers.RescaleAction makes them so")
        actions = Box(float(low[0]), float(high[0]), int(np.prod(space.shape)))
    obs_dim, shape = int(np.prod(seen.shape)), space.shape
    pool, models = _Pool(make), []  # type: ignore[var-annotated]

    def action_of(numbers):
        return least + int(numbers) if discrete else numbers.reshape(shape)

    def arguments(latents_of_all, row):
        return options({key: float(value[row]) for key, value in latents_of_all.items()})

    def reset(latents_of_all, rng):
        seeds = (rng.uniform() * 2**31).astype(int)
        return np.stack([pool.begin(int(seed), arguments(latents_of_all, i))
                         for i, seed in enumerate(seeds)])

    def step(states, acts, latents_of_all, rng):
        rows, rewards, done = zip(*_row_by_row(
            len(states), lambda i: pool.step(int(states[i, 0]), action_of(acts[i]))))
        return np.stack(rows), np.array(rewards), np.array(done)

    def simulate(observations, acts, latents_of_all):
        try:  # one model for as many threads as are in here
            env = models.pop()
        except IndexError:
            env = make()

        def predicted(i):
            env.reset(seed=0, options=arguments(latents_of_all, i))
            put(env, observations[i])
            return np.ravel(env.step(action_of(acts[i]))[0])

        try:
            return np.stack(_row_by_row(len(acts), predicted, problem.cells)), sd
        finally:
            models.append(env)

    problem = Problem(name=name, latents=latents, actions=actions, obs_dim=obs_dim,
                      state_dim=obs_dim + 1, horizon=horizon, reset=reset, step=step,
                      predict=predict or simulate, release=pool.free.append,
                      observe=lambda states, latents_of_all, rng: states[:, 1:], discount=discount,
                      summary="a Gymnasium environment, wrapped",
                      version=(make, options, put, sd))
    first.reset(seed=0)
    start = time.perf_counter()
    for _ in range(20):
        if any(first.step(first.action_space.sample())[2:4]):
            first.reset(seed=0)
    each = (time.perf_counter() - start) / 20
    rows = 1 + (0 if predict else problem.cells)
    warnings.warn(f"{name}: one call of step() per row takes {each * 1e6:.0f} microseconds; with "
                  f"{rows} rows for each step, 10,000 steps take about {1e4 * rows * each:.0f} s; "
                  "a bpo.Problem over arrays takes a fraction of that", stacklevel=2)
    return problem


def _row_by_row(count, function, cells=1):
    """[function(0), function(1), ...]; what one of them raises tells the library whose row it was,
    of which each has so many cells, so that none has to be tried again."""
    out = []
    for i in range(count):
        try:
            out.append(function(i))
        except Exception as error:
            error._bpo_row = i // cells  # type: ignore[attr-defined]
            raise
    return out


class _Pool:
    """Environments by number, which is the first number of a state. Several threads are in here by
    turns: what they share are calls that nothing interrupts."""

    def __init__(self, make):
        self.make = make
        self.envs, self.free, self.numbers = {}, [], itertools.count()
        self.steps, self.cut = {}, set()

    def begin(self, seed, options):
        try:
            number = int(self.free.pop())
        except IndexError:
            number = next(self.numbers)
            self.envs[number] = self.make()
        try:
            o, _ = self.envs[number].reset(seed=seed, options=options)
        except BaseException:
            self.free.append(number)
            raise
        self.steps[number] = 0
        self.cut.discard(number)
        return np.concatenate([[number], np.ravel(o).astype(float)])

    def step(self, number, action):
        if number in self.cut:
            raise RuntimeError(f"the environment said `truncated` after {self.steps[number]} steps,"
                               " before the horizon; make it without such a limit, choose a "
                               "smaller horizon, or end the episode by `terminated`")
        o, reward, terminated, truncated, _ = self.envs[number].step(action)
        self.steps[number] += 1
        if truncated:
            self.cut.add(number)
        row = np.concatenate([[number], np.ravel(o).astype(float)])
        return row, float(reward), bool(terminated)
