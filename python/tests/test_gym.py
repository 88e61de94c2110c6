"""Problems as Gymnasium environments: all pass its checker, and lanes are single environments."""

import shutil
import subprocess
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import bpo
import bpo.gym

PROBLEMS = [name for name in bpo.list()["problems"] if "@" not in name]
SHORT = {"set": {"problem.horizon": 7}}  # an episode ends within a test


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("how", [{}, {"flat": True}, {"belief": False}],
                         ids=["dict", "flat", "state"])
def test_check_env(problem, how):
    env = gymnasium.make(bpo.gym._name(problem), **how, **SHORT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)


FILES = ["problems/bridges.toml", "robots/arm/arm.toml", "robots/cart-pole/cart-pole.toml",
         "robots/hopper/hopper.toml", "robots/quadruped/quadruped.toml",
         "robots/walker/walker.toml", "tiger.pomdp", "rocksample.pomdpx"]


@pytest.fixture(scope="module", params=FILES)
def file(request, source, program, tmp_path_factory):
    """The path of a problem in a file."""
    name = request.param
    if "robots" in name and bpo.robots_missing:
        pytest.skip(bpo.robots_missing)
    if "bridges" in name:
        return source / "examples" / name
    path = tmp_path_factory.mktemp("files") / name.split("/")[-1]
    if "robots" in name:  # with spreads that nobody has to find by running the filter
        robot = source / "examples" / name
        shutil.copy(robot.with_suffix(".xml"), path.parent)
        text, found = robot.read_text(), 'sigma = "auto"'
        assert found in text
        path.write_text(text.replace(found, "sigma = 0.1"))
        return path
    subprocess.run([program, "write-problem", path.stem, path], check=True)
    return path


def test_check_env_of_a_file(file):
    env = gymnasium.make("bpo/File-v0", problem=file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)


def test_a_latent_of_a_file_can_be_chosen(file):
    env = bpo.gym.make(file)
    told = [env.reset(seed=seed)[1]["latent"] for seed in range(1, 9)]
    assert any((told[0] != other).any() for other in told), "or there is nothing to choose"
    for seed in range(2, 5):
        _, info = env.reset(seed=seed, options={"latent": told[0]})
        np.testing.assert_allclose(info["latent"], told[0], atol=1e-6)
    with pytest.raises(bpo.Error, match="latent"):
        env.reset(options={"latent": [0.5] * (len(told[0]) + 1)})


