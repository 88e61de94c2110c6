#!/bin/bash
# The scripts of docs/cluster.md, submitted to a Slurm of the test's own with shorter runs: sed adds
# options to the training and to grid.toml, and a time after which claims are stale; all other lines
# are as they stand there. The training is stopped by its time, cancelled and requeued; the sweep's
# workers are stopped by their time and requeue themselves, one is killed and one requeued by hand.
# What comes out is what a run gives that nobody disturbed. So it is by srun, which also ends the
# job when one of its ranks is killed.
# usage: slurm.sh SOURCE BUILD
set -u
source=$1 build=$2
dir=$(mktemp -d)
. "$source/tests/cluster/slurm_here.sh"
trap 'stop_slurm; rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; cat "$dir"/jobs/slurm-*.out 2> /dev/null | tail -30; exit 1; }
# What of docs/cluster.md stands between ```LANGUAGE NAME and ```.
extract() {
  awk -v name="$1" '/^```/ { on = !on && $2 == name; next } on' "$source/docs/cluster.md" > "$2"
  [ -s "$2" ] || fail "docs/cluster.md has no $1"
}
state() { squeue -h -j "$1" -o %T 2> /dev/null | sort -u | tr '\n' ' '; }
gone() { [ -z "$(state "$1")" ] || [ -z "$(squeue -h -j "$1" -t PD,R,CG,S -o %i 2> /dev/null)" ]; }
iterations() { wc -l < "$1/metrics.jsonl" 2> /dev/null || echo 0; }
progressed() { [ "$(iterations "$1")" -gt "$2" ]; }

export PATH=$build:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
export OMPI_MCA_plm=^slurm
mkdir "$dir/jobs" && cd "$dir/jobs" || exit 1
extract train.sbatch train.sbatch
extract sweep.sbatch sweep.sbatch
extract grid.toml grid.toml
start_slurm || exit 1

# A small Chain, so that it is a matter of seconds, and short steps: a policy that has settled would
# end the training before its time.
small='--set problem.horizon=20 --set optimizer.batch_steps=2000 --set algo.iterations=3000'
small="$small --set optimizer.kl=1e-6 --set algo.validate_every=1000 --set algo.validate_episodes=200"
small="$small --checkpoint-seconds 0.5"
sed -i "s|set -- train chain --out \$run|& $small|" train.sbatch
job=$(STOP_AT=6s sbatch --parsable --ntasks=2 train.sbatch) || fail "sbatch train.sbatch"
wait_for 60 progressed runs/chain 20 || fail "the training did not start"
wait_for 60 grep -q 'continue with: bpo resume' "slurm-$job.out" || fail "it did not stop in time"
at=$(iterations runs/chain)
echo "stopped by its time at iteration $at, requeued by itself"
wait_for 90 progressed runs/chain $((at + 20)) || fail "it did not go on after its time was up"
at=$(iterations runs/chain)
scontrol requeue "$job" || fail "scontrol requeue"
echo "requeued by hand after iteration $at"
wait_for 90 progressed runs/chain $((at + 20)) || fail "it did not go on after the requeue"
scancel "$job"
wait_for 60 gone "$job" || fail "scancel"
at=$(iterations runs/chain)
echo "cancelled after iteration $at"
[ "$at" -lt 3000 ] || fail "the training was too short to be cancelled"
job=$(sbatch --parsable --ntasks=2 train.sbatch) || fail "sbatch train.sbatch"
wait_for 240 test -e runs/chain/result.json || fail "the training did not end"
bpo train chain --out alone $small --quiet > /dev/null || fail "the training alone"
cmp alone/policy.safetensors runs/chain/policy.safetensors || fail "other bits than alone"
echo "PASSED: train.sbatch, the same policy as alone"

# By srun itself, without mpirun. Of several tasks that are no ranks none begins.
srun -n 2 bpo-mpi list > plain.out 2>&1
[ $? = 2 ] && grep -q 'start it by `srun --mpi=pmix`' plain.out || fail "srun alone: $(cat plain.out)"
by_srun="srun --mpi=pmix -n 2 bpo-mpi train chain $small --threads 1 --quiet"
$by_srun --out by-srun > srun.out 2>&1 || fail "srun: $(cat srun.out)"
cmp alone/policy.safetensors by-srun/policy.safetensors || fail "other bits by srun than alone"
echo "PASSED: srun --mpi=pmix, the same policy as alone"
$by_srun --out killed > killed.out 2>&1 &
step=$!
wait_for 60 progressed killed 20 || fail "the training by srun did not start"
rank=$(scontrol listpids | awk '$NF == 1 { print $1; exit }')
start=$(date +%s%N)
kill -9 "$rank" || fail "no process of rank 1: $(scontrol listpids)"
wait $step && fail "the job does not mind that its rank was killed"
taken=$((($(date +%s%N) - start) / 1000000))
[ $taken -lt 10000 ] || fail "it ended $taken ms after its rank was killed"
grep -q 'task 1: Killed' killed.out || fail "the rank is not named: $(cat killed.out)"
bpo resume killed --time 0.2 --quiet --threads 1 > /dev/null 2>&1 || fail "the checkpoint is not whole"
echo "PASSED: srun ends $taken ms after a rank is killed, and names it"

sed -i 's/algo.iterations = 100/algo.iterations = 20/' grid.toml
sed -i '/^\[set\]/a problem.horizon = 10\noptimizer.batch_steps = 500\nalgo.validate_episodes = 50' grid.toml
sed -i 's/--threads 1/& --stale-after 3/' sweep.sbatch
job=$(STOP_AT=3s sbatch --parsable sweep.sbatch) || fail "sbatch sweep.sbatch"
some_done() { [ "$(find runs/grid -name '*.done' | wc -l)" -ge "$1" ]; }
wait_for 120 some_done 3 || fail "the sweep did not start"
scancel --signal=KILL --full "${job}_2"
scontrol requeue "${job}_3" || echo "(worker 3 was through)"
wait_for 480 gone "$job" || fail "the array did not end: $(state "$job")"
bpo sweep grid.toml --out runs/grid --status | tee status.txt
grep -q 'done 40, running 0, failed 0, waiting 0' status.txt || fail "the sweep is not whole"
stops=$(cat slurm-"${job}"_*.out | grep -c 'the same `bpo sweep` command goes on from here')
echo "workers were stopped by their time $stops times, and requeued themselves"
[ "$stops" -gt 0 ] || fail "no worker was stopped by its time"
[ "$(find runs/grid -name result.json | wc -l)" = 40 ] || fail "results are missing"
echo "PASSED: sweep.sbatch, 40 runs with a worker killed and one requeued"
