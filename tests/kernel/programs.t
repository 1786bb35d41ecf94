#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a BPF program costs (-b): its runs, counted one by one, and what each takes. The programs are of known length (tests/prog.c).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

PROG=${WORK%work}prog
PINS=/sys/fs/bpf/bperf-mini-test-$$
grep -q ' /sys/fs/bpf bpf ' /proc/mounts || skip_all "no bpffs on /sys/fs/bpf"
mkdir "$PINS" || skip_all "no folder can be made in /sys/fs/bpf"
trap 'tap_rc=$?; rm -rf "$PINS" "$TMP"; exit $tap_rc' EXIT
mode=
event=cpu-clock
! has_pmu || event=instructions
ROUNDS=150
LENGTH=$((ROUNDS * 4000))

ids_before
cp "$TMP/ids.before" "$TMP/ids.first"
long=$("$PROG" load long_loop $ROUNDS "$PINS/long") || { fail "a program can be loaded"; done_testing; }
short=$("$PROG" load a_name_of_more_than_15 1 "$PINS/short")

# bperf ARGUMENT...: sets status; the counts are in $TMP/out
bperf() {
  status=0
  "$BPERF" "$@" 2>"$TMP/out" </dev/null || status=$?
}

# row PROGRAM EVENT: the count, or "<not"; of intervals, of all of them
row() {
  awk -v name="$1" -v event="$2" '{ at = $1 ~ /^[0-9.]+$/ && NF > 3 ? 2 : 1 }
    $at == name && ($(at + 2) == event || $(at + 3) == event || $(at + 4) == event) { gsub(",", "", $(at + 1)); print $(at + 1) }' "$TMP/out"
}

# per_run PROGRAM EVENT
per_run() {
  awk -v name="$1" -v event="$2" '$1 == name && ($3 == event || $4 == event) { for (i = 4; i < NF; i++) if ($i == "#") print $(i + 1) }' "$TMP/out"
}

said() {
  grep -Eq "$1" "$TMP/out" && return
  cat "$TMP/out"
  return 1
}

if ! has_fexit; then
  # one line, with the kernel's word for it, and one of advice
  for list in "$long" all "name:long_loop,$short"; do
    bperf -e cpu-clock -b "$list" -- true
    is "$status" 125 "-b $list: cannot be counted here"
    ok "-b $list: the kernel's answer" said '^bperf-mini: this kernel lets nothing hang on BPF programs: cannot (load|attach) on_return: (Operation not permitted|Not supported by this kernel \(524\))$'
    is "$(grep -c '^bperf-mini: ' "$TMP/out")" 2 "-b $list: one line, and one of advice"
  done
fi
bperf -e cpu-clock -b 4000000000 -- true
is "$status" 125 "no such program: fails"
ok "no such program: is named" said '^bperf-mini: there is no BPF program 4000000000$'
bperf -e cpu-clock -b name:none_of_this_name -- true
is "$status" 125 "no such name: fails"
ok "no such name: is named" said "^bperf-mini: there is no BPF program named 'none_of_this_name'$"
bperf -e cpu-clock -b "pin:$PINS/none" -- true
ok "nothing is pinned there" said "^bperf-mini: cannot open $PINS/none: No such file"
"$PROG" map "$PINS/map"
bperf -e cpu-clock -b "pin:$PINS/map" -- true
is "$status" 125 "a map: fails"
ok "a map: is none" said "^bperf-mini: no BPF program is pinned at $PINS/map$"
none=$("$PROG" load no_btf 1 "$PINS/none" nobtf)
bperf -e cpu-clock -b "$none" -- true
is "$status" 125 "without BTF: fails"
ok "without BTF: is named" said "^bperf-mini: BPF program $none \(no_btf\) has no BTF$"
bperf -n -b "$long" -- true
is "$status" 0 "-n counts nothing"
bperf --share never -e cpu-clock -b "$long" -- true
is "$status" 2 "--share never: wrong usage"

leave() {
  rm -rf "$PINS"
  cp "$TMP/ids.first" "$TMP/ids.before"
  ok "nothing is left in the kernel" ids_become "$TMP/ids.before"
  done_testing
}
has_fexit || leave

