"""A simulator of one's own in numpy: filter, training, measuring, pages, and mistakes."""

import signal
import sys
import traceback

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


def broken(how):
    """The pendulum with something wrong in lane 3 from step 5 on."""
    def step(states, actions, latents, rng):
        after, reward = pendulum.step(states, actions, latents, rng)
        return how(after, reward)

    return step


def run_until_it_breaks(problem):
    envs = bpo.gym.make_vec(problem, 8)
    envs.reset(seed=0)
    with pytest.raises(bpo.Error) as caught:
        for _ in range(20):
            envs.step(np.zeros((8, 1)))
    return caught.value


def test_exceptions_come_with_step_lane_and_traceback():
    calls = []

    def step(states, actions, latents, rng):
        calls.append(len(states))
        if len(calls) > 5 and (states[:, 0] == marked).any():
            raise ZeroDivisionError("my own mistake")
        after, reward = pendulum.step(states, actions, latents, rng)
        if len(calls) == 5:
            after[3, 0] = marked
        return after, reward

    marked = 0.123
    error = run_until_it_breaks(pendulum.make("raises", step=step))
    assert "raises: step: at step 5 of lane 3" in str(error) and "my own mistake" in str(error)
    assert isinstance(error.__cause__, ZeroDivisionError)
    text = "".join(traceback.format_exception(error))
    assert "test_own_problem.py" in text and 'raise ZeroDivisionError("my own mistake")' in text


@pytest.mark.parametrize("what", ["step", "predict"])
@pytest.mark.parametrize("leave, expected", [
    (lambda: signal.raise_signal(signal.SIGINT), KeyboardInterrupt),
    (lambda: sys.exit(3), SystemExit)])
def test_ctrl_c_and_exit_go_through_at_once(what, leave, expected):
    """They are nobody's mistake: nothing is tried again, and a step that is half done is over."""
    calls = []

    def leaving(*arguments):
        calls.append(what)
        if len(calls) == 2:
            leave()
        return getattr(pendulum, what)(*arguments)

    problem = pendulum.make(f"leaves-{what}", **{what: leaving})
    for env, action in ((bpo.gym.make_vec(problem, 8), np.zeros((8, 1))),
                        (bpo.gym.make(problem), np.zeros(1))):
        calls.clear()
        env.reset(seed=0)
        env.step(action)
        with pytest.raises(expected):
            env.step(action)
        assert len(calls) == 2
        with pytest.raises(bpo.Error, match="call reset"):
            env.step(action)
        env.reset(seed=0)
        env.step(action)


def test_what_states_stand_for_is_not_moved_twice():
    moved = np.zeros(8)

    def step(states, actions, latents, rng):
        moved[states[:, 0].astype(int)] += 1
        if moved[3] == 2:
            raise ZeroDivisionError("the motor")
        return states, np.zeros(len(states))

    numbers = iter(range(100))
    problem = bpo.Problem(
        name="kept", latents={"mass": bpo.Uniform(0.5, 2)}, actions=bpo.Discrete(2), obs_dim=1,
        horizon=20, step=step, reset=lambda latents, rng: np.full((1, 1), next(numbers)),
        predict=lambda o, a, latents: (o, 1.0), release=lambda number: None)
    envs = bpo.gym.make_vec(problem, 8)
    numbers = iter(range(8))  # a world begins some episodes before anybody asks for them
    envs.reset(seed=0)
    envs.step(np.zeros(8, int))
    with pytest.raises(bpo.Error, match="kept: step: at step 1, with 8 lanes together: Zero"):
        envs.step(np.zeros(8, int))
    assert (moved == 2).all()


def test_another_definition_of_a_name_is_told_of():
    told = []
    for summary, discount in (("the first", 0.9), ("the second", 0.8)):
        problem = pendulum.make("twice", summary=summary, discount=discount)
        defaults = {row[0]: row[1] for row in bpo.options(problem).rows}
        told.append((bpo.list()["problems"]["twice"], float(defaults["optimizer.discount"])))
    assert told == [("the first", 0.9), ("the second", 0.8)]


@pytest.mark.parametrize("what", ["step", "predict"])
def test_a_lane_beyond_the_first_tile_is_called_by_its_own_number(what):
    def marks(rows, latents):
        return np.where(latents["mass"] == 0.75, np.nan, rows)

    def step(states, actions, latents, rng):
        after, reward = pendulum.step(states, actions, latents, rng)
        return (after, marks(reward, latents)) if what == "step" else (after, reward)

    def predict(observations, actions, latents):
        mean, sd = pendulum.predict(observations, actions, latents)
        if what == "predict" and mean.shape[0] == 36 * 2:
            mean[6 * 2] = np.nan
        return mean, sd

    problem = pendulum.make(f"far-{what}", step=step, predict=predict,
                            latents={"mass": bpo.Choice([0.75, 1.0])})
    envs = bpo.gym.make_vec(problem, 100)
    latents = np.ones((100, 1))
    latents[70] = 0.75
    envs.reset(seed=0, options={"latent": latents})
    with pytest.raises(bpo.Error, match=f"far-{what}: {what}: at step 0 of lane 70: "):
        envs.step(np.zeros((100, 1)))


def test_a_lane_that_cannot_begin_is_called_by_its_own_number():
    def reset(latents, rng):
        if latents["mass"][0] == 0.75:
            raise ValueError("no such mass")
        return pendulum.reset(latents, rng)

    envs = bpo.gym.make_vec(pendulum.make("begins", reset=reset), 100)
    latents = np.ones((100, 1))
    latents[70] = 0.75
    with pytest.raises(bpo.Error, match="begins: reset: at step 0 of lane 70: ValueError"):
        envs.reset(seed=0, options={"latent": latents})


def test_nan_is_found_with_its_step_and_lane():
    count = [0]

    def how(after, reward):
        count[0] += 1
        if count[0] == 6:
            after[3, 1] = np.nan
        return after, reward

    error = run_until_it_breaks(pendulum.make("nan", step=broken(how)))
    assert "nan: step: at step 5 of lane 3: states have a number that is not finite" in str(error)


def test_wrong_shapes_say_what_is_wanted():
    error = run_until_it_breaks(pendulum.make("shape", step=broken(lambda a, r: (a[:, :1], r))))
    assert ("shape: step: at step 0 of lane 0: states have the shape (8, 1), and (8, 2) is wanted"
            in str(error))
    error = run_until_it_breaks(pendulum.make("pair", step=broken(lambda a, r: a)))
    assert "pair: step: at step 0 of lane 0: it returns (states, rewards)" in str(error)
    error = run_until_it_breaks(pendulum.make("mean", predict=lambda o, a, p: o))
    assert "mean: predict: at step 0 of lane 0: it returns (mean, sd)" in str(error)
    error = run_until_it_breaks(pendulum.make("text", predict=lambda o, a, p: ("far", 1.0)))
    assert "text: predict: at step 0 of lane 0: means are not numbers" in str(error)
    error = run_until_it_breaks(pendulum.make("sd", predict=lambda o, a, p: (o, 0.0)))
    assert "sd is 0, and it must be positive" in str(error)


def test_errors_come_out_of_trainings_in_other_threads(tmp_path):
    def predict(observations, actions, latents):
        raise KeyError("mas")

    with pytest.raises(bpo.Error, match="predict: at step 0 of lane 0") as caught:
        bpo.train(pendulum.make("late", predict=predict), out=tmp_path / "r", iterations=1,
                  set=FEW, threads=2)
    assert isinstance(caught.value.__cause__, KeyError)


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
