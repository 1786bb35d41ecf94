#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tasks, shared and unshared: children of children, many and short-lived ones, lists of processes and threads, the end of a
# count, ids that are used again, a row a thread. (One process or thread by itself: scopes.t. PID namespaces: corners.t.)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# What is counted by its id waits so long before its work: counting has begun by then. A guest's clock runs on while nobody works.
lead=600
[ -z "$is_guest" ] || lead=1000
# One that does not end is a failure, not the end of all.
counted() {
  timeout -s KILL 60 "$BPERF" "$@"
}

# low MS: what known work takes at least. Plain counting leaves out a little of each switch. The clocks of an emulated amd64
# machine's CPUs do not go alike: 85 of 100 ms were seen by plain counting, for a thread that moved.
low() {
  awk -v ms="$1" -v emulated="$is_guest$(uname -m)" 'BEGIN { print emulated == "1x86_64" ? ms * 0.8 : ms * 0.995 - 0.5 }'
}
# took NAME FILE MS SLACK: task-clock of MS ms of known work, and at most SLACK of what comes with it
took() {
  ok "$1" between "$(value "$2" task-clock)" "$(low "$3")" "$(high $(($3 + $4)))"
}

# The rows of --per-thread: "COMM-TID COUNT [UNIT] EVENT", and "others COUNT ..." when there are more than it has rows.
# rows FILE EVENT: "COMM TID VALUE" lines
rows() {
  awk -v event="$2" '$1 ~ /-[0-9]+$/ || $1 == "others" {
    i = 2
    if ($2 == "<not") i++
    if ($(i + 1) == "msec") name = $(i + 2); else name = $(i + 1)
    if (name != event) next
    tid = $1; sub(/.*-/, "", tid)
    comm = $1; sub(/-[0-9]+$/, "", comm)
    count = $2; gsub(",", "", count)
    print comm, tid, count }' "$1"
}
# row FILE EVENT COMM: the value of the first row of that name
row() { rows "$1" "$2" | awk -v comm="$3" '$1 == comm { print $3; exit }'; }
rows_sum() { rows "$1" "$2" | awk '{ sum += $3 } END { print sum + 0 }'; }
# rows_of FILE EVENT PATTERN: how many rows have such a name
rows_of() { rows "$1" "$2" | awk -v pattern="$3" '$1 ~ pattern' | wc -l; }
# tid_of PROCESS COMM
tid_of() {
  for task in "/proc/$1/task"/*; do
    if [ "$(cat "$task/comm" 2>/dev/null)" = "$2" ]; then echo "${task##*/}"; fi
  done
}
# row_took NAME FILE COMM MS SLACK
row_took() {
  ok "$1" between "$(row "$2" task-clock "$3")" "$(low "$4")" "$(high $(($4 + ${is_guest:+10}$5 + $4 / 10)))"
}

ids_before

# --- children of a command ----------------------------------------------------------------------------------------------
for share in always never; do
  counted --share=$share -e task-clock -- sh -c "$WORK burn 200 & $WORK burn 200 & wait" 2>"$TMP/out"
  took "--share=$share: two children of a shell" "$TMP/out" 400 60
  counted --share=$share -e task-clock -- sh -c "$WORK threads 4 50 & $WORK threads 4 50 & wait" 2>"$TMP/out"
  took "--share=$share: two children of four threads" "$TMP/out" 400 60
  mkfifo "$TMP/fifo"
  counted --share=$share -e task-clock -- sh -c "(sh -c '$WORK after 200 $WORK burn 200; echo >$TMP/fifo' &); read -r _ <$TMP/fifo" 2>"$TMP/out"
  took "--share=$share: a grandchild whose parent has ended" "$TMP/out" 200 40
  rm "$TMP/fifo"
  for i in -i --no-inherit; do
    counted --share=$share $i -e task-clock -- sh -c "$WORK burn 200 & $WORK burn 200 & wait" 2>"$TMP/out"
    ok "--share=$share $i: not the children" between "$(value "$TMP/out" task-clock)" 0.01 "$(high "${is_guest:+1}30")"
  done
