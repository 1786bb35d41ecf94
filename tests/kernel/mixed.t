#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Several scopes in one session: the system, CPUs, cgroups, processes and threads at once, from one leader for each event.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/kernel/groups.sh
. "${0%/*}/groups.sh"

ids_before
last=$((cpus - 1))

# block FILE N: the Nth block of the output, without its title
block() {
  awk -v n="$2" '/^ Performance counter stats/ { at++; next } at == n' "$1" >"$TMP/block"
  echo "$TMP/block"
}
titles() { sed -n "s/^ Performance counter stats for \\(.*\\):\$/\\1/p" "$1" | tr '\n' ' '; }
# thread_value FILE EVENT TID: as value(), of the row of that thread; TID may be a pattern, and must not be of two rows
thread_value() {
  awk -v event="$2" -v tid="$3" 'match($0, "-" tid " ") { $0 = substr($0, RSTART + RLENGTH)
    at = $2 == "msec" || $2 == "counted>" ? ($3 == "msec" ? 4 : 3) : 2
    if ($at == event) { gsub(",", "", $1); print $1; exit } }' "$1"
}
# comm_value FILE EVENT COMM: likewise by the name
comm_value() {
  awk -v event="$2" -v comm="$3" 'index($1, comm "-") == 1 { at = $3 == "msec" ? 4 : 3
    if ($at == event) { gsub(",", "", $2); print $2; exit } }' "$1"
}

mkdir "$HERE/a" "$HERE/a/in" "$HERE/a/in/deep"

# --- blocks -------------------------------------------------------------------------------------------------------------
sleep 100 & one=$!
sleep 100 & two=$!
"$BPERF" -e dummy -p $two -C 0 -G "$OWN/a" -a -t $one -p $one -C 0-$last --timeout 50 2>"$TMP/out"
is "$? $(titles "$TMP/out")" \
  "0 process id '$two' 'CPU(s) 0' cgroup '$OWN/a' 'system wide' thread id '$one' process id '$one' 'CPU(s) 0-$last' " \
  "a block for each scope, in the order given"
is "$(grep -c ' dummy ' "$TMP/out") $(grep -c 'time elapsed' "$TMP/out")" "7 1" "a row in each, and one end"
"$BPERF" -e cpu-clock -C 0 -C 0-$last -a -- sleep 0.5 2>"$TMP/out"
is "$(titles "$TMP/out")" "'CPU(s) 0' 'CPU(s) 0-$last' 'system wide' " "-C twice and -a: all three"
ok "-C twice: the first" near "$(value "$(block "$TMP/out" 1)" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 2
ok "-C twice: the second" near "$(value "$(block "$TMP/out" 2)" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
ok "-C twice: and the system" near "$(value "$(block "$TMP/out" 3)" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
"$BPERF" -e cpu-clock -a -C 0 -- sleep 0.3 2>"$TMP/out"
is "$(titles "$TMP/out")" "'CPU(s) 0' " "-a -C LIST alone: as in perf, the list counts"
"$BPERF" -e cpu-clock -I 100 --timeout 250 -C 0 -G "$OWN/a" -p $one -a 2>"$TMP/out"
is "$(awk '!/^#/ { print $2 }' "$TMP/out" | head -n 8 | tr '\n' ' ')" \
  "cpu:0 cgroup:$(echo "$OWN/a" | cut -c1-9) pid:$one system cpu:0 cgroup:$(echo "$OWN/a" | cut -c1-9) pid:$one system " "-I: each row says of which scope it is"
ok "-I: the header has a column for it" grep -q '^#  *time scope  *counts unit events' "$TMP/out"
"$BPERF" -e cpu-clock,dummy -C 0 -p $one --timeout 50 2>"$TMP/out"
is "$(grep -c 'cpu-clock\|dummy' "$(block "$TMP/out" 2)")" 2 "several events: each in each block"
"$BPERF" -e dummy -a -C 0 -p $one -- sh -c 'exit 3' 2>"$TMP/out"
is "$? $(titles "$TMP/out")" "3 'system wide' 'CPU(s) 0' process id '$one' " "with a command: it says how long, its status is ours"
kill $one
"$BPERF" -e dummy -a -p $two --timeout 20000 2>"$TMP/out" &
session=$!
sleep 1
kill $two
wait $session
ok "-a -p: ends when the process does" between "$(seconds "$TMP/out")" 0.1 10
"$BPERF" -e dummy -p $$ -G "$OWN/none" -- true 2>"$TMP/out"
is "$? $(cat "$TMP/out")" "125 bperf-mini: -G: cannot open cgroup $HERE/none: No such file or directory" "one scope that is not there: nothing is counted"

