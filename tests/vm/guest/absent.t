#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A machine that could have four CPUs and has two (tests/vm/hotplug.t).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

is "$(cat /sys/devices/system/cpu/possible /sys/devices/system/cpu/online | tr '\n' ' ')" "0-3 0-1 " "four CPUs are possible, two are there"
ids_before
"$BPERF" -e cpu-clock,task-clock -a --timeout 1000 2>"$TMP/out"
ok "-a counts those that are there" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 2)" 2
"$BPERF" -e cpu-clock -C 1 --timeout 500 2>"$TMP/out"
ok "-C 1" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 2
"$BPERF" -e task-clock -- "$WORK" burn 200 2>"$TMP/out"
ok "a command" between "$(value "$TMP/out" task-clock)" 199.5 220
run "$BPERF" -e cpu-clock -C 3 --timeout 500
is "$status" 2 "-C 3 is refused"
like "$err" '^bperf-mini: .*0-1' "and those that are there are named"

"$BPERF" -v -e cpu-clock -a 2>"$TMP/all" &
all=$!
sleep 1.5
echo 1 >/sys/devices/system/cpu/cpu3/online
start=$(awk '{ print $1 * 1000 }' /proc/uptime)
"$BPERF" -v -e cpu-clock -C 3 --timeout 1000 2>"$TMP/out"
ok "CPU 3 comes: a session of it" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 2
sleep 3
end=$(awk '{ print $1 * 1000 }' /proc/uptime)
kill -INT $all
wait $all
# it may be seen a second late
ok "CPU 3 comes: -a counts it from then on" between "$(value "$TMP/all" cpu-clock)" \
  "$(awk -v two="$(cpu_ms "$TMP/all" 2)" -v a="$start" -v b="$end" 'BEGIN { print (two + b - a) * 0.98 - 1150 }')" \
  "$(awk -v two="$(cpu_ms "$TMP/all" 2)" -v a="$start" -v b="$end" 'BEGIN { print (two + b - a) * 1.02 }')"
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
