#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What must be right on any architecture (tests/vm/architectures.t): children, cgroups, sharing, and where there is a PMU that there
# is one counter of each event for all.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

pmu=
# once: what it opens would take a counter from the sessions below
! has_pmu || pmu=1
ids_before
run "$BPERF" check -j
is "$status" 0 "check: sharing works"
checked=$out

# --- tasks: page faults are exact -----------------------------------------------------------------------------------------
"$BPERF" -v -e page-faults,task-clock -- "$WORK" faults 1000 2>"$TMP/out"
is "$(grep -Ec '^bperf-mini: follower: program [0-9]+ follower[a-z_0-9]*, link ' "$TMP/out")" 1 "one follower for both events"
is "$(printf "%s\n" "$checked" | sed -n 's/^{"check" : "fexit", "works" : \([a-z]*\),.*/\1/p')" "$(has_fexit && echo true || echo false)" "check: fexit, as this machine has it"
ok "a command: 1000 page faults, and those of an exec" between "$(value "$TMP/out" page-faults)" 1000 1120
"$BPERF" -e page-faults -o "$TMP/out" -- "$WORK" storm 20 100 50 4 >"$TMP/storm"
# the kernel's own sum has the fork and exec in it, of which some tens are before the count
ok "20 children of 50: as getrusage has it" between "$(value "$TMP/out" page-faults)" $(($(cat "$TMP/storm") - 60)) "$(cat "$TMP/storm")"
"$BPERF" -i -e page-faults -- "$WORK" storm 20 100 50 4 2>"$TMP/out" >/dev/null
ok "without children: -i" between "$(value "$TMP/out" page-faults)" 1 600
"$WORK" after 1500 "$WORK" storm 20 100 50 4 >"$TMP/storm" &
task=$!
"$BPERF" -e page-faults,cpu-clock -p $task -o "$TMP/out"
wait $task
ok "-p: 20 children born meanwhile" between "$(value "$TMP/out" page-faults)" $(($(cat "$TMP/storm") - 60)) "$(cat "$TMP/storm")"
"$BPERF" --per-thread -e task-clock -- "$WORK" crowd 3 50 40 2>"$TMP/out"
for i in 0 1 2; do
  ok "--per-thread: c$i" between "$(awk -v name="^c$i-" '$1 ~ name { print $2 }' "$TMP/out")" 39 120
done

# --- cgroups, and everything at once --------------------------------------------------------------------------------------
mkdir -p /sys/fs/cgroup/outer/inner
(
  sh -c 'echo $PPID' >/sys/fs/cgroup/outer/inner/cgroup.procs
  exec "$WORK" after 1500 "$WORK" storm 20 100 50 4 >"$TMP/storm"
) &
task=$!
"$BPERF" -a -e page-faults --for-each-cgroup outer,outer/inner -p $task -o "$TMP/out"
wait $task
awk '$2 == "page-faults" { gsub(",", "", $1); print $1 }' "$TMP/out" >"$TMP/all"
is "$(wc -l <"$TMP/all")" 4 "the system, two cgroups, a process: four counts"
for row in 2 3 4; do
  # (what the shell did before its exec is in the kernel's sum, too)
  ok "cgroup, cgroup, process: row $row" between "$(sed -n ${row}p "$TMP/all")" 1050 "$(cat "$TMP/storm")"
done
ok "the system: no less" between "$(sed -n 1p "$TMP/all")" "$(sed -n 2p "$TMP/all")" 1000000
rmdir /sys/fs/cgroup/outer/inner /sys/fs/cgroup/outer

# --- several sessions: one leader ------------------------------------------------------------------------------------------
sessions=3 events=cs,cpu-clock
[ -z "$pmu" ] || events=$events,cycles,instructions
for i in $(seq $sessions); do
  "$BPERF" -j -e $events -a -o "$TMP/session$i" --timeout 600000 &
  eval "pid$i=$!"
done
tries=0
until [ "$("$BPERF" status -j | grep -o '"sessions" : [0-9]*' | sort | uniq -c | tr -s ' ')" = " $(echo $events | tr ',' '\n' | wc -l) \"sessions\" : $sessions" ] ||
  [ $tries -ge 60 ]; do
  sleep 1
  tries=$((tries + 1))
done
"$BPERF" status -j >"$TMP/status"
ok "$sessions sessions share each leader" test $tries -lt 60
"$BPERF" -j -e $events -a -o "$TMP/loop1" -- "$WORK" loop 20000000
"$BPERF" -j -e $events -a -o "$TMP/loop3" -- "$WORK" loop 60000000
if [ -n "$pmu" ]; then
  for event in cycles instructions; do
    ok "one counter of $event in place of $sessions" grep -q "\"$event\".*\"counters-used\" : 1, \"counters-saved\" : $((sessions - 1))}" "$TMP/status"
  done
  field() { grep -o "\"counter-value\" : \"[0-9.]*\", [^}]*\"event\" : \"$2\"" "$1" | grep -o '[0-9.]*' | head -n 1; }
  # the emulator's instructions take 4 ns, and both counters count ns
  difference=$(awk -v a="$(field "$TMP/loop1" instructions)" -v b="$(field "$TMP/loop3" instructions)" 'BEGIN { printf "%d", b - a }')
  ok "instructions of 80000000 more in a loop" near "$difference" $((80000000 * 4)) 2
fi
for i in $(seq $sessions); do
  eval "kill -INT \$pid$i; wait \$pid$i"
done
is "$(cat "$TMP"/session* "$TMP"/loop* | grep -o '"pcnt-running" : [0-9.]*' | sort -u)" '"pcnt-running" : 100.00' "all of them ran 100 % of the time"

# --- a PMU of one counter each, which cannot tell user space from the kernel ----------------------------------------------
if [ -n "$pmu" ]; then
  for event in cycles instructions; do
    ok "two plain events of $event: each runs half of the time" between "$("$WORK" many 2 $event 0 500)" 30 70
  done
  run "$BPERF" -e instructions:u -- "$WORK" loop 1000
  is "$status" 125 "instructions:u is refused"
  like "$err" '^bperf-mini: this host cannot count instructions:u on CPU 0: Invalid argument' "... by the kernel's answer"
  like "$err" '^bperf-mini: this PMU counts user space and kernel together only: ' "... and why"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
