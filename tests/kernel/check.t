#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini check: each row is true, whatever is refused; what it comes to is what a session meets; nothing is left.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

last_row=sharing

# check COMMAND...: as it says, with COMMAND in front; sets status
check() {
  status=0
  "$@" "$BPERF" check -j >"$TMP/json" 2>"$TMP/err" || status=$?
}
# works NAME: true, false or null; says NAME: the answer; amount NAME: the number
works() { sed -n "s/^{\"check\" : \"$1\", \"works\" : \([a-z]*\), .*/\1/p" "$TMP/json"; }
says() { sed -n "s/^{\"check\" : \"$1\", .*\"answer\" : \"\([^\"]*\)\".*/\1/p" "$TMP/json"; }
amount() { sed -n "s/^{\"check\" : \"$1\", .*\"number\" : \(-*[0-9]*\), .*/\1/p" "$TMP/json"; }
# all_of VALUE NAMES: between commas
all_of() {
  value=$1
  echo "$2" | tr ',' '\n' >"$TMP/names"
  while read -r name; do
    [ "$(works "$name")" = "$value" ] || { echo "$name: $(works "$name")" && return 1; }
  done <"$TMP/names"
}
whole() { # a whole table, and nothing on stderr
  cat "$TMP/err"
  [ ! -s "$TMP/err" ] && [ "$(grep -c '^{"check" : "[A-Za-z _0-9]*", "works" : \(true\|false\|null\), .*}$' "$TMP/json")" = "$rows" ] &&
    [ "$(wc -l <"$TMP/json")" = "$rows" ]
}
# meets COMMAND...: what a session of $event meets: 0: it can share; 1: it can count; 3: it cannot
event=task-clock
meets() {
  if "$@" "$BPERF" --share=always -e $event -- true >"$TMP/session" 2>&1; then
    echo 0
  elif "$@" "$BPERF" --share=never -e $event -- true >"$TMP/session" 2>&1; then
    echo 1
  else
    echo 3
  fi
}
# judge TITLE WANT COMMAND...: the table of check and its status, and that a session meets the same
judge() {
  title=$1 want=$2
  shift 2
  check "$@"
  is "$status" "$want" "$title: status $want"
  ok "$title: a row for each" whole
  is "$(meets "$@")" "$want" "$title: a session meets just that"
}

ids_before
rows=$("$BPERF" check | grep -c '^[^ ]')
number "$rows" '>' 20 "so many rows"