done

# --- 8 threads and 20 children, two levels deep -------------------------------------------------------------------------
# 28 tasks of 50 ms, in which each touches 300 pages; 10 to 80 faults more come with a task. Plain counting ends before an
# ending process gives its memory back (from 6.16 on), shared counting after it: with many pages and little time these differ.
nest="nest 8 20 50 300"
events='task-clock,page-faults'
nested() { # NAME FILE
  took "$1: 28 tasks of 50 ms" "$2" 1400 60
  ok "$1: 28 tasks of 300 faults" between "$(value "$2" page-faults)" 8400 10700
}
# as the other, within 2 %; clocks of what competes in an emulated machine: see high()
agree() { # NAME CLOCK CLOCK FAULTS FAULTS
  ok "$1: task-clock agrees" near "$2" "$3" "${is_guest:+5}2"
  ok "$1: page-faults agree" near "$4" "$5" 2
}
# shellcheck disable=SC2086 # $nest is several words
for share in always never; do
  counted --share=$share -e $events -- "$WORK" $nest 2>"$TMP/nest.$share"
  nested "--share=$share, a command" "$TMP/nest.$share"
done
# shellcheck disable=SC2086
"$WORK" plain -w $events "$WORK" $nest >"$TMP/plain"
agree "a command, shared and unshared" "$(value "$TMP/nest.always" task-clock)" "$(value "$TMP/nest.never" task-clock)" \
  "$(value "$TMP/nest.always" page-faults)" "$(value "$TMP/nest.never" page-faults)"
agree "a command, shared and plain" "$(value "$TMP/nest.always" task-clock)" "$(plain "$TMP/plain" task-clock)" \
  "$(value "$TMP/nest.always" page-faults)" "$(plain "$TMP/plain" page-faults)"
# the same one, at the same time
# shellcheck disable=SC2086
"$WORK" after $lead "$WORK" $nest &
process=$!
counted --share=never -e $events -p $process 2>"$TMP/nest.never" &
never=$!
"$WORK" plain -p $process $events timeout -s KILL 60 "$BPERF" --share=always -e $events -p $process -o "$TMP/nest.always" >"$TMP/plain"
wait $never
nested "--share=always, a process" "$TMP/nest.always"
nested "--share=never, a process" "$TMP/nest.never"
agree "a process, shared and unshared" "$(value "$TMP/nest.always" task-clock)" "$(value "$TMP/nest.never" task-clock)" \
  "$(value "$TMP/nest.always" page-faults)" "$(value "$TMP/nest.never" page-faults)"
agree "a process, shared and plain" "$(value "$TMP/nest.always" task-clock)" "$(plain "$TMP/plain" task-clock)" \
  "$(value "$TMP/nest.always" page-faults)" "$(plain "$TMP/plain" page-faults)"

# --- a storm of children ------------------------------------------------------------------------------------------------
# 10,000 in 5 s on a host; as many as it can in an emulated machine. The kernel itself says how many faults there were
# (getrusage(2) of all that were waited for), so one lost child is 100 and more too few. A little more may be counted: where BPF
# programs do not run for the machine's first process (this kind of host), its faults are the next task's.
forks=10000
if [ -n "$is_guest" ]; then
  forks=500
else
  # children of nobody's: the kernel gives them the task structs that ours have left
  : >"$TMP/others"
  while [ -e "$TMP/others" ]; do (:); done &
