#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sessions of one event share one leader, whoever comes, goes or is killed; nothing stays.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

leaders() { # how many programs there are
  "$WORK" ids | grep -c '^prog'
}

ids_before
start=$(leaders)

# --- five sessions, one leader ------------------------------------------------------------------------------------------
pids=
for i in 1 2 3 4 5; do
  "$BPERF" -e cpu-clock -a --timeout 4000 2>"$TMP/session$i" &
  pids="$pids $!"
done
sleep 1
ok "five sessions by CPU: one program" [ "$(leaders)" = $((start + 1)) ]
"$BPERF" -v -e cpu-clock -C 0 -- true 2>"$TMP/out"
ok "the sixth joins" grep -q 'leader joined' "$TMP/out"
"$BPERF" -v -e cpu-clock:k -C 0 -- true 2>"$TMP/out"
ok "another modifier is another event" grep -q 'leader made' "$TMP/out"
wait $pids
for i in 2 3 4 5; do
  ok "session $i agrees with the first" near "$(value "$TMP/session$i" cpu-clock)" "$(value "$TMP/session1" cpu-clock)" 1
done
ok "nothing is left" ids_become "$TMP/ids.before"

# --- two sessions and a plain event, one in the other: the outer one has the start of the inner one, too ------------------
"$BPERF" -e cpu-clock -a -o "$TMP/outer" -- "$BPERF" -e cpu-clock -a -o "$TMP/inner" -- "$WORK" plain -a cpu-clock sleep 2 >"$TMP/plain"
ok "two sessions of the same window agree" near "$(value "$TMP/outer" cpu-clock)" "$(value "$TMP/inner" cpu-clock)" "${is_guest:+1}1"
ok "and with a plain event" near "$(value "$TMP/inner" cpu-clock)" "$(plain "$TMP/plain" cpu-clock)" "${is_guest:+1}1"

# --- the maker is killed ------------------------------------------------------------------------------------------------
"$BPERF" -e cpu-clock -a --timeout 60000 2>/dev/null &
maker=$!
sleep 0.5
"$BPERF" -v -e cpu-clock -a --timeout 1500 2>"$TMP/joiner" &
joiner=$!
sleep 0.5
kill -9 $maker
wait $maker 2>/dev/null
wait $joiner
ok "kill -9 of the maker: the other had joined" grep -q 'leader joined' "$TMP/joiner"
ok "kill -9 of the maker: the other's count is right" near "$(value "$TMP/joiner" cpu-clock)" "$(cpu_ms "$TMP/joiner" "$cpus")" 2
ok "kill -9 of the maker: nothing is left" ids_become "$TMP/ids.before"

# --- a joiner is killed, of every scope ---------------------------------------------------------------------------------
"$WORK" after 2500 "$WORK" burn 200 &
task=$!
"$BPERF" -e task-clock -p $task 2>"$TMP/stays" &
stays=$!
sleep 0.5
victims=
for scope in "-a" "-C 0" "-p $task" "-t $task" "-- sleep 100"; do
  # shellcheck disable=SC2086 # an option and its value
  "$BPERF" -e task-clock $scope 2>/dev/null &
  victims="$victims $!"
done
sleep 1
# the command of the last one is left to itself, as perf does it
children=
for victim in $victims; do
  children="$children $(ps -o pid,ppid 2>/dev/null | awk -v p="$victim" '$2 == p { print $1 }')"
  kill -9 "$victim"
done
for child in $children; do kill "$child" 2>/dev/null; done
wait $stays
ok "kill -9 of sessions of every scope: the other's count is right" between "$(value "$TMP/stays" task-clock)" 199.5 212
ok "kill -9 of sessions of every scope: nothing is left" ids_become "$TMP/ids.before"

# --- killed at any moment -----------------------------------------------------------------------------------------------
"$BPERF" -e task-clock,page-faults -a --timeout 5000 2>"$TMP/stays" &
stays=$!
n=0
while [ $n -lt 40 ]; do
  "$BPERF" -e task-clock,page-faults,cpu-clock -p $$ 2>/dev/null &
  victim=$!
  # from before the first system call to long after the last
  sleep "0.0$((n % 10))$((n / 10))" 2>/dev/null || sleep 0
  kill -9 $victim 2>/dev/null
  wait $victim 2>/dev/null
  n=$((n + 1))
done
wait $stays
ok "40 sessions killed at different moments: the other's count is right" near "$(value "$TMP/stays" task-clock)" "$(cpu_ms "$TMP/stays" "$cpus")" 2
ok "40 sessions killed at different moments: nothing is left" ids_become "$TMP/ids.before"
"$BPERF" -v -e task-clock -- "$WORK" burn 50 2>"$TMP/out"
ok "and the next session starts clean" grep -q 'leader made' "$TMP/out"

# --- a leader that covers CPU 0 only ------------------------------------------------------------------------------------
"$BPERF" -e cpu-clock -C 0 --timeout 2500 2>"$TMP/first" &
first=$!
sleep 0.5
"$BPERF" -v -e cpu-clock -a --timeout 1000 2>"$TMP/out"
ok "-a joins a leader of CPU 0" grep -q 'leader joined' "$TMP/out"
ok "-a after -C 0: every CPU is counted" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
wait $first
ok "-C 0 itself is not disturbed" near "$(value "$TMP/first" cpu-clock)" "$(cpu_ms "$TMP/first" 1)" 2

# --- many followers: more than programs may hang on another -----------------------------------------------------------------
worker "'$WORK' burn 100"
task=$worker_pid
n=0 many=
while [ $n -lt 45 ]; do
  "$BPERF" -v -e task-clock -p $task >"$TMP/many$n" 2>&1 &
  many="$many $!"
  n=$((n + 1))
done
ok "45 sessions of a process: one leader, a follower for each" status_shows '^task-clock: .*, not attached, .*, 45 followers, 45 sessions$' 600
sleep 2
worker_works
# shellcheck disable=SC2086
kill -TERM $many
# shellcheck disable=SC2086
wait $many
worker_ends
ok "45 sessions of a process: all count the same" [ "$(cat "$TMP"/many* | awk '/task-clock  / { print $1 }' | sort | uniq -c | awk '{ print $1 }')" = 45 ]
ok "45 sessions of a process: its 100 ms" between "$(value "$TMP/many44" task-clock)" 99.5 150

# --- two at the same moment ---------------------------------------------------------------------------------------------
n=0
failed=0
while [ $n -lt 20 ]; do
  "$BPERF" -e cpu-clock -C 0 --timeout 300 2>"$TMP/a" &
  a=$!
  "$BPERF" -e cpu-clock -C 0 --timeout 300 2>"$TMP/b" &
  b=$!
  wait $a || failed=$((failed + 1))
  wait $b || failed=$((failed + 1))
  # each against its own time: a busy machine wakes one later than the other
  for side in a b; do
    near "$(value "$TMP/$side" cpu-clock)" "$(cpu_ms "$TMP/$side" 1)" 10 >"$TMP/near" || { sed 's/^/# /' "$TMP/near"; failed=$((failed + 1)); }
  done
  n=$((n + 1))
done
ok "twenty times two sessions at the same moment: all right" [ $failed = 0 ]
ok "and nothing is left" ids_become "$TMP/ids.before"

done_testing
