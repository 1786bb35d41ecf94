#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One CPU, and 16 MB of memory that are not taken (tests/vm/parts.t).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

is "$(nproc)" 1 "one CPU"
ids_before

# a file in memory that leaves no more
available() { awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo; }
mkdir "$TMP/ballast"
mount -t tmpfs -o size=95% none "$TMP/ballast"
n=0
while [ "$(available)" -gt 16500 ] && [ $n -lt 1000 ]; do
  head -c 1000000 /dev/zero >"$TMP/ballast/$n" || break
  n=$((n + 1))
done
number "$(available)" '<' 17001 "16 MB are left"

events=cpu-clock,task-clock,page-faults,context-switches,cycles,instructions:u
# shared ARGUMENT...: a count that must be shared; what it prints is in $TMP/out
shared() {
  run "$BPERF" --share=always -e $events "$@"
  printf '%s\n' "$err" >"$TMP/out"
  is "$status/$(grep -c '^bperf-mini' "$TMP/out")" 0/0 "$*: status 0, and nothing else is said"
}
shared -a -- sleep 0.5
ok "-a: the time of a CPU" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 5
shared -- "$WORK" loop 1000000
ok "a command: the instructions of a loop" between "$(value "$TMP/out" instructions:u)" 2000000 2200000
shared --per-thread -- "$WORK" threads 2 50
is "$(grep -c 'msec task-clock' "$TMP/out")" 3 "--per-thread: a row for each"
shared -G / -- sleep 0.2
ok "-G: the time of a CPU" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 5
run "$BPERF" check -j
is "$status" 0 "check: sharing works"
# beside each other: the most that ten take, too
pids=
for _ in 1 2 3 4 5 6 7 8 9 10; do
  "$BPERF" --share=always -e $events -a --timeout 3000 2>"$TMP/beside" &
  pids="$pids $!"
done
failed=0
for pid in $pids; do wait "$pid" || failed=$((failed + 1)); done
is $failed 0 "ten sessions at once"
number "$(available)" '>' 8000 "the memory is there again"
umount "$TMP/ballast"
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
