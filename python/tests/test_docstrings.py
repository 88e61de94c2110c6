"""Everything that is public says what it does, with an example, and the examples run, as do those
of docs/python.md."""

import doctest
import importlib.util
import inspect
import re
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
QUICK = {"iterations=50": "iterations=2, set=FEW", "iterations=30": "iterations=2, set=FEW",
         "learn(100_000)": "learn(1_000)", "learn(200_000)": "learn(6_400)"}
NO_EXAMPLE = {"Error"}  # nobody makes one


def quick(text: str) -> str:
    for long, short in QUICK.items():
        text = text.replace(long, short)
    return text


def learners():
    """bpo.sb3, and what its examples speak of."""
    if importlib.util.find_spec("stable_baselines3") is None:
        pytest.skip("Stable-Baselines3 is not installed: `make test-python-learners` installs it")
    from stable_baselines3 import PPO

    return {"model": PPO("MultiInputPolicy", bpo.sb3.VecEnv("tiger", num_envs=64), n_steps=16)}


PUBLIC = {"bpo": bpo, "bpo.gym": bpo.gym, "gym.make": bpo.gym.make,
          "gym.make_vec": bpo.gym.make_vec, "gym.Env": bpo.gym.Env,
          "gym.VectorEnv": bpo.gym.VectorEnv, "sb3": None, "sb3.VecEnv": None, "sb3.evaluate": None}
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
    known = dict(bpo=bpo, gymnasium=gymnasium, FEW=FEW, reset=pendulum.reset, step=pendulum.step,
                 predict=pendulum.predict, make=Swing)
    public = PUBLIC[name]
    if public is None:
        known.update(learners())
        public = eval(f"bpo.{name}")
    text = inspect.getdoc(public)
    assert text, f"{name} says nothing"
    examples = doctest.DocTestParser().get_examples(text)
    assert examples or name in NO_EXAMPLE, f"{name} has no example"
    shutil.copytree(prepared / "runs", tmp_path / "runs")
    shutil.copy(source / "examples" / "problems" / "bridges.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    known.update(run=bpo.open("runs/t"), agent=bpo.load("runs/t"))
    for example in examples:
        if "HalfCheetah" in example.source and bpo.robots_missing:
            pytest.skip(bpo.robots_missing)
        if 'out="runs/t"' in example.source:
            shutil.rmtree("runs/t")
        exec(quick(example.source), known)


PAGE = ["first", "gymnasium", "sb3", "own"]


@pytest.mark.parametrize("block", PAGE)
def test_the_examples_of_the_page_run(block, source, tmp_path, monkeypatch):
    page = (source / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == len(PAGE)
    text = blocks[PAGE.index(block)]
    if block == "sb3":
        learners()
    if "HalfCheetah" in text and bpo.robots_missing:
        pytest.skip(bpo.robots_missing)
    (tmp_path / "examples").symlink_to(source / "examples")
    monkeypatch.chdir(tmp_path)
    exec(quick(text), {"bpo": bpo, "FEW": FEW})


def test_help_names_what_can_be_called():
    """`help(bpo)` is where people look first."""
    told = subprocess.run([sys.executable, "-c", "import bpo; help(bpo)"], check=True,
                          capture_output=True, text=True).stdout
    for name in ("train", "solve", "compare", "report", "from_gymnasium"):
        assert f"{name}(" in told, name
