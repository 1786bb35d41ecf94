#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every scope with cpu-clock, task-clock and page-faults, against work of a known size and against plain counting.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# --- a workload --------------------------------------------------------------------------------------------------------
"$BPERF" -e task-clock,page-faults,cpu-clock -- "$WORK" burn 300 2>"$TMP/out"
ok "workload: exit status 0" [ $? = 0 ]
# burn measures its thread's own time from its first line on; the program's start and end are the rest
ok "workload: task-clock of 300 ms of work" between "$(value "$TMP/out" task-clock)" 299.5 "$(high 310)"
ok "workload: cpu-clock is the same" near "$(value "$TMP/out" cpu-clock)" "$(value "$TMP/out" task-clock)" 1
"$BPERF" -e page-faults,minor-faults,major-faults -- "$WORK" faults 2000 2>"$TMP/out"
"$WORK" plain -w page-faults "$WORK" faults 2000 >"$TMP/plain"
ok "workload: 2000 page faults, and those of a start" between "$(value "$TMP/out" page-faults)" 2000 2100
ok "workload: page faults as plain counting has them" near "$(value "$TMP/out" page-faults)" "$(plain "$TMP/plain" page-faults)" 1
ok "workload: most of them minor" between "$(value "$TMP/out" minor-faults)" 2000 2100
"$BPERF" -e task-clock -- true 2>"$TMP/out"
ok "workload: our own fork is not in it" between "$(value "$TMP/out" task-clock)" 0.01 "$(high 6)"
"$BPERF" -e task-clock -- "$WORK" threads 3 100 2>"$TMP/out"
ok "workload: three threads of 100 ms" between "$(value "$TMP/out" task-clock)" 299.5 "$(high 315)"
"$BPERF" -e task-clock -- "$WORK" orphan 3 100 2>"$TMP/out"
ok "workload: counted until its last thread ends" between "$(value "$TMP/out" task-clock)" 299.5 "$(high 315)"
"$BPERF" -e task-clock,page-faults -- "$WORK" forks 6 50 2>"$TMP/out"
ok "workload: six children of 50 ms" between "$(value "$TMP/out" task-clock)" 299.5 "$(high 320)"
"$BPERF" -i -e task-clock -- "$WORK" forks 6 50 2>"$TMP/out"
ok "workload: not its children with -i" between "$(value "$TMP/out" task-clock)" 0.01 "$(high 30)"
"$BPERF" -e task-clock -- sh -c "$WORK forks 2 50 & $WORK forks 2 50 & wait" 2>"$TMP/out"
ok "workload: grandchildren" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 230)"
"$BPERF" -e task-clock -- sh -c "exec $WORK burn 100" 2>"$TMP/out"
ok "workload: a second exec changes nothing" between "$(value "$TMP/out" task-clock)" 99.9 "$(high 115)"

# --- a process ---------------------------------------------------------------------------------------------------------
# It starts its work after the counting has begun, so its size is known; the count ends when the process does.
"$WORK" after 1000 "$WORK" burn 200 &
"$BPERF" -e task-clock,page-faults -p $! 2>"$TMP/out"
ok "process: 200 ms of work, to its end" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 212)"
"$WORK" after 1000 "$WORK" faults 1000 &
"$BPERF" -e page-faults -p $! 2>"$TMP/out"
ok "process: 1000 page faults, and those of an exec" between "$(value "$TMP/out" page-faults)" 1000 1120
"$WORK" after 1000 "$WORK" threads 2 100 &
"$BPERF" -e task-clock -p $! 2>"$TMP/out"
ok "process: threads born later" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 215)"
"$WORK" after 1000 "$WORK" forks 4 50 &
"$BPERF" -e task-clock -p $! 2>"$TMP/out"
ok "process: children born later" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 220)"
"$WORK" after 1000 "$WORK" burn 100 &
one=$!
"$WORK" after 1000 "$WORK" burn 150 &
"$BPERF" -e task-clock -p "$one,$!" 2>"$TMP/out"
ok "process: two of them" between "$(value "$TMP/out" task-clock)" 249.5 "$(high 265)"
# pinned, and alone on its CPU: there is no switch in which its last stretch could be read, or its past be left out
last=$((cpus - 1))
taskset -c $last "$WORK" spin 2>/dev/null &
spinner=$!
sleep 0.5
"$BPERF" -e task-clock -p $spinner -o "$TMP/out" -- "$WORK" plain -p $spinner task-clock sleep 1 >"$TMP/plain"
if [ -n "$is_guest" ] && [ "$(uname -m)" = aarch64 ]; then
  skip "process: a busy one" "while one CPU of this emulated machine spins, a trigger on it takes 0.1 s of its clock"
