#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# CPUs that go and come back while they are counted: what was counted stays, the time away is not counted, and it is counted
# again when it is back. Runs in an emulated machine of four CPUs (tests/vm/hotplug.t).
#
# cpu-clock of a CPU is the time it was online. Sessions look at the CPUs once a second: so long a CPU that came back may not be
# counted (LOOK, in ms), and half as long again if it had counted for a while since the last look.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

LOOK=1150

cpu_set() { # CPU 0|1
  echo "$2" >/sys/devices/system/cpu/cpu"$1"/online
}

now_ms() {
  awk '{ print $1 * 1000 }' /proc/uptime
}

# plus SUM FROM TO
plus() {
  awk -v sum="$1" -v from="$2" -v to="$3" 'BEGIN { print sum + to - from }'
}

# away CPU MS: off for so long; adds the time, from before it is gone until it is back, to gone, and to moving what of it the CPU
# took to go and to come, in which it may have been there
gone=0 moving=0
away() {
  away_from=$(now_ms)
  cpu_set "$1" 0
  away_off=$(now_ms)
  usleep $(($2 * 1000))
  away_on=$(now_ms)
  cpu_set "$1" 1
  away_to=$(now_ms)
  gone=$(plus "$gone" "$away_from" "$away_to")
  moving=$(plus "$(plus "$moving" "$away_from" "$away_off")" "$away_on" "$away_to")
}

# online_time FILE EVENT CPUS GONE LOOKS MOVING: the count is CPUS times the time that FILE's run took, without the GONE ms, of which
# up to MOVING ms may be in it, and may lack LOOKS times the look; 2 % are for the emulator.
online_time() {
  awk -v got="$(value "$1" "$2")" -v all="$(cpu_ms "$1" "$3")" -v gone="$4" -v late="$5" -v moving="$6" -v look=$LOOK 'BEGIN {
    late *= look
    want = all - gone
    print "got " got " ms; " want " were online, of which " late " may lack, and " moving " more may have been"
    exit !(got ~ /^[0-9.]+$/ && got + 0 <= (want + moving) * 1.02 && got + 0 >= (want - late) * 0.98) }'
}

[ "$(cat /sys/devices/system/cpu/online)" = 0-3 ] || skip_all "this machine does not have the CPUs 0-3"
cpu_set 2 0 && cpu_set 2 1 || skip_all "this kernel cannot take a CPU off"
ids_before

# --- off and on while all CPUs are counted: who made the leader, who joined it, one CPU, a follower ---------------------
"$WORK" after 100000 true &
sleeper=$!
"$BPERF" -v -e cpu-clock -a 2>"$TMP/all" &
sessions=$!
sleep 0.3
"$BPERF" -v -e cpu-clock -a 2>"$TMP/joined" &
sessions="$sessions $!"
"$BPERF" -v -e cpu-clock -C 2 2>"$TMP/one" &
sessions="$sessions $!"
"$BPERF" -v -e cpu-clock -C 0,3 2>"$TMP/others" &
sessions="$sessions $!"
"$BPERF" -v -e cpu-clock -p $sleeper 2>"$TMP/idle" &
sessions="$sessions $!"
sleep 2
gone=0 moving=0
away 2 3000
# it has been back for no time: this session gives the CPU its event, before the others look
"$BPERF" -v -e cpu-clock -C 2 --timeout 1000 2>"$TMP/late"
sleep 3
# shellcheck disable=SC2086 # several
kill -INT $sessions
for session in $sessions; do wait "$session"; done
ok "-a, CPU 2 off and on: the time it was there" online_time "$TMP/all" cpu-clock 4 "$gone" 1 "$moving"
ok "-a that joined: the same" online_time "$TMP/joined" cpu-clock 4 "$gone" 1 "$moving"
ok "it did join" grep -q 'leader joined' "$TMP/joined"
ok "-C 2: the same" online_time "$TMP/one" cpu-clock 1 "$gone" 1 "$moving"
ok "-C 0,3: nothing to them" near "$(value "$TMP/others" cpu-clock)" "$(cpu_ms "$TMP/others" 2)" 1
ok "a process that sleeps: nothing comes of it" between "$(value "$TMP/idle" cpu-clock | sed 's/<not/0/')" 0 1
ok "a session that starts when it is back joins" grep -q 'leader joined' "$TMP/late"
ok "and counts it" near "$(value "$TMP/late" cpu-clock)" "$(cpu_ms "$TMP/late" 1)" 2
kill $sleeper

# --- off and on between two looks ---------------------------------------------------------------------------------------
"$BPERF" -v -e cpu-clock -a 2>"$TMP/all" &
all=$!
"$BPERF" -v -e cpu-clock -C 1 2>"$TMP/one" &
one=$!
sleep 1.3
gone=0 moving=0
for pause in 1.8 2.3 2.8; do
  away 1 10
  sleep $pause
done
kill -INT $all $one
wait $all
wait $one
ok "-a, CPU 1 off for a moment, three times" online_time "$TMP/all" cpu-clock 4 "$gone" 4.5 "$moving"
ok "-C 1: the same" online_time "$TMP/one" cpu-clock 1 "$gone" 4.5 "$moving"

# --- a process that is driven from its CPU ------------------------------------------------------------------------------
# driven PID S: the burner's CPU, to which it is pinned, goes for S seconds; when it has been seen again the burner is sent back.
# It is seen within two seconds, and in the emulator, where the burner slows the others down, sometimes a little later: all of it
# takes up to 9 s of the burner's 12.
driven() {
  sleep 0.5
  cpu_set 3 0
  sleep "$2"
  cpu_set 3 1
  sleep 3.5
  taskset -p 8 "$1" >/dev/null
  sleep 0.3
  awk '{ print $39 }' /proc/"$1"/stat
}

