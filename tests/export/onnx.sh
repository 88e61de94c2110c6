#!/bin/sh
# Runs onnx_check.py with onnx and onnxruntime of PyPI, in a virtual environment that is made once.
#   onnx.sh VENV MODEL GOLDEN      exit status 77: PyPI cannot be reached
set -eu
venv=$1
exec 9> "$venv.lock"
flock 9
if [ ! -e "$venv/.ready" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "python3-venv is not there"; exit 77; }
  "$venv/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 20 \
    onnx onnxruntime numpy || { echo "onnx and onnxruntime cannot be had from PyPI"; exit 77; }
  touch "$venv/.ready"
fi
flock -u 9
exec "$venv/bin/python" "$(dirname "$0")/onnx_check.py" "$2" "$3"
