"""Policies exported from Python: the files of the command line, and those of own simulators."""

import json
import shutil
import subprocess

import numpy as np
import pendulum
import pytest

import bpo

FEW = {"optimizer.batch_steps": 1000, "algo.validate_episodes": 20, "algo.iterations": 2}
STRICT = ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def files_of(directory) -> dict:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_exports_the_files_of_the_command_line(tmp_path, program):
    run = bpo.train("tiger", out=tmp_path / "run", set=FEW)
    said = bpo.export(run, tmp_path / "here")
    told = subprocess.run([program, "export", run.directory, "--to", "c", tmp_path / "there"],
                          check=True, capture_output=True, text=True).stdout
    assert told == said.replace("/here", "/there")
    here = files_of(tmp_path / "here")
    assert len(here) == 5 and here == files_of(tmp_path / "there")
    bpo.export(run, tmp_path / "here.onnx", to="onnx")
    subprocess.run([program, "export", run.directory, "--to", "onnx", tmp_path / "there.onnx"],
                   check=True, capture_output=True)
    assert (tmp_path / "here.onnx").read_bytes() == (tmp_path / "there.onnx").read_bytes()
    with pytest.raises(bpo.Error, match="here: is not empty"):
        bpo.export(run, tmp_path / "here")
    with pytest.raises(bpo.Error, match="'c' or 'onnx' is wanted"):
        bpo.export(run, tmp_path / "other", to="C")


@pytest.mark.parametrize("actions", ["box", "discrete"])
def test_the_policy_of_an_own_simulator_leaves_python(actions, tmp_path):
    """Its network is C that gives its bits, told the belief that an agent keeps."""
    changes = {"observation_names": ["angle", "speed"]}
    if actions == "discrete":
        def pushed(push):
            return 2.0 * push[:, None] - 1.0

        changes.update(
            actions=bpo.Discrete(2), action_names=["left", "right"],
            step=lambda states, push, latents, rng:
                pendulum.step(states, pushed(push), latents, rng),
            predict=lambda seen, push, latents: pendulum.predict(seen, pushed(push), latents))
    problem = pendulum.make(f"exported-{actions}", **changes)
    run = bpo.train(problem, out=tmp_path / "run", set=FEW)
    assert "its belief comes from outside" in bpo.export(run, tmp_path / "c")
    contract = json.loads((tmp_path / "c" / "contract.json").read_text())
    assert contract["observation"]["numbers"] == [{"name": "angle", "unit": None},
                                                  {"name": "speed", "unit": None}]
    assert contract["belief"]["inside"] is False and contract["belief"]["factors"] == ["mass"]
    np.testing.assert_allclose(contract["belief"]["prior"], 1 / 25, atol=1e-3)
    assert "bpo.load" in contract["belief"]["from"]
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    subprocess.run([*STRICT, "bpo_policy_test.c", "-lm", "-o", "tested"], check=True,
                   cwd=tmp_path / "c")
    tested = subprocess.run(["./tested"], cwd=tmp_path / "c", capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout
    bpo.export(run, tmp_path / "policy.onnx", to="onnx")
    assert b"\"exported-" in (tmp_path / "policy.onnx").read_bytes(), "its contract"
    agent = bpo.load(run)  # what keeps the belief says that of the golden sequences
    for sequence in json.loads((tmp_path / "c" / "golden.json").read_text())[:4]:
        before = None
        for step in sequence:
            if step["first"]:
                agent.reset(step["seed"], step["episode"])
            else:
                agent.observe(before["executed"], step["observation"])
            agent.act(step["observation"])
            np.testing.assert_array_equal(agent.belief, np.float32(step["belief"]))
            before = step
    pendulum.make(f"exported-{actions}", reset=lambda latents, rng: 0.0 * rng.uniform(2), **changes)
    with pytest.raises(bpo.Error, match="are not those that"):
        bpo.export(run, tmp_path / "other")
    bpo.export(run, tmp_path / "other", set={"problem.functions": "any"})
