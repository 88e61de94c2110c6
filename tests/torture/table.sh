#!/bin/sh
# Runs the attacks and all of the torture, and prints a table: faults tried, survived, lost.
# usage: tests/torture/table.sh BUILD
set -u
build=$1
log=$build/torture.log
BPO_TORTURE=full ctest --test-dir "$build" -L 'attack|torture|ranks' -j2 --output-on-failure \
  --no-tests=error --verbose > "$log" 2>&1
status=$?
grep -hoE '(torture: .*|kill and resume|mutations|injected failures): [0-9]+ of [0-9]+' "$log" |
  sed 's/^torture: //' |
  awk -F': ' 'BEGIN { printf "%-40s %8s %9s %6s\n", "fault", "tried", "survived", "lost" }
              { split($NF, n, " of "); printf "%-40s %8d %9d %6d\n", $1, n[2], n[1], n[2] - n[1]
                tried += n[2]; survived += n[1] }
              END { printf "%-40s %8d %9d %6d\n", "all", tried, survived, tried - survived }'
grep -E 'tests passed|\(Failed\)|\(Timeout\)|\(Skipped\)' "$log"
exit $status
