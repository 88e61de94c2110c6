"""An agent in a loop of one's own does what `bpo play` shows."""

import json
import subprocess

import numpy as np
import pytest

import bpo


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "tiger"
    return bpo.train("tiger", out=out, iterations=5, set={"optimizer.batch_steps": 5000,
                                                          "algo.validate_episodes": 100})


PLAYED = {
    "tiger": ("tiger", {}),
    "chain": ("chain", {}),
    "lightdark": ("lightdark", {}),
    "moment": ("lightdark", {"problem.filter": "moment"}),
    "half-cheetah": ("half-cheetah", {"problem.horizon": 30}),
    "tables": ("rocksample.pomdpx", {"problem.horizon": 30}),
}


@pytest.fixture(scope="module", params=PLAYED)
def small(request, tmp_path_factory, program):
    """A run of each kind of filter, trained for a moment, and its problem."""
    problem, options = PLAYED[request.param]
    out = tmp_path_factory.mktemp("runs") / request.param
    if problem.endswith(".pomdpx"):
        file = out.parent / problem
        subprocess.run([program, "write-problem", "rocksample", file, "--set", "n=3"], check=True)
        problem = str(file)
    elif problem not in bpo.list()["problems"]:
        pytest.skip(bpo.robots_missing)
    return problem, options, bpo.train(problem, out=out, iterations=2, set={
        **options, "optimizer.batch_steps": 1000, "algo.validate_episodes": 50})


def test_acts_as_play_does(small, program):
    problem, options, run = small
    told = json.loads(subprocess.run(
        [program, "play", run.directory, "--trace", "--json", "--seed", "7", "--episode", "2"],
        check=True, capture_output=True, text=True).stdout)
    env = bpo.gym.make(problem, set=options)
    agent = bpo.load(run)
    _, info = env.reset(seed=7, options={"episode": 2})
    agent.reset(seed=7, episode=2)
    total, weight = 0.0, 1.0
    for step in told["steps"]:
        action = agent.act(info["observation"])
        played = step["action"]
        if isinstance(action, int):
            played = agent.names.action_values.index(played)
        np.testing.assert_array_equal(action, played)
        np.testing.assert_array_equal(agent.belief, np.float32(step["belief"]))
        obs, reward, terminated, truncated, info = env.step(action)
        agent.observe(action, info["observation"])
        np.testing.assert_array_equal(agent.belief, obs["belief"])
        total += weight * reward
        weight *= env.core.discount
    assert terminated or truncated
    assert total == pytest.approx(told["return"], rel=1e-12)


def test_plays_the_golden_sequences_of_an_export(small, program, tmp_path):
    run = small[-1]
    subprocess.run([program, "export", run.directory, "--to", "c", tmp_path / "c"], check=True)
    agents = [bpo.load(run, greedy=greedy) for greedy in (False, True)]
    golden = json.loads((tmp_path / "c" / "golden.json").read_text())
    assert len(golden) == 32
    for sequence in golden:
        agent = agents[sequence[0]["greedy"]]
        for step in sequence:
            if step["first"]:
                agent.reset(step["seed"], step["episode"])
            else:
                assert agent.observe(executed, step["observation"]) == step["alive"]
            action = np.atleast_1d(agent.act(step["observation"]))
            np.testing.assert_array_equal(action, step["action"])
            np.testing.assert_array_equal(agent.belief, np.float32(step["belief"]))
            executed = step["executed"]


def test_values_have_names(run):
    agent = bpo.load(run.policy, greedy=True)
    assert agent.names.observation_values == ["heard left", "heard right", "nothing"]
    agent.act("nothing")
    assert agent.observe("listen", "heard left")
    assert agent.belief[0] == pytest.approx(0.85)
    assert agent.entropy == pytest.approx(-(0.85 * np.log(0.85) + 0.15 * np.log(0.15)))
    assert agent.estimate[0] == 0
    with pytest.raises(bpo.Error, match="did you mean 'heard left'"):
        agent.observe("listen", "heard lef")
    agent.reset()
    assert agent.belief[0] == 0.5


def test_refuses_what_is_no_run(tmp_path):
    with pytest.raises(bpo.Error, match="no run and no policy"):
        bpo.load(tmp_path / "nothing")