# --- the numbers
bperf -e dummy,page-faults,$event -b "pin:$PINS/long" -- "$PROG" run "$PINS/long" 100
is "$status" 0 "status 0"
is "$(row "long_loop-$long" runs)" 100 "100 runs are 100"
is "$(row "long_loop-$long" dummy)" 0 "dummy is counted, though its first value is 0"
is "$(row "long_loop-$long" page-faults)" 0 "page-faults, too"
if has_pmu; then
  # the number itself: of runs in which the clock did not tick, which are most of those that are over in less than a millisecond; where all of
  # a session's work begins with a tick and takes as long each time, they are if the run is put off by a part of the time between two
  "$PROG" load a_loop 50 "$PINS/loop" >"$TMP/id"
  least=
  for try in $(seq 40); do
    bperf -e instructions -b name:a_loop -- sh -c "'$WORK' burn $((try % 4)); exec '$PROG' run '$PINS/loop' 1"
    count=$(row "a_loop-$(cat "$TMP/id")" instructions)
    [ "$count" -ge "${least:-$((count + 1))}" ] || least=$count
    [ "$least" -gt 202000 ] || break
  done
  rm "$PINS/loop"
  ok "instructions of one run of 200000" near "$least" 200000 1
  bperf -e instructions -b "pin:$PINS/long" -- "$PROG" run "$PINS/long" 100
  # a tick of the clock in a run belongs to it: of newer kernels up to 1.5 % here, where a CPU does 250 million a second
  ok "instructions of a run, and those that it is made of" near "$(per_run "long_loop-$long" instructions)" $LENGTH 2.5
  plain=$("$PROG" plain "$PINS/long" 100 | awk '{ print $1 / 100 }')
  ok "instructions of a run, and what a plain event of the task has seen" near "$(per_run "long_loop-$long" instructions)" "$plain" 1
else
  skip "instructions of a run" "no PMU"
fi
bperf -e cpu-clock -b "$long" -- "$PROG" run "$PINS/long" 100
ok "cpu-clock: of the time that passed" between "$(row "long_loop-$long" cpu-clock)" 0.01 "$(cpu_ms "$TMP/out" 1)"

# --- for other programs
bperf -j -e dummy -b "$short" -- "$PROG" run "$PINS/short" 9
ok "-j: the runs" said "\"program\" : \"a_name_of_more_than_15\", \"program-id\" : $short, \"program-runs\" : 9, \"counter-value\" : \"9\", .*\"event\" : \"runs\""
bperf -x, -e dummy,cpu-clock -b "$short" -- "$PROG" run "$PINS/short" 9
ok "-x: the runs" said "^a_name_of_more_than_15,$short,9,9,,runs,"
is "$(awk -F, '{ print NF }' "$TMP/out" | sort -u | wc -l)" 1 "-x: as many fields in each row"
bperf --openmetrics -e cpu-clock -b "$short" -- "$PROG" run "$PINS/short" 9
ok "--openmetrics: the runs" said "^bperf_program_runs\{.*program=\"a_name_of_more_than_15\",program_id=\"$short\".*\} 9$"

# --- which programs
: >"$TMP/errors"
bperf -v -e cpu-clock -b "name:long_loop,$none,4000000001,name:a_name_of_more_than_15" -- sh -c "$PROG run $PINS/long 7; $PROG run $PINS/short 1000"
is "$status" 0 "some cannot be counted, the others are"
ok "who has no BTF is named" said "BPF program $none \(no_btf\) has no BTF"
ok "who is not there is named" said 'there is no BPF program 4000000001'
ok "-v: what was attached" said "BPF program $short \(a_name_of_more_than_15\): fentry and fexit attached"
is "$(row "long_loop-$long" runs) $(row "a_name_of_more_than_15-$short" runs)" "7 1000" "two at once: each its own runs"
is "$(grep -c 'no_btf-' "$TMP/out")" 0 "no row for who is not counted"
bperf -e cpu-clock -b "name:a_name_of_more_,$short,$short" -- "$PROG" run "$PINS/short" 3
is "$(row "a_name_of_more_than_15-$short" runs)" 3 "by the name that the kernel has cut, and once however often it is meant"
bperf -e cpu-clock -b all -- "$PROG" run "$PINS/short" 5
is "$(row "a_name_of_more_than_15-$short" runs) $(row "long_loop-$long" runs)" "5 0" "all: those that run and those that do not"
is "$(row "long_loop-$long" cpu-clock)" "<not" "without a run there is no count"
ok "all: how many cannot be" said '^bperf-mini: -b all: BPF programs that cannot be counted: [0-9]+ \(-v says why\)$'
if sysctl -w net.core.bpf_jit_enable=0 >/dev/null 2>&1; then
  unjited=$("$PROG" load not_jited 1 "$PINS/unjited")
  sysctl -w net.core.bpf_jit_enable=1 >/dev/null
  bperf -e cpu-clock -b "$unjited" -- true
  is "$status" 125 "not JITed: fails"
  ok "not JITed: is named" said "^bperf-mini: BPF program $unjited \(not_jited\) is not JITed$"
