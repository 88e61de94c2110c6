"""A simulator of one's own in numpy: filter, training, measuring and pages."""

import numpy as np
import pendulum
import pytest

import bpo
import bpo.gym

FEW = {"optimizer.batch_steps": 1200, "algo.validate_episodes": 32}


def test_the_filter_is_bayes_rule_by_hand():
    env = bpo.gym.make(pendulum.make())
    _, info = env.reset(seed=0)
    grid = 0.5 + 1.5 * (np.arange(25) + 0.5) / 25
    log, rng = np.zeros(25), np.random.default_rng(0)
    for _ in range(30):
        before = np.repeat(info["observation"][None], 25, axis=0)
        action = rng.uniform(-1, 1, 1).astype(np.float32)
        obs, _, _, _, info = env.step(action)
        mean, sd = pendulum.predict(before, np.repeat(action[None].astype(float), 25, axis=0),
                                    {"mass": grid})
        log += -0.5 * (((info["observation"] - mean) / sd) ** 2).sum(axis=1)
        belief = np.exp(log - log.max())
        np.testing.assert_allclose(obs["belief"], belief / belief.sum(), atol=2e-3)


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("spread", ["one", "one per number", "one for each"])
def test_evidence_of_any_width_is_bayes_rule_by_hand(dim, spread):
    """Seven cells, of which one is so wrong that its likelihood is 0 in double precision."""
    grid = np.array([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 9.0])
    weights = 1.0 + np.arange(dim)

    def predict(observations, actions, latents):
        mean = latents["x"][:, None] * weights
        mean[latents["x"] == 9.0] = 1e200
        sd = {"one": 4.0, "one per number": 3.0 + weights,
              "one for each": 4.0 + np.abs(mean.clip(-9, 9))}[spread]
        return mean, sd

    def step(states, actions, latents, rng):
        return latents["x"][:, None] * weights + rng.normal(dim), np.zeros(len(states))

    problem = bpo.Problem(name=f"wide-{dim}-{spread.replace(' ', '-')}", obs_dim=dim, horizon=9,
                          latents={"x": bpo.Choice(grid)}, actions=bpo.Discrete(2), step=step,
                          reset=lambda latents, rng: rng.normal(dim), predict=predict)
    envs = bpo.gym.make_vec(problem, 3)
    envs.reset(seed=0, options={"latent": [[-1.0], [0.5], [2.0]]})
    log = np.zeros((3, 7))
    mean, sd = predict(None, None, {"x": grid})
    sd = np.broadcast_to(sd, mean.shape)
    for _ in range(5):
        obs, *_ = envs.step(np.zeros(3, int))
        z = (obs["state"][:, None] - mean) / sd
        with np.errstate(over="ignore"):
            log -= 0.5 * (z ** 2).sum(axis=2) + np.log(sd).sum(axis=1)
        belief = np.exp(log - log.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(obs["belief"], belief, atol=2e-4)
        assert (obs["belief"][:, 6] == 0).all()


def test_the_belief_finds_the_mass():
    envs = bpo.gym.make_vec(pendulum.make(), 64)
    obs, _ = envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(59):
        obs, *_, info = envs.step(np.sign(envs.action_space.sample()))
    grid = 0.5 + 1.5 * (np.arange(25) + 0.5) / 25
    error = np.abs(grid[obs["belief"].argmax(axis=1)] - info["latent"][:, 0])
    assert np.mean(error < 0.2) > 0.8


def test_trains_measures_and_reports(tmp_path):
    problem = pendulum.make()
    runs = [bpo.train(problem, algo="bpo", iterations=8, out=tmp_path / f"t{threads}", set=FEW,
                      threads=threads) for threads in (1, 2)]
    policies = [open(run.policy, "rb").read() for run in runs]
    assert policies[0] == policies[1]
    first = bpo.train(problem, iterations=1, out=tmp_path / "first", set=FEW)
    assert runs[0].evaluate(episodes=200).mean > first.evaluate(episodes=200).mean
    assert "svg" in bpo.report([runs[0]], tmp_path / "page.html", episodes=20).html
    assert bpo.compare([runs[0], first], episodes=50).table().rows
    fixed = runs[0].evaluate(episodes=50, set={"problem.mass": 1.0})
    assert fixed.episodes == 50
    agent = bpo.load(runs[0])
    assert agent.names.latent == ["mass"]
    action = agent.act([0.1, 0.0])
    assert agent.observe(action, [0.1, 0.02]) and agent.belief.shape == (25,)


def test_discrete_actions_ends_and_observations(tmp_path):
    """A coin of unknown bias: guess its side; the episode ends after three heads."""
    def reset(latents, rng):
        return np.zeros((len(latents["bias"]), 2))

    def step(states, actions, latents, rng):
        heads = (rng.uniform() < latents["bias"]).astype(float)
        count = states[:, 1] + heads
        return np.column_stack([heads, count]), (actions == heads).astype(float), count >= 3

    def predict(observations, actions, latents):
        mean = latents["bias"][:, None]
        return mean, np.sqrt(mean * (1 - mean))

    problem = bpo.Problem(name="coin", latents={"bias": bpo.Choice([0.2, 0.8])},
                          actions=bpo.Discrete(2), obs_dim=1, state_dim=2, horizon=20, reset=reset,
                          step=step, predict=predict,
                          observe=lambda states, latents, rng: states[:, :1])
    env = bpo.gym.make(problem)
    env.reset(seed=0, options={"latent": [0.8]})
    terminated = False
    for n in range(20):
        obs, reward, terminated, truncated, info = env.step(1)
        assert info["latent"][0] == pytest.approx(0.8)
        if terminated:
            break
    assert terminated and n >= 2
    run = bpo.train(problem, iterations=4, out=tmp_path / "coin", set=FEW)
    assert run.evaluate(episodes=100).mean > 0


def test_rows_do_not_depend_on_their_neighbours():
    problem = pendulum.make()
    one, many = bpo.gym.make(problem), bpo.gym.make_vec(problem, 64)
    a, _ = one.reset(seed=9)
    b, _ = many.reset(seed=9)
    for _ in range(10):
        a, ra, *_ = one.step(np.array([0.3]))
        b, rb, *_ = many.step(np.full((64, 1), 0.3))
        assert ra == rb[0]
        np.testing.assert_array_equal(a["state"], b["state"][0])


def test_another_definition_of_a_name_is_told_of():
    told = []
    for summary, discount in (("the first", 0.9), ("the second", 0.8)):
        problem = pendulum.make("twice", summary=summary, discount=discount)
        defaults = {row[0]: row[1] for row in bpo.options(problem).rows}
        told.append((bpo.list()["problems"]["twice"], float(defaults["optimizer.discount"])))
    assert told == [("the first", 0.9), ("the second", 0.8)]


@pytest.mark.parametrize("wrong, text", [
    (dict(name="tiger"), "problem of the program"),
    (dict(name="a b"), "letters"),
    (dict(latents={}), "at least one"),
    (dict(latents={"mass": bpo.Uniform(2, 1)}), "below"),
    (dict(latents={"a": bpo.Uniform(0, 1, 200), "b": bpo.Uniform(0, 1, 200)}), "40000 cells"),
    (dict(actions=bpo.Discrete(1)), "two actions"),
    (dict(predict=3), "a function"),
    (dict(state_dim=5), "observe"),
])
def test_definitions_are_checked(wrong, text):
    with pytest.raises(bpo.Error, match=text):
        pendulum.make(**{"name": "checked", **wrong})