else
  ok "process: a busy one, to the last moment, as plain counting has it" \
    near "$(value "$TMP/out" task-clock)" "$(plain "$TMP/plain" task-clock)" "${is_guest:+1}2"
  "$BPERF" -e task-clock -p $spinner --timeout 100 2>"$TMP/out"
  ok "process: nothing from before the count" between "$(value "$TMP/out" task-clock)" 90 "$(cpu_ms "$TMP/out" 1.2)"
fi
kill $spinner
wait $spinner 2>/dev/null

# --- a thread ----------------------------------------------------------------------------------------------------------
"$WORK" after 1000 "$WORK" burn 200 &
"$BPERF" -e task-clock -t $! 2>"$TMP/out"
ok "thread: 200 ms of work, to its end" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 212)"
"$WORK" threads 2 100000 &
process=$!
sleep 0.3
set --
for task in "/proc/$process/task"/*; do
  [ "${task##*/}" = "$process" ] || set -- "$@" "${task##*/}"
done
"$BPERF" -e task-clock -t "$1,$2" --timeout 1000 2>"$TMP/out"
both=$(value "$TMP/out" task-clock)
"$BPERF" -e task-clock -t "$2" --timeout 1000 2>"$TMP/out"
ok "thread: two of a process" between "$both" 700 "$(high 2100)"
ok "thread: one of the two" between "$(value "$TMP/out" task-clock)" 350 "$(high 1100)"
"$BPERF" -e task-clock -t "$process" --timeout 200 2>"$TMP/out"
ok "thread: the one that waits for them" grep -q '<not counted>' "$TMP/out"
kill $process
wait $process 2>/dev/null

# --- CPUs --------------------------------------------------------------------------------------------------------------
"$BPERF" -e cpu-clock,task-clock -a -- sleep 0.5 2>"$TMP/out"
ok "-a: cpu-clock is the time of all CPUs" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
ok "-a: so is task-clock" near "$(value "$TMP/out" task-clock)" "$(value "$TMP/out" cpu-clock)" 2
for cpu in 0 "$((cpus - 1))" "0-$((cpus - 1))"; do
  "$BPERF" -e cpu-clock -C "$cpu" -- sleep 0.5 2>"$TMP/out"
  n=1
  case $cpu in *-*) n=$cpus ;; esac
  ok "-C $cpu: cpu-clock is the time of $n CPU(s)" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$n")" 2
done
"$BPERF" -e page-faults -a -- "$WORK" faults 3000 2>"$TMP/out"
ok "-a: page faults of what runs meanwhile" between "$(value "$TMP/out" page-faults)" 3000 20000
"$BPERF" -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "-a --timeout: ends by itself" between "$(seconds "$TMP/out")" 0.299 0.6

# --- the followers -----------------------------------------------------------------------------------------------------
# said WHAT: how many lines of -v tell of a program of that kind
said() { grep -cE "^bperf-mini: $1: program [0-9]+ [a-z_0-9]+, link [0-9]+, maps [0-9,]+\$" "$TMP/out"; }
for events in task-clock task-clock,cs,faults; do
  "$BPERF" -v -e $events -- true 2>"$TMP/out"
  is "$(said follower) $(grep -c ': program [0-9]* follower' "$TMP/out") $(grep -c ': program [0-9]* on_exec' "$TMP/out")" "1 1 1" "-v: $events: one follower for all events, and one program for the exec"
done

done_testing
