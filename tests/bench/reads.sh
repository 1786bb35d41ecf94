#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In an emulated machine of several CPUs: what reading a running session costs, of each scope. See scripts/bench.
#
# Usage: sh reads.sh EVENT
# Prints "read NAME CPUS INTERRUPTS NS" a row, of one read: function-call interrupts of the CPUs but the reader's own, in hundredths, and
# the reader's CPU time, with what it waits for other CPUs (with -icount shift=0: instructions). "none" is a program that only prints.
# Exit status: 0; 1 a row could not be had
BPERF=${BPERF:-/bin/bperf-mini}
WORK=${WORK:-/work/work}
event=$1
cpus=$(grep -c '^processor' /proc/cpuinfo)
cgroup=/sys/fs/cgroup/bench
mkdir -p $cgroup
sleep 1000000 &
sleeping=$!
# All else is on the last CPU, with the program that reads, and so are the kernel's threads that may be: a wake-up of one takes such an
# interrupt, too.
last=$(printf %x $((1 << (cpus - 1))))
for dir in /proc/[0-9]*; do taskset -p "$last" "${dir#/proc/}" >/dev/null 2>&1; done
ours="$BPERF -x, -I 10 -e $event"

# measure NAME COMMAND...: PID in it stands for a process that never sleeps, on the first CPU; the command runs on the last one. The
# first reads are left out: a session's start is over by then. All of it takes less than a second of the machine's, after which
# sessions look for CPUs that have come.
measure() {
  name=$1
  shift
  running=
  case $name in
  *running | *cgroup)
    taskset 1 "$WORK" yielding &
    running=$!
    echo $running >$cgroup/cgroup.procs
    ;;
  esac
  # shellcheck disable=SC2046 # words
  set -- $("$WORK" reads 4 32 $(echo "$@" | sed "s/PID/$running/"))
  if [ $# = 2 ]; then echo "read $name $cpus $*"; else failed=1; fi
  [ -z "$running" ] || kill $running
}

failed=0
measure none "$WORK" tick 10
# shellcheck disable=SC2086 # words
for way in '' plain-; do
  command=$ours${way:+ --share=never}
  measure ${way}all $command -a
  measure ${way}running $command -p PID
  measure ${way}sleeping $command -p $sleeping
  [ -n "$way" ] || measure cgroup $command -G bench
  measure ${way}cpu $command -C 0
done
for perf in /work/[0-9]*/perf; do
  [ -x "$perf" ] || continue
  command="$perf stat --bpf-counters -x, -I 10 -e $event"
  # shellcheck disable=SC2086 # words
  {
    measure perf-all $command -a
    measure perf-running $command -p PID
    measure perf-sleeping $command -p $sleeping
    measure perf-cpu $command -C 0
  }
  rm -f /sys/fs/bpf/perf_attr_map
done
kill $sleeping
exit $failed
