"""What people say in Python, as the library takes it."""

import math
import os
import sys
import time
from typing import NoReturn

from ._library import core


def refuse(text: str) -> NoReturn:
    """Raises what the library raises for bad input."""
    error = core.Error(text)
    error.exit_code = 2
    raise error


def assignments(options) -> list:
    """{"problem.horizon": 20} as the texts that follow --set."""
    out = []
    for key, value in dict(options or {}).items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        out.append(f"{key}={value}")
    return out


def problem_name(problem) -> str:
    """A name or a file of a problem, or what a bpo.Problem is registered as."""
    if isinstance(problem, (str, os.PathLike)):
        return os.fspath(problem)
    if hasattr(problem, "name"):
        return problem.name
    refuse(f"problem: {problem!r} is neither a name, nor a file, nor a bpo.Problem")


def directories(runs) -> list:
    """Runs or paths as paths; one of them stands for a list of it."""
    if isinstance(runs, (str, os.PathLike)):
        runs = [runs]
    return [os.fspath(run) for run in runs]


class Progress:
    """A line on standard error, written over on a terminal, now and then in a log."""

    def __init__(self, total=None):
        self.total, self.last, self.written, self.shown = total, None, None, -math.inf
        self.live = sys.stderr.isatty()

    def __call__(self, metrics: dict) -> None:
        self.last, now = metrics, time.monotonic()
        if now - self.shown < (0.1 if self.live else 5.0):
            return
        self.shown = now
        self._write()

    def _write(self) -> None:
        m = self.written = self.last
        parts = [f"iteration {m['iteration']}" + (f"/{self.total}" if self.total else "")]
        for key in ("return", "kl", "belief_entropy", "lower", "upper", "gap"):
            if key in m:
                parts.append(f"{key.replace('_', ' ')} {m[key]:.4g}")
        text = "  ".join(parts)
        sys.stderr.write(f"\r\x1b[K{text}" if self.live else text + "\n")
        sys.stderr.flush()

    def finish(self) -> None:
        if self.last is not self.written:
            self._write()
        if self.last is not None and self.live:
            sys.stderr.write("\n")
            sys.stderr.flush()


def progress_of(progress, total=None):
    """(what is called with every iteration, what is called at the end)"""
    if progress is True:
        shown = Progress(total)
        return shown, shown.finish
    return (progress or None), (lambda: None)
