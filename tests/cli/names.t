#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What others are called is text, whatever it is made of: nothing that a terminal obeys gets through, no format is broken by it, and
# nothing is believed that a name pretends to be. (Cgroups: cgroups.t. Names on the screen: live.t. The kernel lets no BPF program
# and no function of its BTF be called other than [A-Za-z0-9_.].)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/../kernel/lib.sh"

# 11 bytes: an escape sequence, a newline, and CSI as one byte, which is no UTF-8
bad='e\033[1mx\nq\2332J' seen='e\?\[1mx\?q\?2J'

# harmless FILE: nothing but printable ASCII and newlines
harmless() {
  ! LC_ALL=C tr -d '\n -~' <"$1" | od -An -c | head -n 5 | grep .
}

# busy NAME: a process of that name (as printf takes it), which takes CPU time until it is killed; sets task
busy() {
  # shellcheck disable=SC2016,SC2059 # for the other sh; it is a format
  want=$(printf "$1" | tr '\n' ' ')
  # shellcheck disable=SC2016
  sh -c 'printf "$1" >/proc/$$/comm; while :; do :; done' sh "$1" &
  task=$!
  tries=0
  until [ "$(tr '\n' ' ' <"/proc/$task/comm")" = "$want " ] || [ $tries = 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  ok "a process is called $(printf '%s' "$1" | tr -d '\\')" [ $tries -lt 100 ]
}

# what TITLE PATTERN: $TMP/out is harmless, and has the name
what() {
  ok "$1: nothing that a terminal obeys" harmless "$TMP/out"
  ok "$1: the name is there" grep -Eq -- "$2" "$TMP/out"
}

busy "$bad"
for share in auto never; do
  set -- --share=$share --per-thread -e task-clock -p $task --timeout 200
  "$BPERF" "$@" 2>"$TMP/out"
  what "text ($share)" "^ +$seen-$task +[0-9]"
  "$BPERF" "$@" -I 100 2>"$TMP/out"
  what "intervals ($share)" " $seen-$task +[0-9]"
  "$BPERF" "$@" -j 2>"$TMP/out"
  what "JSON ($share)" "\"thread\" : \"e\?\[1mx\\\\nq\?2J-$task\""
  if command -v python3 >/dev/null; then
    ok "JSON ($share): others can read it" python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$TMP/out"
  fi
  "$BPERF" "$@" -x , 2>"$TMP/out"
  what "CSV ($share)" "^$seen-$task,"
  is "$(wc -l <"$TMP/out")" 1 "CSV ($share): one line"
  "$BPERF" "$@" --openmetrics 2>"$TMP/out"
  what "OpenMetrics ($share)" "thread=\"e\?\[1mx\\\\nq\?2J\",tid=\"$task\""
  unlike "$(cat "$TMP/out")" '^[^#b]' "OpenMetrics ($share): each line is one"
done
kill $task
wait $task 2>/dev/null

# --- a session of such a name ----------------------------------------------------------------------------------------------
name=$TMP/$(printf "$bad")
cp "$BPERF" "$name"
"$name" -e cpu-clock -a --timeout 60000 2>"$TMP/session" &
session=$!
status_shows "^ *$session "
"$BPERF" status >"$TMP/out" 2>&1
what "status" "^ *$session $seen\$"
"$BPERF" status -j >"$TMP/out" 2>&1
what "status -j" "\"pid\" : $session, \"command\" : \"e\?\[1mx\\\\nq\?2J\""
kill $session
gone $session || kill -9 $session
wait $session

# --- names that pretend ----------------------------------------------------------------------------------------------------
# A process whose name looks like a line of /proc/PID/status, of /proc/PID/stat and of /proc/PID/fdinfo; it is process 1 nowhere.
for pretends in 'x\nTgid:\t1' 'x) R 1 1 1 Z' 'link_id:\t1'; do
  busy "$pretends"
  "$BPERF" -e task-clock -t $task --timeout 200 2>"$TMP/out"
  ok "a thread with the name of another's line ($(printf '%s' "$pretends" | tr -d '\\')) is counted as what it is" between "$(value "$TMP/out" task-clock)" 1 400
  kill $task
  wait $task 2>/dev/null
done

# --- what comes back in errors and notes -------------------------------------------------------------------------------------
# said TITLE STATUS ARGUMENT...
said() {
  said_title=$1 said_status=$2
  shift 2
  "$BPERF" "$@" >"$TMP/out" 2>&1
  is $? "$said_status" "$said_title: status $said_status"
  what "$said_title" '^bperf-mini: .*\?'
}
text=$(printf "$bad")
said "an event" 2 -e "$text" -- true
said "an option" 2 "--$text"
said "a command" 127 -e dummy -- "/none/$text"
said "a file" 125 -e dummy -o "/none/$text" -- true
said "a map" 125 -e dummy -b "pin:/none/$text" --timeout 1
said "a program" 125 -e dummy -b "name:$text" --timeout 1
said "a cgroup" 125 -e dummy -G "none/$text" -- true
said "a word of list" 1 list "$text"
printf 'e\033[1mx q\2332J\n' >"$TMP/commands"
"$BPERF" -e dummy -C 0 --control fd:7 --timeout 100 7<"$TMP/commands" 2>"$TMP/out"
what "a command of --control" "unknown command 'e\?\[1mx q\?2J'"

done_testing