# --- the system, three nested groups, two processes and eight threads at once -------------------------------------------
# All work is on one CPU, so that tasks are not charged for each other in an emulated machine, and begins when the count has.
start() { # GROUP COMMAND...: in the background
  start_group=$1
  shift
  sh "$IN" "$start_group" taskset -c $last "$WORK" after 2000 "$@" &
}
if has_pmu; then
  # Rounds of two instructions: of the first process 75, of the second 100 million; of the threads l0, l1, ... 5, 10, ... 40
  # million, and of eight children 5 each. What the kernel does meanwhile is in the count as well.
  work() { between "$1" "$(awk -v n="$2" 'BEGIN { print n * 0.9995 }')" "$(awk -v n="$2" 'BEGIN { print n * 1.06 }')"; }
  events=cycles,instructions
  start a "$WORK" loop 75000000
  first=$!
  start a/in "$WORK" loop 100000000
  second=$!
  start a/in/deep sh -c "$WORK loops 8 5000000; sleep 6"
  third=$!
  "$BPERF" -e $events -a --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/a/in/deep" -p $first -p $second --per-thread -t $third \
    -o "$TMP/out" -- "$WORK" plain -a $events sh -c "while [ -e /proc/$first ] || [ -e /proc/$second ]; do sleep 0.5; done; sleep 3" >"$TMP/plain" &
  session=$!
  sleep 1
  "$BPERF" status >"$TMP/status"
  # whose descriptors lead to events: the session's leaders keep theirs in maps, so these are plain's alone
  for fd in /proc/[0-9]*/fd/*; do readlink "$fd"; done 2>/dev/null | grep -c 'anon_inode:\[perf_event\]' >"$TMP/fds"
  wait $session
  is "$(titles "$TMP/out")" "'system wide' cgroup '$OWN/a,$OWN/a/in,$OWN/a/in/deep' process id '$first' process id '$second' thread id '$third' " \
    "all at once: five blocks"
  is "$(tail -n 1 "$TMP/status")" "hardware counters in use: $((2 * cpus)), saved by sharing: 0" "all at once: two counters a CPU"
  is "$(grep -c ': leader ' "$TMP/status")" 2 "all at once: one leader for each event"
  is "$(cat "$TMP/fds")" $((2 * cpus)) "all at once: no open descriptor is an event but plain counting's"
  ok "all at once: nothing was counted for a part of the time" sh -c "! grep -q '%)' $TMP/out"
  system=$(block "$TMP/out" 1)
  for event in cycles instructions; do
    ok "-a: $event as plain counting in the same window" near "$(value "$system" $event)" "$(plain "$TMP/plain" $event)" 2
  done
  ok "-a: no less than the work" between "$(value "$system" instructions)" 790000000 100000000000
  cp "$(block "$TMP/out" 2)" "$TMP/groups"
  ok "the innermost group: 440 million instructions" work "$(group_value "$TMP/groups" instructions "$OWN/a/in/deep")" 440000000
  ok "the one around it: 200 more" work "$(group_value "$TMP/groups" instructions "$OWN/a/in")" 640000000
  ok "the outermost: 150 more" work "$(group_value "$TMP/groups" instructions "$OWN/a")" 790000000
  cp "$(block "$TMP/out" 3)" "$TMP/first"
  cp "$(block "$TMP/out" 4)" "$TMP/second"
  cp "$(block "$TMP/out" 5)" "$TMP/third"
  ok "the first process: 150 million" work "$(thread_value "$TMP/first" instructions $first)" 150000000
  ok "the second process: 200 million" work "$(thread_value "$TMP/second" instructions $second)" 200000000
  for i in 0 1 2 3 4 5 6 7; do
    want=$(((i + 1) * 10000000))
    ok "thread l$i: $want" work "$(comm_value "$TMP/third" instructions "l$i")" $want
  done
  # one scope at a time, by plain events: the same work again. The groups have only their own, so inner ones are added.
  plain_task() { # GROUP COMMAND...
    start "$@"
    "$WORK" plain -t $! $events sh -c "while [ -e /proc/$! ]; do sleep 0.1; done" >"$TMP/plain"
    wait $!
  }
  total() { awk -v event=$1 '{ for (i = 2; i <= 4; i++) if ($i == event) { gsub(",", "", $(i - 1)); sum += $(i - 1) } } END { print sum + 0 }' "$2"; }
  plain_task a "$WORK" loop 75000000
  cp "$TMP/plain" "$TMP/plain1"
  plain_task a/in "$WORK" loop 100000000
  cp "$TMP/plain" "$TMP/plain2"
  plain_task a/in/deep sh -c "$WORK loops 8 5000000; sleep 6"
  cp "$TMP/plain" "$TMP/plain3"
  for event in cycles instructions; do
    ok "the first process, plain and alone: $event" near "$(thread_value "$TMP/first" $event $first)" "$(plain "$TMP/plain1" $event)" 2
    ok "the second process, plain and alone: $event" near "$(thread_value "$TMP/second" $event $second)" "$(plain "$TMP/plain2" $event)" 2
    ok "all threads and children, plain and alone: $event" near "$(total $event "$TMP/third")" "$(plain "$TMP/plain3" $event)" 2
    both=$(awk -v a="$(plain "$TMP/plain2" $event)" -v b="$(plain "$TMP/plain3" $event)" 'BEGIN { print a + b }')
    ok "the innermost group, plain and alone: $event" near "$(group_value "$TMP/groups" $event "$OWN/a/in/deep")" "$(plain "$TMP/plain3" $event)" 2
    ok "the one around it, plain and alone: $event" near "$(group_value "$TMP/groups" $event "$OWN/a/in")" "$both" 2
    ok "the outermost, plain and alone: $event" near "$(group_value "$TMP/groups" $event "$OWN/a")" \
      "$(awk -v a="$(plain "$TMP/plain1" $event)" -v b="$both" 'BEGIN { print a + b }')" 2
  done
  # Two of the counters of a CPU are taken, and no more: of seven there is room for five others, and not for six.
  "$BPERF" -e $events -a --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/a/in/deep" -p $$ -p $session -t $$ --timeout 60000 2>/dev/null &
  "$BPERF" -e $events -a --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/a/in/deep" -p $$ -t $$ --timeout 60000 2>/dev/null &
  session=$!
  sleep 2
  is "$("$WORK" many 5 instructions 0 1000)" 100 "beside it five plain events of a CPU run all the time"
  ok "and six do not: two are taken, and only two" between "$("$WORK" many 6 instructions 0 1000)" 1 99
  kill $session
  wait $session
fi

# clocks: eight threads by their ids, of 30 ms each; two processes of 100 and 150
start a "$WORK" burn 100
first=$!
start a/in "$WORK" burn 150
second=$!
sh "$IN" a/in/deep taskset -c $last "$WORK" crowd 8 2000 30 &
third=$!
sleep 0.5
set --
for task in "/proc/$third/task"/*; do [ "${task##*/}" = $third ] || set -- "$@" "${task##*/}"; done
is $# 8 "eight threads"
"$BPERF" -e cpu-clock,task-clock -a --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/a/in/deep" -p $first -p $second --per-thread -t "$(echo "$*" | tr ' ' ,)" \
  -o "$TMP/out" -- sh -c "while [ -e /proc/$first ] || [ -e /proc/$second ] || [ -e /proc/$third ]; do sleep 0.1; done" &
session=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.2
  "$BPERF" status >"$TMP/status"
  [ "$(grep -c ': leader ' "$TMP/status")" -lt 2 ] || break
done
wait $session
is "$(grep -c ': leader ' "$TMP/status")" 2 "clocks: one leader for each of the events"
cp "$(block "$TMP/out" 2)" "$TMP/groups"
cp "$(block "$TMP/out" 3)" "$TMP/first"
cp "$(block "$TMP/out" 4)" "$TMP/second"
cp "$(block "$TMP/out" 5)" "$TMP/third"
for event in cpu-clock task-clock; do
  ok "$event: -a is the time of all CPUs" near "$(value "$(block "$TMP/out" 1)" $event)" "$(cpu_ms "$TMP/out" "$cpus")" 2
  ok "$event: the innermost group" between "$(group_value "$TMP/groups" $event "$OWN/a/in/deep")" 239.5 "$(high 260)"
  ok "$event: the one around it" between "$(group_value "$TMP/groups" $event "$OWN/a/in")" 389.5 "$(high 420)"
  ok "$event: the outermost" between "$(group_value "$TMP/groups" $event "$OWN/a")" 489.5 "$(high 530)"
  ok "$event: the first process" between "$(thread_value "$TMP/first" $event "$first")" 99.5 "$(high 112)"
  ok "$event: the second process" between "$(thread_value "$TMP/second" $event "$second")" 149.5 "$(high 165)"
  right=0
  for task; do
    count=$(thread_value "$TMP/third" $event "$task")
    between "$count" 29.5 "$(high "$(high 36)")" >/dev/null && right=$((right + 1))
    [ -z "$is_guest" ] || diag "thread $task: $count"
  done
  ok "$event: each of eight threads" [ $right = 8 ]
  ok "$event: the groups are the sum of what is in them" near "$(group_value "$TMP/groups" $event "$OWN/a")" \
    "$(awk -v a="$(group_value "$TMP/groups" $event "$OWN/a/in")" -v b="$(thread_value "$TMP/first" $event "$first")" 'BEGIN { print a + b }')" 1
done

# --- baselines that agree -----------------------------------------------------------------------------------------------
# spread VALUE...: how far the largest is above the least, in percent
spread() { echo "$@" | awk '{ low = high = $1; for (i = 1; i <= NF; i++) { if ($i !~ /^[0-9.]+$/) { print "none"; exit }
  if ($i + 0 < low) low = $i + 0; if ($i + 0 > high) high = $i + 0 } print (NF == 3 && low > 0 ? (high - low) * 100 / low : "none") }'; }
