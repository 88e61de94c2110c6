#!/bin/sh
# Seeds for the fuzz targets: the files of a few tiny runs, and robots about the model of
# robot_fuzz.cpp, for one about another is refused at the first name.
# usage: fuzz/seeds.sh PROGRAM DIRECTORY
set -eu
program=$1
seeds=$2
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
for target in config problem pomdp pomdpx appl_policy robot recording sweep safetensors metrics result measured; do
  mkdir -p "$seeds/${target}_fuzz"
done

# train PROBLEM ALGORITHM BASELINE
train() {
  run=$1-$2-$3
  "$program" train "$1" --algo "$2" --out "$runs/$run" --quiet --threads 1 \
    --set algo.hidden=8 --set algo.iterations=2 --set algo.baseline="$3" \
    --set algo.validate_episodes=64 --set optimizer.batch_steps=200 > /dev/null
  cp "$runs/$run/config.toml" "$seeds/config_fuzz/$run.toml"
  cp "$runs/$run/policy.safetensors" "$seeds/safetensors_fuzz/$run-policy"
  cp "$runs/$run/checkpoint.safetensors" "$seeds/safetensors_fuzz/$run-checkpoint"
  cp "$runs/$run/metrics.jsonl" "$seeds/metrics_fuzz/$run.jsonl"
  cp "$runs/$run/result.json" "$seeds/result_fuzz/$run.json"
}

train tiger bpo linear
train tiger up-mle network
train chain bpo-minus linear
"$program" eval "$runs/tiger-bpo-linear" --exact --json > "$seeds/result_fuzz/exact.json"
"$program" eval "$runs/tiger-bpo-linear" --episodes 64 --greedy --set problem.accuracy=0.9 --json \
  > "$seeds/result_fuzz/changed.json"
"$program" reproduce fig-discretization --quick --seeds 1 --episodes 20 --out "$runs/campaign" --quiet --threads 1 \
  --set algo.iterations=1 --set optimizer.batch_steps=300 --set algo.validate_episodes=50 --set problem.horizon=5 > /dev/null
n=0
for file in $(find "$runs/campaign" -name 'measured-*.json'); do
  n=$((n + 1))
  cp "$file" "$seeds/measured_fuzz/$n.json"
done
printf '%s\n' 'x=1e-3' 'a.n=7' 'f=true' 'a.w="abd"' 'm=0.25' > "$seeds/config_fuzz/sets.txt"
cat > "$seeds/sweep_fuzz/sweep.toml" << 'END'
problems = ["tiger", "chain"]
methods = ["bpo", "up-mle"]
seeds = [0, 7]
[set]
algo.iterations = 100
"algo.whiten" = true
[grid]
optimizer.kl = [0.01, 0.02]
optimizer.kind = ["trpo", "ppo"]
END
cp "$(dirname "$0")"/../examples/problems/*.toml "$seeds/problem_fuzz"
for problem in tiger chain rocksample; do
  case $problem in rocksample) sets="--set n=2 --set k=2" ;; chain) sets="--set bins=2" ;; *) sets= ;; esac
  "$program" write-problem $problem "$seeds/pomdp_fuzz/$problem.pomdp" $sets > /dev/null
  "$program" write-problem $problem "$seeds/pomdpx_fuzz/$problem.pomdpx" $sets > /dev/null
done
"$program" solve "$seeds/pomdp_fuzz/tiger.pomdp" --planner sarsop --gap 1 --episodes 1 --out "$runs/tiger" > /dev/null
cp "$runs/tiger/appl.policy" "$seeds/appl_policy_fuzz/tiger"
cp "$(dirname "$0")"/seeds/robot/*.toml "$seeds/robot_fuzz"
printf '%s\n' '# a log' 'time, control:u, x, y' '0,0.5,1e-3,2' '0.1,-1,0.25,-3' > "$seeds/recording_fuzz/log.csv"
cat > "$seeds/pomdpx_fuzz/diagram.pomdpx" << 'END'
<pomdpx><Discount>.9</Discount><Variable><StateVar vnamePrev='s_0' vnameCurr='s_1'><NumValues>2</NumValues></StateVar>
<ObsVar vname='o'><NumValues>2</NumValues></ObsVar><ActionVar vname='a'><NumValues>2</NumValues></ActionVar><RewardVar vname='r'/></Variable>
<InitialStateBelief><CondProb><Var>s_0</Var><Parent>null</Parent><Parameter type='DD'><DAG><SubDAG type='uniform' var='s_0'/></DAG></Parameter></CondProb></InitialStateBelief>
<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent><Parameter type='DD'><DAG><Node var='a'><Edge val='a0'><SubDAG type='template' idref='t'/></Edge>
<Edge val='a1'><SubDAG type='deterministic' var='s_1' val='s0'/></Edge></Node></DAG><SubDAGTemplate id='t'><SubDAG type='persistent' var='s_1'/></SubDAGTemplate></Parameter></CondProb></StateTransitionFunction>
<ObsFunction><CondProb><Var>o</Var><Parent>s_1</Parent><Parameter type='DD'><DAG><Node var='s_1'><Edge val='s0'><Node var='o'><Edge val='o0'><Terminal>1</Terminal></Edge></Node></Edge>
<Edge val='s1'><SubDAG type='uniform' var='o'/></Edge></Node></DAG></Parameter></CondProb></ObsFunction>
<RewardFunction><Func><Var>r</Var><Parent>a</Parent><Parameter type='DD'><DAG><Node var='a'><Edge val='a0'><Terminal>3</Terminal></Edge></Node></DAG></Parameter></Func></RewardFunction></pomdpx>
END
