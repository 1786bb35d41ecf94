#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whom a follower counts is told from a table of 1024 marks in front of the real ones: ids that share a mark are not mixed up. What it
# leaves out on the switches of others is in no count and is missing in none, however often somebody reads meanwhile.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# burner FILE MS ID: in a process of that id, once FILE.go is there: all of them begin when they are counted
burner() { "$WORK" reuse "$3" sh -c "until [ -e '$1.go' ]; do sleep 0.1; done; exec '$WORK' burn $2" 2>"$1.err" & }
# counted FILE: a session's task-clock in ms
counted() { value "$1" task-clock; }

ids_before
max=$(cat /proc/sys/kernel/pid_max)
# four ids of one mark that nobody has; the kernel gives others in order, from the last on
base=$((max - 4 * 1024 - 7))
for i in 0 1 2 3; do
  [ ! -e /proc/$((base + i * 1024)) ] || base=$((base - 1))
done
for i in 0 1 2 3; do eval "id$i=$((base + i * 1024))"; done
rm -f "$TMP/a.go"
# shellcheck disable=SC2154 # eval
burner "$TMP/a" 100 "$id0"
# shellcheck disable=SC2154
burner "$TMP/a" 200 "$id1"
# shellcheck disable=SC2154
burner "$TMP/a" 300 "$id2"
all_there() { for id in $id0 $id1 $id2; do [ -e "/proc/$id/stat" ] || return 1; done; }
tries=0
until all_there || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done
if ! all_there; then
  skip "ids of one mark" "this kernel lets nobody choose an id"
else
  "$BPERF" -v -e task-clock -p $id0 2>"$TMP/one" &
  one=$!
  "$BPERF" -v -e task-clock -p $id1,$id2 2>"$TMP/two" &
  two=$!
  "$BPERF" -v -e task-clock -p $id2 -p $id0 --per-thread 2>"$TMP/each" &
  each=$!
  # shellcheck disable=SC2154
  "$BPERF" -v -e task-clock -t $id1 2>"$TMP/thread" &
  thread=$!
  for file in one two each thread; do
    tries=0
    until grep -q 'hooks: ' "$TMP/$file" || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  done
  sleep 1
  touch "$TMP/a.go"
  wait $one $two $each $thread
  ok "one of three of one mark" between "$(counted "$TMP/one")" 99 "$(high 170)"
  ok "two of them" between "$(counted "$TMP/two")" 499 "$(high 640)"
  ok "by thread, two of them: the one" between "$(awk '$1 ~ "-'$id0'$" { print $2 }' "$TMP/each")" 99 "$(high 170)"
  ok "and the other" between "$(awk '$1 ~ "-'$id2'$" { print $2 }' "$TMP/each")" 299 "$(high 420)"
  ok "a thread" between "$(counted "$TMP/thread")" 199 "$(high 290)"
fi
touch "$TMP/a.go"
wait

# --- read often, by many ------------------------------------------------------------------------------------------------------------
# children that come and go, and sleep in between, beside a spinner on each CPU that nobody counts; plain events have their sum
spinners=
nice=$(command -v nice >/dev/null && echo nice -n 19)
n=0
while [ $n -lt "$cpus" ]; do
  $nice "$WORK" spin &
  spinners="$spinners $!"
  n=$((n + 1))
done
"$WORK" after 3000 sh -c "'$WORK' switches 300; '$WORK' threads 3 60; '$WORK' forks 4 50; '$WORK' nest 2 4 60 1" &
task=$!
pids=
for i in 1 2 3 4 5; do
  "$BPERF" -e task-clock -p $task -I $((i * 11)) --summary -o "$TMP/often$i" &
  pids="$pids $!"
done
"$BPERF" -e task-clock -p $task -o "$TMP/once" &
pids="$pids $!"
"$WORK" plain -p $task task-clock sh -c "while [ -e /proc/$task/exe ]; do sleep 0.1; done" >"$TMP/plain"
# shellcheck disable=SC2086 # several
wait $pids
# shellcheck disable=SC2086
kill $spinners
# shellcheck disable=SC2086
wait $spinners 2>/dev/null
plain=$(plain "$TMP/plain" task-clock)
ok "there is something to count" between "$plain" 600 100000
# (a switch's own time is in ours and not in a plain event's; an emulated machine takes 0.2 ms for one with six sessions)
ok "read once: as plain events" near "$(counted "$TMP/once")" "$plain" "${is_guest:+1}4"
for i in 1 2 3 4 5; do
  sum=$(awk '$3 == "msec" { gsub(",", "", $2); sum += $2 } END { print sum }' "$TMP/often$i")
  # (where the kernel leaves a switch from the idle task out, whoever comes has a part of the idle time, too, and less of it where somebody
  # has read in it)
  ok "read each $((i * 11)) ms: the same" near "$sum" "$(counted "$TMP/once")" 1.5
done
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