if [ -z "$is_guest" ] || [ "$(uname -m)" != aarch64 ]; then
  # What others do on that CPU is the CPU's alone: a real-time task has it to itself. The least of five.
  fifo="chrt -f 10"
  $fifo true 2>/dev/null || fifo=
  least=100 window=300
  [ -z "$is_guest" ] || window=1000
  for _ in 1 2 3 4 5; do
    # shellcheck disable=SC2086 # a command or nothing
    sh "$IN" a taskset -c $last $fifo "$WORK" burn $((2 * window + 100)) &
    burner=$!
    sleep 0.2
    "$BPERF" -e cpu-clock -C $last -G "$OWN/a" -p $burner --timeout $window 2>"$TMP/out"
    kill $burner 2>/dev/null
    wait $burner 2>/dev/null
    found=$(spread "$(value "$(block "$TMP/out" 1)" cpu-clock)" "$(group_value "$(block "$TMP/out" 2)" cpu-clock "$OWN/a")" "$(value "$(block "$TMP/out" 3)" cpu-clock)")
    diag "a burner on CPU $last: its CPU's, its group's and its own cpu-clock differ by $found %"
    least=$(awk -v a="$least" -v b="$found" 'BEGIN { print (b != "none" && b + 0 < a ? b + 0 : a) }')
    awk -v a="$least" 'BEGIN { exit !(a <= 1) }' && break
  done
  ok "a burner: the CPU's, the group's and the process's cpu-clock agree" between "$least" 0 1
