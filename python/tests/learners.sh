#!/bin/sh
# What other people's learners make of our problems, where they are installed or BPO_LEARNERS=1 asks
# for that: about 5.5 GB, for PyPI's Torch comes with what graphics cards need.
#   learners.sh SOURCE ENVIRONMENT INTERPRETER
set -eu
source=$1 environment=$2 interpreter=$3
wanted=$source/python/requirements-learners.txt
if [ -n "${BPO_LEARNERS:-}" ]; then
  learners=$("$source/cmake/python_env.sh" "$environment" "$interpreter" "$wanted")
elif cmp -s "$wanted" "$environment/requirements-learners.txt.done"; then
  learners=$environment/bin/python
else
  echo "skipped: Stable-Baselines3 is not installed; BPO_LEARNERS=1 installs it" \
    "(make test-python-learners)"
  exit 77
fi
if [ -z "$learners" ]; then exit 77; fi
export OMP_NUM_THREADS=1  # the networks are small
exec "$learners" -m pytest -q -p no:cacheprovider "$source/python/tests/test_learners.py" \
  "$source/python/tests/test_notebooks.py" "$source/python/tests/test_docstrings.py" \
  -k 'learner or trains or last or sb3'