"$WORK" after 500 "$WORK" burn 12000 &
task=$!
taskset -p 8 $task >/dev/null
"$WORK" plain -p $task task-clock "$BPERF" -v -e task-clock -p $task 2>"$TMP/out" >"$TMP/plain" &
plain=$!
sleep 0.5
is "$(driven $task 1.2)" 3 "a burner was driven from its CPU and went back"
wait $plain
ok "-p, its CPU off and on: its CPU time" near "$(value "$TMP/out" task-clock)" 12000 2
ok "-p, its CPU off and on: as a plain event" near "$(value "$TMP/out" task-clock)" "$(plain "$TMP/plain" task-clock)" 2

taskset 8 "$BPERF" -v -e task-clock -- "$WORK" burn 12000 2>"$TMP/out" &
session=$!
sleep 0.5
is "$(driven "$(ps -o pid,args | awk '$2 == work && $3 == "burn" { print $1; exit }' work="$WORK")" 0.1)" 3 \
  "a command was driven from its CPU and went back"
wait $session
ok "a command, its CPU off for a moment: its CPU time" near "$(value "$TMP/out" task-clock)" 12000 2

# --- a hole in the CPUs -------------------------------------------------------------------------------------------------
cpu_set 1 0
"$BPERF" -e cpu-clock -a --timeout 1000 2>"$TMP/out"
ok "CPU 1 is off: -a counts three" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 3)" 2
for cpu in 0 2 3; do
  "$BPERF" -e cpu-clock -C $cpu --timeout 500 2>"$TMP/out"
  ok "CPU 1 is off: -C $cpu" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 2
done
run "$BPERF" -e cpu-clock -C 1 --timeout 500
is "$status" 2 "CPU 1 is off: -C 1 is refused"
like "$err" '^bperf-mini: .*0,2-3' "and those that are on are named"

"$BPERF" -v -e cpu-clock -a 2>"$TMP/all" &
all=$!
sleep 1.5
start=$(now_ms)
cpu_set 1 1
moving=$(plus 0 "$start" "$(now_ms)")
"$BPERF" -v -e cpu-clock -C 1 --timeout 1000 2>"$TMP/out"
ok "CPU 1 comes: a session of it" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 2
sleep 3
end=$(now_ms)
kill -INT $all
wait $all
# what CPU 1 lacks is the time before it came
before=$(awk -v all="$(cpu_ms "$TMP/all" 1)" -v start="$start" -v end="$end" 'BEGIN { print all - (end - start) }')
ok "CPU 1 comes: -a counts it from then on" online_time "$TMP/all" cpu-clock 4 "$before" 1 "$moving"

# --- off at the end -----------------------------------------------------------------------------------------------------
begin=$(now_ms)
"$BPERF" -e cpu-clock -a --timeout 4000 2>"$TMP/all" &
all=$!
"$BPERF" -e cpu-clock -C 2 --timeout 4000 2>"$TMP/one" &
one=$!
"$WORK" after 500 "$WORK" burn 1000 &
task=$!
taskset -p 4 $task >/dev/null
"$BPERF" -e task-clock -p $task 2>"$TMP/task" &
session=$!
sleep 1
start=$(now_ms)
cpu_set 2 0
moving=$(plus 0 "$start" "$(now_ms)")
status=0
wait $session || status=$?
is "$status" 0 "a process whose CPU is off at the end: no error"
ok "and its CPU time" near "$(value "$TMP/task" task-clock)" 1000 3
wait $all || status=$?
is "$status" 0 "-a, a CPU is off at the end: no error"
end=$(now_ms)
wait $one || status=$?
is "$status" 0 "-C 2, it is off at the end: no error"
gone=$(plus 0 "$start" "$end")
ok "-a, a CPU is off at the end: what it was there" online_time "$TMP/all" cpu-clock 4 "$gone" 0 "$moving"
ok "-C 2, it is off at the end: what it was there" between "$(value "$TMP/one" cpu-clock)" 500 "$(plus "$moving" "$begin" "$start")"
unlike "$(cat "$TMP/all" "$TMP/one" "$TMP/task")" '^bperf-mini:' "nothing is said of it"
cpu_set 2 1

# --- hardware events ----------------------------------------------------------------------------------------------------
if has_pmu; then
  "$BPERF" -v -e instructions:u -C 2 2>"$TMP/one" &
  one=$!
  "$BPERF" -v -e instructions:u -a 2>"$TMP/all" &
  all=$!
  sleep 0.5
  taskset 4 "$WORK" loop 100000000
  cpu_set 2 0
  sleep 1.5
  cpu_set 2 1
  sleep 1.5
  taskset 4 "$WORK" loop 150000000
  kill -INT $one $all
  wait $one
  wait $all
  ok "-C 2, 200 and 300 million instructions, before and after" near "$(value "$TMP/one" instructions:u)" 500000000 1
  ok "-a: the same, and little else" near "$(value "$TMP/all" instructions:u)" 500000000 2
  taskset 4 "$BPERF" -v -e instructions:u -- "$WORK" loop 500000000 2>"$TMP/out" &
  session=$!
  sleep 0.7
  cpu_set 2 0
  sleep 1
  cpu_set 2 1
  wait $session
  ok "a command whose CPU goes and comes: its thousand million" near "$(value "$TMP/out" instructions:u)" 1000000000 1
else
  skip "hardware events" "no PMU in this machine"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