fi
"$BPERF" -e page-faults,minor-faults,major-faults -- "$WORK" storm $forks 5000 100 50 2>"$TMP/out" >"$TMP/known" &
session=$!
sleep 1
grep -hE '^(VmHWM|Rss):' "/proc/$session/status" "/proc/$session/smaps_rollup" >"$TMP/early"
sleep 3.5
grep -hE '^(VmHWM|Rss):' "/proc/$session/status" "/proc/$session/smaps_rollup" >"$TMP/late"
wait $session
rm -f "$TMP/others"
known=$(cat "$TMP/known")
diag "$forks children, $known faults, of which bperf-mini counted $(value "$TMP/out" page-faults); $(tr -s '\n\t ' ' ' <"$TMP/early") and $(tr -s '\n\t ' ' ' <"$TMP/late")"
ok "a storm of $forks children: 100 faults each, and those of a birth" between "$known" $((forks * 100)) $((forks * 200))
ok "a storm of $forks children: none is lost, no other is counted: page-faults" between "$(value "$TMP/out" page-faults)" $((known - 60)) $((known + 250))
ok "a storm of $forks children: none is lost, no other is counted: minor-faults and major-faults" \
  between $(($(value "$TMP/out" minor-faults) + $(value "$TMP/out" major-faults))) $((known - 60)) $((known + 250))
ok "a storm of $forks children: about 5 s" between "$(seconds "$TMP/out")" 4.9 10
grew() { # FIELD: by how many KB it is more than Rss was. (Before 6.2 what /proc/PID/status has lags by up to 64 pages.)
  awk -v field="$1:" 'NR == FNR { early += $1 == "Rss:" ? $2 : 0; next } $1 == field { print $2 - early }' "$TMP/early" "$TMP/late"
}
number "$(grew Rss)" '<=' 32 "a storm of $forks children: what is in memory does not grow"
number "$(grew VmHWM)" '<=' 32 "a storm of $forks children: the most that was in memory does not grow"

# --- more children than there is room for -------------------------------------------------------------------------------
need=9000
memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
limit=$({ awk '/^Max processes/ { print $3 }' /proc/self/limits; cat /proc/sys/kernel/pid_max /proc/sys/kernel/threads-max; } | grep -v unlimited | sort -n | head -n 1)
if [ "$memory" -lt 1500 ] || [ "$limit" -lt $((need + 2000)) ]; then
  skip "more children than there is room for" "$need living processes do not fit into $memory MB, or $limit ids"
else
  counted --share=always -e page-faults -- "$WORK" hold $need 1 2>"$TMP/out"
  ok "more children than there is room for: status 0" [ $? = 0 ]
  ok "more children than there is room for: it says so" grep -Eq '^bperf-mini: .*could not be entered' "$TMP/out"
  lost=$(sed -n 's/^bperf-mini: \([0-9]*\) .*could not be entered.*/\1/p' "$TMP/out")
  ok "more children than there is room for: how many" between "$lost" $((need - 8192)) $((need - 8192 + 20))
  counted --share=always -e page-faults -- "$WORK" hold 8000 1 2>"$TMP/out"
  ok "as many children as there is room for: nothing to say" sh -c "! grep '^bperf-mini:' $TMP/out"
  counted --share=always -e page-faults -- sh -c "$WORK hold 5000 1; $WORK hold 5000 1" 2>"$TMP/out"
  ok "as many again when these are gone: nothing to say" sh -c "! grep '^bperf-mini:' $TMP/out"
fi

# --- lists of processes -------------------------------------------------------------------------------------------------
# both ARGUMENT...: a shared and an unshared count of the same tasks at once: $TMP/always and $TMP/never, and the two statuses
both() {
  counted --share=never "$@" 2>"$TMP/never" &
  never=$!
  status_always=0 status_never=0
  counted --share=always "$@" 2>"$TMP/always" || status_always=$?
  wait $never || status_never=$?
}
both_end() { # STATUS NAME
  is "$status_always" "$1" "--share=always, $2: status $1"
  is "$status_never" "$1" "--share=never, $2: status $1"
}
both_took() { # MS SLACK NAME
  took "--share=always, $3" "$TMP/always" "$1" "$2"
  took "--share=never, $3" "$TMP/never" "$1" "$2"
}
both_say() { # ERE NAME
  ok "--share=always, $2" grep -Eq "^bperf-mini: $1" "$TMP/always"
  ok "--share=never, $2" grep -Eq "^bperf-mini: $1" "$TMP/never"
}
both_lasted() { # LOW HIGH NAME
  ok "--share=always, $3" between "$(seconds "$TMP/always")" "$1" "$(high "$2")"
  ok "--share=never, $3" between "$(seconds "$TMP/never")" "$1" "$(high "$2")"
}

