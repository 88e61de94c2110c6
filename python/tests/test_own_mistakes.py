"""Mistakes in functions of one's own: they come back with step, lane and the user's traceback."""

import signal
import sys
import traceback

import numpy as np
import pendulum
import pytest

import bpo
import bpo.gym

FEW = {"optimizer.batch_steps": 1200, "algo.validate_episodes": 32}


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
    assert str(error) == "raises: step: at step 5 of lane 3: ZeroDivisionError: my own mistake"
    assert isinstance(error.__cause__, ZeroDivisionError)
    text = "".join(traceback.format_exception(error))
    assert "test_own_mistakes.py" in text and 'raise ZeroDivisionError("my own mistake")' in text


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


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


@pytest.mark.parametrize("raised, text", [
    (ValueError(), "ValueError"), (KeyError("mas"), "KeyError: 'mas'"),
    (Speechless(), "Speechless")])
def test_the_text_of_an_exception_is_its_type_and_what_it_says(raised, text):
    def predict(observations, actions, latents):
        raise raised

    error = run_until_it_breaks(pendulum.make("says", predict=predict))
    assert str(error) == "says: predict: at step 0 of lane 0: " + text
    assert error.__cause__ is raised


def raising(states, latents, rng):
    raise OverflowError("no sight")


@pytest.mark.parametrize("observe, text", [
    (lambda s, p, rng: s[:, :1], "0: observations have the shape (8, 1), and (8, 2) is wanted"),
    (lambda s, p, rng: np.where(np.arange(len(s))[:, None] == 5, np.nan, s),
     "5: observations have a number that is not finite (nan)"),
    (lambda s, p, rng: s * 1j, "0: observations are complex, and real numbers are wanted"),
    (lambda s, p, rng: [["far"] * 2] * len(s), "0: observations are not numbers"),
    (raising, "0: OverflowError: no sight")])
def test_mistakes_of_observe_have_their_place(observe, text):
    steps = [0]

    def from_the_third_step_on(states, latents, rng):
        return observe(states, latents, rng) if steps[0] == 2 else states

    envs = bpo.gym.make_vec(pendulum.make("blind", observe=from_the_third_step_on), 8)
    envs.reset(seed=0)
    with pytest.raises(bpo.Error) as caught:
        for steps[0] in range(4):
            envs.step(np.zeros((8, 1)))
    assert steps[0] == 2
    assert str(caught.value) == "blind: observe: at step 2 of lane " + text


def test_complex_numbers_are_refused():
    error = run_until_it_breaks(pendulum.make("turned", step=broken(lambda a, r: (a + 0j, r))))
    assert str(error) == ("turned: step: at step 0 of lane 0: states are complex, and real numbers "
                          "are wanted")
    error = run_until_it_breaks(pendulum.make("spread", predict=lambda o, a, p: (o, 1 + 0j)))
    assert "sd are complex, and real numbers are wanted" in str(error)


def test_errors_come_out_of_trainings_in_other_threads(tmp_path):
    def predict(observations, actions, latents):
        raise KeyError("mas")

    with pytest.raises(bpo.Error, match="predict: at step 0 of lane 0") as caught:
        bpo.train(pendulum.make("late", predict=predict), out=tmp_path / "r", iterations=1,
                  set=FEW, threads=2)
    assert isinstance(caught.value.__cause__, KeyError)
