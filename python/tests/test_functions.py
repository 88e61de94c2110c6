"""A run is of the functions that it was begun with; others of the same name are refused."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import bpo
from bpo._identity import hash_of

FEW = {"optimizer.batch_steps": 600, "algo.validate_episodes": 16, "problem.horizon": 10}
SIMULATOR = """
import numpy as np

GRAVITY = 9.81
TABLE = np.array([0.1, 0.2])

def move(states, actions, latents):
    return states + 0.05 * GRAVITY * actions / latents["mass"][:, None]

def reset(latents, rng):
    return rng.uniform(1)

def step(states, actions, latents, rng):
    after = move(states, actions, latents)
    return after, -after[:, 0] ** 2 * TABLE[0]

def predict(observations, actions, latents):
    return move(observations, actions, latents), 0.1
"""


def simulator(folder, name, changed=lambda text: text):
    path = folder / f"{name}.py"
    path.write_text(changed(SIMULATOR))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def define(module, **changes):
    said = dict(name="mover", latents={"mass": bpo.Uniform(0.5, 2, cells=3)},
                actions=bpo.Box(-1, 1, 1), obs_dim=1, horizon=20, reset=module.reset,
                step=module.step, predict=module.predict)
    said.update(changes)
    return bpo.Problem(**said)


def replaced(old, new):
    assert old in SIMULATOR
    return lambda text: text.replace(old, new)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return bpo.train(define(simulator(folder, "first")), iterations=1, out=folder / "r", set=FEW)


@pytest.mark.parametrize("how", [
    replaced("-after[:, 0] ** 2", "-after[:, 0] ** 4"),
    replaced("GRAVITY = 9.81", "GRAVITY = 1.62"),
    replaced("[0.1, 0.2]", "[0.3, 0.2]"),
    replaced("states + 0.05", "states - 0.05"),
], ids=["a constant", "a global number", "a global array", "a function called"])
def test_a_run_of_other_functions_is_refused(run, tmp_path, how):
    define(simulator(tmp_path, "second", how))
    for call in (bpo.load, bpo.resume, lambda r: r.evaluate(episodes=2),
                 lambda r: bpo.compare([r], episodes=2)):
        with pytest.raises(bpo.Error, match="mover: the functions, priors or spaces") as caught:
            call(run)
        assert caught.value.exit_code == 2
    assert run.evaluate(episodes=2, set={"problem.functions": "any"}).episodes == 2


@pytest.mark.parametrize("changes", [
    dict(latents={"mass": bpo.Uniform(0.5, 3, cells=3)}),
    dict(actions=bpo.Box(-2, 2, 1)),
    dict(discount=0.9),
    dict(version="the second data set"),
], ids=lambda changes: next(iter(changes)))
def test_so_is_one_of_other_declarations(run, tmp_path, changes):
    define(simulator(tmp_path, "second"), **changes)
    with pytest.raises(bpo.Error, match="functions, priors or spaces"):
        bpo.load(run)


def test_comments_names_of_files_and_what_is_not_used_do_not_matter(run, tmp_path):
    define(simulator(tmp_path, "second", lambda text: "# A remark.\n\n" + text + "\nUNUSED = 3\n"))
    assert bpo.load(run).belief.shape == (3,)
    assert run.evaluate(episodes=2).episodes == 2


def test_a_training_that_asks_for_it_takes_any_functions(tmp_path):
    out = tmp_path / "any"
    bpo.train(define(simulator(tmp_path, "first")), iterations=1, out=out,
              set={**FEW, "problem.functions": "any"})
    define(simulator(tmp_path, "second", replaced("9.81", "1.62")))
    assert bpo.load(out).belief.shape == (3,)


def test_captured_values_defaults_and_attributes_count():
    class Model:
        def __init__(self, gain):
            self.gain = gain

        def step(self, x):
            return self.gain * x

    def closure(gain):
        return lambda x: gain * x

    def default(gain):
        def step(x, gain=gain):
            return gain * x
        return step

    def constants(x):
        return x in {"a", "b", "c", "d"}

    for make in (closure, default, lambda gain: Model(gain).step,
                 lambda gain: closure({"gain": [gain]}), lambda gain: closure(np.full(2, gain))):
        assert hash_of(make(1.0)) == hash_of(make(1.0)) != hash_of(make(2.0))
    assert hash_of(constants) == hash_of(constants)


def test_another_process_finds_the_same_hash(tmp_path):
    """Sets are ordered by addresses and hashes, which differ between processes."""
    told = set()
    simulator(tmp_path, "shared")
    for seed in "0", "1", "2":
        code = ("import shared; from bpo._identity import hash_of; "
                "print(hash_of(shared.step, {'b', 'a'}))")
        path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
        told.add(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                                text=True, env={**os.environ, "PYTHONPATH": path,
                                                "PYTHONHASHSEED": seed}).stdout)
    import shared
    told.add(hash_of(shared.step, {"b", "a"}) + "\n")
    assert len(told) == 1
