"""Everything that is public says what it does, with an example, and the examples run."""

import doctest
import inspect
import shutil
import subprocess
import sys

import gymnasium
import pendulum
import pytest
from swing import Swing

import bpo
import bpo.gym

FEW = {"optimizer.batch_steps": 1000, "algo.validate_episodes": 50}
QUICK = "iterations=2, set=FEW"
NO_EXAMPLE = {"Error"}  # nobody makes one


PUBLIC = {"bpo": bpo, "bpo.gym": bpo.gym, "gym.make": bpo.gym.make,
          "gym.make_vec": bpo.gym.make_vec}
PUBLIC.update({name: getattr(bpo, name) for name in bpo.__all__
               if not isinstance(getattr(bpo, name), str)})
PUBLIC.update({f"Run.{name}": getattr(bpo.Run, name) for name in ("evaluate", "agent", "figures")})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with the runs that examples speak of."""
    folder = tmp_path_factory.mktemp("examples")
    bpo.train("tiger", iterations=2, out=folder / "runs" / "t", set=FEW)
    bpo.train("tiger", algo="up-mle", iterations=2, out=folder / "runs" / "up-mle", set=FEW)
    return folder


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_run(name, prepared, source, tmp_path, monkeypatch):
    text = inspect.getdoc(PUBLIC[name])
    assert text, f"{name} says nothing"
    examples = doctest.DocTestParser().get_examples(text)
    assert examples or name in NO_EXAMPLE, f"{name} has no example"
    shutil.copytree(prepared / "runs", tmp_path / "runs")
    shutil.copy(source / "examples" / "problems" / "bridges.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    known = dict(bpo=bpo, gymnasium=gymnasium, run=bpo.open("runs/t"), agent=bpo.load("runs/t"),
                 FEW=FEW, reset=pendulum.reset, step=pendulum.step, predict=pendulum.predict,
                 make=Swing)
    for example in examples:
        if "HalfCheetah" in example.source and bpo.robots_missing:
            pytest.skip(bpo.robots_missing)
        if 'out="runs/t"' in example.source:
            shutil.rmtree("runs/t")
        exec(example.source.replace("iterations=50", QUICK), known)


def test_help_names_what_can_be_called():
    """`help(bpo)` is where people look first."""
    told = subprocess.run([sys.executable, "-c", "import bpo; help(bpo)"], check=True,
                          capture_output=True, text=True).stdout
    for name in ("train", "solve", "compare", "report", "from_gymnasium"):
        assert f"{name}(" in told, name
