"""Stable-Baselines3's learners on problems: it refuses Gymnasium's vector environments, so this is
the same lanes behind its own interface.

>>> from stable_baselines3 import PPO
>>> env = bpo.sb3.VecEnv("tiger", num_envs=64)
>>> model = PPO("MultiInputPolicy", env, n_steps=16).learn(100_000)
"""

from typing import Any, List, Optional, Sequence

import numpy as np

try:
    from stable_baselines3.common.vec_env import VecEnv as _VecEnv
except ImportError as error:
    raise ImportError("bpo.sb3 needs Stable-Baselines3: pip install stable-baselines3") from error

from .gym import VectorEnv


class VecEnv(_VecEnv):
    """Lanes of a problem as Stable-Baselines3 wants them; `how` is as for `bpo.gym.VectorEnv`.

    >>> env = bpo.sb3.VecEnv("chain", num_envs=64, seed=0, flat=True)
    >>> obs = env.reset()
    """

    def __init__(self, problem, num_envs: int = 1, seed: Optional[int] = None, **how):
        self.lanes = VectorEnv(problem, num_envs, autoreset_mode="SameStep", **how)
        self._first = seed
        self._actions = None
        self._return = np.zeros(num_envs)
        self._length = np.zeros(num_envs, dtype=int)
        self.render_mode = None
        super().__init__(num_envs, self.lanes.single_observation_space,
                         self.lanes.single_action_space)

    def reset(self):
        if self._seeds[0] is not None:
            obs, _ = self.lanes.reset(seed=[int(seed) for seed in self._seeds])
        else:
            obs, _ = self.lanes.reset(seed=self._first)
        self._first = None
        self._reset_seeds()
        self._reset_options()
        self._return[:] = 0.0
        self._length[:] = 0
        return obs

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self):
        obs, reward, terminated, truncated, told = self.lanes.step(self._actions)
        self._return += reward
        self._length += 1
        over = terminated | truncated
        infos: List[dict] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(over):
            last = told["final_obs"]
            infos[i] = {
                "terminal_observation": ({key: x[i] for key, x in last.items()}
                                         if isinstance(last, dict) else last[i]),
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                "latent": told["final_info"]["latent"][i],
                "episode": {"r": float(self._return[i]), "l": int(self._length[i])},
            }
        self._return[over] = 0.0
        self._length[over] = 0
        return obs, reward.astype(np.float32), over, infos

    def close(self) -> None:
        self.lanes.close()

    def get_attr(self, attr_name: str, indices=None) -> List[Any]:
        return [getattr(self, attr_name, None)] * len(self._at(indices))

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        raise NotImplementedError("the lanes have no attributes of their own; pass options as set=")

    def env_method(self, method_name: str, *arguments, indices=None, **named) -> List[Any]:
        raise NotImplementedError("the lanes have no methods of their own")

    def env_is_wrapped(self, wrapper_class, indices=None) -> List[bool]:
        # Returns and lengths of episodes are told, as a Monitor would.
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor] * len(self._at(indices))

    def _at(self, indices) -> Sequence[int]:
        return range(self.num_envs) if indices is None else np.atleast_1d(indices)


def evaluate(problem, model, episodes: int = 1000, seed: int = 0, recurrent: bool = False, **how):
    """The returns of a learner's policy, discounted as the problem says, on episodes of seeds
    `seed`, `seed` + 1, ...: an array to be compared with `run.evaluate()`.

    >>> bpo.sb3.evaluate("tiger", model, episodes=1000).mean()
    """
    lanes = VectorEnv(problem, episodes, autoreset_mode="Disabled", **how)
    discount = lanes.core.discount
    obs, _ = lanes.reset(seed=seed)
    returns, weight, memory = np.zeros(episodes), 1.0, None
    running, start = np.ones(episodes, dtype=bool), np.ones(episodes, dtype=bool)
    while running.any():
        if recurrent:
            actions, memory = model.predict(obs, state=memory, episode_start=start)
        else:
            actions, _ = model.predict(obs)
        obs, reward, terminated, truncated, _ = lanes.step(actions)
        returns += weight * np.where(running, reward, 0.0)
        running &= ~(terminated | truncated)
        start[:] = False
        weight *= discount
    return returns