fi
if has_pmu; then
  # While a CPU spins, others' sleeps take long on an emulated machine: the count begins before the loop. What the CPU does in
  # that time, and what ends it, is not the loop's; nothing else is there.
  least=100
  for _ in 1 2 3; do
    sh "$IN" a taskset -c $last "$WORK" after 300 "$WORK" loop 500000000 &
    taskset -c 0 "$BPERF" -e instructions -C $last -G "$OWN/a" -p $! 2>"$TMP/out"
    cpu=$(value "$(block "$TMP/out" 1)" instructions)
    group=$(group_value "$(block "$TMP/out" 2)" instructions "$OWN/a")
    process=$(value "$(block "$TMP/out" 3)" instructions)
    found=$(spread "$cpu" "$group" "$process")
    diag "a loop on CPU $last: CPU $cpu, group $group, process $process instructions: they differ by $found %"
    least=$(awk -v a="$least" -v b="$found" 'BEGIN { print (b != "none" && b + 0 < a ? b + 0 : a) }')
    awk -v a="$least" 'BEGIN { exit !(a <= 0.1) }' && break
  done
  ok "a loop: the CPU's, the group's and the process's instructions agree within 0.1 %" between "$least" 0 0.1
  ok "a loop: they are its own" between "$process" 1000000000 1060000000
  # from its start to its end, user space: what a start adds is a few thousand
  sh "$IN" a taskset -c $last "$WORK" after 1000 "$WORK" loop 100000000 &
  taskset -c 0 "$BPERF" -e instructions:u,cpu-clock -C $last -G "$OWN/a" -p $! 2>"$TMP/out"
  for n in 1 2 3; do
    ok "a loop of 200000000 instructions, block $n" near "$(value "$(block "$TMP/out" $n)" instructions:u)" 200000000 0.5
  done
  ok "a loop: the group's and the process's cpu-clock agree" near "$(group_value "$(block "$TMP/out" 2)" cpu-clock "$OWN/a")" \
    "$(value "$(block "$TMP/out" 3)" cpu-clock)" 1
