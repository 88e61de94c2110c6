"""Training, measuring and reporting are the command line's, to the bit and to the text."""

import hashlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import bpo
from bpo._said import Progress

SMALL = {
    "tiger": {"algo.iterations": 3, "optimizer.batch_steps": 2000, "algo.validate_episodes": 100},
    "chain": {"algo.iterations": 3, "optimizer.batch_steps": 2000, "algo.validate_episodes": 100},
    "lightdark": {"algo.iterations": 3, "optimizer.batch_steps": 600,
                  "algo.validate_episodes": 100},
    "half-cheetah": {"algo.iterations": 2, "optimizer.batch_steps": 400,
                     "algo.validate_episodes": 4, "problem.horizon": 50},
}


def digest(path) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def state_of(path) -> dict:
    """The tensors of a checkpoint, without what a clock has said: seconds, and metrics' length."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {name: data[8 + size:][slice(*told["data_offsets"])]
               for name, told in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
    del tensors["metrics_bytes"]
    tensors["best_score_and_seconds"] = tensors["best_score_and_seconds"][:8]
    return tensors


def sets(options) -> list:
    return [word for key, value in options.items() for word in ("--set", f"{key}={value}")]


@pytest.fixture(scope="module")
def tiger(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "tiger"
    return bpo.train("tiger", seed=1, out=out, set=SMALL["tiger"])


@pytest.mark.parametrize("problem", SMALL)
def test_training_gives_the_bytes_of_the_command_line(problem, tmp_path, program):
    if problem not in bpo.list()["problems"]:
        pytest.skip(f"{problem} is not in this build: {bpo.robots_missing}")
    run = bpo.train(problem, algo="bpo", seed=3, out=tmp_path / "here", set=SMALL[problem])
    subprocess.run([program, "train", problem, "--seed", "3", "--out", tmp_path / "there",
                    "--quiet", *sets(SMALL[problem])], check=True, capture_output=True)
    for name in ("policy.safetensors", "config.toml"):
        assert digest(tmp_path / "here" / name) == digest(tmp_path / "there" / name), name
    checkpoints = [state_of(tmp_path / where / "checkpoint.safetensors")
                   for where in ("here", "there")]
    assert "best_theta" in checkpoints[0] and checkpoints[0] == checkpoints[1]
    there = json.loads((tmp_path / "there" / "result.json").read_text())
    assert run.result.mean == there["mean"]


def test_measures_as_the_command_line_does(tiger, program):
    told = subprocess.run([program, "eval", tiger.directory, "--exact", "--json"], check=True,
                          capture_output=True, text=True).stdout
    assert tiger.evaluate(exact=True).mean == json.loads(told)["mean"]
    told = subprocess.run([program, "eval", tiger.directory, "--episodes", "500"], check=True,
                          capture_output=True, text=True).stdout
    assert str(tiger.evaluate(episodes=500)) == told
    assert len(tiger.evaluate(episodes=500).returns) == 500
    assert repr(tiger.result) == str(tiger.result) and "<pre>" in tiger.result._repr_html_()


def test_metrics_are_arrays(tiger):
    metrics = tiger.metrics
    assert list(metrics["iteration"]) == [1, 2, 3]
    assert np.isfinite(metrics["return"]).all()
    assert "<table>" in metrics._repr_html_()
    assert list(metrics.frame().index) == [1, 2, 3]


def test_errors_have_the_texts_of_the_command_line(tmp_path, program):
    for words, call in (
        (["train", "tigr"], lambda: bpo.train("tigr")),
        (["train", "tiger", "--set", "algo.iterations=-3"],
         lambda: bpo.train("tiger", iterations=-3)),
        (["train", "tiger", "--algo", "bop"], lambda: bpo.train("tiger", algo="bop")),
        (["eval", str(tmp_path)], lambda: bpo.evaluate(tmp_path)),
    ):
        told = subprocess.run([program, *words], capture_output=True, text=True, cwd=tmp_path)
        with pytest.raises(bpo.Error) as caught:
            call()
        assert told.stderr == f"bpo: error: {caught.value}\n"
        assert told.returncode == caught.value.exit_code == 2


def test_compares_and_reports(tiger, tmp_path, program):
    other = bpo.train("tiger", algo="up-mle", seed=1, out=tmp_path / "other", set=SMALL["tiger"])
    comparison = bpo.compare([tiger, other], episodes=200)
    told = subprocess.run([program, "compare", tiger.directory, other.directory, "--episodes",
                           "200", "--csv"], check=True, capture_output=True, text=True).stdout
    assert comparison.csv == told
    assert "<table>" in comparison._repr_html_() and "up-mle" in str(comparison.table())
    page = bpo.report([tiger, other], tmp_path / "page.html", episodes=50)
    subprocess.run([program, "report", tiger.directory, other.directory, "--episodes", "50", "-o",
                    tmp_path / "there.html"], check=True, capture_output=True)
    pages = [re.sub("at commit [^,]*,", "", (tmp_path / name).read_text())
             for name in ("page.html", "there.html")]
    assert pages[0] == pages[1]
    assert page.figures and all(figure.svg in page.html for figure in page.figures)
    assert "<svg" in page.figures[0]._repr_html_()


def test_steps_and_iterations_are_budgets_as_on_the_command_line(tmp_path, program):
    run = bpo.train("tiger", out=tmp_path / "t", steps=3000, set={**SMALL["tiger"],
                                                                  "algo.iterations": 50})
    assert not run.finished and len(run.metrics["iteration"]) == 2, "of 2000 steps each"
    run = bpo.resume(tmp_path / "t", steps=7000)
    assert not run.finished and len(run.metrics["iteration"]) == 4
    rocks = {"problem.n": 5, "problem.k": 5}
    bpo.solve("rocksample", "sarsop", out=tmp_path / "here", iterations=2, episodes=20, set=rocks)
    subprocess.run([program, "solve", "rocksample", "--planner", "sarsop", "--iterations", "2",
                    "--episodes", "20", "--out", tmp_path / "there", *sets(rocks)], check=True,
                   capture_output=True)
    for where in ("here", "there"):
        assert len(bpo.open(tmp_path / where).metrics["iteration"]) == 2
    name = "policy.safetensors"
    assert digest(tmp_path / "here" / name) == digest(tmp_path / "there" / name)


def test_plans(tmp_path):
    planned = bpo.solve("tiger", "sarsop", gap=0.5, episodes=400, set={"problem.horizon": 10})
    assert planned.optimum == pytest.approx(planned.mean, abs=5)
    run = bpo.solve("tiger", "qmdp", out=tmp_path / "plan", episodes=200)
    assert run.evaluate(episodes=200).mean == run.result.mean


def test_progress_in_a_log_says_each_thing_once(capsys):
    for iterations in (1, 2):
        shown = Progress(10)
        for iteration in range(iterations):
            shown({"iteration": iteration, "return": 0.5})
        shown.finish()
        assert capsys.readouterr().err == "".join(
            f"iteration {iteration}/10  return 0.5\n" for iteration in range(iterations))


def test_progress_may_be_a_function_and_what_it_raises_comes_back(tmp_path):
    seen = []
    bpo.train("tiger", out=tmp_path / "a", set=SMALL["tiger"], progress=seen.append)
    assert [m["iteration"] for m in seen] == [1, 2, 3]

    def fail(metrics):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        bpo.train("tiger", out=tmp_path / "b", set=SMALL["tiger"], progress=fail)
    assert bpo.resume(tmp_path / "b").finished  # it stopped in order


def test_ctrl_c_leaves_a_checkpoint_and_resume_gives_the_same_bits(tmp_path):
    options = dict(SMALL["tiger"], **{"algo.iterations": 40, "optimizer.batch_steps": 20000})
    whole = bpo.train("tiger", out=tmp_path / "whole", set=options)
    code = (f"import bpo; bpo.train('tiger', out={str(tmp_path / 'cut')!r}, set={options!r}, "
            "progress=lambda m: print(m['iteration'], flush=True))")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "1\n"
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in told and "bpo.resume(" in told
    assert child.returncode not in (0, -signal.SIGKILL)
    run = bpo.open(tmp_path / "cut")
    assert not run.finished and len(run.metrics["iteration"]) < 40
    assert digest(bpo.resume(run).policy) == digest(whole.policy)


def test_threads_of_python_go_on_meanwhile(tmp_path):
    import threading

    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    bpo.train("tiger", out=tmp_path / "t", set=SMALL["tiger"])
    over.set()
    thread.join()
    assert counted[0] > 5


def test_imports_without_gymnasium_and_says_what_is_missing():
    code = ("import sys; sys.modules.update(gymnasium=None, torch=None, pandas=None)\n"
            "import bpo\n"
            "for ask in (lambda: bpo.gym, lambda: bpo.sb3, lambda: bpo.Metrics().frame()):\n"
            "    try: ask()\n"
            "    except ImportError as error: print(error)\n")
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                          env=os.environ).stdout
    assert "pip install gymnasium" in told and "pip install pandas" in told
    assert "pip install stable-baselines3" in told


WITHOUT_ROBOTS = """
import sys
sys.modules["bpo._robots._core"] = None
import bpo, gymnasium
run, hopper = sys.argv[1:]
assert "tiger" in bpo.list()["problems"]
for ask in (lambda: bpo.train("half-cheetah"), lambda: bpo.options(hopper),
            lambda: bpo.train(hopper), lambda: bpo.gym.make(hopper),
            lambda: gymnasium.make("bpo/HalfCheetah-v0"), lambda: gymnasium.make("bpo/Ant-v0"),
            lambda: gymnasium.make_vec("bpo/Swimmer-v0", num_envs=2)):
    try: ask()
    except bpo.Error as error: print(error)
