#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The registry: strangers in its place, its lock, many sessions at the same moment, many events, very many sessions.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

folder=/sys/fs/bpf/bperf_mini
rounds=200
[ -z "$is_guest" ] || rounds=20

ids_before

# --- strangers ----------------------------------------------------------------------------------------------------------
ok "the folder is root's alone" [ "$(stat -c '%a %u' $folder)" = "700 0" ]
rm $folder/leaders_v4
"$PEER" map 136 $folder/leaders_v4
"$BPERF" -e cpu-clock -a -- sleep 0.2 2>"$TMP/out"
ok "another map in its place: status 0" [ $? = 0 ]
ok "another map in its place: named, with what was expected and found" grep -Eq \
  "^bperf-mini: counting unshared: $folder/leaders_v4 is not ours: expected a map of type 1 with keys of 40 and values of 12 bytes, found type 1 with 136 and 8" "$TMP/out"
ok "another map in its place: the count is right" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 4
ok "another map in its place: stays as it is" [ -z "$("$PEER" dump $folder/leaders_v4 2>/dev/null)" ]
rm $folder/leaders_v4
chown 65534 $folder
"$BPERF" -e cpu-clock -a -- sleep 0.1 2>"$TMP/out"
ok "the folder is another user's: not used, and said" grep -q "^bperf-mini: counting unshared: $folder belongs to another user" "$TMP/out"
chown 0 $folder
"$BPERF" -e dummy -- true 2>/dev/null
ok "the registry is made anew" [ -e $folder/leaders_v4 ]
"$WORK" ids >"$TMP/ids.before"
sleep 1
ids_before

# --- the lock -----------------------------------------------------------------------------------------------------------
"$PEER" flock $folder 0 >/dev/null &
holder=$!
sleep 0.5
"$BPERF" -e cpu-clock -a -- sleep 0.2 2>"$TMP/out"
ok "a held lock: status 0" [ $? = 0 ]
ok "a held lock: who holds it, and for how long" \
  grep -Eq "^bperf-mini: counting unshared: process $holder has held the lock of $folder for 10 s" "$TMP/out"
ok "a held lock: the count is right" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 4
"$BPERF" -e cpu-clock -a 2>"$TMP/out" &
session=$!
sleep 1
kill -TERM $session
start=$(date +%s)
wait $session
ok "a held lock: a signal ends the waiting" [ $? = 143 ]
ok "a held lock: at once" between "$(($(date +%s) - start))" 0 3
kill $holder 2>/dev/null
wait $holder 2>/dev/null

# --- an event that cannot be read ---------------------------------------------------------------------------------------
"$BPERF" -e cpu-clock:kh -C 0 --timeout 4000 2>"$TMP/out" &
session=$!
sleep 1
leader=$("$BPERF" status -j | sed -n 's/.*"cpu-clock:kh".*"prog-id" : \([0-9]*\).*/\1/p')
"$PEER" starve "$leader" 0 >"$TMP/starved" 2>&1
ok "reading fails: the difference becomes 0 (perf leaves the old one)" \
  [ "$(sed -n '2,3s/ total.*//p' "$TMP/starved" | sort -u)" = "diff 0" ]
ok "reading fails: the total stays" [ "$(sed 's/.*total //' "$TMP/starved" | sort -u | wc -l)" = 1 ]
wait $session
ok "and the session gives the CPU a new event within two seconds" \
  between "$(value "$TMP/out" cpu-clock:kh)" 2000 "$(cpu_ms "$TMP/out" 1.02)"

