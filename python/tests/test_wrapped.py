"""A Gymnasium environment, wrapped: filter, training by several threads, and who has which."""

import sys

import gymnasium
import numpy as np
import pytest
from swing import Swing, wrap

import bpo
import bpo.gym

pytestmark = pytest.mark.filterwarnings("ignore:.*one call of step.*")


def test_says_how_slow_it_is_and_filters():
    with pytest.warns(UserWarning, match="microseconds"):
        env = bpo.gym.make(wrap())
    env.reset(seed=0, options={"latent": [0.65]})  # the first cell's value
    for _ in range(20):
        obs, *_ = env.step(np.array([1.0]))
    assert obs["belief"].argmax() == 0 and obs["belief"].max() > 0.9
    with pytest.raises(bpo.Error, match="predict="):
        bpo.from_gymnasium(Swing, {"mass": bpo.Uniform(0.5, 2.0)}, horizon=20)


@pytest.fixture
def restless():
    """The interpreter changes threads as often as it can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_trains_to_the_same_bytes_with_any_number_of_threads(tmp_path, restless):
    problem = wrap("swinging")
    runs = [bpo.train(problem, iterations=2, out=tmp_path / f"t{threads}", threads=threads,
                      set={"optimizer.batch_steps": 1200, "algo.validate_episodes": 128,
                           "problem.horizon": 5}) for threads in (1, 2)]
    policies = [open(run.policy, "rb").read() for run in runs]
    assert policies[0] == policies[1]
    assert runs[0].result.mean == runs[1].result.mean


@pytest.mark.parametrize("horizon", [7, 30])
def test_an_environment_has_one_episode_at_a_time(horizon):
    """Episodes shorter and longer than the problem says, against single environments, while others
    begin; and no more are made than there are lanes, but for one that begins before one is over."""
    how = {"set": {"problem.horizon": horizon}}
    problem = wrap(f"swing-{horizon}")
    envs = bpo.gym.make_vec(problem, 3, **how)
    singles = gymnasium.vector.SyncVectorEnv(
        [lambda: bpo.gym.make(problem, **how)] * 3,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    a, _ = envs.reset(seed=0)
    b, _ = singles.reset(seed=0)
    other = bpo.gym.make(problem)
    made = Swing.made
    envs.action_space.seed(0)
    for t in range(3 * horizon):
        if t % 5 == 4:
            other.reset(seed=t)
        actions = envs.action_space.sample()
        a, reward_a, *_ = envs.step(actions)
        b, reward_b, *_ = singles.step(actions)
        np.testing.assert_array_equal(a["state"], b["state"])
        np.testing.assert_array_equal(reward_a, reward_b)
    for _ in range(20):  # in the middle of episodes
        envs.reset(seed=1)
        envs.step(actions)
    assert Swing.made <= made + 4


def test_environments_are_free_again_when_their_world_is_gone():
    problem = wrap("swing-free")
    for _ in range(5):
        envs = bpo.gym.make_vec(problem, 10)
        envs.reset(seed=0)
        made = Swing.made
        del envs
    envs = bpo.gym.make_vec(problem, 10)
    envs.reset(seed=0)
    assert Swing.made == made


def test_a_failing_environment_is_told_of():
    steps = []

    class Breaks(Swing):
        def step(self, action):
            steps.append(self.mass)
            if self.mass > 1.9 and abs(self.state[0]) < 2:
                raise ArithmeticError("the rod broke")
            return super().step(action)

    problem = bpo.from_gymnasium(Breaks, {"mass": bpo.Choice([1.0, 1.95])}, horizon=20,
                                 predict=lambda o, a, latents: (o, 1.0), name="breaks")
    envs = bpo.gym.make_vec(problem, 3)
    envs.reset(seed=0, options={"latent": [[1.0], [1.0], [1.95]]})
    steps.clear()
    with pytest.raises(bpo.Error, match="breaks: step: at step 0 of lane 2") as caught:
        envs.step(np.zeros((3, 1)))
    assert isinstance(caught.value.__cause__, ArithmeticError)
    assert steps == [1.0, 1.0, 1.95], "none has moved twice"


def test_a_failing_model_is_told_of():
    def fails(env, observation):
        if env.mass > 1.9:
            raise ArithmeticError("no such state")

    problem = bpo.from_gymnasium(Swing, {"mass": bpo.Choice([1.0, 1.95])}, horizon=20, put=fails,
                                 sd=0.01, name="unput")
    envs = bpo.gym.make_vec(problem, 3)
    envs.reset(seed=0)
    with pytest.raises(bpo.Error, match="unput: predict: at step 0 of lane 0: ArithmeticError"):
        envs.step(np.zeros((3, 1)))


class Counts(gymnasium.Env):
    """Pays the number of the action, and shows it; actions begin at 5."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,))
    action_space = gymnasium.spaces.Discrete(3, start=5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        return np.array([float(action)]), float(action), False, False, {}


def counting(make, name, horizon):
    return bpo.from_gymnasium(make, {"mass": bpo.Choice([1.0, 2.0])}, horizon=horizon, name=name,
                              predict=lambda o, a, latents: (o, 1.0))


def test_actions_begin_where_the_environments_do():
    env = bpo.gym.make(counting(Counts, "counts", 20))
    env.reset(seed=0)
    assert [env.step(action)[1] for action in range(3)] == [5.0, 6.0, 7.0]


def test_spaces_that_cannot_be_told_are_refused():
    class Several(Counts):
        action_space = gymnasium.spaces.MultiBinary(3)

    class Named(Counts):
        observation_space = gymnasium.spaces.Dict({"x": gymnasium.spaces.Discrete(3)})

    for make in (Several, Named):
        with pytest.raises(bpo.Error, match="a Discrete or a Box of actions"):
            counting(make, "refused", 20)


def test_a_limit_of_time_is_no_end():
    """`truncated` at the horizon is the horizon; before it, nobody knows what comes after."""
    class Told(Counts):
        spec = gymnasium.envs.registration.EnvSpec("Counts-v0", Counts, max_episode_steps=5)

    def limited():
        return gymnasium.wrappers.TimeLimit(Counts(), 5)

    with pytest.raises(bpo.Error, match="cuts its episodes off after 5 steps") as caught:
        counting(Told, "limited", 6)
    assert caught.value.exit_code == 2
    env = bpo.gym.make(counting(limited, "limited", 5))
    env.reset(seed=0)
    assert [env.step(0)[2:4] for _ in range(5)] == [(False, False)] * 4 + [(False, True)]
    env = bpo.gym.make(counting(limited, "limited", 6))
    env.reset(seed=0)
    assert [env.step(0)[2:4] for _ in range(5)] == [(False, False)] * 5
    with pytest.raises(bpo.Error, match="step 5 of lane 0: RuntimeError: .*after 5 steps"):
        env.step(0)
