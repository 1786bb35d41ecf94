#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --overhead: what the counting costs, from the kernel's BPF statistics, which are on meanwhile only. -v: the kernel objects of a
# session. -n: nothing of the kernel at all.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# fdinfo PID FIELD: of all programs that the process holds; fdinfo does not depend on bperf-mini
fdinfo() {
  cat "/proc/$1/fdinfo"/* 2>/dev/null | awk -v field="$2:" '$1 == field { sum += $2 } END { printf "%.0f\n", sum }'
}
# are_off PID: the statistics are off: of programs that run on each switch, no run is noted
are_off() {
  before=$(fdinfo "$1" run_cnt)
  "$WORK" switches 50
  after=$(fdinfo "$1" run_cnt)
  echo "$before runs, then $after"
  [ "$before" = "$after" ]
}
are_on() {
  if are_off "$1"; then return 1; fi
}
# of FILE NAME: "runs ns" of an overhead's row, ns from ms with two decimals
of() {
  awk -v name="$2" '$3 == name { gsub("[,(]", ""); for (i = 4; i <= NF; i++) if ($i ~ /^runs/) runs = $(i - 1); printf "%d %.0f\n", runs, $1 * 1e6; exit }' "$1"
}
runs() { of "$1" "$2" | cut -d' ' -f1; }
ns() { of "$1" "$2" | cut -d' ' -f2; }

ids_before
setting=$(cat /proc/sys/kernel/bpf_stats_enabled)
if [ "$setting" != 0 ]; then skip_all "the kernel's BPF statistics are on here for others' sake"; fi

# --- the statistics are on as long as the session, however it ends -----------------------------------------------------------
# beside a map of perf's: else nothing would run on a switch (attach.t)
rm -f /sys/fs/bpf/perf_attr_map
"$PEER" map 136
"$BPERF" -v -e cs -a --timeout 120000 2>"$TMP/holder" &
holder=$!
is_there "$TMP/holder"
sleep 1
rm -f /sys/fs/bpf/perf_attr_map
ok "before: off" are_off $holder
"$BPERF" --overhead -e cs -a -- "$WORK" switches 500 2>"$TMP/out"
ok "after a command's end: off" are_off $holder
runs_kept=$(fdinfo $holder run_cnt)
ok "the leader's runs are those that the kernel noted" near "$(runs "$TMP/out" overhead:leader:cs)" "$runs_kept" 3
ok "there is a run for each switch" between "$(runs "$TMP/out" overhead:leader:cs)" "$(value "$TMP/out" cs)" 1000000
ok "and so is their time" near "$(ns "$TMP/out" overhead:leader:cs)" "$(fdinfo $holder run_time_ns)" 5
for how in 9 15; do
  "$BPERF" --overhead -e task-clock -p $$ --timeout 60000 2>/dev/null &
  pid=$!
  sleep 1
  ok "while it counts: on" are_on $holder
  kill -$how $pid
  wait $pid 2>/dev/null
  ok "after kill -$how: off" are_off $holder
done
"$BPERF" --overhead -e cs -C 0 --timeout 60000 2>/dev/null &
pid=$!
sleep 1
"$BPERF" --overhead -e cs -C 0 --timeout 10 2>/dev/null
ok "two at a time: on until the last one ends" are_on $holder
kill $pid
wait $pid 2>/dev/null
ok "and then off" are_off $holder
ok "the setting is as before" [ "$(cat /proc/sys/kernel/bpf_stats_enabled)" = "$setting" ]
"$BPERF" -e cs -a -- "$WORK" switches 50 2>"$TMP/out"
ok "without --overhead nothing is told" sh -c '! grep -q overhead "$1"' - "$TMP/out"
ok "or switched on" are_off $holder
# the machine is ours there
if [ -n "$is_guest" ]; then
  echo 1 >/proc/sys/kernel/bpf_stats_enabled
  "$BPERF" --overhead -e cs -C 0 --timeout 100 2>/dev/null
  ok "who had them on keeps them on" are_on $holder
  ok "and the setting" [ "$(cat /proc/sys/kernel/bpf_stats_enabled)" = 1 ]
  echo 0 >/proc/sys/kernel/bpf_stats_enabled
fi

# --- what is told ----------------------------------------------------------------------------------------------------------
"$BPERF" --overhead -e cs,faults -p $$ -- "$WORK" switches 500 2>"$TMP/out"
ok "tasks: one follower, which runs on each switch" between "$(runs "$TMP/out" overhead:follower)" 500 1000000
ok "tasks: and takes time" between "$(ns "$TMP/out" overhead:follower)" 10000 1000000000
ok "tasks: a leader runs where it was attached for perf" between "$(runs "$TMP/out" overhead:leader:cs)" 500 1000000
ok "tasks: and else not" between "$(runs "$TMP/out" overhead:leader:faults)" 0 20
ok "tasks: the hooks of births and ends" between "$(runs "$TMP/out" overhead:hooks)" 1 1000
ok "the leaders are shared, the followers not" \
  [ "$(grep -c 'overhead:leader.*, shared' "$TMP/out") $(grep -c ', shared' "$TMP/out")" = "2 2" ]
sum=$(awk '$3 ~ /^overhead:/ { sum += $1 * 1e6 } END { print sum }' "$TMP/out")
ok "the sum" between "$(ns "$TMP/out" overhead)" "$(awk -v s="$sum" 'BEGIN { print s - 30000 }')" "$(awk -v s="$sum" 'BEGIN { print s + 30000 }')"
share=$(awk '$3 == "overhead" { print $5 + 0 }' "$TMP/out")
ok "and its share of the CPUs' time" near "$share" "$(awk -v ns="$(ns "$TMP/out" overhead)" -v ms="$(cpu_ms "$TMP/out" "$cpus")" 'BEGIN { printf "%.3f", ns / ms / 1e4 }')" 3
"$BPERF" --overhead -e cs,cs -C 0 -- "$WORK" switches 50 2>"$TMP/out"
ok "an event that is given twice has one leader" [ "$(grep -c overhead: "$TMP/out")" = 1 ]

# a reading runs the leader, and that is a run like any other: also where nothing else does
"$BPERF" --overhead -e cs -C 0 -I 20 --interval-count 20 --summary 2>"$TMP/out"
awk '$4 == "overhead:leader:cs" { gsub("[,(]", ""); for (i = 5; i <= NF; i++) if ($i ~ /^runs/) print $(i - 1) }' "$TMP/out" >"$TMP/runs"
ok "each interval has the run of its reading, and its own cost" [ "$(wc -l <"$TMP/runs") $(grep -c '^0$' "$TMP/runs")" = "20 0" ]
ok "they add up to the summary's" [ "$(awk '{ sum += $1 } END { print sum }' "$TMP/runs")" = "$(runs "$TMP/out" overhead:leader:cs)" ]
"$BPERF" --overhead -e cs -r 3 -- "$WORK" switches 300 2>"$TMP/out"
ok "of several runs the mean" between "$(runs "$TMP/out" overhead:leader:cs)" 300 900

# --- perf's followers run within the leader's time ----------------------------------------------------------------------------
# (times are exact where the emulator counts instructions, and there is a PMU there)
if has_fexit && has_pmu; then
  per_run() { awk -v name="$1" '$3 == name { print $5; exit }' "$TMP/out"; }
  cost() { "$BPERF" --overhead -e cs -a -- "$WORK" switches 2000 2>"$TMP/out"; }
  "$PEER" map 136
  cost
  alone=$(per_run overhead:leader:cs)
  ok "perf could join: the leader runs on each switch" between "$(runs "$TMP/out" overhead:leader:cs)" 2000 1000000
  # it finds a leader that is there
  "$BPERF" -e cs -a --timeout 600000 2>/dev/null &
  kept=$!
  status_shows '^context-switches: .* 2 sessions$'
  others=
  for i in 1 2 3; do
    "$PEER" follow cs 600000 >"$TMP/follow$i" 2>&1 &
    others="$others $!"
    is_there "$TMP/follow$i"
  done
  ok "three of perf's followers have joined" [ "$(cat "$TMP"/follow? | grep -c '^joined')" = 3 ]
  # what the leader takes with all that hangs on it, as the kernel has it
  before_runs=$(fdinfo $kept run_cnt) before_ns=$(fdinfo $kept run_time_ns)
  cost
  all=$((($(fdinfo $kept run_time_ns) - before_ns) / ($(fdinfo $kept run_cnt) - before_runs)))
  with=$(per_run overhead:leader:cs)
  # shellcheck disable=SC2086 # several
  kill $others $kept
  # shellcheck disable=SC2086
  wait $others $kept 2>/dev/null
  rm -f /sys/fs/bpf/perf_attr_map
  ok "the kernel takes their time for the leader's ($all by run, $alone by itself)" between "$all" "$(awk -v a="$alone" 'BEGIN { print a * 1.3 }')" 100000
  ok "we do not, but for the calls ($with)" between "$with" "$alone" "$(awk -v a="$alone" -v all="$all" 'BEGIN { print a + (all - a) * 0.8 }')"
fi

# --- where there is nothing to tell ------------------------------------------------------------------------------------------
"$BPERF" --overhead --share=never -e cs -- "$WORK" switches 50 2>"$TMP/out"
ok "plain: says so" [ "$(grep -c '^bperf-mini: no --overhead: plain events run no program whose time could be told$' "$TMP/out") $(grep -c ' overhead:[a-z]' "$TMP/out")" = "1 0" ]
if command -v setpriv >/dev/null && [ -z "$is_guest" ]; then
  setpriv --bounding-set=-sys_admin "$BPERF" --overhead -e cs -a -- "$WORK" switches 50 2>"$TMP/out"
  ok "refused: goes on without" between "$(value "$TMP/out" cs)" 50 1000000
  ok "refused: says why in a line" grep -Eqx "bperf-mini: no --overhead: cannot switch on the kernel's BPF statistics .*: Operation not permitted" "$TMP/out"
fi
if command -v strace >/dev/null && [ -z "$is_guest" ] && strace -qq -o /dev/null -e trace=bpf true 2>/dev/null; then
  set -- "$BPERF" --overhead -e cs -C 0 --timeout 10
  strace -qq -o "$TMP/trace" -e trace=bpf "$@" 2>/dev/null
  after=$(awk '/BPF_ENABLE_STATS/ { print NR + 1; exit }' "$TMP/trace")
  strace -qq -o /dev/null -e trace=bpf -e inject=bpf:error=ENOMEM:when="$after" "$@" 2>"$TMP/out"
  ok "a program that cannot be looked at is missing, and a line says so" \
    [ "$(grep -c '^bperf-mini: --overhead lacks a leader: cannot look at the program: Out of memory$' "$TMP/out") $(grep -c ' overhead' "$TMP/out")" = "1 0" ]
fi
kill $holder
wait $holder 2>/dev/null

# --- -v: the objects --------------------------------------------------------------------------------------------------------
ok "nothing is left" ids_become "$TMP/ids.before"
new_in() { # FILE: what is there that was not before
  awk 'FILENAME == ARGV[1] { was[$0]; next } !($0 in was)' "$TMP/ids.before" "$1" | sort >"$TMP/new"
}
objects() { # SESSION OPTIONS...: those that -v tells of and those that are new, as `work ids` has them
  "$BPERF" -v "$@" --timeout 60000 2>"$TMP/verbose" &
  pid=$!
  is_there "$TMP/verbose"
  sleep 1
  "$WORK" ids >"$TMP/ids.running"
  kill $pid
  wait $pid 2>/dev/null
  new_in "$TMP/ids.running"
  sed -n 's/^bperf-mini: .*: program \([0-9]*\) [a-z_]*, link \([0-9]*\), maps \([0-9,]*\)$/prog \1\nlink \2\nmaps \3/p' "$TMP/verbose" |
    awk '$1 == "maps" { n = split($2, ids, ","); for (i = 1; i <= n; i++) print "map", ids[i]; next } { print }' | sort -u >"$TMP/told"
}
objects -e cs,task-clock -p $$ -a
ok "-v: there are objects" between "$(wc -l <"$TMP/told")" 20 60
ok "-v: all objects of a session are told, and no other" diff "$TMP/new" "$TMP/told"
"$BPERF" -e cs -a --timeout 60000 2>/dev/null &
holder=$!
sleep 1
"$WORK" ids >"$TMP/ids.held"
objects -e cs -a
ok "-v: a leader that was joined is told, too" [ "$(grep -c 'leader of cs: program ' "$TMP/verbose")" = 1 ]
new_in "$TMP/ids.held"
ok "-v: it is the one that was there" diff "$TMP/new" "$TMP/told"
kill $holder
wait $holder 2>/dev/null

# --- -n -----------------------------------------------------------------------------------------------------------------------
"$BPERF" -n -r 3 -- sh -c 'sleep 0.1; exit 3' 2>"$TMP/out"
ok "-n: the command's status" [ $? = 3 ]
ok "-n: the mean time" grep -Eq '^ +0\.1[0-9]* \+- [0-9.]+ seconds time elapsed' "$TMP/out"
ok "-n: no other row" [ "$(grep -c '[0-9]' "$TMP/out")" = 2 ]
for options in -n '-n -a' "-n -p $$" '-n --overhead --bpf-counters -e cs'; do
  # shellcheck disable=SC2086 # several
  "$WORK" deny bpf 1 "$WORK" deny perf_event_open 1 "$BPERF" $options -- sleep 0.1 2>"$TMP/out"
  ok "$options: needs no call that is refused, and says nothing of one" [ "$? $(grep -c bperf-mini "$TMP/out")" = "0 0" ]
  ok "$options: tells the time" between "$(seconds "$TMP/out")" 0.1 "${is_guest:+1}0.3"
done
if command -v strace >/dev/null && [ -z "$is_guest" ] && strace -qq -o /dev/null -e trace=bpf true 2>/dev/null; then
  strace -f -qq -o "$TMP/trace" -e trace=bpf,perf_event_open,mount,execve "$BPERF" -n -v -- true 2>/dev/null
  ok "-n: no call of bpf, perf_event_open or mount" [ "$(grep -c "execve(.* = 0" "$TMP/trace") $(grep -Ec 'bpf\(|perf_event|mount\(' "$TMP/trace")" = "2 0" ]
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
