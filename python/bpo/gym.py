"""Every problem as a Gymnasium environment, one episode at a time or many lanes together.

>>> import bpo, gymnasium
>>> env = gymnasium.make("bpo/HalfCheetah-v0", belief=True)
>>> obs, info = env.reset(seed=0, options={"latent": [0.9, 1.1]})
>>> envs = gymnasium.make_vec("bpo/Tiger-v0", num_envs=64, belief=True)
>>> env = bpo.gym.make("bridges.toml")          # a problem in a file

An observation is {"state": what the network's first encoder sees, "belief": what the filter says},
one flat array of both (flat=True), or the state alone (belief=False). Episode e of `reset(seed=s)`
is episode e of `bpo eval --seed s`.
"""

import operator
from typing import Any, Dict, Mapping, Optional

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from ._library import core, robots_missing
from ._said import assignments, problem_name

try:
    from gymnasium.vector import AutoresetMode
except ImportError as error:
    raise ImportError(f"bpo.gym needs Gymnasium 1.1 or newer, and {gymnasium.__version__} is "
                      "installed: pip install -U gymnasium") from error

_LARGEST_SEED = 2**62


def _form(belief: bool, flat: bool):
    if not belief:
        return core.Form.state
    return core.Form.flat if flat else core.Form.dict


def _observation_space(env, form) -> spaces.Space:
    wide = np.finfo(np.float32).max
    state = spaces.Box(-wide, wide, (env.state_dim,), np.float32)
    if form == core.Form.state:
        return state
    low, high = (0.0, 1.0) if env.on_grid else (-wide, wide)
    belief = spaces.Box(low, high, (env.belief_dim,), np.float32)
    if form == core.Form.dict:
        return spaces.Dict({"state": state, "belief": belief})
    return spaces.Box(np.concatenate([state.low, belief.low]),
                      np.concatenate([state.high, belief.high]), dtype=np.float32)


def _action_space(env) -> spaces.Space:
    count, dim, low, high = env.actions
    return spaces.Discrete(count) if count else spaces.Box(low, high, (dim,), np.float32)


