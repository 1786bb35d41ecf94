#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counting without BPF: because it is asked for (--share=never), because BPF is refused (--share=auto), or not at all (--share=always).
# (Children, lists and rows of threads, shared and unshared: tasks.t. Signals: workload.t.)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

last=$((cpus - 1))
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
SPINS_BADLY="while one CPU of this emulated machine spins, a trigger on it takes 0.1 s of its clock"
# how much a short count may be off: percent, and ms. An emulated machine takes its time to start a program
percent=2 ms=15
[ -z "$is_guest" ] || percent=8 ms=30
# how long one that is counted by its id waits before its work: counting has begun by then
lead=500
[ -z "$is_guest" ] || lead=1200
spins_badly() { [ -n "$is_guest" ] && [ "$(uname -m)" = aarch64 ]; }

# never ARGUMENT...: an unshared count; what it prints is in $TMP/out
never() {
  "$BPERF" --share=never "$@" 2>"$TMP/out"
}

# rows FILE EVENT: the values of the intervals
rows() {
  awk -v event="$2" '$1 ~ /^[0-9]+\.[0-9]+$/ && length($1) - index($1, ".") == 9 {
    field = 3; value = $2
    if (value == "<not") { field = 4; value = 0 }
    if ($field == "msec") field++
    gsub(",", "", value)
    if ($field == event) print value }' "$1"
}
adds_up() { # FILE EVENT: the intervals to the summary, exactly
  rows "$1" "$2" | awk -v total="$(value "$1" "$2")" '{ sum += $1 }
    END { print NR " rows, sum " sum ", summary " total; exit !(NR >= 3 && sum > 0 && sum == total) }'
}

ids_before

# --- nothing of BPF -----------------------------------------------------------------------------------------------------
"$WORK" switches 100000 &
target=$!
pids='' n=0
while read -r scope; do
  # shellcheck disable=SC2086 # several words
  "$BPERF" --share=never -e task-clock,page-faults $scope --timeout 2500 2>"$TMP/scope$n" &
  pids="$pids $!" n=$((n + 1))
done <<END
-a
-C 0
-p $target
-t $target
-p $target --per-thread
-a -I 200
-p $target -D 100
-p $target -r 2
END
"$BPERF" --share=never -e task-clock,page-faults -o "$TMP/scope$n" -- sleep 2 &
pids="$pids $!" n=$((n + 1))
sleep 1.3
ok "nine unshared sessions: no program, map or link is made" ids_become "$TMP/ids.before"
"$BPERF" status >"$TMP/status" 2>&1
is "$(cat "$TMP/status")" "nothing is shared now" "nine unshared sessions: status knows of none"
failed=0
for pid in $pids; do wait "$pid" || failed=$((failed + 1)); done
is $failed 0 "nine unshared sessions: status 0"
is "$(cat "$TMP"/scope? | grep '^bperf-mini')" "" "nine unshared sessions: nothing to say about that"
is "$(grep -l 'task-clock' "$TMP"/scope? | wc -l | tr -d ' ')" 9 "nine unshared sessions: all have counted"
kill $target
wait $target 2>/dev/null
if [ -z "$is_guest" ] && strace -qq -o /dev/null -e trace=bpf true 2>/dev/null; then
  for scope in -a "-p $$" --; do
    # shellcheck disable=SC2086
    strace -f -qq -o "$TMP/trace" -e trace=bpf,flock "$BPERF" --share=never -e cpu-clock $scope "$WORK" burn 10 2>/dev/null
    is "$(cat "$TMP/trace")" "" "--share=never $scope: bpf(2) is not even called, no lock is taken"
  done
fi
"$WORK" deny bpf 1 "$BPERF" --share=never -e task-clock -- "$WORK" burn 50 2>"$TMP/out"
is "$? $(grep -c '^bperf-mini' "$TMP/out")" "0 0" "--share=never where bpf(2) is refused: no word of that"

