#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sessions of all kinds that come and go at random, beside fork storms, cgroups that come and go, a CPU that does (in an emulated machine)
# and a real workload. What they counted is added up and held against what was there to be counted: time of a CPU, page faults that
# plain counting has of the same command, instructions of a known loop. Then nothing may be left, and what ran all the time be no larger.
# POSIX sh: this host and emulated machines.
#
# Usage: tests/soak/soak.sh SECONDS SESSIONS    SESSIONS: as many at a time
#
# The last line but one is "# soak SECONDS SESSIONS WRONG LEFT", for scripts/soak.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/../kernel/lib.sh"

seconds=${1:?seconds} most=${2:?sessions at a time}
# Where a CPU comes and goes the known commands stay on another: what runs on one in the (up to) two seconds after its return is not counted.
pin=
[ -z "$is_guest" ] || pin="taskset 1"
LOOP=2000000 FAULTS=1000 BURN_MS=20
end=$(($(date +%s) + seconds))
goes_on() { [ "$(date +%s)" -lt $end ]; }

# --- what goes on beside it ------------------------------------------------------------------------------------------------
storms() {
  while goes_on; do
    "$WORK" storm 200 1000 10 20 >/dev/null
    sleep 1
  done
}

# Groups with a process in them, a level deep, some of them gone before it.
groups() {
  at=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/soak-$$
  mkdir "$at" 2>/dev/null || return
  while goes_on; do
    mkdir -p "$at/a/b"
    sh -c 'echo $$ >"$1/a/b/cgroup.procs"; exec "$2" burn 20' sh "$at" "$WORK"
    rmdir "$at/a/b" "$at/a"
    sleep 0.3
  done
  rmdir "$at"
}

hotplug() {
  last=/sys/devices/system/cpu/cpu$((cpus - 1))/online
  [ -n "$is_guest" ] && [ -w "$last" ] || return
  while goes_on; do
    echo 0 >"$last"
    sleep 2
    echo 1 >"$last"
    sleep 3
  done
}

real() {
  while goes_on; do
    # shellcheck disable=SC2012 # any text
    { ls -lR /proc/sys /sys/kernel 2>/dev/null; cat "$WORK"; } | gzip -9 | gzip -d | sort | cksum >/dev/null
    sleep 1
  done
}

# --- sessions ----------------------------------------------------------------------------------------------------------------
# note KIND GOT WANT: a session's result
note() { echo "$1 ${2:-none} ${3:-none}" >>"$mine"; }

elapsed_ms() { awk '/seconds time elapsed/ { printf "%.3f", $1 * 1000 }' "$1"; }

# one RANDOM: a session of a random kind and length
# shellcheck disable=SC2086 # words
one() {
  ms=$((100 + $1 % 977 * 8))
  out=$mine.out
  case $(($1 % 9)) in
  0) "$BPERF" -C 0 -e cpu-clock --timeout $ms 2>"$out" && note clock "$(value "$out" cpu-clock)" "$(elapsed_ms "$out")" ;;
  1) "$BPERF" -a -e cpu-clock,page-faults --timeout $ms 2>"$out" && note system "$(value "$out" cpu-clock)" 1 ;;
  2) "$BPERF" -e page-faults -- $pin "$WORK" faults $FAULTS 2>"$out" && note faults "$(value "$out" page-faults)" "$plain_faults" ;;
  3) "$BPERF" -e task-clock -- $pin "$WORK" burn $BURN_MS 2>"$out" && note burn "$(value "$out" task-clock)" $BURN_MS ;;
  4)
    event=task-clock
    [ -z "$pmu" ] || event=instructions:u
    "$BPERF" -e $event -- $pin "$WORK" loop $LOOP 2>"$out" && note loop "$(value "$out" $event)" $((2 * LOOP))
    ;;
  5) "$BPERF" -p $busy -e task-clock --timeout $ms 2>"$out" && note process "$(value "$out" task-clock)" 1 ;;
  6) "$BPERF" --for-each-cgroup / -e cpu-clock -I 100 --timeout $ms 2>"$out" && note cgroup 1 1 ;;
  7)
    # dies
    "$BPERF" -a -p $busy -e cpu-clock 2>"$out" &
    victim=$!
    sleep "0.$(($1 % 10))"
    kill -KILL $victim
    wait $victim
    note killed 1 1
    ;;
  8) "$BPERF" --share=never -C 0 -e cpu-clock --timeout $ms 2>"$out" && note plain "$(value "$out" cpu-clock)" "$(elapsed_ms "$out")" ;;
  esac || {
    note failed "$(head -n 1 "$out" | tr ' ' '_')" 0
  }
}

