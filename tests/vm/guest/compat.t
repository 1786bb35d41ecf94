#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A 32-bit program on a 64-bit kernel (tests/vm/architectures.t): /work/bperf-mini32 and /work/work32 are armhf's, what is in /bin and
# /work/work arm64's. The same results, and the same leaders.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"
BPERF32=/work/bperf-mini32 WORK32=/work/work32

ids_before
like "$("$BPERF32" --version)" '^bperf-mini ' "it runs, packed as it is"
is "$("$BPERF32" list -j 2>&1)" "$("$BPERF" list -j 2>&1)" "list: the same"
is "$("$BPERF32" check -j | grep -v '^{"check" : "counters"' 2>&1)" "$("$BPERF" check -j 2>&1 | grep -v '^{"check" : "counters"')" "check: the same"
is "$("$BPERF32" -j --dry-run -e cycles:k,r11,armv8_pmuv3/inst_retired/,page-faults -a 2>&1)" \
  "$("$BPERF" -j --dry-run -e cycles:k,r11,armv8_pmuv3/inst_retired/,page-faults -a 2>&1)" "--dry-run: the same attributes"

# --- a loop of known length: the emulator adds to one count or another, the least of up to ten is the right one (tests/kernel/pmu.t) -------
least() { # BPERF WORK
  least=
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$1" -e instructions:u,page-faults -- "$2" loop 10000000 2>"$TMP/out"
    count=$(value "$TMP/out" instructions:u)
    [ "${least:-$count}" -lt "$count" ] || least=$count
    [ "$least" -gt 20010000 ] || break
  done
  echo "$least"
}
for pair in "$BPERF32 $WORK" "$BPERF32 $WORK32" "$BPERF $WORK32"; do
  # shellcheck disable=SC2086 # two words
  ok "instructions:u of a loop of 20000000: $pair" near "$(least $pair)" 20000000 0.1
done
"$BPERF32" -e page-faults -- "$WORK" storm 20 100 50 4 2>"$TMP/out" >"$TMP/storm"
ok "children" between "$(value "$TMP/out" page-faults)" $(($(cat "$TMP/storm") - 60)) "$(cat "$TMP/storm")"
mkdir /sys/fs/cgroup/one
(
  sh -c 'echo $PPID' >/sys/fs/cgroup/one/cgroup.procs
  exec "$WORK32" after 1000 "$WORK32" loop 20000000
) &
task=$!
"$BPERF32" -G one -p $task -e instructions:u -o "$TMP/out"
wait $task
rmdir /sys/fs/cgroup/one
awk '$2 == "instructions:u" { gsub(",", "", $1); print $1 }' "$TMP/out" >"$TMP/all"
is "$(wc -l <"$TMP/all")" 2 "a cgroup and a process: two counts"
for row in 1 2; do
  ok "a cgroup, a process: count $row" near "$(sed -n ${row}p "$TMP/all")" 40000000 1
done
"$BPERF32" -e cpu-clock -a -I 200 --timeout 5000 -x , -o "$TMP/out"
ok "5 s of two CPUs in 25 intervals" near "$(awk -F, '$4 == "cpu-clock" { n++; sum += $2 } END { print n == 25 ? sum : 0 }' "$TMP/out")" 10000 1

# --- one leader for both: the registry's key and value are the same bytes -------------------------------------------------------------------
joins() { # FIRST SECOND: SECOND joins FIRST's leader, and the counts of the same CPU are the same
  "$1" -e cycles,instructions:u -a --timeout 600000 2>"$TMP/first" &
  first=$!
  status_shows '^instructions:u: .* 1 session$' 600
  "$2" -v -e cycles,instructions:u -a -- "$WORK" loop 10000000 2>"$TMP/out"
  is "$(grep -c ': leader joined' "$TMP/out")" 2 "$1's leaders are joined by $2"
  ok "... and count" near "$(value "$TMP/out" instructions:u)" 20000000 1
  is "$("$1" status | sed 's/, [0-9]* s old//')" "$("$2" status | sed 's/, [0-9]* s old//')" "... status is the same by both"
  kill -INT $first
  wait $first
}
joins "$BPERF" "$BPERF32"
joins "$BPERF32" "$BPERF"
"$BPERF32" -v -e task-clock -- "$WORK" burn 100 2>"$TMP/out"
is "$(grep -Ec '^bperf-mini: follower: program [0-9]+ follower[a-z_0-9]*, link ' "$TMP/out")" 1 "a follower"
ok "100 ms" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 110)"
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
