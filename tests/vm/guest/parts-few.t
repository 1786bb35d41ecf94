#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sixteen CPUs are possible and two are there, the second isolated; locked down for confidentiality (tests/vm/parts.t).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

is "$(cat /sys/devices/system/cpu/possible /sys/devices/system/cpu/online | tr '\n' ' ')" "0-15 0-1 " "16 CPUs are possible, two are there"
ids_before

# --- V10 ----------------------------------------------------------------------------------------------------------------
"$BPERF" -e cpu-clock,instructions:u -a -- "$WORK" loop 1000000 2>"$TMP/out"
ok "V10: -a: the time of two CPUs" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 2)" 5
ok "V10: -a: the instructions of a loop" between "$(value "$TMP/out" instructions:u)" 2000000 2200000
"$BPERF" -e task-clock,instructions:u -- "$WORK" forks 4 25 2>"$TMP/out"
ok "V10: a command and its children" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 115)"
"$BPERF" -A -e cpu-clock -a -- sleep 0.1 2>"$TMP/out"
is "$(awk '$1 ~ /^CPU[0-9]/ { printf "%s ", $1 }' "$TMP/out")" "CPU0 CPU1 " "V10: a row for each CPU that is there"
unlike "$(cat "$TMP/out")" '^bperf-mini' "V10: nothing is said of the others"

# --- V15 ----------------------------------------------------------------------------------------------------------------
is "$(cat /sys/devices/system/cpu/isolated /sys/devices/system/cpu/nohz_full | tr '\n' ' ')" "1 1 " "CPU 1 is isolated"
ipis() { awk '/Function call interrupts/ { print $3 }' /proc/interrupts; }
# calls OPTION...: on CPU 1, by a session of 40 intervals
calls() {
  before=$(ipis)
  "$BPERF" -e cpu-clock "$@" -I 50 --interval-count 40 2>"$TMP/out"
  echo $(($(ipis) - before))
}
with=$(calls -a) without=$(calls -C 0)
number "$with" '>=' 40 "V15: -a calls on CPU 1 in each of 40 intervals"
number "$without" '<' 12 "V15: -C 0 does not"
is "$(awk '$2 == "<not" { print }' "$TMP/out")" "" "V15: -C 0 counts in each"
mask=$(awk '$1 == "Cpus_allowed:" { print $2 }' /proc/$$/status)
for way in auto never; do
  "$BPERF" --share=$way -e cycles,instructions -C 0 2>"$TMP/$way" &
  session=$!
  tries=0
  until grep -q 'signalfd' /proc/$session/fdinfo/* 2>/dev/null || [ $tries = 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  sleep 0.5
  is "$(awk '$1 == "Cpus_allowed:" { print $2 }' /proc/$session/status)" "$mask" "V15: --share=$way -C 0: its own affinity stays"
  # 7 of them fit
  number "$("$WORK" many 7 cycles 1 200 | tr -dc 0-9.)" '>=' 99 "V15: --share=$way -C 0: all counters of CPU 1 are free"
  number "$("$WORK" many 7 cycles 0 200 | tr -dc 0-9.)" '<' 99 "V15: --share=$way -C 0: those of CPU 0 are not"
  kill -INT $session
  wait $session
  ok "V15: --share=$way -C 0: it has counted" between "$(value "$TMP/$way" cycles)" 500000000 1e12
done

# --- V46 ----------------------------------------------------------------------------------------------------------------
like "$("$BPERF" check -j)" '"check" : "lockdown", "works" : false' "V46: the kernel is locked down"
"$WORK" after 1000 "$WORK" forks 4 25 &
"$BPERF" -v --share=always -e task-clock,instructions:u -p $! 2>"$TMP/out"
ok "V46: locked down: a process and its children, shared" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 115)"
like "$(cat "$TMP/out")" '^bperf-mini: task-clock: leader made$' "V46: in the registry"

# --- V44: nothing but /proc, /sys and bpffs -----------------------------------------------------------------------------
umount /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null
umount /sys/kernel/debug
is "$(grep -c -e tracefs -e debugfs /proc/mounts)" 0 "neither tracefs nor debugfs is mounted"
run "$BPERF" --share=always -e task-clock -- "$WORK" forks 2 50
printf '%s\n' "$err" >"$TMP/out"
ok "V44: no tracefs: a command and its children" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 115)"
unlike "$err" '^bperf-mini' "V44: no tracefs: nothing is said of it"

# --- V40: levels of perf_event_paranoid that distributions have added -----------------------------------------------------
for level in 3 4; do
  echo $level >/proc/sys/kernel/perf_event_paranoid
  run "$WORK" as 65534 "$BPERF" -e task-clock -- true
  is "$status" 125 "V40: perf_event_paranoid $level, a user: status 125"
  is "$err" "bperf-mini: cannot count task-clock: $(printf '%s\n' "$err" | sed -n '1s/.*\(cannot open.*\)/\1/p')
bperf-mini: needs root or CAP_PERFMON: perf_event_paranoid is $level" "V40: perf_event_paranoid $level: two lines"
  "$BPERF" --share=always -e task-clock -- "$WORK" burn 50 2>"$TMP/out"
  ok "V40: perf_event_paranoid $level, root: counts" between "$(value "$TMP/out" task-clock)" 49.5 "$(high 60)"
done
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
