"""Loads the compiled library: the one with robots, or the one without where MuJoCo is not there."""

import importlib
import platform
from pathlib import Path

_FOLDERS = ("_robots", "_plain")
robots_missing = ""
"""Why there are no robots; empty where they are."""


def _check_cpu() -> None:
    """The library may hold instructions that an old CPU lacks, which would end the interpreter."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return
    flags = next((line.split() for line in text.splitlines() if line.startswith("flags")), None)
    if flags is not None and not {"avx2", "fma", "bmi2"} <= set(flags):
        raise ImportError(
            "bpo was built for x86-64-v3, and this CPU lacks AVX2, FMA or BMI2; "
            "build it with CMAKE_ARGS=-DBPO_ARCH=x86-64 pip install ."
        )


def _load():
    global robots_missing
    _check_cpu()
    why = []
    for folder in _FOLDERS:
        try:
            module = importlib.import_module(f"bpo.{folder}._core")
        except ImportError as error:
            why.append(str(error))
            continue
        if folder == "_plain":
            robots_missing = why[0]
            module.set_robots_missing(robots_missing)
        return module
    raise ImportError("bpo: the compiled library cannot be loaded: " + "; ".join(why))


core = _load()