else
  skip "a program that is not JITed" "the JIT cannot be switched off"
fi

# --- the window
bperf -I 100 --summary -e $event -b "$long" -- sh -c "for i in 1 2 3; do $PROG run $PINS/long 20; sleep 0.1; done"
intervals=$(sed -n '/Performance counter/q; p' "$TMP/out" >"$TMP/intervals"; awk '$4 == "runs" { sum += $3 } END { print sum }' "$TMP/intervals")
is "$intervals" 60 "-I: the runs of the intervals add up"
sed -i '1,/Performance counter/d' "$TMP/out"
is "$(row "long_loop-$long" runs)" 60 "--summary: to those of all"
total=$(row "long_loop-$long" $event)
ok "and so do the counts" near "$(awk -v e=$event '$4 == e || $5 == e { gsub(",", "", $3); sum += $3 } END { printf "%.2f\n", sum }' "$TMP/intervals")" "$total" 0.1
bperf -D 1000 -e cpu-clock -b "$short" -- sh -c "$PROG run $PINS/short 50; sleep 2; $PROG run $PINS/short 20"
is "$(row "a_name_of_more_than_15-$short" runs)" 20 "-D: only those of after"
bperf -r 3 -e $event -b "$short" -- "$PROG" run "$PINS/short" 40
is "$(row "a_name_of_more_than_15-$short" runs)" 40 "-r: the mean"

# the target runs all the time while we stop, by a timeout or a signal: what perf counts too much then is a large part of a second
last=$((cpus - 1))
"$PROG" spin "$PINS/long" $last &
spin=$!
sleep 0.3
for how in timeout signal; do
  if [ $how = timeout ]; then
    bperf -e $event -C $last -b "$long" --timeout 500
    is "$status" 0 "$how: status 0"
  else
    "$BPERF" -v -e $event -C $last -b "$long" 2>"$TMP/out" </dev/null &
    session=$!
    tries=0
    until grep -q 'fexit attached' "$TMP/out" || [ $tries -gt 100 ]; do
      sleep 0.1
      tries=$((tries + 1))
    done
    sleep 1
    kill -INT $session
    status=0
    wait $session || status=$?
    is "$status" 130 "$how: status 130"
  fi
  ok "$how: runs" between "$(row "long_loop-$long" runs)" 2 100000
  if has_pmu; then
    ok "$how: not more than the runs" near "$(per_run "long_loop-$long" instructions)" "$plain" 1
  else
    ok "$how: not more than the time" between "$(row "long_loop-$long" cpu-clock)" 1 "$(cpu_ms "$TMP/out" 1.02)"
  fi
done
kill $spin
wait $spin 2>/dev/null