# --- the same counts as others ------------------------------------------------------------------------------------------
# One window in the other. An emulated machine takes too long to start a shared count in an unshared one.
shared="$BPERF --share=always -o $TMP/always"
"$BPERF" --share=never -e cpu-clock,task-clock -a -o "$TMP/never" -- "$WORK" plain -a cpu-clock,task-clock sleep 1 >"$TMP/plain"
for event in cpu-clock task-clock; do
  ok "-a: $event is the time of all CPUs" near "$(value "$TMP/never" $event)" "$(cpu_ms "$TMP/never" "$cpus")" $percent
  ok "-a: $event as plain counting has it" near "$(value "$TMP/never" $event)" "$(plain "$TMP/plain" $event)" $percent
done
if [ -z "$is_guest" ]; then
  never -e cpu-clock -a -- $shared -e cpu-clock -a -- sleep 1
  ok "-a: as a shared count has it" near "$(value "$TMP/out" cpu-clock)" "$(value "$TMP/always" cpu-clock)" $percent
fi
never -e page-faults -a -- "$WORK" faults 3000
ok "-a: page faults of what runs meanwhile" between "$(value "$TMP/out" page-faults)" 3000 20000
for cpu in 0 $last "0-$last"; do
  never -e cpu-clock -C "$cpu" --timeout 300
  n=1
  case $cpu in *-*) n=$cpus ;; esac
  ok "-C $cpu: cpu-clock is the time of $n CPU(s)" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$n")" $percent
done
never -e page-faults -C 0 -- taskset -c $last "$WORK" faults 20000
ok "-C 0: not what runs on another CPU" between "$(value "$TMP/out" page-faults)" 0 10000
if spins_badly; then
  skip "a busy task" "$SPINS_BADLY"
else
  taskset -c $last "$WORK" spin &
  spinner=$!
  sleep 0.3
  for scope in -p -t; do
    never -e task-clock $scope $spinner -- "$WORK" plain -p $spinner task-clock sleep 1 >"$TMP/plain"
    ok "$scope: a busy task as plain counting has it" near "$(value "$TMP/out" task-clock)" "$(plain "$TMP/plain" task-clock)" $percent
    [ -z "$is_guest" ] || continue
    never -e task-clock $scope $spinner -- $shared -e task-clock $scope $spinner -- sleep 1
    ok "$scope: a busy task as a shared count has it" near "$(value "$TMP/out" task-clock)" "$(value "$TMP/always" task-clock)" $percent
  done
  never -e task-clock -p $spinner --timeout 200
  ok "-p: nothing from before the count" between "$(value "$TMP/out" task-clock)" 5 "$(awk -v s="$(seconds "$TMP/out")" -v ms=$ms 'BEGIN { print s * 1000 + ms }')"
  never -e task-clock -p $spinner -D 300 --timeout 200
  ok "-D 300: nothing from before the delay's end" between "$(value "$TMP/out" task-clock)" 5 "$(awk -v s="$(seconds "$TMP/out")" -v ms=$ms 'BEGIN { print s * 1000 + ms }')"
  never -e task-clock -p $spinner -I 100 --interval-count 5
  grep task-clock "$TMP/out" >"$TMP/rows"
  ok "-I 100: no row of a busy task is more than its time" awk -v ms=$ms '{ if ($2 < 5 || $2 > ($1 - before) * 1000 + ms) { print; wrong = 1 } before = $1 }
    END { exit wrong || NR != 5 }' "$TMP/rows"
  kill $spinner
  wait $spinner 2>/dev/null
fi
mkfifo "$TMP/ctl" "$TMP/ack"
exec 3<>"$TMP/ctl" 4<>"$TMP/ack"
"$BPERF" --share=never -e cpu-clock -C $last -D -1 --control "fifo:$TMP/ctl,$TMP/ack" 2>"$TMP/out" &
session=$!
answers=''
for command in ping enable disable stop; do
  sleep 0.3
  echo $command >&3
  answers="$answers $(timeout 10 head -n 1 <&4)"
