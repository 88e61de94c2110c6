"""What docs/python.md promises of types: mypy takes right calls and refuses wrong ones, and the
stub of the compiled library says what that takes."""

import ast
import importlib.util
import os
import re
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
    "bpo.export('runs/t')": 'Missing positional argument "out"',
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


# The library lies in _robots or _plain; and what it alone makes says no arguments.
STUBTEST = """
import sys
import bpo
from mypy import stubtest
sys.modules["bpo._core"] = bpo._core
sys.argv[1:] = ["bpo._core", "--allowlist", "allowed"]
sys.exit(stubtest.main())
"""
MADE = "Agent|AgentNames|Compared|Environment|Finished|Group|Measurement|RowNoise"


def test_the_stub_fits_the_library(told, tmp_path):
    (tmp_path / "allowed").write_text(rf"bpo\._core\.({MADE})\.__init__" + "\n")
    done = subprocess.run([sys.executable, "-c", STUBTEST], cwd=tmp_path, capture_output=True,
                          text=True,
                          env={**os.environ, "MYPYPATH": str(Path(bpo.__file__).parents[1])})
    assert done.returncode == 0 and "Success" in done.stdout, done.stdout + done.stderr


def parameters_of_the_library(docstring):
    """(name, or None where a call cannot name it; whether it has a default) of "f(a: int = 0)"."""
    text = re.match(r"\w+\((.*)\) -> ", docstring.splitlines()[0]).group(1)
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            parts, part = parts + [part], ""
        else:
            part += c
    out = []
    for one in filter(None, (x.strip() for x in [*parts, part])):
        name = one.split(":")[0].split("=")[0].strip()
        if name != "self":
            out.append((None if re.fullmatch(r"arg\d+", name) else name[:1] + "args"
                        if name.startswith("*") else name, " = " in one))
    return out


def parameters_of_the_stub(function):
    a = function.args
    named = [(None, arg) for arg in a.posonlyargs] + [(arg.arg, arg) for arg in a.args]
    first = len(named) - len(a.defaults)
    out = [(name, i >= first) for i, (name, arg) in enumerate(named) if arg.arg != "self"]
    return out + ([("*args", False)] if a.vararg else [])


def test_the_stub_takes_the_arguments_that_the_library_takes():
    stub = ast.parse((Path(bpo.__file__).parent / "_core.pyi").read_text())
    compared = 0
    for node in stub.body:
        of_class = isinstance(node, ast.ClassDef)
        holder = getattr(bpo._core, node.name, None) if of_class else bpo._core
        for function in node.body if of_class else [node]:
            if not isinstance(function, ast.FunctionDef) or function.decorator_list:
                continue
            if function.name.startswith("__") and function.name != "__init__":
                continue  # Python's own
            docstring = getattr(holder, function.name).__doc__
            compared += 1
            assert (parameters_of_the_stub(function) == parameters_of_the_library(docstring)
                    ), f"{node.name}: {function.name}: {docstring}"
    assert compared >= 30
