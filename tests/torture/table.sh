#!/bin/sh
# Runs the attacks and all of the torture, and prints a table: faults tried, survived, lost. It fails
# where a test does, where one was skipped (what was not tried was not survived), where there
# were fewer than 300 kills or 10,000 mutations, and where it took more than 20 minutes.
# usage: tests/torture/table.sh BUILD
set -u
build=$1
log=$build/torture.log
start=$(date +%s)
BPO_TORTURE=full ctest --test-dir "$build" -L 'attack|torture|ranks' -j2 --output-on-failure \
  --no-tests=error --verbose > "$log" 2>&1
status=$?
grep -hoE '(torture: .*|kill and resume|mutations|injected failures): [0-9]+ of [0-9]+' "$log" |
  sed 's/^torture: //' |
  awk -F': ' 'BEGIN { printf "%-40s %8s %9s %6s\n", "fault", "tried", "survived", "lost" }
              { split($NF, n, " of "); printf "%-40s %8d %9d %6d\n", $1, n[2], n[1], n[2] - n[1]
                tried += n[2]; survived += n[1] }
              /^kill -9/ { kills += n[2] }
              /^mutations/ { mutations += n[2] }
              END { printf "%-40s %8d %9d %6d\n", "all", tried, survived, tried - survived
                    if (kills >= 300 && mutations >= 10000) exit 0
                    printf "too few: %d kills, %d mutations\n", kills, mutations
                    exit 1 }' || status=1
grep -E 'tests passed|\(Failed\)|\(Timeout\)|\(Skipped\)' "$log"
if grep -q '(Skipped)' "$log"; then
  echo "not everything was tried"
  status=1
fi
seconds=$(($(date +%s) - start))
echo "it took $(((seconds + 30) / 60)) minutes"
if [ $seconds -gt 1200 ]; then
  echo "too long: more than 20 minutes"
  status=1
fi
exit $status