done
wait $session
is "$?$answers" "0 ack ack ack ack" "--control: it obeys"
ok "--control: counted between enable and disable" between "$(value "$TMP/out" cpu-clock)" 295 "$(high 500)"
exec 3<&- 4<&-

for what in "burn 300" "threads 3 100" "orphan 3 100" "forks 6 50"; do
  # shellcheck disable=SC2086 # a word and its arguments
  never -e task-clock,page-faults -- "$WORK" $what
  is $? 0 "a command ($what): status 0"
  ok "a command ($what): 300 ms" between "$(value "$TMP/out" task-clock)" 299.5 "$(high 320)"
done
never -e page-faults -- "$WORK" faults 3000
"$BPERF" --share=always -e page-faults -- "$WORK" faults 3000 2>"$TMP/always"
"$WORK" plain -w page-faults "$WORK" faults 3000 >"$TMP/plain"
ok "a command: page faults as plain counting has them" near "$(value "$TMP/out" page-faults)" "$(plain "$TMP/plain" page-faults)" 2
ok "a command: page faults as a shared count has them" near "$(value "$TMP/out" page-faults)" "$(value "$TMP/always" page-faults)" 2
never -i -e task-clock -- "$WORK" forks 6 50
ok "-i: not the children" between "$(value "$TMP/out" task-clock)" 0.01 "$(high 30)"
never -e task-clock -- sh -c "exec $WORK burn 100"
ok "a command: a second exec changes nothing" between "$(value "$TMP/out" task-clock)" 99.9 "$(high 115)"
never -e task-clock,cpu-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,dummy -- "$WORK" switches 50
ok "eight events at once" [ "$(grep -Ec '^ +[0-9.,]+ +(msec )?[a-z-]+ ' "$TMP/out")" -ge 8 ]
ok "eight events at once: context switches" between "$(value "$TMP/out" context-switches)" 40 "$(high 100)"

# --- time ---------------------------------------------------------------------------------------------------------------
{
  echo "for _ in 1 2 3 4 5; do"
  echo "  $WORK faults 300"
  echo "  $WORK switches 20"
  echo "  sleep 0.06"
  echo "done"
} >"$TMP/load"
sums() { # TITLE OPTION...
  title=$1
  shift
  never -I 100 --summary -e page-faults,context-switches "$@"
  is $? 0 "-I --summary, $title: status 0"
  ok "-I --summary, $title: the intervals' page faults are exactly the summary's" adds_up "$TMP/out" page-faults
  ok "-I --summary, $title: and the context switches" adds_up "$TMP/out" context-switches
}
sums "a command" -- sh "$TMP/load"
ok "-I --summary, a command: all of it" between "$(value "$TMP/out" page-faults)" 1500 6000
"$WORK" after $lead sh "$TMP/load" &
sums "a process" -p $!
ok "-I --summary, a process: all of it" between "$(value "$TMP/out" page-faults)" 1500 6000
sums "all CPUs" -a -- sh "$TMP/load"
never -a -e cpu-clock -I 100 --timeout 1000
is "$(rows "$TMP/out" cpu-clock | wc -l | tr -d ' ')" 10 "-I 100 for 1 s: ten rows"
never -D 400 -e task-clock -- sh -c "$WORK after 1000 $WORK burn 100 & $WORK burn 100; $WORK after 1200 true; wait"
ok "-D 400, a command: what comes after that, of children that were there" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 115)"
never -D 400 -e task-clock,page-faults -- true
is "$? $(grep -c '<not counted>' "$TMP/out")" "0 2" "-D 400, a command that is over by then: <not counted>"
never -r 3 -e task-clock,page-faults -- "$WORK" faults 1000
is $? 0 "-r 3: status 0"
ok "-r 3: the title says so" grep -q '(3 runs):$' "$TMP/out"
ok "-r 3: the mean" between "$(value "$TMP/out" page-faults)" 1000 1100
ok "-r 3: how far it can be trusted" grep -Eq 'msec task-clock .*\( \+- *[0-9.]+% \)$' "$TMP/out"
never -r 2 -e cpu-clock -C 0 --timeout 100
ok "-r 2 -C 0: the mean" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" $percent
never --per-thread -e page-faults -- "$WORK" faults 500
ok "--per-thread, a command: a row with its id" grep -Eq '^ +work-[0-9]+ +[0-9]+ +page-faults' "$TMP/out"