"$WORK" after $lead "$WORK" burn 40 &
one=$!
"$WORK" after $lead "$WORK" burn 60 &
two=$!
"$WORK" after $lead "$WORK" burn 80 &
both -e task-clock -p "$one, $two $!"
both_end 0 "three processes, between commas and blanks"
both_took 180 20 "three processes, between commas and blanks"

"$WORK" after $lead "$WORK" burn 50 &
both -e task-clock -p "$!,999999999"
both_end 0 "a dead one among living ones"
both_say '.*999999999' "a dead one among living ones: it is named"
both_took 50 15 "a dead one among living ones: the rest is counted"
both -e task-clock -p 999999998,999999999
both_end 125 "all are dead"
both_say 'cannot count process.* 999999998.*(there is none|ended)' "all are dead: the reason"
ok "all are dead: no count is printed" sh -c "! grep 'Performance counter' $TMP/always $TMP/never"

# its parent, a sleep, does not reap it
sh -c "sh -c 'echo \$\$ >$TMP/zombie' & exec sleep 5" &
parent=$!
sleep 0.3
zombie=$(cat "$TMP/zombie")
is "$(awk '/^State:/ { print $2 }' "/proc/$zombie/status")" Z "a zombie is at hand"
both -e task-clock -p "$zombie"
both_end 125 "a zombie"
both_say "cannot count process $zombie: .*ended" "a zombie: the reason"
"$WORK" after $lead "$WORK" burn 50 &
both -e task-clock -p "$zombie,$!"
both_end 0 "a zombie and another"
both_say ".*$zombie" "a zombie and another: it is named"
both_took 50 15 "a zombie and another: the other is counted"
kill $parent
wait $parent 2>/dev/null

# one thread of a process that has three
"$WORK" crowd 3 $lead 40 &
process=$!
sleep 0.2
thread=$(tid_of $process c1)
counted --share=always -e task-clock -p "$thread" 2>"$TMP/process" &
one=$!
counted --share=always -e task-clock -t "$thread,$thread" 2>"$TMP/thread" &
two=$!
counted --share=never -e task-clock -t "$thread,$thread" 2>"$TMP/thread.never" &
three=$!
both -e task-clock -p "$process,$process,$thread"
wait $one $two $three $process
both_end 0 "one process three times"
both_took 120 15 "one process three times counts once"
took "--share=always, -p of a thread's id counts the process" "$TMP/process" 120 15
took "--share=always, -t of it, twice, counts the thread" "$TMP/thread" 40 10
took "--share=never, -t of it, twice, counts the thread" "$TMP/thread.never" 40 10
# the first thread starts three more
"$WORK" crowd 2 $lead 40 5 3 &
process=$!
sleep 0.2
both -e task-clock -t $process
both_took 120 20 "-t counts the threads that the thread starts, and no other"
wait $process

# a hundred threads, and fifty that come while these run
"$WORK" crowd 100 $lead 3 5 50 &
process=$!
sleep 0.3
both -e task-clock -p $process
both_end 0 "100 threads, and 50 more"
both_took 450 "${is_guest:+8}45" "100 threads, and 50 more"
wait $process
"$WORK" after $lead "$WORK" spawn 40 5 5 &
both -e task-clock -p $!
both_took 200 20 "40 threads, one after the other"

# the last one's end is the end
"$WORK" after $lead "$WORK" burn 20 &
one=$!
"$WORK" after $((lead + 600)) "$WORK" burn 30 &
both -e task-clock -p "$one,$!"
both_took 50 15 "two that end one after the other"
both_lasted 0.8 3 "two that end one after the other: the last one's end is the end"

# the first thread ends before the others: while they are counted, and before
"$WORK" after $lead "$WORK" orphan 2 50 &
both -e task-clock -p $!
both_took 100 15 "a process whose first thread ends"
"$WORK" leaderless 3 $lead 50 &
process=$!
sleep 0.2
is "$(awk '/^State:/ { print $2 }' "/proc/$process/status")" Z "a process whose first thread has ended is at hand"
both -e task-clock -p $process
both_end 0 "a process whose first thread has ended"
both_took 150 15 "a process whose first thread has ended"
wait $process

