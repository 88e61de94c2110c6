#!/bin/sh
# Prints the table of docs/scale.md: seconds of training on one rank and on two, one thread each, in
# turn, on a machine whose two cores do nothing else. Start, end and measuring do not count. The
# last column is the time of a rank's core for exact sums, without waiting, in training on two.
# usage: bench/ranks.sh BUILD [PAIRS]
set -eu
build=$1
pairs=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # mpirun refuses root otherwise
fi

# train RANKS PROBLEM --set ...: prints its seconds and, of the rank with more, those for exact sums
train() {
  ranks=$1; shift
  BPO_EXCHANGES=1 mpirun -n "$ranks" "$build/bpo-mpi" train "$@" --threads 1 --quiet \
    --out "$dir/run" --force --set algo.validate_every=1000 > /dev/null 2> "$dir/told" ||
    { cat "$dir/told" >&2; exit 1; }
  sed -n 's/.*"train_seconds": \([0-9.e+-]*\).*/\1/p' "$dir/run/result.json"
  sed -n 's/^rank .* exact sums \([0-9.]*\) s.*/\1/p' "$dir/told" | sort -g | tail -n 1
}
# row NAME PROBLEM --set ...
row() {
  name=$1; shift
  for pair in $(seq "$pairs"); do
    one=$(train 1 "$@")
    two=$(train 2 "$@")
    echo $one $two
  done | awk -v name="$name" -v pairs="$pairs" '
    # $1 and $3 are seconds on one rank and on two, $2 and $4 those for exact sums.
    NF != 4 { print "not what a training tells: " $0 > "/dev/stderr"; bad = 1; exit 1 }
    {
      one += $1; two += $3; sums += $4
      ratios = ratios sprintf("%s%.2f", NR > 1 ? ", " : "", $1 / $3)
    }
    END {
      if (bad || NR != pairs) exit 1
      printf "| %s | %.2f | %.2f | %.2f (%s) | %.1f %% |\n", name, one / NR, two / NR, one / two,
             ratios, 100 * sums / two
    }'
}
echo "| problem, iterations | one rank, s | two ranks, s | ratio (by pairs) | exact sums |"
echo "|---|---|---|---|---|"
row "Chain-1000, 6" chain --set problem.bins=1000 --set algo.iterations=6
row "LightDark, 10" lightdark --set algo.iterations=10
row "HalfCheetah, 300" half-cheetah --set algo.iterations=300
row "HalfCheetah, batch of 25,600 steps, 20" half-cheetah --set optimizer.batch_steps=25600 \
  --set algo.iterations=20
