"""What docs/python.md promises of types: mypy takes right calls and refuses wrong ones."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bpo

RIGHT = """
import numpy as np
import bpo

run: bpo.Run = bpo.train("tiger", algo="bpo", iterations=2, set={"problem.horizon": 20})
mean: float = bpo.solve("tiger", "qmdp", out="runs/q").evaluate(exact=True).mean
column: np.ndarray = run.metrics["return"]
agent = bpo.load(run)
alive: bool = agent.observe(agent.act("nothing"), "heard left")
entropy: float = agent.entropy
rows: list[list[str]] = bpo.compare([run]).table().rows
prior: bpo.Uniform = bpo.Uniform(0.5, 2.0, cells=10)
"""
WRONG = {
    "bpo.train('tiger', iteratons=2)": 'Unexpected keyword argument "iteratons"',
    "bpo.train('tiger', iterations='two')": 'incompatible type "str"',
    "bpo.load('runs/t').reset(seed='x')": 'incompatible type "str"',
    "bpo.load('runs/t').beliefs": 'has no attribute "beliefs"',
    "bpo.Uniform(0.5)": 'Missing positional argument "high"',
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What mypy says of a file, line by line."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed; python/requirements.txt names it")
    folder = tmp_path_factory.mktemp("types")
    wrong = "\n".join(["import bpo", *WRONG])
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(wrong + "\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict-optional", "--cache-dir",
                           os.devnull, "right.py", "wrong.py"], cwd=folder, capture_output=True,
                          text=True,
                          env={**os.environ, "MYPYPATH": str(Path(bpo.__file__).parents[1])})
    assert "error" in done.stdout, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_right_calls_are_taken(told):
    assert [line for line in told if "wrong.py" not in line and "error" in line
            and not line.startswith("Found")] == []


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_are_refused(told, call):
    number = 2 + list(WRONG).index(call)
    lines = [line for line in told if line.startswith(f"wrong.py:{number}:")]
    assert any(WRONG[call] in line for line in lines), told