# Another thread than the first executes a program: it gets the first one's id. Here, where the file is on a disk, it has to be read then: the
# thread is switched away from while it has that id, and before anybody is told.
cp "$WORK" "$TMP/unread"
sync "$TMP/unread"
dd "of=$TMP/unread" oflag=nocache conv=notrunc count=0 2>/dev/null
"$WORK" change $lead "$TMP/unread" burn 50 &
process=$!
sleep 0.2
for task in /proc/$process/task/*; do
  [ "${task##*/}" = "$process" ] || thread=${task##*/}
done
counted --share=always -e task-clock -t "$process,$thread" 2>"$TMP/threads" &
one=$!
counted --share=always --per-thread -e task-clock -p $process 2>"$TMP/rows" &
two=$!
both -e task-clock -p $process
wait $one $two $process
both_took 50 10 "a thread that executes a program, its process"
took "a thread that executes a program, both threads" "$TMP/threads" 50 10
ok "a thread that executes a program, --per-thread" between "$(rows_sum "$TMP/rows" task-clock)" "$(low 50)" "$(high 60)"

# what else ends it; one that takes a little time again and again (see scopes.t for what a busy one does to an emulated machine)
"$WORK" switches 100000000 &
other=$!
both -e task-clock -p $other --timeout 200
both_end 0 "--timeout"
both_lasted 0.199 0.8 "--timeout: time elapsed"
for share in always never; do
  : >"$TMP/$share"
  "$BPERF" --share=$share -e task-clock -I 100 --summary -p $other 2>"$TMP/$share" &
  session=$!
  ok "--share=$share, SIGINT: an interval came before it" is_there "$TMP/$share"
  kill -INT $session
  gone $session || kill -KILL $session
  wait $session
  ok "--share=$share, SIGINT: status 130" [ $? = 130 ]
  sed -n '/Performance counter stats/,$p' "$TMP/$share" >"$TMP/out"
  ok "--share=$share, SIGINT: the count is printed" between "$(value "$TMP/out" task-clock)" 0.1 "$(high 1500)"
done
both -e task-clock -p $other -- sh -c 'sleep 0.3; exit 7'
both_end 7 "-p with a command"
both_lasted 0.299 1 "-p with a command: ends with it"
for share in always never; do
  ok "--share=$share, -p with a command: the process is counted" between "$(value "$TMP/$share" task-clock)" 0.1 "$(high 1500)"
done
ok "the process goes on" kill -0 $other
kill $other
wait $other 2>/dev/null

for id in 0 -1 abc '' '1,abc' '1;2' 1x 99999999999; do
  counted -e task-clock -p "$id" 2>"$TMP/out"
  ok "-p '$id': status 2" [ $? = 2 ]
  ok "-p '$id': the reason" grep -q '^bperf-mini: -p' "$TMP/out"
done

# --- ids that are used again --------------------------------------------------------------------------------------------
# reused NAME OPTION ARGUMENT...: a task of 50 ms ends, another goes on being counted, a foreign one of 200 ms gets the id
reused() {
  name=$1 option=$2
  shift 2
  "$WORK" after $lead "$WORK" burn 50 &
  old=$!
  "$WORK" after $((lead + 800)) "$WORK" burn 20 &
  other=$!
  counted "$@" -e task-clock "$option" "$old,$other" 2>"$TMP/out" &
  session=$!
  sleep 0.2
  "$WORK" reuse $old sh -c "echo \$\$ >$TMP/reused; exec $WORK burn 200" &
  foreign=$!
  wait $old
  wait $foreign
  wait $session
  is "$(cat "$TMP/reused")" "$old" "$name: the id is used again"
  case $* in
  *--per-thread*) sum=$(rows_sum "$TMP/out" task-clock) ;;
  *) sum=$(value "$TMP/out" task-clock) ;;
  esac
  ok "$name: whoever has it then is not counted" between "$sum" "$(low 70)" "$(high 90)"
}
# shellcheck disable=SC2016
if ! "$WORK" reuse "$(sh -c 'echo $$')" true 2>/dev/null; then
  skip "ids that are used again" "a process with an id of our choice is refused"