def test_lanes_of_a_file_are_single_environments(file):
    """Through the ends of episodes, against Gymnasium's own vector of single environments."""
    how = {"problem": file, "set": {"problem.horizon": 4}}
    ours = gymnasium.make_vec("bpo/File-v0", num_envs=2, **how)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("bpo/File-v0", **how)] * 2,
                                            autoreset_mode=AutoresetMode.SAME_STEP)
    told = [envs.reset(seed=3)[0] for envs in (ours, theirs)]
    ours.action_space.seed(0)
    ended = 0
    for _ in range(10):
        for key in ("state", "belief"):
            np.testing.assert_array_equal(told[0][key], told[1][key])
        actions = ours.action_space.sample()
        (a, *ends_a, info_a), (b, *ends_b, info_b) = (envs.step(actions) for envs in (ours, theirs))
        for x, y in zip(ends_a, ends_b):  # rewards, ends, limits
            np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(info_a["latent"], info_b["latent"])
        over = ends_a[1] | ends_a[2]
        ended += over.sum()
        for i in np.flatnonzero(over):
            for key in ("state", "belief"):
                np.testing.assert_array_equal(info_a["final_obs"][key][i],
                                              info_b["final_obs"][i][key])
        told = [a, b]
    assert ended >= 4


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_same_seed_is_the_same_episode(problem):
    env = bpo.gym.make(problem, **SHORT)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(7)]
    told = []
    for _ in range(2):
        obs, info = env.reset(seed=5)
        told.append([obs["state"], obs["belief"], info["latent"]])
        for action in actions:
            obs, reward, terminated, truncated, info = env.step(action)
            told[-1] += [obs["state"], obs["belief"], reward, info["latent"]]
            if terminated or truncated:
                break
    assert len(told[0]) == len(told[1])
    for a, b in zip(*told):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_latent_can_be_chosen(problem):
    env = bpo.gym.make(problem, **SHORT)
    _, info = env.reset(seed=1)
    chosen = info["latent"]
    for seed in range(2, 5):
        _, info = env.reset(seed=seed, options={"latent": chosen})
        np.testing.assert_allclose(info["latent"], chosen, atol=1e-6)
    with pytest.raises(bpo.Error, match="latent"):
        env.reset(options={"latent": [0.5] * (len(chosen) + 1)})


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_lanes_are_single_environments(problem, mode):
    """More lanes than a tile has, through the ends of episodes, against Gymnasium's own vector of
    single environments."""
    lanes = 3 if problem in ("half-cheetah", "swimmer", "ant") else 70
    ours = gymnasium.make_vec(bpo.gym._name(problem), num_envs=lanes, autoreset_mode=mode,
                              **SHORT)
    assert ours.metadata["autoreset_mode"] == mode
    theirs = gymnasium.vector.SyncVectorEnv([lambda: bpo.gym.make(problem, **SHORT)] * lanes,
                                            autoreset_mode=mode)
    a, info_a = ours.reset(seed=3)
    b, info_b = theirs.reset(seed=3)
    ours.action_space.seed(0)
    ended = 0
    for _ in range(17):
        assert ours.observation_space.contains(a)
        for key in b:
            np.testing.assert_array_equal(a[key], b[key])
        np.testing.assert_array_equal(info_a["latent"], info_b["latent"])
        actions = ours.action_space.sample()
        a, reward_a, terminated_a, truncated_a, info_a = ours.step(actions)
        b, reward_b, terminated_b, truncated_b, info_b = theirs.step(actions)
        np.testing.assert_array_equal(reward_a, reward_b)
        np.testing.assert_array_equal(terminated_a, terminated_b)
        np.testing.assert_array_equal(truncated_a, truncated_b)
        over = terminated_a | truncated_a
        ended += over.sum()
        assert ("final_obs" in info_a) == (mode == AutoresetMode.SAME_STEP and over.any())
        if "final_obs" in info_a:
            np.testing.assert_array_equal(info_a["_final_obs"], over)
            for i in np.flatnonzero(over):
                last = info_b["final_obs"][i] if isinstance(info_b["final_obs"], np.ndarray) else {
                    key: info_b["final_obs"][key][i] for key in b}
                for key in b:
                    np.testing.assert_array_equal(info_a["final_obs"][key][i], last[key])
    assert ended >= 2 * lanes


def test_disabled_autoreset_waits_for_a_mask():
    envs = bpo.gym.make_vec("tiger", 4, autoreset_mode="Disabled", set={"problem.horizon": 2})
    envs.reset(seed=0)
    envs.step(np.zeros(4, int))
    *_, truncated, _ = envs.step(np.zeros(4, int))
    assert truncated.all()
    obs, *_ = envs.reset(options={"reset_mask": np.array([True, False, True, False])})
    _, _, _, truncated, _ = envs.step(np.zeros(4, int))
    assert not truncated.any()
    _, reward, _, truncated, _ = envs.step(np.zeros(4, int))
    np.testing.assert_array_equal(truncated, [True, False, True, False])
    np.testing.assert_array_equal(reward, [-1, 0, -1, 0])
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True]})


def test_threads_change_nothing():
    told = []
    for threads in (1, 2):
        envs = bpo.gym.make_vec("chain", 200, threads=threads, flat=True)
        obs, _ = envs.reset(seed=0)
        envs.action_space.seed(0)
        for _ in range(20):
            obs, reward, *_ = envs.step(envs.action_space.sample())
        told.append((obs, reward))
    np.testing.assert_array_equal(told[0][0], told[1][0])
    np.testing.assert_array_equal(told[0][1], told[1][1])


@pytest.mark.parametrize("problem", PROBLEMS)
def test_latents_of_lanes_can_be_chosen(problem):
    """One for all, or one for each, in more lanes than a tile has."""
    lanes = 3 if problem in ("half-cheetah", "swimmer", "ant") else 70
    envs = bpo.gym.make_vec(problem, lanes, **SHORT)
    _, info = envs.reset(seed=1)
    drawn = info["latent"]
    obs, info = envs.reset(seed=50, options={"latent": drawn})
    np.testing.assert_allclose(info["latent"], drawn, atol=1e-6)
    envs.action_space.seed(0)
    actions = envs.action_space.sample()
    obs, reward, *_ = envs.step(actions)
    last, single = lanes - 1, bpo.gym.make(problem, **SHORT)
    single.reset(seed=50 + last, options={"latent": drawn[last]})
    alone, reward_alone, *_ = single.step(actions[last])
    assert reward_alone == reward[last]
    np.testing.assert_array_equal(alone["belief"], obs["belief"][last])
    _, info = envs.reset(options={"latent": drawn[0]})
    np.testing.assert_allclose(info["latent"], np.tile(drawn[0], (lanes, 1)), atol=1e-6)
    with pytest.raises((bpo.Error, ValueError)):
        envs.reset(options={"latent": np.zeros((lanes, drawn.shape[1] + 1))})