# --- all of it ----------------------------------------------------------------------------------------------------------
check env
is $status 0 "root: status 0"
ok "root: a row for each" whole
is "$(sed -n '$s/.*"check" : "\([^"]*\)".*/\1/p' "$TMP/json")" $last_row "the last row is what it comes to"
ok "root: what sharing needs" all_of true \
  "own tasks,all CPUs,software events,BPF,JIT,raw tracepoints,leader,trigger,follower,children,object ids,bpffs,registry,capabilities,memlock,sharing"
if command -v python3 >/dev/null; then
  ok "strict JSON" python3 -c 'import json, sys
for line in open(sys.argv[1]):
  row = json.loads(line, parse_constant=lambda c: 1 / 0)
  assert set(row) >= {"check", "works", "answer"} and row["works"] in (True, False, None) and row["answer"], row
  assert row["works"] is not False or row["lost"] and row["advice"], row' "$TMP/json"
fi
is "$(says follower)" "on sched_switch, and on sched_process_exec" "a follower can be opened, and where"
if has_fexit; then
  is "$(works fexit) $(says fexit)" "true a program hangs on the leader" "fexit works: for -b, and for perf"
else
  is "$(works fexit)" false "fexit does not work"
  want='cannot load a program: Operation not permitted'
  [ -z "$is_guest" ] || want='cannot attach it: Not supported by this kernel (524)'
  is "$(says fexit)" "$want" "... for the kernel's own reason"
fi
is "$(amount perf_event_paranoid)" "$(cat /proc/sys/kernel/perf_event_paranoid)" "perf_event_paranoid as it is"
is "$(works 'vmlinux BTF')" "$([ -r /sys/kernel/btf/vmlinux ] && echo true || echo false)" "vmlinux BTF as it is"
is "$(works 'cgroup v2')" "$(grep -q ' - cgroup2 ' /proc/self/mountinfo && echo true || echo false)" "cgroup v2 as it is"
is "$(amount 'software events')" "$(says 'software events' | tr ',' '\n' | wc -l | tr -d ' ')" "so many software events as are named"
for event in $(says 'software events' | tr -d ,); do
  "$BPERF" -e "$event" -a -- true 2>"$TMP/out" && ! grep -q 'not supported' "$TMP/out" || fail "$event is named, and cannot be counted"
done
"$BPERF" check -v >"$TMP/out" 2>"$TMP/err"
is "$(grep -c '^ *lost without it: ' "$TMP/out") $(grep -c '^ *to get it: ' "$TMP/out")" "$rows $rows" "-v: what is lost and how to get it, of all"
"$BPERF" check >/dev/full 2>"$TMP/err"
is $? 125 "a full disk is a failure"
"$BPERF" status >"$TMP/out" 2>&1
is "$(cat "$TMP/out")" "nothing is shared now" "nothing is entered in the registry"

# --- hardware -----------------------------------------------------------------------------------------------------------
if has_pmu; then
  is "$(works PMU) $(works counters)" "true true" "there is a PMU"
  free=$(amount counters)
  number "$free" '>=' 1 "counters are free"
  [ "$(uname -m)" != aarch64 ] || is "$free" 7 "the emulated PMU has 7 counters for cycles"
  like "$(says 'hardware events')" '(^|, )cycles(,|$)' "cycles is among the events"
  like "$(says 'hardware events')" '(^|, )instructions(,|$)' "instructions, too"
  "$WORK" plain -a cycles,cycles sleep 3 >"$TMP/plain" &
  sleep 1
  check env
  is "$(amount counters)" $((free - 2)) "two fewer are free while plain events take two"
  wait
  is "$(awk '$1 == "cycles" && $3 != $4' "$TMP/plain")" "" "... and these go on all the time"
  # more than there are: they take turns
  "$WORK" plain -a "$(yes cycles | head -n $((free + 1)) | paste -sd, -)" sleep 3 >/dev/null &
  sleep 1
  check env
  is "$(works counters) $(amount counters)" "false 0" "none is free where more events than counters take turns"
  is $status 0 "... and sharing works all the same"
  wait
  "$BPERF" -e cycles,instructions -a -o "$TMP/session" -- sleep 2 &
  sleep 1
  check env
  check env
  wait
  unlike "$(cat "$TMP/session")" '%\)' "a session beside it counts all the time"
else
  is "$(works PMU) $(works counters) $(works 'hardware events') $(amount 'hardware events')" "false null false 0" "there is no PMU"
  like "$(says PMU)" 'cannot count cycles on CPU [0-9]+: No such file or directory' "... in the kernel's words"
  is $status 0 "... and sharing works all the same"
fi

# --- what is refused ----------------------------------------------------------------------------------------------------
# what sessions join, if they can
"$BPERF" -e task-clock -a --timeout 120000 2>/dev/null &
session=$!
sleep 1
judge "root" 0 env
judge "a user" 1 "$WORK" as 65534
ok "a user: BPF is refused" all_of false "BPF,registry,capabilities,sharing"
ok "a user: the rest was not tried" all_of null "JIT,raw tracepoints,leader,trigger,follower,fexit,children,object ids"
is "$(says BPF)" "cannot create a map: Operation not permitted" "a user: the kernel's words"
is "$(works 'own tasks')" true "a user: his own tasks"
if [ -n "$is_guest" ]; then
  # 3 is Debian's own level
  for level in -1:1:true 1:1:false 2:1:false 3:3:false; do
    echo "${level%%:*}" >/proc/sys/kernel/perf_event_paranoid
    want=${level#*:}
    judge "a user, perf_event_paranoid ${level%%:*}" "${want%:*}" "$WORK" as 65534
    is "$(works 'all CPUs') $(works perf_event_paranoid) $(amount perf_event_paranoid)" "${level##*:} ${level##*:} ${level%%:*}" \
      "a user, perf_event_paranoid ${level%%:*}: as the rows say"
  done
  echo -1 >/proc/sys/kernel/perf_event_paranoid
fi
if setpriv --bounding-set -sys_admin true 2>/dev/null; then
  judge "no CAP_SYS_ADMIN" 1 setpriv --bounding-set -sys_admin
  ok "no CAP_SYS_ADMIN: BPF works" all_of true "all CPUs,BPF,leader,trigger,follower,children,bpffs"
  ok "no CAP_SYS_ADMIN: but for joining" all_of false "object ids,capabilities,sharing"
  is "$(says capabilities)" "no CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON" "no CAP_SYS_ADMIN: is said"
  judge "no CAP_BPF" 0 setpriv --bounding-set -bpf
  is "$(says capabilities)" "CAP_SYS_ADMIN, no CAP_BPF, CAP_PERFMON" "no CAP_BPF: is said"
  judge "no CAP_PERFMON" 0 setpriv --bounding-set -perfmon
  judge "only CAP_PERFMON of the three" 1 setpriv --bounding-set -sys_admin,-bpf
  ok "only CAP_PERFMON: all CPUs" all_of true "all CPUs,own tasks"
  judge "none of the three" 1 setpriv --bounding-set -sys_admin,-bpf,-perfmon
  judge "a user with CAP_BPF and CAP_PERFMON" 1 setpriv --reuid 65534 --clear-groups --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon
  ok "a user with CAP_BPF and CAP_PERFMON: what works" all_of true "all CPUs,BPF,JIT,raw tracepoints,leader,trigger,follower,children"
  ok "a user with CAP_BPF and CAP_PERFMON: what does not" all_of false "object ids,registry,capabilities,sharing"
else
  skip "capabilities one by one" "there is no setpriv"
fi
for errno in "1:Operation not permitted" "38:Function not implemented" "13:Permission denied"; do
  judge "bpf(2) says ${errno#*:}" 1 "$WORK" deny bpf "${errno%%:*}"
  is "$(says BPF)" "cannot create a map: ${errno#*:}" "bpf(2) says ${errno#*:}: told so"
  event=minor-faults # a leader that is there could be joined without that call
  judge "perf_event_open(2) says ${errno#*:}" 3 "$WORK" deny perf_event_open "${errno%%:*}"
  ok "perf_event_open(2) says ${errno#*:}: BPF works" all_of true "BPF,raw tracepoints,children,object ids,bpffs,registry"
  like "$(says 'all CPUs')" "cpu-clock on CPU [0-9]+: ${errno#*:}" "perf_event_open(2) says ${errno#*:}: told so"
  event=task-clock
done
event=minor-faults
judge "perf_event_open(2) says No such file or directory" 3 "$WORK" deny perf_event_open 2
judge "both refused" 3 "$WORK" deny perf_event_open 13 "$WORK" deny bpf 1
event=task-clock
judge "no locked memory" 0 sh -c 'ulimit -l 0; exec "$@"' sh
is "$(amount memlock)" 0 "no locked memory: is said"
check sh -c 'ulimit -n 3; exec "$@"' sh
ok "no descriptor: all rows, all the same" whole

# Each call of bpf(2) and perf_event_open(2), refused by itself: a table, a status that goes with its last row, and no more.
# --- (rows are true of what was done; that the session would meet the same is not asked: its calls are others)
if [ -z "$is_guest" ] && strace -qq -o /dev/null -e trace=bpf true 2>/dev/null; then
  wrong=
  for call in bpf perf_event_open; do
    calls=$(strace -qq -e trace=$call "$BPERF" check 2>&1 >/dev/null | grep -c "^$call(")
    number "$calls" '>' 15 "so many calls of $call"
    n=0
    while [ $n -lt "$calls" ]; do
      n=$((n + 1))
      check strace -qq -o /dev/null -e trace=$call -e inject=$call:error=EPERM:when=$n
      whole >/dev/null && { [ $status = 0 ] || [ $status = 1 ]; } && [ "$(works $last_row)" = "$([ $status = 0 ] && echo true || echo false)" ] ||
        wrong="$wrong $call:$n:$status"
    done
  done
  is "$wrong" "" "each call refused by itself"
else
  skip "each call refused by itself" "there is no strace"
fi

# --- without /proc, /sys and bpffs --------------------------------------------------------------------------------------
if unshare -m true 2>/dev/null; then
  # without HOW: COMMAND... in a namespace without that
  without() {
    how=$1
    shift
    unshare -m sh -c "mount --make-rprivate / 2>/dev/null; $how"' && exec "$@"' sh "$@"
  }
  judge "no /proc" 0 without "mount -t tmpfs none /proc"
  is "$(works perf_event_paranoid) $(works 'cgroup v2')" "null false" "no /proc: what cannot be told"
  judge "no /sys" 1 without "mount -t tmpfs none /sys"
  like "$(says $last_row)" '^bpffs: no /sys/fs/bpf: No such file' "no /sys: told so"
  ok "no /sys: BPF works" all_of true "BPF,JIT,raw tracepoints,leader,trigger,follower,children,object ids"
  judge "neither" 1 without "mount -t tmpfs none /sys && mount -t tmpfs none /proc"
  judge "no bpffs" 0 without "mount -t tmpfs none /sys/fs/bpf"
  like "$(says bpffs)" '^none on /sys/fs/bpf: the first session mounts it' "no bpffs: told so"
  without "mount -t tmpfs none /sys/fs/bpf" sh -c "$BPERF check >/dev/null; ls -A /sys/fs/bpf; grep ' /sys/fs/bpf ' /proc/mounts | tail -n 1" >"$TMP/out"
  like "$(cat "$TMP/out")" '^[^ ]* /sys/fs/bpf tmpfs' "no bpffs: none is mounted"
  is "$(wc -l <"$TMP/out" | tr -d ' ')" 1 "no bpffs: nothing is made in its place"
  if setpriv --bounding-set -sys_admin true 2>/dev/null; then
    check without "mount -t tmpfs none /sys/fs/bpf" setpriv --bounding-set -sys_admin
    is "$(says bpffs)" "none on /sys/fs/bpf, and cannot mount one: Operation not permitted" "no bpffs, and no right to mount it"
  fi
  check without "mount -t bpf none /sys/fs/bpf"
  is "$(works registry) $(says registry)" "true none yet: the first session makes it" "a new bpffs: no registry yet"
  check without "mount -t bpf none /sys/fs/bpf && mount -o remount,bind,ro /sys/fs/bpf"
  is "$status $(works registry) $(says registry)" "1 false none yet, and cannot make it: Read-only file system" "a bpffs that cannot be written"
else
  skip "without /proc, /sys and bpffs" "no mount namespace can be made here"
fi

# --- the registry's lock ------------------------------------------------------------------------------------------------
"$PEER" flock /sys/fs/bpf/bperf_mini 60 >"$TMP/locked" &
holder=$!
ok "another holds the lock" is_there "$TMP/locked"
check env
is "$status $(works registry)" "1 false" "... and sharing does not work"
like "$(says registry)" "^process $holder has held the lock of /sys/fs/bpf/bperf_mini" "... as is said"
kill $holder
wait $holder 2>/dev/null

kill $session
wait $session 2>/dev/null
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