# --- at the same moment -------------------------------------------------------------------------------------------------
# together N: starts N sessions of one event at once; true if they have one leader
together() {
  pids=
  started=0
  while [ $started -lt "$1" ]; do
    "$BPERF" -e cpu-clock:kh -C 0 --timeout 60000 2>"$TMP/together$started" &
    pids="$pids $!"
    started=$((started + 1))
  done
  shown=1
  status_shows "^cpu-clock:kh: .*, $1 session" || shown=
  # shellcheck disable=SC2086 # several
  kill $pids
  # shellcheck disable=SC2086
  wait $pids 2>/dev/null
  [ -n "$shown" ] && [ "$(grep -c '^cpu-clock:kh: ' "$TMP/status")" = 1 ]
}
n=0
wrong=0
while [ $n -lt $rounds ]; do
  together 2 || { wrong=$((wrong + 1)); sed 's/^/# /' "$TMP/status"; }
  n=$((n + 1))
done
ok "two sessions at the same moment, $rounds times: one leader each time" [ $wrong = 0 ]
n=0
wrong=0
while [ $n -lt $((rounds / 20)) ]; do
  together 20 || { wrong=$((wrong + 1)); sed 's/^/# /' "$TMP/status"; }
  n=$((n + 1))
done
ok "twenty sessions at the same moment, $((rounds / 20)) times: one leader each time" [ $wrong = 0 ]
ok "nothing is left of them" ids_become "$TMP/ids.before"

# --- many events --------------------------------------------------------------------------------------------------------
# twenty NAME...: a session for each event with each of four modifiers, all at once
twenty() {
  pids=
  for event; do
    for modifier in '' :u :k :h; do
      "$BPERF" -e "$event$modifier" -a --timeout 60000 >"$TMP/event.$event$modifier" 2>&1 &
      pids="$pids $!"
    done
  done
  tries=0
  while [ $tries -lt 100 ] && [ "$("$BPERF" status | grep -c ': leader')" -lt 20 ]; do
    sleep 0.2
    tries=$((tries + 1))
  done
  # shellcheck disable=SC2086
  kill $pids
  failed=0
  for pid in $pids; do
    wait "$pid"
    [ $? = 143 ] || failed=$((failed + 1))
  done
  [ $tries -lt 100 ] && [ $failed = 0 ]
}
ok "twenty different events at once" twenty cpu-clock task-clock page-faults cs dummy
ok "then twenty others" twenty migrations minor-faults major-faults alignment-faults emulation-faults
ok "nothing is left of them either" ids_become "$TMP/ids.before"

# --- very many sessions -------------------------------------------------------------------------------------------------
if [ -z "$is_guest" ]; then
  # of an event that nobody else counts
  worker "'$WORK' burn 200"
  task=$worker_pid
  n=0 pids=
  while [ $n -lt 100 ]; do
    "$BPERF" -e task-clock:kh -p $task 2>"$TMP/many.p$n" &
    pids="$pids $!"
    "$BPERF" -e task-clock:kh -C 0 2>"$TMP/many.c$n" &
    pids="$pids $!"
    n=$((n + 1))
  done
  status_shows '100 followers, 200 sessions$' 300
  ok "200 sessions of one event: one leader, a follower for each of the 100 of a process" \
    grep -Eq '^task-clock:kh: leader .* 100 followers, 200 sessions$' "$TMP/status"
  # what they do after the last object that status shows
  sleep 2
  worker_works
  # shellcheck disable=SC2086
  kill -TERM $pids
  # shellcheck disable=SC2086
  wait $pids
  worker_ends
  ok "100 of a process: all see the same" [ "$(cat "$TMP"/many.p* | awk '/msec task-clock:kh/ { print $1 }' | sort -u | wc -l)" = 1 ]
  ok "100 of a process: its 200 ms" between "$(value "$TMP/many.p99" task-clock:kh)" 199.5 230
  wrong=0
  for file in "$TMP"/many.c*; do
    near "$(value "$file" task-clock:kh)" "$(cpu_ms "$file" 1)" 5 >/dev/null || wrong=$((wrong + 1))
  done
  ok "100 of a CPU: all right" [ $wrong = 0 ]
  ok "nothing is left of 200 sessions" ids_become "$TMP/ids.before"
fi
done_testing