else
  reused "--share=always, a process" -p --share=always
  reused "--share=never, a process" -p --share=never
  reused "--share=always, a thread" -t --share=always
  reused "--share=always, --per-thread, a process" -p --share=always --per-thread
  reused "--share=always, --per-thread, a thread" -t --share=always --per-thread
fi

# --- a row a thread -----------------------------------------------------------------------------------------------------
"$WORK" after $lead "$WORK" named 4 50 &
process=$!
counted --share=always -e task-clock,page-faults -p $process 2>"$TMP/total" &
total=$!
counted --per-thread -e task-clock,page-faults -p $process 2>"$TMP/out"
ok "--per-thread, a process: status 0" [ $? = 0 ]
wait $total
ok "--per-thread, a process: the header" grep -qx " Performance counter stats for process id '$process':" "$TMP/out"
ok "--per-thread, a process: a row's form" grep -Eq '^ {14}w0-[0-9]+ +[0-9.,]+ msec task-clock ' "$TMP/out"
for i in 0 1 2 3; do row_took "--per-thread, a process: the row of its thread w$i" "$TMP/out" w$i $((50 * (i + 1))) 5; done
is "$(rows "$TMP/out" task-clock | awk -v id="$process" '$2 == id { print $1 }')" work "--per-thread, a process: the row of its first thread"
is "$(rows_of "$TMP/out" task-clock .)" 5 "--per-thread, a process: no other row"
is "$(rows "$TMP/out" task-clock | awk '{ print $2 }' | sort -u | wc -l)" 5 "--per-thread, a process: each has an id of its own"
is "$(rows_of "$TMP/out" page-faults '^w[0-3]$')" 4 "--per-thread, a process: rows of a second event"
ok "--per-thread, a process: the rows are the whole" near "$(rows_sum "$TMP/out" task-clock)" "$(value "$TMP/total" task-clock)" 1
ok "--per-thread, a process: the rows are the whole, of a second event"   between "$(rows_sum "$TMP/out" page-faults)" "$(value "$TMP/total" page-faults)" "$(($(value "$TMP/total" page-faults) + 1))"

"$WORK" after $lead sh -c "$WORK burn 20; $WORK named 2 40 & wait" &
counted --per-thread -e task-clock -p $! 2>"$TMP/out"
row_took "--per-thread: threads of a child, w0" "$TMP/out" w0 40 5
row_took "--per-thread: threads of a child, w1" "$TMP/out" w1 80 5
ok "--per-thread: a child" between "$(rows "$TMP/out" task-clock | awk '$1 == "work" { print $3 }' | sort -n | tail -n 1)" "$(low 20)" "$(high 28)"
is "$(rows_of "$TMP/out" task-clock '^sh$')" 1 "--per-thread: the process itself"

counted --per-thread -e task-clock -- "$WORK" named 3 30 2>"$TMP/out"
ok "--per-thread, a command: status 0" [ $? = 0 ]
for i in 0 1 2; do row_took "--per-thread, a command: its thread w$i" "$TMP/out" w$i $((30 * (i + 1))) 5; done
is "$(rows_of "$TMP/out" task-clock '^work$')" 1 "--per-thread, a command: its first thread"

# threads that are there, shared and unshared, and two of them alone
"$WORK" crowd 4 $lead 30 &
process=$!
sleep 0.2
c1=$(tid_of $process c1) c3=$(tid_of $process c3)
counted --share=always --per-thread -e task-clock -t "$c1,$c3" 2>"$TMP/threads" &
threads=$!
both --per-thread -e task-clock -p $process
wait $threads $process
for share in always never; do
  for i in 0 1 2 3; do row_took "--per-thread --share=$share: thread c$i, which was there" "$TMP/$share" c$i 30 5; done
  is "$(rows "$TMP/$share" task-clock | awk -v id="$c1" '$2 == id { print $1 }')" c1 "--per-thread --share=$share: its id"