@pytest.mark.skipif("half-cheetah" not in PROBLEMS, reason=bpo.robots_missing)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_a_broken_simulation_is_told_of(mode):
    """As Gymnasium's own vector of single environments tells it."""
    ours = bpo.gym.make_vec("half-cheetah", 2, autoreset_mode=mode)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: bpo.gym.make("half-cheetah")] * 2,
                                            autoreset_mode=mode)
    heavy = {"latent": [1e30, 1e30]}  # no simulation can move it
    for envs in (ours, theirs):
        envs.reset(seed=0, options=heavy)
    actions = np.zeros((2, 6), np.float32)
    told = [envs.step(actions)[-1] for envs in (ours, theirs)]
    if mode == AutoresetMode.SAME_STEP:
        told = [info["final_info"] for info in told]
    for key in ("fault", "_fault"):
        np.testing.assert_array_equal(told[0][key], [True, True])
        np.testing.assert_array_equal(told[1][key], [True, True])
    ours.reset(seed=0, options={"latent": [[1.0, 1.0], [1e30, 1e30]]})
    info = ours.step(actions)[-1]
    info = info.get("final_info", info)
    np.testing.assert_array_equal(info["fault"], [False, True])
    assert "fault" not in ours.step(actions)[-1]


def test_episodes_of_lanes_can_be_chosen():
    """One for all, or one for each, as single environments choose them; then the next ones."""
    envs, single = bpo.gym.make_vec("chain", 70), bpo.gym.make("chain")

    def expect(episodes):
        for lane in (0, 69):
            _, info = single.reset(seed=3 + lane, options={"episode": int(episodes[lane])})
            np.testing.assert_array_equal(told["latent"][lane], info["latent"])

    for chosen in (5, np.arange(70)):
        _, told = envs.reset(seed=3, options={"episode": chosen})
        expect(np.broadcast_to(chosen, 70))
    _, told = envs.reset(options={"episode": 7})
    expect(np.full(70, 7))
    _, told = envs.reset()
    expect(np.full(70, 8))
    for wrong in (-1, 0.5, np.arange(3)):
        with pytest.raises(ValueError, match="episode|broadcast"):
            envs.reset(options={"episode": wrong})


def test_a_subclass_has_its_own_step():
    class Halved(bpo.gym.Env):
        def step(self, action):
            obs, reward, *rest = super().step(action)
            return (obs, 0.5 * reward, *rest)

    env = Halved("tiger")
    env.reset(seed=0)
    assert env.step(0)[1] == -0.5


def test_what_is_handed_out_may_be_changed():
    envs = bpo.gym.make_vec("tiger", 3)
    _, info = envs.reset(seed=0)
    for _ in range(2):
        assert info["_latent"].all()
        info["_latent"][:] = False
        *_, info = envs.step(np.zeros(3, int))


def test_a_step_needs_a_reset_of_all_lanes():
    envs = bpo.gym.make_vec("tiger", 2, autoreset_mode="Disabled")
    envs.reset(seed=0, options={"reset_mask": np.array([True, False])})
    with pytest.raises(bpo.Error, match="call reset"):
        envs.step(np.zeros(2, int))
    envs.reset(seed=0)
    envs.step(np.zeros(2, int))


def test_an_end_is_told_from_a_limit():
    env = bpo.gym.make("tiger", set={"problem.horizon": 3})
    env.reset(seed=0)
    ends = [env.step(0)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(bpo.Error, match="the episode is over"):
        env.step(0)
    with pytest.raises(bpo.Error, match="0 to 2"):
        env.reset(seed=0)
        env.step(3)


def test_bad_actions_are_refused():
    envs = bpo.gym.make_vec("tiger", 4)
    envs.reset(seed=0)
    with pytest.raises(bpo.Error, match="4 numbers"):
        envs.step(np.zeros(3, int))
    with pytest.raises(bpo.Error, match="lane 2"):
        envs.step(np.array([0, 0, 5, 0]))
    room = bpo.gym.make("lightdark")
    room.reset(seed=0)
    with pytest.raises(bpo.Error, match="not finite"):
        room.step([np.nan, 0.0])
