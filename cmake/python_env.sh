#!/bin/sh
# A virtual environment for the Python module: python_env.sh DIR INTERPRETER REQUIREMENTS. Prints
# the path of its interpreter, or nothing and a sentence on standard error where it cannot be made.
dir=$1 python=$2 wanted=$3
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null)
if [ ! -e "$headers/Python.h" ]; then
  echo "Python: left out, and its tests are skipped: $python has no headers (python3-dev)" >&2
  exit 0
fi
stamp=$dir/$(basename "$wanted").done
if ! cmp -s "$wanted" "$stamp"; then
  echo "Python: a virtual environment in $dir, of $python" >&2
  log=$dir.log
  mkdir -p "$(dirname "$dir")"
  if ! { [ -x "$dir/bin/python" ] || "$python" -m venv "$dir"; } >"$log" 2>&1 ||
     ! "$dir/bin/python" -m pip install -q --disable-pip-version-check -r "$wanted" \
       >>"$log" 2>&1; then
    echo "Python: left out, and its tests are skipped: $(tail -n 1 "$log")" >&2
    exit 0
  fi
  cp "$wanted" "$stamp"
fi
echo "$(cd "$dir" && pwd)/bin/python"
