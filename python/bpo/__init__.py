"""Act well when the model is uncertain.

An agent keeps a posterior over what it does not know and a policy that sees it (Bayesian Policy
Optimization). This module is a thin face of the library: results equal the command line's, to the
bit.

>>> import bpo
>>> run = bpo.train("tiger", algo="bpo", seed=0, iterations=50, out="runs/t", progress=True)
>>> print(run.evaluate(exact=True))
>>> agent = bpo.load("runs/t")
>>> agent.reset(); action = agent.act("nothing"); agent.observe(action, "heard left")
>>> agent.belief
"""

import importlib

from ._library import core as _core
from ._library import robots_missing
from .problem import Box, Choice, Discrete, LogUniform, Normal, Problem, Uniform, from_gymnasium
from .reports import Comparison, Figure, Page, Table, compare, report
from .runs import Metrics, Run, evaluate, export, list, load, open, options, resume, solve, train

Error = _core.Error
Agent = _core.Agent
Measurement = _core.Measurement
commit = _core.commit
__version__ = _core.version

__all__ = [
    "Agent", "Box", "Choice", "Comparison", "Discrete", "Error", "Figure", "LogUniform",
    "Measurement", "Metrics", "Normal", "Page", "Problem", "Run", "Table", "Uniform", "compare",
    "evaluate", "export", "from_gymnasium", "list", "load", "open", "options", "report", "resume",
    "robots_missing", "solve", "train",
]

try:
    from . import gym  # registers the environments where Gymnasium is there
except ImportError as error:
    _no_gym = error


def __getattr__(name):
    if name == "sb3":  # imported when it is asked for: Torch takes seconds
        return importlib.import_module("bpo.sb3")
    if name == "gym":
        why = ("needs Gymnasium 1.1 or newer: pip install gymnasium"
               if _no_gym.name == "gymnasium" else f"cannot be imported: {_no_gym}")
        raise ImportError(f"bpo.gym {why}") from _no_gym
    raise AttributeError(f"module 'bpo' has no attribute '{name}'")
