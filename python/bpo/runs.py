"""Training, planning, measuring and loading."""

import html
import json
import os
import sys
from typing import Callable, Dict, List, Mapping, Optional, Union, overload

import numpy as np

from ._library import core
from ._said import assignments, problem_name, progress_of, refuse
from .problem import Problem
from .reports import Figure, Table, report

Options = Optional[Mapping[str, object]]
Path = Union[str, os.PathLike]
AnyProblem = Union[str, os.PathLike, Problem]
Progress = Union[bool, Callable[[dict], None]]

for _told in (core.Measurement, core.Group):
    setattr(_told, "__repr__", _told.__str__)
    setattr(_told, "_repr_html_", lambda self: f"<pre>{html.escape(str(self))}</pre>")


class Metrics(Dict[str, np.ndarray]):
    """What was measured in every iteration of a training: arrays of equal length by name.

    >>> run.metrics["return"][-1]
    >>> run.metrics.frame()            # the same as a pandas.DataFrame
    """

    def frame(self):
        """The metrics as a pandas.DataFrame with a row per iteration."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("Metrics.frame() needs pandas: pip install pandas") from error
        out = pandas.DataFrame(dict(self))
        return out.set_index("iteration") if "iteration" in out else out

    def _table(self, most: int = 10) -> Table:
        names = ["iteration"] + [name for name in self if name != "iteration"]
        count = len(self.get("iteration", ()))
        rows = [names]
        for i in range(max(0, count - most), count):
            rows.append([f"{self[name][i]:.6g}" for name in names])
        return Table(rows, range(len(names)))

    def __str__(self) -> str:
        return str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


class Run:
    """A run directory: what was trained or planned, and what can be asked of it.

    >>> run = bpo.open("runs/t")
    >>> run.evaluate(episodes=1000).mean
    """

    def __init__(self, directory: Path, result: "Optional[core.Measurement]" = None):
        self.directory = os.fspath(directory)
        self._result = result

    def __fspath__(self) -> str:
        return self.directory

    def __repr__(self) -> str:
        return f"bpo.Run({self.directory!r})"

    def __str__(self) -> str:
        return f"{self.result or ''}saved in   {self.directory}\n"

    def _repr_html_(self) -> str:
        rows = [["run", self.directory]]
        if self.result is not None:
            rows += [[k, f"{v:.6g}" if isinstance(v, float) else str(v)]
                     for k, v in json.loads(self.result.json).items()
                     if k in ("problem", "algorithm", "seed", "mean", "ci95", "exact_value",
                              "optimum", "iterations") and v is not None]
        return Table([["", ""]] + rows, [1])._repr_html_()

    @property
    def result(self) -> "Optional[core.Measurement]":
        """What was measured when the run was finished (result.json); None before that."""
        if self._result is None:
            self._result = core.stored_result(self.directory)
        return self._result

    @property
    def finished(self) -> bool:
        """Whether it was trained to its end and measured."""
        return self.result is not None

    @property
    def metrics(self) -> Metrics:
        """Every iteration's numbers as arrays."""
        return Metrics(core.history(self.directory))

    @property
    def policy(self) -> str:
        """The path of policy.safetensors."""
        return core.policy_path(self.directory)

    def evaluate(self, episodes: int = 0, seed: int = 0, exact: bool = False, greedy: bool = False,
                 set: Options = None, threads: int = 0) -> "core.Measurement":
        """Measures the policy on fresh episodes, or exactly: `bpo eval`.

        >>> print(run.evaluate(episodes=1000), run.evaluate(exact=True).mean)
        """
        return _measured(self.directory, episodes, seed, exact, greedy, set, threads).runs[0]

    def agent(self, greedy: bool = False) -> "core.Agent":
        """The run's policy and its filter, without a world.

        >>> run.agent(greedy=True).act("nothing")
        """
        return load(self, greedy)

    def figures(self, **how) -> List[Figure]:
        """The figures of the run's page, each to be shown inline.

        >>> run.figures(episodes=100)[0]
        """
        return report([self], **how).figures


def _finished(done) -> Run:
    run = Run(done.directory, done.result)
    if done.result is None or done.interrupted:
        sys.stderr.write(f"stopped at iteration {done.iterations}; "
                         f"continue with: bpo.resume({done.directory!r})\n")
    if done.interrupted:
        raise KeyboardInterrupt
    return run


def train(problem: AnyProblem, algo: str = "bpo", seed: int = 0, iterations: Optional[int] = None,
          out: Optional[Path] = None, progress: Progress = False, set: Options = None,
          force: bool = False, threads: int = 0, seconds: float = 0.0, steps: int = 0) -> Run:
    """Trains a policy, as `bpo train` does, to the same bits.

    problem: a name (`bpo.list()`), a file that holds one, or a `bpo.Problem`.
    set: options by name, as {"problem.horizon": 20, "optimizer.kl": 0.01} (`bpo.options(name)`).
    progress: True shows a line; a function is called with a dict of every iteration's numbers.
    seconds, steps: stop once so much time has passed or so many steps are simulated; 0: no limit.
    Ctrl-C ends it after the iteration with a checkpoint; `bpo.resume(directory)` goes on.

    >>> run = bpo.train("tiger", algo="bpo", seed=0, iterations=50, out="runs/t", progress=True)
    """
    sets = assignments(set)
    if iterations is not None:
        sets.append(f"algo.iterations={iterations}")
    tell, end = progress_of(progress, iterations)
    try:
        done = core.train(problem_name(problem), algo, seed, sets, os.fspath(out or ""), force,
                          threads, seconds, steps, tell)
    finally:
        end()
    return _finished(done)