# --- hardware -----------------------------------------------------------------------------------------------------------
if has_pmu; then
  never -e instructions:u,cycles -- "$WORK" loop 1000000
  ok "instructions:u of a loop" near "$(value "$TMP/out" instructions:u)" 2000000 1
  ok "cycles of a loop" [ "$(value "$TMP/out" cycles | grep -c '^[1-9]')" = 1 ]
  never -e instructions:u -- sh -c "$WORK loop 1000000 & $WORK loop 2000000 & wait"
  ok "instructions:u of children" near "$(value "$TMP/out" instructions:u)" 6000000 3
  never -e instructions:u -a -- "$WORK" loop 2000000
  ok "-a: instructions:u of what runs meanwhile" between "$(value "$TMP/out" instructions:u)" 4000000 8000000
  "$WORK" after $lead "$WORK" loop 1000000 &
  never -e instructions:u -p $!
  ok "-p: instructions:u of a loop" near "$(value "$TMP/out" instructions:u)" 2000000 2
else
  skip "hardware events" "this machine has no hardware counters"
fi

# --- where BPF is refused -----------------------------------------------------------------------------------------------
# noted REASON: exactly one line that says unshared, and why; nothing else is said
noted() {
  grep '^bperf-mini' "$TMP/out"
  [ "$(grep -c '^bperf-mini' "$TMP/out")" = 1 ] && grep -Eq "^bperf-mini: .*unshared.*: .*$1" "$TMP/out"
}
# refused TITLE REASON ADVICE ARGUMENT...: status 125, one line of why, one of advice
refused() {
  title=$1 reason=$2 advice=$3
  shift 3
  status=0
  "$@" >"$TMP/stdout" 2>"$TMP/out" || status=$?
  is $status 125 "$title: status 125"
  like "$(head -n 1 "$TMP/out")" "^bperf-mini: .*$reason" "$title: says why"
  like "$(sed -n 2p "$TMP/out")" "^bperf-mini: .*($advice)" "$title: advice"
  is "$(wc -l <"$TMP/out" | tr -d ' ')" 2 "$title: no more"
}
for errno in "1:Operation not permitted:seccomp" "38:Function not implemented:CONFIG_BPF_SYSCALL" "13:Permission denied:seccomp|CAP_BPF|root"; do
  number=${errno%%:*} advice=${errno##*:}
  reason=${errno#*:} reason=${reason%:*}
  deny="$WORK deny bpf $number $BPERF"
  $deny -e task-clock,page-faults -- "$WORK" burn 100 2>"$TMP/out"
  is $? 0 "bpf(2) says '$reason', a command: status 0"
  ok "bpf(2) says '$reason', a command: one line" noted "$reason"
  ok "bpf(2) says '$reason', a command: the count" between "$(value "$TMP/out" task-clock)" 99.9 "$(high 106)"
  $deny -e cpu-clock,task-clock -a --timeout 200 2>"$TMP/out"
  is $? 0 "bpf(2) says '$reason', -a: status 0"
  ok "bpf(2) says '$reason', -a: one line" noted "$reason"
  ok "bpf(2) says '$reason', -a: the count" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" $percent
  $deny -e cpu-clock -C 0 --timeout 200 2>"$TMP/out"
  ok "bpf(2) says '$reason', -C 0: one line" noted "$reason"
  ok "bpf(2) says '$reason', -C 0: the count" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" $percent
  "$WORK" after $lead "$WORK" forks 2 50 &
  $deny -e task-clock -p $! 2>"$TMP/out"
  ok "bpf(2) says '$reason', -p: one line" noted "$reason"
  ok "bpf(2) says '$reason', -p: the count, with children" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 112)"
  $deny -r 2 -e page-faults -- "$WORK" faults 1000 2>"$TMP/out"
  ok "bpf(2) says '$reason', -r 2: one line, not one a run" noted "$reason"
  for scope in -a --; do
    for option in --share=always --bpf-counters; do
      rm -f "$TMP/touched"
      refused "bpf(2) says '$reason', $option $scope" "$reason" "$advice" $deny $option -e cpu-clock $scope touch "$TMP/touched"
      ok "bpf(2) says '$reason', $option $scope: the command is not run" [ ! -e "$TMP/touched" ]
    done
  done
done
"$WORK" deny bpf 1 "$BPERF" -e nosuch -- true 2>"$TMP/out"
is "$? $(grep -c unshared "$TMP/out")" "2 0" "bpf(2) refused, a usage error: just that"
"$WORK" deny bpf 1 "$BPERF" -e dummy -- /nonexistent 2>"$TMP/out"
is $? 127 "bpf(2) refused, a command that is not there: 127"
"$WORK" deny bpf 1 "$BPERF" -e dummy -- sh -c 'exit 7' 2>"$TMP/out"
is $? 7 "bpf(2) refused: the command's own status"
"$WORK" deny bpf 1 "$BPERF" -e task-clock -p 999999999 2>"$TMP/out"
is $? 125 "bpf(2) refused, a process that is not there: status 125"
ok "bpf(2) refused, a process that is not there: the reason is that" grep -q '^bperf-mini: cannot count process 999999999: there is none' "$TMP/out"

# what would take perf events, too
for share in auto never always; do
  for scope in -a --; do
    refused "perf_event_open(2) refused, --share=$share $scope" "cannot (count|share) task-clock.*Permission denied" 'seccomp filter' \
      "$WORK" deny perf_event_open 13 "$BPERF" --share=$share -e task-clock $scope true
  done
done
status=0
"$WORK" deny perf_event_open 13 "$WORK" deny bpf 1 "$BPERF" -e task-clock -- true 2>"$TMP/out" || status=$?
is $status 125 "both refused: status 125"
ok "both refused: says so in three lines at most" between "$(wc -l <"$TMP/out")" 1 3

# --- no bpf file system -------------------------------------------------------------------------------------------------
if unshare -m true 2>/dev/null; then
  # umounted, or another file system over it
  for how in "while umount /sys/fs/bpf 2>/dev/null; do :; done" "mount -t tmpfs none /sys/fs/bpf"; do
    for option in --share=always --bpf-counters; do
      status=0
      unshare -m sh -c "mount --make-rprivate / 2>/dev/null; $how; exec $BPERF $option --no-mount -e cpu-clock -a -- sleep 0.1" 2>"$TMP/out" || status=$?
      is $status 125 "no bpffs ($how), $option --no-mount: status 125"
      ok "no bpffs ($how), $option --no-mount: says why" grep -Eq '^bperf-mini: .*no bpf file system on /sys/fs/bpf' "$TMP/out"
      ok "no bpffs ($how), $option --no-mount: in a line, or two with advice" between "$(wc -l <"$TMP/out")" 1 2
    done
    unshare -m sh -c "mount --make-rprivate / 2>/dev/null; $how; exec $BPERF --share=never -e task-clock -- $WORK burn 50" 2>"$TMP/out"
    ok "no bpffs ($how), --share=never: counts" between "$(value "$TMP/out" task-clock)" 49.5 "$(high 56)"
    is "$(grep -c '^bperf-mini' "$TMP/out")" 0 "no bpffs ($how), --share=never: no word of that"
  done
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none /sys/fs/bpf; $BPERF --share=never -e dummy -a -- true; ls -A /sys/fs/bpf" >"$TMP/ls" 2>/dev/null
  is "$(cat "$TMP/ls")" "" "no bpffs, --share=never: does not mount one"
else
  skip "no bpffs" "no mount namespace can be made here"
fi

# --- a user without rights ----------------------------------------------------------------------------------------------
user() {
  "$WORK" as 65534 "$BPERF" "$@" 2>"$TMP/out"
}
# may_count NAME: his own command, as perf does it; events are then called so
may_count() {
  for share in auto never; do
    user --share=$share -e "task-clock,page-faults" -- "$WORK" burn 100
    is $? 0 "$level, a user's own command, --share=$share: status 0"
    ok "$level, a user's own command, --share=$share: task-clock$1" between "$(value "$TMP/out" "task-clock$1")" 99.9 "$(high 106)"
    ok "$level, a user's own command, --share=$share: page-faults$1" between "$(value "$TMP/out" "page-faults$1")" 1 1000
    want=0
    [ $share = never ] || want=1
    is "$(grep -c '^bperf-mini: .*unshared' "$TMP/out")" $want "$level, a user's own command, --share=$share: said $want times that it is unshared"
  done
  user -e page-faults:u -- "$WORK" faults 1000
  ok "$level, a user's own command: page-faults:u is called just so" between "$(value "$TMP/out" page-faults:u)" 1000 1100
  if ! has_pmu; then
    # not that he may not
    refused "$level, a user, what this machine does not have" "this host cannot count cycles.*No such file" "virtual machine" \
      "$WORK" as 65534 "$BPERF" -e cycles -- true
  fi
  "$WORK" as 65534 "$WORK" after $((lead + 400)) "$WORK" burn 50 &
  # it is his from its exec on
  sleep 0.4
  user -e task-clock -p $!
  is $? 0 "$level, a user's own process: status 0"
  ok "$level, a user's own process: task-clock$1" between "$(value "$TMP/out" "task-clock$1")" 49.5 "$(high 56)"
  refused "$level, somebody else's process" "cannot count task-clock.*(Permission denied|Operation not permitted)" 'root|CAP_PERFMON|CAP_SYS_PTRACE' \
    "$WORK" as 65534 "$BPERF" -e task-clock -p $$ --timeout 100
}
level_is() { # what a user may do at this level
  level="perf_event_paranoid $1"
  if [ "$1" -gt 2 ]; then
    refused "$level, a user's own command" "cannot count task-clock.*(Permission denied|Operation not permitted)" perf_event_paranoid \
      "$WORK" as 65534 "$BPERF" -e task-clock -- true
  elif [ "$1" = 2 ]; then
    may_count :u
    # a :k that is not granted is no zero
    refused "$level, the kernel's part" "cannot count page-faults:k.*(Permission denied|Operation not permitted)" perf_event_paranoid \
      "$WORK" as 65534 "$BPERF" -e page-faults:k -- "$WORK" faults 100
  else
    may_count ''
  fi
  if [ "$1" -gt 0 ]; then
    refused "$level, a user, all CPUs" "cannot count cpu-clock.*(Permission denied|Operation not permitted)" perf_event_paranoid \
      "$WORK" as 65534 "$BPERF" -e cpu-clock -a -- true
  else
    user -e cpu-clock -a --timeout 200
    ok "$level, a user, all CPUs: counts" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" $percent
  fi
  refused "$level, a user, --share=always" "(Permission denied|Operation not permitted)" 'needs root|CAP_BPF' \
    "$WORK" as 65534 "$BPERF" --share=always -e task-clock -- true
  refused "$level, a user, --share=always -a" "(Permission denied|Operation not permitted)" 'needs root|CAP_BPF' \
    "$WORK" as 65534 "$BPERF" --share=always -e cpu-clock -a -- true
}
if [ -n "$is_guest" ]; then
  # 3 is Debian's own level; others take it for 2
  for number in -1 1 2 3; do
    echo $number >/proc/sys/kernel/perf_event_paranoid
    level_is $number
  done
  echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
else
  level_is "$paranoid"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
