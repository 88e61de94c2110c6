#!/bin/sh
# Seconds of training on one rank and on two, one thread each, in turn, as result.json has them: on
# a machine whose two cores do nothing else. Start, end and measuring do not count.
# usage: bench/ranks.sh BUILD [PAIRS]
set -eu
build=$1
pairs=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# seconds RANKS PROBLEM --set ...
seconds() {
  ranks=$1; shift
  mpirun -n "$ranks" "$build/bpo-mpi" train "$@" --threads 1 --quiet --out "$dir/run" --force \
    --set algo.validate_every=1000 > /dev/null
  sed -n 's/.*"train_seconds": \([0-9.e+-]*\).*/\1/p' "$dir/run/result.json"
}
# both NAME PROBLEM --set ...
both() {
  name=$1; shift
  for pair in $(seq "$pairs"); do
    one=$(seconds 1 "$@")
    two=$(seconds 2 "$@")
    awk -v n="$name" -v a="$one" -v b="$two" \
      'BEGIN { printf "%-28s one rank %8.2f s, two %8.2f s, ratio %.2f\n", n, a, b, a / b }'
  done
}
both "Chain-1000" chain --set problem.bins=1000 --set algo.iterations=6
both "LightDark" lightdark --set algo.iterations=10
both "HalfCheetah" half-cheetah --set algo.iterations=100
both "HalfCheetah, batch 25,600" half-cheetah --set optimizer.batch_steps=25600 \
  --set algo.iterations=10
