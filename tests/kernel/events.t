#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Events from sysfs on a real kernel: what they count, against what is known. (How they are encoded: tests/unit.)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

devices=/sys/bus/event_source/devices
ids_before

# --- a PMU's alias -----------------------------------------------------------------------------------------------------
# The time stamp counter runs at one rate: counts of different length must have the same, and, where this kernel tells, its own.
if [ -e $devices/msr/events/tsc ] && "$BPERF" -e msr/tsc/ -C 0 -- true 2>/dev/null; then
  "$BPERF" -e msr/tsc/,cpu-clock -C 0 -- sleep 1 2>"$TMP/out"
  long=$(awk -v a="$(value "$TMP/out" msr/tsc/)" -v b="$(value "$TMP/out" cpu-clock)" 'BEGIN { printf "%d", a / b }')
  "$BPERF" -e msr/event=0x0/,cpu-clock -C 0 -- sleep 0.4 2>"$TMP/out"
  short=$(awk -v a="$(value "$TMP/out" msr/event=0x0/)" -v b="$(value "$TMP/out" cpu-clock)" 'BEGIN { printf "%d", a / b }')
  ok "msr/tsc/: one rate, whatever the length and the spelling" near "$short" "$long" "${is_guest:+5}1"
  "$BPERF" -e tsc -C 0 -- sleep 0.2 2>"$TMP/out"
  ok "tsc: the alias alone" between "$(value "$TMP/out" tsc)" 1000000 100000000000
  mhz=$(awk '/^cpu MHz/ { print $4; exit }' /proc/cpuinfo)
  if [ -z "$is_guest" ] && [ -n "$mhz" ]; then
    ok "msr/tsc/: agrees with the clock" near "$(awk -v r="$long" 'BEGIN { print r / 1000 }')" "$mhz" 2
  fi
  "$WORK" ids >"$TMP/ids.now"
else
  skip "msr/tsc/" "cannot: this machine has no msr PMU"
fi

# --- hardware: the same thing by two names -------------------------------------------------------------------------------
if [ -e $devices/armv8_pmuv3/events/cpu_cycles ] && has_pmu; then
  "$BPERF" -e cycles:u,armv8_pmuv3/cpu_cycles/u,armv8_pmuv3/event=0x11/u,armv8_pmuv3/inst_retired/u,instructions:u -- "$WORK" loop 5000000 2>"$TMP/out"
  ok "armv8_pmuv3/cpu_cycles/: as cycles" near "$(value "$TMP/out" armv8_pmuv3/cpu_cycles/u)" "$(value "$TMP/out" cycles:u)" 0.1
  ok "armv8_pmuv3/event=0x11/: too" near "$(value "$TMP/out" armv8_pmuv3/event=0x11/u)" "$(value "$TMP/out" cycles:u)" 0.1
  ok "armv8_pmuv3/inst_retired/: as instructions" \
    near "$(value "$TMP/out" armv8_pmuv3/inst_retired/u)" "$(value "$TMP/out" instructions:u)" 0.1
  "$BPERF" -e armv8_pmuv3/cpu_cycles/,cycles -a -- sleep 0.3 2>"$TMP/out"
  ok "armv8_pmuv3/cpu_cycles/ -a: as cycles" near "$(value "$TMP/out" armv8_pmuv3/cpu_cycles/)" "$(value "$TMP/out" cycles)" 0.1
  "$BPERF" -e r11:u,cycles:u -- "$WORK" loop 1000000 2>"$TMP/out"
  ok "r11: as cycles" near "$(value "$TMP/out" r11:u)" "$(value "$TMP/out" cycles:u)" 0.2
  # the emulator adds to counts, to plain ones as well (see pmu.t): the least of some
  least=
  for _ in 1 2 3 4 5 6 7 8; do
    "$BPERF" --all-user -e instructions -- "$WORK" loop 5000000 2>"$TMP/out"
    count=$(value "$TMP/out" instructions)
    [ "$count" -ge "${least:-$((count + 1))}" ] || least=$count
  done
  ok "--all-user: instructions:u of the known loop" between "$least" 10000000 10100000
  "$BPERF" --all-kernel -e instructions -- "$WORK" loop 5000000 2>"$TMP/out"
  ok "--all-kernel: none of the loop" between "$(value "$TMP/out" instructions)" 1000 5000000