class Env(gymnasium.Env):
    """One episode at a time.

    `reset(seed=s)` begins episode 0 of the seed, and without a seed the next one;
    options={"latent": numbers, "episode": e} choose. info["latent"] is the truth,
    info["observation"] what an agent is told (`bpo.load(...).act`).

    >>> env = bpo.gym.Env("tiger", set={"problem.horizon": 20})
    >>> obs, info = env.reset(seed=0, options={"episode": 3})
    >>> obs, reward, terminated, truncated, info = env.step(0)
    """

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(self, problem, belief: bool = True, flat: bool = False,
                 set: Optional[Mapping[str, object]] = None, render_mode: Optional[str] = None):
        form = _form(belief, flat)
        self.problem = problem_name(problem)
        self.render_mode = render_mode
        self.core = core.ScalarEnvironment(self.problem, assignments(set), form)
        self.observation_space = _observation_space(self.core, form)
        self.action_space = _action_space(self.core)
        self._seed: Optional[int] = None
        self._episode = 0
        if type(self).step is Env.step:
            setattr(self, "step", self.core.step)  # one call less for every step

    def step(self, action):  # of a subclass that calls it; else __init__ puts the library's here
        return self.core.step(action)

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None):
        super().reset(seed=seed)
        options = options or {}
        if seed is not None:
            self._seed, self._episode = seed, 0
        elif self._seed is None:
            self._seed = int(self.np_random.integers(_LARGEST_SEED))
        else:
            self._episode += 1
        self._episode = operator.index(options.get("episode", self._episode))
        latent = np.ravel(options.get("latent", ())).astype(float).tolist()
        return self.core.reset(self._seed, self._episode, latent)

    @property
    def belief_entropy(self) -> float:
        """In nats."""
        return self.core.entropy


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many lanes together, in tiles of 64 that the library moves at once.

    Lane i of reset(seed=s) begins with episode 0 of seed s + i, as the i-th of single environments
    would. options={"latent": numbers, "episode": e} choose, for all lanes or for each of them.
    autoreset_mode: "SameStep" (info["final_obs"] and info["final_info"] hold what was before the
    new episode, "_final_obs" says where), "NextStep", or "Disabled" (reset with
    options={"reset_mask": mask}). threads: how many move tiles; results do not depend on it.

    >>> envs = bpo.gym.VectorEnv("chain", 128, threads=2)
    >>> obs, info = envs.reset(seed=0, options={"episode": 3})
    >>> obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
    """

    def __init__(self, problem, num_envs: int = 1, belief: bool = True, flat: bool = False,
                 set: Optional[Mapping[str, object]] = None, threads: int = 1,
                 autoreset_mode=AutoresetMode.SAME_STEP, render_mode: Optional[str] = None):
        form = _form(belief, flat)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.problem = problem_name(problem)
        self.core = core.VectorEnvironment(self.problem, assignments(set), form, num_envs,
                                           getattr(core.Autoreset, self.autoreset_mode.value),
                                           threads)
        self.single_observation_space = _observation_space(self.core, form)
        self.single_action_space = _action_space(self.core)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._dict = form == core.Form.dict
        self._all = np.ones(num_envs, dtype=np.bool_)
        self._seeded = False

    def _observation(self, state, belief):
        return {"state": state, "belief": belief} if self._dict else state

    def reset(self, *, seed=None, options: Optional[dict] = None):
        options = options or {}
        mask = options.get("reset_mask")
        if mask is None:
            mask = self._all
        elif not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_
                  and mask.shape == (self.num_envs,) and mask.any()):
            raise ValueError(f"options['reset_mask']: a bool array of shape ({self.num_envs},) "
                             "with at least one True is wanted")
        if seed is None and not self._seeded:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(2))
        seeds = np.zeros(0, dtype=np.uint64)  # none: every lane goes on with its next episode
        if seed is not None:
            seeds = (np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed)
                     if np.ndim(seed) == 0 else np.asarray(seed, dtype=np.uint64))
            if seeds.shape != (self.num_envs,):
                raise ValueError(f"seed: one number, or {self.num_envs} of them")
        episodes = np.asarray(options.get("episode", np.zeros(0, dtype=np.uint64)))
        if episodes.dtype.kind not in "iu" or (episodes < 0).any():
            raise ValueError("options['episode']: numbers from 0 on are wanted")
        if episodes.size:
            episodes = np.broadcast_to(episodes, (self.num_envs,))
        self._seeded = True
        latent = np.asarray(options.get("latent", ()), dtype=float)
        if latent.size:
            latent = np.broadcast_to(latent, (self.num_envs, self.core.latent_dim))
        self.core.reset(seeds, episodes.astype(np.uint64), mask, latent)
        state, belief, latent = self.core.look()
        return self._observation(state, belief), {"latent": latent, "_latent": self._all.copy()}

    def step(self, actions):
        (state, belief, latent, reward, terminated, truncated, fault, last_state, last_belief,
         last_latent) = self.core.step(np.asarray(actions))
        info = {"latent": latent, "_latent": self._all.copy()}
        told = info
        if last_state is not None:
            over = terminated | truncated
            info["final_obs"] = self._observation(last_state, last_belief)
            info["final_info"] = told = {"latent": last_latent, "_latent": over}
            info["_final_obs"] = info["_final_info"] = over
        if fault is not None:
            told["fault"] = told["_fault"] = fault
        return self._observation(state, belief), reward, terminated, truncated, info


def _name(problem: str) -> str:
    words = problem.replace("_", "-").split("-")
    return "bpo/" + "".join(word.capitalize() for word in words) + "-v0"


def make(problem, **how) -> Env:
    """An environment of a problem, a file that holds one, or a `bpo.Problem`.

    >>> bpo.gym.make("lightdark", flat=True).reset(seed=0)
    """
    return Env(problem, **how)


def make_vec(problem, num_envs: int, **how) -> VectorEnv:
    """The same for many lanes together.

    >>> bpo.gym.make_vec("chain", 200, autoreset_mode="NextStep", threads=2).reset(seed=0)
    """
    return VectorEnv(problem, num_envs, **how)


def register() -> None:
    """Makes every problem that is known now an environment of Gymnasium; "bpo/File-v0" takes any
    by problem="maze.pomdp"."""
    known = {_name(name): {"problem": name} for name in core.inventory()["problems"]
             if "@" not in name}
    if robots_missing:  # to make one says why it cannot be
        known.update({_name(name): {"problem": name}
                      for name in ("half-cheetah", "swimmer", "ant")})
    known["bpo/File-v0"] = {}
    for name, arguments in known.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="bpo.gym:Env",
                               vector_entry_point="bpo.gym:VectorEnv", kwargs=arguments,
                               order_enforce=False, disable_env_checker=True)


register()
