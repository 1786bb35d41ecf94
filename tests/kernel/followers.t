#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What followers read at a switch, all of them share: sessions of one process come to the same. Nine events are two followers' work, and
# sessions may begin at any moment. A reading disturbs only the CPUs that run what is counted.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before
# of FILE EVENT: its value in -x ,
of() { awk -F, -v event="$2" '$3 == event || $4 == event { print $1; exit }' "$1"; }

# --- the reading of a switch is shared ------------------------------------------------------------------------------------
# It works when it is told to: switches, threads and children of it, and a loop of known length.
events="task-clock,cs,page-faults"
[ -z "$(has_pmu && echo 1)" ] || events=$events,instructions:u
worker "'$WORK' switches 500; '$WORK' forks 3 20; '$WORK' threads 2 30; '$WORK' loop 10000000"
pids=
for i in 1 2 3 4 5; do
  "$BPERF" -x, -e $events -p "$worker_pid" -o "$TMP/same$i" &
  pids="$pids $!"
done
ok "five sessions of a process share each leader, each has a follower" status_shows '^task-clock: .*, 5 followers, 5 sessions$' 600
if has_pmu; then
  ok "one counter for all" grep -qx "hardware counters in use: $cpus, saved by sharing: $((4 * cpus))" "$TMP/status"
fi
sleep 1
worker_works
# shellcheck disable=SC2086 # several
kill -INT $pids
# shellcheck disable=SC2086
wait $pids
worker_ends
for event in $(echo $events | tr , ' '); do
  first=$(of "$TMP/same1" "$event")
  for i in 2 3 4 5; do
    ok "$event: session $i has what the first one has" near "$(of "$TMP/same$i" "$event")" "$first" 0.1
  done
done
ok "all switches" between "$(of "$TMP/same1" cs)" 500 100000
ok "and what was burnt" between "$(of "$TMP/same1" task-clock)" 119.5 "$(high 2000)"
if has_pmu; then
  ok "and the loop" between "$(of "$TMP/same1" instructions:u)" 20000000 60000000
  is "$(cut -d, -f5 "$TMP/same1" | sort -u | tr -d '\n')" 100.00 "all of them ran all the time"
fi

# --- switches that nobody sees ---------------------------------------------------------------------------------------------
# Some kernels leave a few out, from the idle task. Whoever reads first then, the others have the share of the task that had come, too.
worker "for i in 1 2 3; do '$WORK' naps 500 1 & done; wait"
pids=
for i in 1 2 3 4; do
  each=
  [ $((i % 2)) = 1 ] || each=--per-thread
  # shellcheck disable=SC2086 # none or one
  "$BPERF" -x, $each -e task-clock -p "$worker_pid" -o "$TMP/naps$i" &
  pids="$pids $!"
done
ok "four sessions" status_shows '^task-clock: .*, 4 followers, 4 sessions$' 600
sleep 1
worker_works
# shellcheck disable=SC2086 # several
kill -INT $pids
# shellcheck disable=SC2086
wait $pids
worker_ends
# (a row of each thread has its name before the value)
sum() { awk -F, '{ sum += $2 == "msec" ? $1 : $2 } END { print sum }' "$1"; }
for i in 2 3 4; do
  ok "1500 naps: session $i has what the first one has" near "$(sum "$TMP/naps$i")" "$(sum "$TMP/naps1")" 0.04
done
ok "1500 naps: all of it" between "$(sum "$TMP/naps1")" 1499 "$(high 4000)"