done
is "$(rows "$TMP/threads" task-clock | awk '{ print $1, $2 }' | sort)" "c1 $c1
c3 $c3" "--per-thread -t: a row for each of two threads"
row_took "--per-thread -t: the first of two threads" "$TMP/threads" c1 30 5
row_took "--per-thread -t: the second of two threads" "$TMP/threads" c3 30 5

"$WORK" crowd 100 $lead 3 5 40 &
process=$!
sleep 0.3
counted --per-thread -e task-clock -p $process 2>"$TMP/out"
wait $process
is "$(rows_of "$TMP/out" task-clock '^c[0-9]+$')" 100 "--per-thread: 100 threads that were there"
is "$(rows_of "$TMP/out" task-clock '^d[0-9]+$')" 40 "--per-thread: 40 threads that came"
ok "--per-thread: each of the 140 took 3 ms" between   "$(rows "$TMP/out" task-clock | awk '$1 ~ /^[cd]/ && $3 >= 2.99' | wc -l)" 140 140
ok "--per-thread: all of 140 threads" between "$(rows_sum "$TMP/out" task-clock)" "$(low 420)" "$(high "${is_guest:+1}465")"

# more than there are rows: the rest is one row, and nothing is lost
if [ -n "$is_guest" ]; then
  skip "--per-thread: more threads than rows" "5000 children take an emulated machine too long"
else
  counted --per-thread -e page-faults -- "$WORK" storm 5000 1500 100 50 2>"$TMP/out" >"$TMP/known"
  known=$(cat "$TMP/known")
  is "$(rows_of "$TMP/out" page-faults '^others$')" 1 "--per-thread: more threads than rows: a row for the rest"
  ok "--per-thread: more threads than rows: none is lost" between "$(rows_sum "$TMP/out" page-faults)" $((known - 60)) $((known + 250))
fi

if unshare -pf --mount-proc true 2>/dev/null; then
  unshare -pf --mount-proc sh -c "$WORK after $lead $WORK named 2 40 & exec $BPERF --per-thread -e task-clock -p \$!" 2>"$TMP/out"
  row_took "PID namespace: --per-thread" "$TMP/out" w1 80 5
  ok "PID namespace: --per-thread: ids as they are there" between "$(rows "$TMP/out" task-clock | awk '$2 > max { max = $2 } END { print max + 0 }')" 2 50
  unshare -pf --mount-proc sh -c "$WORK after $lead $WORK threads 2 50 & exec $BPERF --share=never -e task-clock -p \$!" 2>"$TMP/out"
  took "PID namespace: --share=never, a process by the id it has there" "$TMP/out" 100 15
else
  skip "PID namespace" "no PID namespace can be made here"
fi

# --- instructions -------------------------------------------------------------------------------------------------------
# Three threads of 2, 4 and 6 million instructions, three children of 2 million. On one CPU: the emulated machine's counter
# has the instructions of all of its CPUs, and adds a little by itself (pmu.t).
if has_pmu; then
  for share in always never; do
    counted --share=$share -e instructions:u -- taskset -c 0 "$WORK" loops 3 1000000 2>"$TMP/out"
    ok "--share=$share: instructions:u of three threads and three children" between "$(value "$TMP/out" instructions:u)" 18000000 18180000
  done
  counted --per-thread -e instructions:u,task-clock -- taskset -c 0 "$WORK" loops 3 1000000 2>"$TMP/out"
  for i in 0 1 2; do
    ok "--per-thread: instructions:u of thread l$i" near "$(row "$TMP/out" instructions:u l$i)" $((2000000 * (i + 1))) 1
  done
  ok "--per-thread: instructions:u of all" between "$(rows_sum "$TMP/out" instructions:u)" 18000000 18180000
else
  skip "instructions:u of threads and children" "this machine has no hardware counters"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