else
  skip "hardware events by two names" "cannot: no armv8_pmuv3 with a counter here"
fi

# --- groups --------------------------------------------------------------------------------------------------------------
"$BPERF" -e '{cpu-clock,task-clock},{page-faults,cs}' -a -- sleep 0.2 2>"$TMP/out"
ok "groups: status 0, each member has a row" [ "$(grep -cE 'cpu-clock|task-clock|page-faults|cs' "$TMP/out")" = 4 ]
ok "groups: the members agree" near "$(value "$TMP/out" task-clock)" "$(value "$TMP/out" cpu-clock)" 2
ok "groups: no note where all were counted all the time" [ "$(grep -c 'members of its group' "$TMP/out")" = 0 ]
"$BPERF" -e '{cpu-clock,page-faults}:u' -e cs -a -- "$WORK" faults 100 2>"$TMP/out"
ok "groups: modifiers of all members" between "$(value "$TMP/out" page-faults:u)" 100 100000
if has_pmu; then
  # more plain events of one CPU than it has counters: nobody's run all the time then
  "$WORK" many 12 instructions 0 1500 >/dev/null &
  crowd=$!
  sleep 0.2
  "$BPERF" -e '{cycles,branch-misses}' -C 0 -- sleep 0.5 2>"$TMP/out"
  ok "groups: a note where a member was not counted all the time" grep -q '^bperf-mini: cycles: the members of its group' "$TMP/out"
  wait $crowd
else
  skip "groups: a note" "cannot: no PMU whose counters could be short"
fi

# --- tracepoints ---------------------------------------------------------------------------------------------------------
if [ -e /sys/kernel/tracing/events/sched/sched_switch/id ] || [ -e /sys/kernel/debug/tracing/events/sched/sched_switch/id ]; then
  "$BPERF" -e sched:sched_switch,cs -a -- "$WORK" switches 200 2>"$TMP/out"
  ok "sched:sched_switch: as context-switches" near "$(value "$TMP/out" sched:sched_switch)" "$(value "$TMP/out" cs)" 10
  "$BPERF" -e sched:nosuch -a -- true 2>"$TMP/out"
  status=$?
  ok "an unknown tracepoint: status 2" [ $status = 2 ]
  ok "an unknown tracepoint is named" grep -q "sched:nosuch" "$TMP/out"
else
  "$BPERF" -e sched:sched_switch -a -- true 2>"$TMP/out"
  status=$?
  ok "a tracepoint without tracefs: status 2" [ $status = 2 ]
  ok "a tracepoint without tracefs: how to get it" grep -q 'mount -t tracefs' "$TMP/out"
fi

# --- what cannot be ------------------------------------------------------------------------------------------------------
for name in L1-dcache-load-misses LLC-loads dTLB-load-misses:u; do
  "$BPERF" -e "$name,cpu-clock" -a -- sleep 0.05 2>"$TMP/out"
  status=$?
  ok "$name: counted, or said not to be supported" [ "$status" = 0 -a "$(grep -c "$name" "$TMP/out")" -ge 1 ]
done
for pmu in "$devices"/*; do
  [ -e "$pmu/cpumask" ] || continue
  "$BPERF" -e "${pmu##*/}/config=0/" -p $$ --timeout 50 2>"$TMP/out"
  status=$?
  ok "${pmu##*/}: not for a task" [ $status = 2 ]
  ok "${pmu##*/}: and why" grep -q 'use -a or -C' "$TMP/out"
done
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
