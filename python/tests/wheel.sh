#!/bin/sh
# A wheel is enough: installs it into an empty virtual environment in a folder outside of the clone,
# and trains, loads and measures there.
#   wheel.sh WHEEL INTERPRETER
set -eu
wheel=$(realpath "$1") interpreter=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$interpreter" -m venv venv
unset PYTHONPATH
venv/bin/python -m pip install -q --disable-pip-version-check "$wheel"
venv/bin/python - <<'END'
import importlib.metadata
import os

import bpo

assert bpo.__file__.startswith(os.getcwd()), bpo.__file__
assert importlib.metadata.version("bpo") == bpo.__version__
run = bpo.train("tiger", iterations=2, out="run")
agent = bpo.load("run")
agent.act("nothing")
assert agent.observe("listen", "heard left") and abs(agent.belief[0] - 0.85) < 1e-6
print(run.evaluate(exact=True))
END
