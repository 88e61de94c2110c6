# A Slurm of the test's own on this machine: one node, own keys, ports, state and logs below $dir.
# To be sourced; needs $dir. `start_slurm` starts it, `stop_slurm` ends it.
# A requeued job waits until the credential of its last start has expired, or its node would refuse
# it: two minutes by default, here the five seconds that are the least.
port=$((20000 + $$ % 20000))
export SLURM_CONF=$dir/slurm.conf

start_slurm() {
  mkdir -p "$dir/state" "$dir/spool" "$dir/munge"
  chmod 700 "$dir/munge"
  head -c 1024 /dev/urandom > "$dir/munge/key"
  chmod 400 "$dir/munge/key"
  munged --force --foreground --socket="$dir/munge/socket" --key-file="$dir/munge/key" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" \
    > "$dir/munge/out" 2>&1 &
  munged_pid=$!
  cat > "$SLURM_CONF" << END
ClusterName=here
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthInfo=socket=$dir/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=5
MinJobAge=300
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  for _ in $(seq 50); do [ -S "$dir/munge/socket" ] && break; sleep 0.1; done
  slurmctld -D > "$dir/slurmctld.out" 2>&1 &
  slurmctld_pid=$!
  slurmd -D > "$dir/slurmd.out" 2>&1 &
  slurmd_pid=$!
  for _ in $(seq 100); do
    sinfo -h -o %t 2> /dev/null | grep -q idle && return 0
    sleep 0.2
  done
  echo "slurm did not start:"; tail -n 5 "$dir"/slurmctld.log "$dir"/slurmd.log "$dir"/*.out
  return 1
}

stop_slurm() {
  scancel --user="$(id -un)" 2> /dev/null
  for pid in $slurmd_pid $slurmctld_pid $munged_pid; do kill "$pid" 2> /dev/null; done
  wait $slurmd_pid $slurmctld_pid $munged_pid 2> /dev/null
}

# wait_for SECONDS COMMAND...: until it holds
wait_for() {
  left=$(($1 * 5)); shift
  while ! "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.2
  done
}