worker() {
  mine=$TMP/result.$1
  # numbers of its own
  awk -v seed="$1$$" 'BEGIN { srand(seed); for (i = 0; i < 20000; i++) print int(rand() * 65536) }' >"$mine.random"
  while read -r random <&4 && goes_on; do
    # not all at once
    sleep "$((random % 3)).$((random / 7 % 10))"
    one "$random"
  done 4<"$mine.random"
}

rss() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"; }

# --- the run -----------------------------------------------------------------------------------------------------------------
ids_before
pmu=
if has_pmu; then pmu=1; fi
# shellcheck disable=SC2086 # words
plain_faults=$("$WORK" plain -w page-faults $pin "$WORK" faults $FAULTS | awk '$1 == "page-faults" { print $2 }')
"$WORK" spin &
busy=$!
"$BPERF" -a -e cpu-clock,task-clock,page-faults -I 500 -o "$TMP/long" &
long=$!
is_there "$TMP/long"
first=$(rss $long)
others=
for other in storms groups hotplug real; do
  $other 2>/dev/null &
  others="$others $!"
done
workers=
i=0
while [ $i -lt "$most" ]; do
  i=$((i + 1))
  worker $i 2>/dev/null &
  workers="$workers $!"
done
# shellcheck disable=SC2086 # words
wait $workers $others
kill $busy
last=$(rss $long)
kill -INT $long
wait $long

# --- what came of it -----------------------------------------------------------------------------------------------------------
cat "$TMP"/result.[0-9]* 2>/dev/null | grep -Ev '^[0-9]|^ |^$|^#' | grep -E '^(clock|system|faults|burn|loop|process|cgroup|killed|plain|failed) ' >"$TMP/all"
sessions=$(wc -l <"$TMP/all")
wrong=$(grep -c '^failed' "$TMP/all")
awk '{ n[$1]++; got[$1] += $2; want[$1] += $3 } END { for (k in n) printf "%s %d %.2f %.2f\n", k, n[k], got[k], want[k] }' "$TMP/all" | sort >"$TMP/sums"
sed 's/^/# /' "$TMP/sums"
# sum KIND: sets n, got, want
sum() { read -r n got want <<END
$(awk -v kind="$1" '$1 == kind { print $2, $3, $4 }' "$TMP/sums")
END
}
# adds_up KIND PERCENT TITLE
adds_up() {
  sum "$1"
  if [ -n "$n" ]; then ok "$3: $n sessions, $got of $want" near "$got" "$want" "$2" || wrong=$((wrong + 1)); fi
}
number "$sessions" '>=' "$most" "so many sessions ran"
is "$(grep '^failed' "$TMP/all" | sort | uniq -c | head -n 3)" "" "none of them failed"
adds_up clock 2 "the time of CPU 0, in ms"
adds_up plain 2 "the same by plain events, in ms"
adds_up faults 2 "page faults of known commands, and those of plain counting"
# The emulator's counter goes on by what its other CPUs execute while this one is in user mode: with all of them busy a count is some
# percent too high, a plain event's too. Nothing may be missing.
sum loop
if [ -n "$pmu" ] && [ -n "$n" ]; then
  ok "instructions of known loops: $n sessions, $got of $want" between "$got" "$want" "$((${want%.*} * 6 / 5))" || wrong=$((wrong + 1))
fi
sum burn
if [ -n "$n" ]; then number "$got" '>=' "$((n * BURN_MS * 98 / 100))" "CPU time of $n commands, at least that they take" || wrong=$((wrong + 1)); fi
sum process
if [ -n "$n" ]; then number "$got" '>' "$n" "a busy process is seen by each of $n sessions (ms)" || wrong=$((wrong + 1)); fi
number "$last" '<=' "$((first + 64))" "what ran all the time takes no more memory than before (KB)" || wrong=$((wrong + 1))
left=0
ok "nothing is left" ids_become "$TMP/ids.before" || left=1
echo "# soak $seconds $sessions $wrong $left"
done_testing