if run:
    for ask in (lambda: bpo.load(run), lambda: bpo.load(bpo.open(run).policy),
                lambda: bpo.evaluate(run), lambda: bpo.compare([run]), lambda: bpo.report([run]),
                lambda: bpo.resume(run)):
        try: ask()
        except bpo.Error as error: print(error)
try: bpo.load("nowhere")
except bpo.Error as error: assert "MuJoCo" not in str(error), error
"""


def test_without_mujoco_the_rest_is_there_and_robots_say_why(tmp_path, source):
    run = ""
    if not bpo.robots_missing:
        few = {**SMALL["half-cheetah"], "algo.iterations": 1, "algo.validate_episodes": 1}
        run = bpo.train("half-cheetah", out=tmp_path / "run", set=few).directory
    hopper = source / "examples" / "robots" / "hopper" / "hopper.toml"
    told = subprocess.run([sys.executable, "-c", WITHOUT_ROBOTS, run, hopper], check=True,
                          capture_output=True, text=True, env=os.environ).stdout.splitlines()
    assert len(told) == (13 if run else 7), told
    for line in told:
        assert line.count("robots need MuJoCo, which cannot be loaded: ") == 1, line


def test_a_fault_in_our_own_module_is_not_taken_for_a_missing_gymnasium():
    """Neither is a Gymnasium that is too old."""
    code = ("import sys\n{}\n"
            "import bpo\n"
            "try: bpo.gym\n"
            "except ImportError as error: print(error)\n")
    for fault, text in (
            ("sys.modules['gymnasium.vector.utils'] = None",
             "bpo.gym cannot be imported: import of gymnasium.vector.utils halted"),
            ("import gymnasium.vector; del gymnasium.vector.AutoresetMode",
             "bpo.gym needs Gymnasium 1.1 or newer, and 1.")):
        told = subprocess.run([sys.executable, "-c", code.format(fault)], check=True,
                              capture_output=True, text=True, env=os.environ).stdout
        assert text in told and "pip install gymnasium\n" not in told


def test_there_is_one_version(program, source):
    told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    assert told.split()[1] == bpo.__version__
    changes = (source / "packaging" / "changelog").read_text()
    assert changes.startswith(f"bpo ({bpo.__version__}-")


def test_the_stubs_name_everything(source):
    import ast

    stub = ast.parse((source / "python" / "bpo" / "_core.pyi").read_text())
    said = {}
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            inside = getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []
            said[node.name] = {x.name for x in inside if isinstance(x, ast.FunctionDef)} | {
                x.target.id for x in inside if isinstance(x, ast.AnnAssign)}
    found = {name: thing for name, thing in vars(bpo._core).items()
             if not name.startswith("_") and name not in ("commit", "version")}
    assert set(found) == set(said)
    for name in ("Measurement", "Agent", "AgentNames", "Compared", "ScalarEnvironment",
                 "VectorEnvironment", "RowNoise"):
        members = {x for x in vars(found[name]) if not x.startswith("_")}
        assert members == said[name] - {"__init__"}, name