# --- more events than a follower has -----------------------------------------------------------------------------------
# The first is of the first follower, the last of the last.
for count in 1 2 8 9 17; do
  list=task-clock$(yes ,dummy | head -n $((count > 2 ? count - 2 : 0)) | tr -d '\n')
  [ $count = 1 ] || list=$list,page-faults
  "$BPERF" -v -x, -e "$list" -- "$WORK" faults 1000 2>"$TMP/out"
  many=$(grep -Ec '^bperf-mini: follower: program [0-9]+ follower' "$TMP/out")
  is "$many $(grep -Ec '^bperf-mini: hooks: program [0-9]+ on_exec' "$TMP/out")" "$many $many" "$count events: a program for the exec with each of $many followers"
  [ $count -gt 2 ] || is "$many" 1 "$count events: one follower"
  [ $count -lt 9 ] || ok "$count events: several" between "$many" 2 $((count - 1))
  [ $count = 1 ] || ok "$count events: the last one counts a command" between "$(of "$TMP/out" page-faults)" 1000 1120
done
list=$(yes dummy | head -n 7 | paste -sd, -)
"$WORK" after 1000 "$WORK" forks 4 50 &
"$BPERF" -x, -e task-clock,$list,task-clock:u,cpu-clock,page-faults -p $! -o "$TMP/out"
ok "eleven events of a process: the first" between "$(of "$TMP/out" task-clock)" 199.5 "$(high 220)"
ok "... and the tenth is as the first" near "$(of "$TMP/out" cpu-clock)" "$(of "$TMP/out" task-clock)" 3

# --- sessions that begin while others count, and at a first switch ----------------------------------------------------------
# A spinner, and others that take turns with it: each session has its own window, and plain events have it, too.
# (Not in emulated machines: while one CPU spins there, a trigger on it takes 0.1 s of the clock, which is in the window.)
if [ -z "$is_guest" ]; then
  spin=
  for i in 1 2 3; do
    "$WORK" spin &
    spin="$spin $!"
  done
  first=$!
  pids=
  for i in 1 2 3 4; do
    "$BPERF" -x, -e task-clock -p $first -o "$TMP/window$i" -- "$WORK" plain -p $first task-clock sleep "1.$i" >"$TMP/plain$i" &
    pids="$pids $!"
    sleep 0.2
  done
  # shellcheck disable=SC2086
  wait $pids
  for i in 1 2 3 4; do
    # (the window of the one is a little longer, and one turn may be in that)
    ok "begun as number $i: as plain events have it" between "$(of "$TMP/window$i" task-clock)" \
      "$(awk '$1 == "task-clock" { print $2 / 1e6 - 5 }' "$TMP/plain$i")" "$(awk '$1 == "task-clock" { print $2 / 1e6 + 120 }' "$TMP/plain$i")"
  done
  # shellcheck disable=SC2086
  kill $spin
  # shellcheck disable=SC2086
  wait $spin 2>/dev/null

  # --- whom a reading disturbs ----------------------------------------------------------------------------------------------
  # By the interrupts that other CPUs get for it, and not the reader's own: 0 of a process that sleeps, one of one that runs. (As many as are
  # met by chance are in the first figure.)
  if [ "$cpus" -ge 2 ]; then
    sleep 1000 &
    asleep=$!
    taskset 1 "$WORK" spin &
    awake=$!
    # interrupts COMMAND...: of a read, in hundredths
    interrupts() { "$WORK" reads 4 32 "$@" | cut -d ' ' -f 1; }
    none=$(interrupts "$WORK" tick 10)
    # (what is known of a task is forgotten for another's sake, one time in a thousand: then it is asked for, each time)
    slept=$(for i in 1 2 3; do interrupts "$BPERF" -x, -I 10 -e cpu-clock -p $asleep; done | sort -n | head -n 1)
    ran=$(interrupts "$BPERF" -x, -I 10 -e cpu-clock -p $awake)
    all=$(interrupts "$BPERF" -x, -I 10 -e cpu-clock -a)
    ok "a process that sleeps: no CPU is interrupted (by chance: $none)" between "$slept" 0 $((none + 50))
    ok "one that runs: its CPU is" between "$ran" 90 $((none + 150))
    ok "all CPUs: each is" between "$all" $((90 * (cpus - 1))) $((none + 50 + 100 * (cpus - 1)))
    kill $asleep $awake
    wait $asleep $awake 2>/dev/null
  else
    skip "whom a reading disturbs" "there is one CPU"
  fi
fi
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