# --- runs that are within or between others; where a kernel can be told to preempt runs, it is
preempt=/sys/kernel/debug/sched/preempt
[ -z "$is_guest" ] || { mode=$(sed -n 's/.*(\(.*\)).*/\1/p' $preempt && echo full >$preempt); } 2>/dev/null
"$PROG" spin "$PINS/long" $last $last &
spin=$!
sleep 0.3
bperf -e $event,cpu-clock -C $last -b "$long" --timeout 1000
kill $spin
wait $spin 2>/dev/null
[ -z "$mode" ] || echo "$mode" >$preempt
ok "two tasks that take turns on a CPU: runs" between "$(row "long_loop-$long" runs)" 2 100000
ok "not more than the time" between "$(row "long_loop-$long" cpu-clock | tail -n 1)" 1 "$(cpu_ms "$TMP/out" 1.02)"
! has_pmu || ok "each run its own" near "$(per_run "long_loop-$long" instructions)" "$plain" 2
if [ "$cpus" -gt 1 ]; then
  nested=$("$PROG" load nested $ROUNDS "$PINS/nested" raw)
  bperf -e $event,cpu-clock -C 0 -b "$nested" -o "$TMP/counts" -- "$PROG" nest "$PINS/nested" 200 1000 >"$TMP/nest"
  sed -n 's/^bperf-mini: \([0-9]*\) runs.*/\1/p' "$TMP/out" >"$TMP/missed"
  mv "$TMP/counts" "$TMP/out"
  runs=$(row "nested-$nested" runs)
  # of thousands one was seen to be in neither number: what interrupts our own program where the kernel does not yet know of it
  told=$((runs + $(cat "$TMP/missed" /dev/null | awk '{ n += $1 } END { print n + 0 }')))
  ok "runs in interrupts of others: all, or missed and said so" between "$told" "$(awk '{ print int($1 * 0.999) }' "$TMP/nest")" "$(cat "$TMP/nest")"
  ok "not more than the time" between "$(row "nested-$nested" cpu-clock | tail -n 1)" 1 "$(cpu_ms "$TMP/out" 1.02)"
  ! has_pmu || ok "those within others are in the sum once" near "$(per_run "nested-$nested" instructions)" $LENGTH 4
else
  skip "runs in interrupts of others" "one CPU"
fi

# --- where, beside what
if [ "$cpus" -gt 1 ]; then
  bperf -C 1 -e cpu-clock -b "$short" -- sh -c "$PROG run $PINS/short 30 0; $PROG run $PINS/short 40 1"
  is "$(row "a_name_of_more_than_15-$short" runs)" 40 "-C: the runs on those CPUs"
else
  skip "-C: the runs on those CPUs" "one CPU"
fi
bperf -e $event -b "$short" -p $$ -- "$PROG" run "$PINS/short" 30
is "$(row "a_name_of_more_than_15-$short" runs)" 30 "beside a process"
is "$(grep -c 'Performance counter' "$TMP/out")" 2 "in a block of its own"
"$BPERF" -e $event,cs -b "$short,$long" -- sleep 2 2>"$TMP/other" &
other=$!
sleep 0.7
bperf -e $event -b "$short" -- "$PROG" run "$PINS/short" 30
wait $other
is "$(row "a_name_of_more_than_15-$short" runs)" 30 "two sessions: one"
mv "$TMP/other" "$TMP/out"
is "$(row "a_name_of_more_than_15-$short" runs)" 30 "two sessions: the other"

# --- leaders, too, are BPF programs: what counting costs. All at once, each reading what the others are: no hang
# (by CPU, and read often: a leader runs when it is asked to)
"$BPERF" -e task-clock -a -I 10 -- sleep 3 2>/dev/null &
other=$!
sleep 0.5
bperf -e cpu-clock -b name:on_switch -- sh -c 'for i in 1 2 3 4 5; do sleep 0.02; done'
ok "a leader: runs" between "$(awk '$3 == "runs" { sum += $2 } END { print sum + 0 }' "$TMP/out")" 5 100000
bperf -e cpu-clock,cs -b all -- sh -c "$PROG run $PINS/short 10; sleep 0.1"
is "$status" 0 "all, beside another session"
is "$(row "a_name_of_more_than_15-$short" runs)" 10 "and the runs are right"
wait $other

# --- ends
"$BPERF" -e cpu-clock -b "$short,$none" -- sleep 1 2>"$TMP/out" &
session=$!
sleep 0.5
"$PROG" run "$PINS/short" 8
rm "$PINS/short"
status=0
wait $session || status=$?
is "$status" 0 "its owner unloads it meanwhile: the count goes on"
is "$(row "a_name_of_more_than_15-$short" runs)" 8 "and has its runs"
"$BPERF" -e cpu-clock -b "$long" -- sleep 100 2>/dev/null &
session=$!
sleep 0.7
kill -9 $session
wait $session 2>/dev/null
leave
