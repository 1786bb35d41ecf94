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
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