fi

# --- time ---------------------------------------------------------------------------------------------------------------
sh "$IN" a taskset -c $last "$WORK" after 500 "$WORK" burn 200 &
"$BPERF" -I 200 --summary -e task-clock -a -G "$OWN/a" -p $! 2>"$TMP/out"
sed -n '/^ Performance/,$p' "$TMP/out" >"$TMP/summary"
is "$(titles "$TMP/out")" "'system wide' cgroup '$OWN/a' process id '$!' " "-I --summary: the blocks"
sums=$(awk '$1 ~ /^[0-9]+\.[0-9]+$/ && $4 == "msec" { sub(/:.*/, "", $2); sum[$2] += $3 } END { print sum["system"], sum["cgroup"], sum["pid"] }' "$TMP/out")
ok "-I: the system's rows add up" near "${sums%% *}" "$(value "$(block "$TMP/summary" 1)" task-clock)" 0.05
ok "-I: the group's rows add up" near "$(echo "$sums" | cut -d' ' -f2)" "$(group_value "$(block "$TMP/summary" 2)" task-clock "$OWN/a")" 0.05
ok "-I: the process's rows add up" near "${sums##* }" "$(value "$(block "$TMP/summary" 3)" task-clock)" 0.05
ok "-I: the work" counted "$(block "$TMP/summary" 2)" task-clock "$OWN/a" 200
"$BPERF" -r 3 -e task-clock -C 0 -G "$OWN/a" -G "$OWN" -- sh "$IN" a "$WORK" burn 60 2>"$TMP/out"
ok "-r 3: the group's mean" counted "$(block "$TMP/out" 2)" task-clock "$OWN/a" 60
is "$(grep -c '(3 runs)' "$TMP/out")" 3 "-r 3: said in each block"

# --- plain events -------------------------------------------------------------------------------------------------------
start a "$WORK" burn 100
"$BPERF" --share=never -e task-clock -C 0-$last -p $! 2>"$TMP/out"
is "$? $(titles "$TMP/out")" "0 'CPU(s) 0-$last' process id '$!' " "--share=never: several scopes, too"
ok "--share=never: the process" between "$(value "$(block "$TMP/out" 2)" task-clock)" 99.5 "$(high 112)"
ok "--share=never: the CPUs" near "$(value "$(block "$TMP/out" 1)" task-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
