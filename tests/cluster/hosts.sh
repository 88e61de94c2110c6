#!/bin/bash
# MPI over several hosts, which are network namespaces of the test's own: the bits of one machine,
# and, once a host is cut off in mid-run, an end within ten seconds that names its rank.
# usage: hosts.sh SOURCE BUILD
set -u
build=$2
dir=$(mktemp -d)
id=bpo$$
hosts=3
cleanup() {
  [ -n "${job:-}" ] && kill -9 "$job" 2> /dev/null
  for h in $(seq 0 $hosts); do
    ip netns pids $id-$h 2> /dev/null | xargs -r kill -9 2> /dev/null
    ip netns del $id-$h 2> /dev/null
  done
  rm -rf "$dir"
}
trap cleanup EXIT
fail() { echo "FAILED: $*"; tail -n 20 "$dir"/*.err 2> /dev/null; exit 1; }

# A namespace 0 with a bridge between the others, so that nothing of the machine's own is touched.
ip netns add $id-0 || { echo "SKIPPED: no network namespaces here"; exit 77; }
ip -n $id-0 link add bridge type bridge || fail "no bridge"
ip -n $id-0 link set bridge up
for h in $(seq $hosts); do
  ip netns add $id-$h
  ip -n $id-0 link add port$h type veth peer name eth0 netns $id-$h || fail "no cable"
  ip -n $id-0 link set port$h master bridge up
  ip -n $id-$h addr add 10.77.0.$h/24 dev eth0
  ip -n $id-$h link set eth0 up
  ip -n $id-$h link set lo up
done
# What mpirun calls instead of ssh: the host's number is the end of its address.
cat > "$dir/rsh" << END
#!/bin/bash
host=\${1##*.}; shift
exec ip netns exec $id-\$host unshare -u /bin/sh -c "hostname host\$host; \$*"
END
chmod +x "$dir/rsh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
# As docs/cluster.md advises: mpirun itself shall notice within seconds that a host is gone.
export OMPI_MCA_oob_tcp_keepalive_time=2 OMPI_MCA_oob_tcp_keepalive_intvl=1
export OMPI_MCA_oob_tcp_keepalive_probes=2
on_hosts() {
  ip netns exec $id-1 unshare -u /bin/sh -c 'hostname host1; exec "$@"' sh \
    mpirun --mca plm_rsh_agent "$dir/rsh" --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 --mca plm rsh --mca ras '^slurm' --bind-to none \
    --host 10.77.0.1:1,10.77.0.2:1,10.77.0.3:1 -n 3 "$build/bpo-mpi" "$@"
}
cd "$dir" || exit 1
small='--set problem.horizon=10 --set algo.validate_episodes=100 --threads 1 --quiet'
small="$small --set optimizer.batch_steps=1000 --set algo.baseline=linear"
on_hosts train tiger --out there $small --set algo.iterations=20 > a.out 2> a.err || fail "three hosts"
"$build/bpo" train tiger --out here $small --set algo.iterations=20 > b.out 2> b.err || fail "one host"
cmp here/policy.safetensors there/policy.safetensors || fail "other bits than on one host"
echo "PASSED: three hosts, the bits of one"

# By PPO, for TRPO ends once its policy is certain.
on_hosts train tiger --out cut $small --set algo.iterations=1000000 --checkpoint-seconds 0 \
  --set optimizer.kind=ppo \
  > c.out 2> c.err &
job=$!
for _ in $(seq 300); do [ -s cut/metrics.jsonl ] && break; sleep 0.1; done
[ -s cut/metrics.jsonl ] || fail "the training did not start"
start=$(date +%s.%N)
ip -n $id-0 link set port3 down
for _ in $(seq 400); do kill -0 $job 2> /dev/null || break; sleep 0.1; done
seconds=$(echo "$(date +%s.%N) - $start" | bc 2> /dev/null || awk "BEGIN { print $(date +%s.%N) - $start }")
kill -0 $job 2> /dev/null && fail "the job goes on without its third host"
job=
cat c.err
grep -qE 'rank 2 on host3 has been silent|Remote daemon.* on node 10\.77\.0\.3' c.err ||
  fail "neither the rank nor its host is named"
grep -qE 'rank [01] on .* (silent|hangs)' c.err && fail "another rank is blamed"
awk "BEGIN { exit !($seconds < 10) }" || fail "it took $seconds s"
echo "ended $seconds s after host 3 was cut off"
sleep 4
[ -z "$(ip netns pids $id-3)" ] || fail "the rank on the host that was cut off lives on"
"$build/bpo" resume cut --time 0.2 --quiet --threads 1 2> d.err || fail "the checkpoint is not whole"
echo "PASSED: a host that is cut off ends the job, and the run goes on"