def resume(directory: Path, progress: Progress = False, threads: int = 0,
           seconds: float = 0.0, steps: int = 0) -> Run:
    """Goes on after the last checkpoint, to the same bits as without the stop: `bpo resume`.

    >>> bpo.train("tiger", out="runs/later", seconds=0.1)
    >>> bpo.resume("runs/later", seconds=0.1)
    """
    tell, end = progress_of(progress)
    try:
        done = core.resume(os.fspath(directory), threads, seconds, steps, tell)
    finally:
        end()
    return _finished(done)


@overload
def solve(problem: AnyProblem, planner: str, seed: int = 0, *, out: Path, seconds: float = 0.0,
          gap: float = 0.0, episodes: int = 1000, set: Options = None, force: bool = False,
          threads: int = 0, progress: Progress = False, iterations: int = 0) -> Run: ...


@overload
def solve(problem: AnyProblem, planner: str, seed: int = 0, out: None = None,
          seconds: float = 0.0, gap: float = 0.0, episodes: int = 1000, set: Options = None,
          force: bool = False, threads: int = 0,
          progress: Progress = False, iterations: int = 0) -> "core.Measurement": ...


def solve(problem, planner, seed=0, out=None, seconds=0.0, gap=0.0, episodes=1000, set=None,
          force=False, threads=0, progress=False, iterations=0):
    """Plans instead of training, and measures it: `bpo solve`.

    A Run where `out` says where to keep it, otherwise the Measurement alone. It stops after so many
    seconds or iterations, if they are not 0, or once its bounds are as near as `gap`.

    >>> bpo.solve("tiger", "sarsop", gap=0.1).mean
    """
    tell, end = progress_of(progress)
    try:
        done = core.solve(problem_name(problem), planner, seed, assignments(set),
                          os.fspath(out or ""), force, threads, seconds, gap, iterations, episodes,
                          tell)
    finally:
        end()
    if done.interrupted:
        raise KeyboardInterrupt
    return Run(out, done.result) if out else done.result


def _measured(directory: str, episodes: int, seed: int, exact: bool, greedy: bool, set: Options,
              threads: int) -> "core.Group":
    return core.evaluate(directory, episodes, seed, greedy, exact, assignments(set), threads)


def evaluate(run: Path, episodes: int = 0, seed: int = 0, exact: bool = False,
             greedy: bool = False, set: Options = None, threads: int = 0
             ) -> "Union[core.Measurement, core.Group]":
    """Measures a run, or all seeds that a directory holds: `bpo eval`.

    A Measurement, or a Group of them where there are several seeds.

    >>> bpo.evaluate("runs/t", exact=True).mean
    """
    directory = os.fspath(run)
    group = _measured(directory, episodes, seed, exact, greedy, set, threads)
    return group.runs[0] if core.is_run(directory) else group


def load(path: Path, greedy: bool = False, set: Options = None) -> "core.Agent":
    """The agent of a run directory or of a policy.safetensors.

    >>> agent = bpo.load("runs/t")
    >>> agent.reset(); agent.act("nothing"); agent.belief
    """
    return core.load(os.fspath(path), greedy, assignments(set))


def export(run: Path, out: Path, to: str = "c", set: Options = None) -> str:
    """A run's policy for a machine without bpo: `bpo export`, whose text is returned.

    to: "c" for C99 in a directory `out`, which is made, or is there and empty; "onnx" for a file.
    The filter goes along where it is plain numbers. Elsewhere, as for robots and a `bpo.Problem`,
    the belief comes from outside: contract.json says what it is, and an agent keeps it.

    >>> print(bpo.export("runs/t", "policy"))
    >>> bpo.export("runs/t", "policy.onnx", to="onnx")
    """
    return core.export_run(os.fspath(run), os.fspath(out), to, assignments(set))


def open(directory: Path) -> Run:
    """A run that is there.

    >>> bpo.open("runs/t").result
    """
    text = os.fspath(directory)
    if not core.is_run(text):
        refuse(f"{text}: not a run directory (it has no config.toml)")
    return Run(text)


def list() -> Dict[str, Dict[str, str]]:
    """Problems, filters, algorithms and planners, with a line each: `bpo list`.

    >>> bpo.list()["problems"]["tiger"]
    """
    return core.inventory()


def options(name: AnyProblem) -> Table:
    """The options of a problem, a problem file, an algorithm or a planner.

    >>> bpo.options("tiger")
    """
    rows = core.options(problem_name(name))
    return Table([["option", "default", "accepts", "meaning"]] + [[*row] for row in rows])
