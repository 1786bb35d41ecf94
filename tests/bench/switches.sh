#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In an emulated machine of one CPU whose clock counts instructions (-icount shift=0: 1 ns each): what a context switch costs, with
# sessions of one kind running and without. See scripts/bench.
#
# Usage: sh switches.sh EIGHT MANY [SET...]    EIGHT: events, comma-separated; MANY: the most sessions; SET: rows to take, of those
#                                             below (default: all)
# Prints "switch NAME SESSIONS EVENTS INSTRUCTIONS" a row, a switch's in hundredths; "none" is without any session. And "start NAME"
# and what `work cost` says: a run with a command that does nothing; "none" is that command alone. "loop SESSIONS COUNT": the
# instructions of a loop of two million, where there is a PMU.
#
# Environment: EVENTS: of the eight, how many (default: "1 2 8")
BPERF=${BPERF:-/bin/bperf-mini}
WORK=${WORK:-/work/work}
eight=$1 many=$2
shift 2
sets=${*:-cpu other task cgroup plain perf start loop}
TMP=$(mktemp -d)
cgroup=/sys/fs/cgroup/bench
mkdir -p $cgroup

first() { echo "$eight" | cut -d, -f1-"$1"; }

# measure NAME SESSIONS EVENTS COMMAND...: so many of the command at once; PID in it stands for the ping-pong's process
measure() {
  name=$1 sessions=$2 events=$3
  shift 3
  rm -f "$TMP"/session* "$TMP/go"
  mkfifo "$TMP/go"
  "$WORK" pingpong 500 <"$TMP/go" >"$TMP/out" &
  worker=$!
  exec 9>"$TMP/go"
  echo $worker >$cgroup/cgroup.procs
  n=0 pids=
  while [ $n -lt "$sessions" ]; do
    # shellcheck disable=SC2046,SC2068,SC2091 # words
    $(echo $@ | sed "s/PID/$worker/") >"$TMP/session$n" 2>&1 9>&- &
    pids="$pids $!"
    n=$((n + 1))
  done
  # all of them count when nothing has changed for a while: time costs nothing while all are idle
  before=
  n=0
  while [ $n -lt 4 ]; do
    now=$("$WORK" ids | md5sum)
    if [ "$now" = "$before" ]; then n=$((n + 1)); else n=0; fi
    before=$now
    sleep 3
  done
  echo >&9
  exec 9>&-
  wait $worker
  for pid in $pids; do
    [ -e "/proc/$pid" ] || [ "$name" = task ] || [ "$name" = plain-task ] || [ "$name" = perf-task ] ||
      { echo "# $name: a session has ended: $(cat "$TMP"/session* | head -n 3)"; }
  done
  echo "switch $name $sessions $events $(cat "$TMP/out")"
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill -INT $pids 2>/dev/null
  # shellcheck disable=SC2086
  wait $pids 2>/dev/null
}

# with NAME COUNTS COMMAND...: for 1, 2 and 8 events, and so many sessions; EVENTS in it stands for the events
with() {
  name=$1 counts=$2
  shift 2
  for events in ${EVENTS:-1 2 8}; do
    # shellcheck disable=SC2086 # several
    for count in $counts; do
      [ "$count" -le "$many" ] || continue
      [ $events = 1 ] || [ "$count" -le 4 ] || continue
      # shellcheck disable=SC2046,SC2068
      measure "$name" "$count" $events $(echo $@ | sed "s/EVENTS/$(first $events)/")
    done
  done
}

# start NAME COMMAND...
start() {
  name=$1
  shift
  row=$("$WORK" cost 5 "$@") && echo "start $name $row"
}

measure none 0 0
for set in $sets; do
  case $set in
  cpu) with cpu "1 4 16 64" "$BPERF" -e EVENTS -a ;;
  other) with other "1 4 16 64" "$BPERF" -e EVENTS -p 1 ;;
  task) with task "1 4 16 64" "$BPERF" -e EVENTS -p PID ;;
  cgroup) with cgroup "1 4 16 64" "$BPERF" -e EVENTS -G bench ;;
  plain)
    with plain-cpu "1 4" "$BPERF" --share=never -e EVENTS -a
    with plain-task "1 4" "$BPERF" --share=never -e EVENTS -p PID
    ;;
  perf)
    for perf in /work/[0-9]*/perf; do
      [ -x "$perf" ] || continue
      with perf-cpu "1 2" "$perf" stat --bpf-counters -e EVENTS -a
      with perf-other "1 2" "$perf" stat --bpf-counters -e EVENTS -p 1
      with perf-task "1 2" "$perf" stat --bpf-counters -e EVENTS -p PID
      rm -f /sys/fs/bpf/perf_attr_map
    done
    ;;
  start)
    start none
    start plain "$BPERF" --share=never -e "$(first 1)"
    start bperf-mini "$BPERF" -e "$(first 1)"
    start all-cpus "$BPERF" -a -e "$(first 1)"
    [ ! -e /work/bperf-mini ] || start packed /work/bperf-mini -e "$(first 1)"
    # without the shell script before it, which is none of perf's
    for lib in /work/[0-9]*/lib; do
      [ -x "$lib/perf" ] || continue
      perf="$(echo "$lib"/ld-*.so.*) --library-path $lib $lib/perf"
      # shellcheck disable=SC2086 # words
      start perf $perf stat --bpf-counters -e "$(first 1)" --
      # shellcheck disable=SC2086
      start perf-plain $perf stat -e "$(first 1)" --
      rm -f /sys/fs/bpf/perf_attr_map
    done
    ;;
  loop)
    "$WORK" plain -a instructions true >/dev/null 2>&1 || continue
    for count in 0 4 16; do
      n=0 pids=
      while [ $n -lt $count ]; do
        "$BPERF" -e instructions -a --timeout 100000000 >/dev/null 2>&1 &
        pids="$pids $!"
        "$BPERF" -e instructions -p 1 --timeout 100000000 >/dev/null 2>&1 &
        pids="$pids $!"
        n=$((n + 1))
      done
      [ $count = 0 ] || sleep 20
      "$BPERF" -x, -e instructions:u -o "$TMP/loop" -- "$WORK" loop 1000000
      echo "loop $((2 * count)) $(cut -d, -f1 <"$TMP/loop" | grep '^[0-9]')"
      # shellcheck disable=SC2086
      [ -z "$pids" ] || kill $pids
      # shellcheck disable=SC2086
      wait $pids 2>/dev/null
    done
    ;;
  esac
done
rm -rf "$TMP"
