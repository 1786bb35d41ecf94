#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Time: intervals, delays, timeouts, repeated runs, and a FIFO that says when to count.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

last=$((cpus - 1))
SPINS_BADLY="while one CPU of this emulated machine spins, a trigger on it takes 0.1 s of its clock"
# how much a short count may be off: percent, and ms, also at its start. A trigger takes its time in an emulated machine
percent=2 ms=5 start_ms=15
[ -z "$is_guest" ] || percent=8 ms=20 start_ms=60
# how long one that is counted by its id waits before its work: counting has begun by then
lead=400
[ -z "$is_guest" ] || lead=1200
spins_badly() { [ -n "$is_guest" ] && [ "$(uname -m)" = aarch64 ]; }

# rows FILE EVENT: "TIME VALUE" for each interval; the time in ms, the value as value() has it, "none" for <not counted>
rows() {
  awk -v event="$2" '$1 ~ /^[0-9]+\.[0-9]+$/ && length($1) - index($1, ".") == 9 {
    field = 3; value = $2
    if (value == "<not") { field = 4; value = "none" }
    if ($field == "msec") field++
    gsub(",", "", value)
    if ($field == event) printf "%.3f %s\n", $1 * 1000, value }' "$1"
}

# adds_up FILE EVENT: the intervals are several, and their sum is the summary's count to the last one
adds_up() {
  rows "$1" "$2" | awk -v total="$(value "$1" "$2")" '{ sum += $2 }
    END { print NR " rows, sum " sum ", summary " total; exit !(NR >= 2 && sum > 0 && sum == total) }'
}

uptime_ms() { awk '{ printf "%.0f\n", $1 * 1000 }' /proc/uptime; }

# A script that is told by a file how often it was run: $n. nth TEXT
nth() {
  echo 0 >"$TMP/n"
  { echo "read -r n <$TMP/n; n=\$((n + 1)); echo \$n >$TMP/n"; echo "$1"; } >"$TMP/nth"
}

ids_before

# --- the grid of intervals ----------------------------------------------------------------------------------------------
"$BPERF" -a -e cpu-clock -I 100 --timeout 5000 2>"$TMP/out"
is $? 0 "-I 100 for 5 s: status 0"
rows "$TMP/out" cpu-clock >"$TMP/rows"
is "$(grep -c '' "$TMP/rows")" 50 "-I 100 for 5 s: 50 rows"
header='#           time             counts unit events'
is "$(grep -n '^#' "$TMP/out" | tr '\n' ' ')" "1:$header 27:$header " "-I: a header at first and after each 25 intervals"
is "$(grep -Evc '^ {5}[0-9]\.[0-9]{9} +[0-9,.]+ msec cpu-clock|^#' "$TMP/out")" 0 "-I: nothing else, no title and no footer"
ok "-I 100: each row is there when it should be" awk '{ late = $1 - NR * 100
  if (late < -1 || late > 60) { print NR, $0; wrong = 1 } } END { exit wrong || !NR }' "$TMP/rows"
# late FROM TO: the least lateness of these rows, in ms
late() {
  awk -v from="$1" -v to="$2" 'NR >= from && NR <= to { late = $1 - NR * 100; if (min == "" || late < min) min = late }
    END { print min }' "$TMP/rows"
}
# the 50th is the timeout's
ok "-I 100: no drift, the last rows are as near as the first" \
  awk -v first="$(late 1 10)" -v last="$(late 40 49)" 'BEGIN { print "the first late by " first " ms, the last by " last
    exit !(last != "" && last - first < 2) }'
ok "-I 100: each row counts the time since the one before" awk -v cpus="$cpus" -v ms=$ms '{ off = ($2 - ($1 - before) * cpus) / cpus; before = $1
  if (off > ms || off < -ms) { print NR, $0, "off by " off; wrong = 1 } } END { exit wrong || !NR }' "$TMP/rows"
ok "-I 100: and all of them the 5 s" near "$(awk '{ sum += $2 } END { print sum }' "$TMP/rows")" $((5000 * cpus)) 2

"$BPERF" -a -e cpu-clock,page-faults -I 50 --interval-count 7 2>"$TMP/out"
is $? 0 "--interval-count 7: status 0"
is "$(rows "$TMP/out" cpu-clock | grep -c '') $(rows "$TMP/out" page-faults | grep -c '')" "7 7" \
  "--interval-count 7: seven rows of each event"
# shellcheck disable=SC2016 # for the other sh
"$BPERF" -e task-clock -I 50 --interval-count 3 -- sh -c 'echo $$ >"$0"; exec "$1" after 100000 true' "$TMP/pid" "$WORK" 2>"$TMP/out"
is $? 143 "--interval-count 3, a command that goes on: it is ended by TERM"
is "$(rows "$TMP/out" task-clock | grep -c '')" 3 "--interval-count 3, a command that goes on: three rows"
ok "--interval-count 3, a command that goes on: it is gone" gone "$(cat "$TMP/pid")"

# --- stopped and continued ----------------------------------------------------------------------------------------------
"$BPERF" -C 0 -e cpu-clock -I 100 --timeout 2500 2>"$TMP/out" &
session=$!
sleep 0.75
kill -STOP $session
sleep 1
kill -CONT $session
wait $session
is $? 0 "stopped for 1 s: status 0"
rows "$TMP/out" cpu-clock >"$TMP/rows"
ok "stopped for 1 s: one long interval, no burst, then the deadlines as before" awk '{
    took = $1 - before; before = $1
    if (took > 800) long++
    else if (took > 180) late++
    else if (took < 50) short++
    if (took <= 800 && $1 % 100 > 50 && $1 % 100 < 99) astray++
    print $1 " ms: " took }
  END { print NR " rows: " long + 0 " long, " late + 0 " late, " short + 0 " short, " astray + 0 " not on a deadline"
    exit !(NR >= 14 && NR <= 17 && long == 1 && !late && short <= 1 && !astray) }' "$TMP/rows"
ok "stopped for 1 s: nothing is lost" near "$(awk '{ sum += $2 } END { print sum }' "$TMP/rows")" 2500 2

# --- a CPU that never switches, and where a count begins -----------------------------------------------------------------
spinner=
if spins_badly; then
  skip "a pinned busy task" "$SPINS_BADLY"
else
  taskset -c $last "$WORK" spin &
  spinner=$!
  sleep 0.3
  "$BPERF" -C $last -e cpu-clock -I 100 --interval-count 8 2>"$TMP/out"
  rows "$TMP/out" cpu-clock >"$TMP/rows"
  ok "a CPU with one busy task: each row of -C counts its 100 ms" awk -v ms=$ms '{ off = $2 - ($1 - before); before = $1
    if (off > ms || off < -ms || $2 > 160) { print NR, $0, "off by " off; wrong = 1 } } END { exit wrong || NR != 8 }' "$TMP/rows"
  # first OPTION...: the first row of five runs counts no more than its time; one may be late on a busy host, two in an emulated machine
  first() {
    : >"$TMP/first"
    for _ in 1 2 3 4 5; do
      "$BPERF" -e task-clock -I 100 --interval-count 1 "$@" 2>"$TMP/out"
      rows "$TMP/out" task-clock | head -n 1 >>"$TMP/first"
    done
    awk -v ms=$start_ms -v late="${is_guest:+1}" '{ print $1 " ms, counted: " $2; if ($1 < 99 || $2 < 5 || $2 > $1 + ms) wrong++ }
      END { exit wrong > 1 + late || NR != 5 }' "$TMP/first"
  }
  ok "a busy process: the first interval is no longer than the time since the start" first -p $spinner
  ok "a busy thread: the first interval" first -t $spinner
  ok "a busy process: the first interval after a delay" first -D 100 -p $spinner
  before=$(uptime_ms)
  "$BPERF" -e task-clock -D 500 --timeout 1000 -p $spinner 2>"$TMP/out"
  took=$(awk -v a="$before" -v b="$(uptime_ms)" 'BEGIN { print b - a }')
  ok "-D 500 --timeout 1000: the timeout begins with the count" between "$(seconds "$TMP/out")" 0.999 1.2
  ok "-D 500 --timeout 1000: 1.5 s in all" between "$took" 1480 2500
  ok "-D 500 --timeout 1000: nothing from before the delay's end" \
    between "$(value "$TMP/out" task-clock)" 50 "$(awk -v s="$(seconds "$TMP/out")" -v ms=$start_ms 'BEGIN { print s * 1000 + ms }')"
  "$BPERF" -e cpu-clock -D 200 --timeout 300 -C $last 2>"$TMP/out"
  ok "-D 200 --timeout 300: 300 ms of a busy CPU" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" $percent
  ok "-D 200 --timeout 300: by the clock" between "$(value "$TMP/out" cpu-clock)" 298 400
fi

# --- a delay, and a command ---------------------------------------------------------------------------------------------
# What a command gets done during the delay is not to depend on what else is done on this host.
first=''
! command -v nice >/dev/null || first="nice -n -20"
# shellcheck disable=SC2086 # several words
"$BPERF" -D 500 -e task-clock -- $first "$WORK" burn 1000 2>"$TMP/out"
is $? 0 "-D 500, a command: status 0"
ok "-D 500, a command that burns 1000 ms: about half of it is counted" between "$(value "$TMP/out" task-clock)" 450 "$(high 800)"
# shellcheck disable=SC2086
"$BPERF" -D 1000 -e task-clock,page-faults -- \
  $first sh -c "$WORK burn 200; $WORK faults 3000; $WORK after 1500 true; $WORK burn 100; $WORK faults 500" 2>"$TMP/out"
ok "-D 1000, a command: counted is what it does after that" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 125)"
ok "-D 1000, a command: its page faults after that, and those of three starts" between "$(value "$TMP/out" page-faults)" 500 1300
"$BPERF" -D 400 -e task-clock -- sh -c "$WORK after 1000 $WORK burn 100 & $WORK after 1000 $WORK threads 2 50 & wait" 2>"$TMP/out"
ok "-D 400, a command: children that were forked before that are counted" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 215)"
"$WORK" after $lead sh -c "$WORK after 1000 $WORK burn 100 & wait" &
"$BPERF" -D $((lead + 500)) -e task-clock -p $! 2>"$TMP/out"
ok "a delay, a process: so are a process's" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 112)"
"$BPERF" -D 500 -e task-clock,page-faults -- true 2>"$TMP/out"
is $? 0 "-D 500, a command that is over by then: status 0"
ok "-D 500, a command that is over by then: <not counted>" [ "$(grep -c '<not counted>' "$TMP/out")" = 2 ]
"$BPERF" -D 500 -e task-clock -- sh -c 'exit 7' 2>"$TMP/out"
is $? 7 "-D 500, a command that is over by then: its status"

# --- the intervals add up -----------------------------------------------------------------------------------------------
{
  echo "for _ in 1 2 3 4 5; do"
  echo "  $WORK faults 300"
  echo "  $WORK switches 20"
  echo "  sleep 0.06"
  echo "done"
} >"$TMP/load"
# sums TITLE OPTION...: with -I and --summary
sums() {
  title=$1
  shift
  "$BPERF" -I 100 --summary -e page-faults,context-switches "$@" 2>"$TMP/out"
  is $? 0 "-I --summary, $title: status 0"
  ok "-I --summary, $title: the intervals' page faults are exactly the summary's" adds_up "$TMP/out" page-faults
  ok "-I --summary, $title: and the context switches" adds_up "$TMP/out" context-switches
}
sums "a command" -- sh "$TMP/load"
ok "-I --summary, a command: all of it" between "$(value "$TMP/out" page-faults)" 1500 6000
ok "-I --summary: the summary has a title and a footer" \
  [ "$(grep -Ec 'Performance counter stats for|seconds time elapsed' "$TMP/out")" = 2 ]
"$WORK" after $lead sh "$TMP/load" &
sums "a process" -p $!
ok "-I --summary, a process: all of it" between "$(value "$TMP/out" page-faults)" 1500 6000
"$WORK" after $lead sh "$TMP/load" &
sums "a thread" -t $!
sums "all CPUs" -a -- sh "$TMP/load"
sums "a CPU" -C 0 -- taskset -c 0 sh "$TMP/load"
sums "a command, after a delay" -D 150 -- sh "$TMP/load"

# --- where rows go ------------------------------------------------------------------------------------------------------
"$BPERF" -a -e cpu-clock,page-faults -I 100 -o "$TMP/file" --timeout 1300 2>"$TMP/err" &
session=$!
sleep 0.75
cp "$TMP/file" "$TMP/middle"
wait $session
ok "-I -o FILE: rows are there while it runs" between "$(rows "$TMP/middle" page-faults | grep -c '')" 3 9
ok "-I -o FILE: in whole lines" [ "$(tail -c 1 "$TMP/middle" | tr '\n' x)" = x ]
is "$(rows "$TMP/middle" cpu-clock | grep -c '')" "$(rows "$TMP/middle" page-faults | grep -c '')" "-I -o FILE: whole intervals"
is "$(rows "$TMP/file" page-faults | grep -c '')" 13 "-I -o FILE: the rest comes later"
is "$(cat "$TMP/err")" "" "-I -o FILE: nothing on stderr"

# The reader goes after two lines.
for share in auto never; do
  rm -f "$TMP/pid"
  # shellcheck disable=SC2016 # for the other sh
  { "$BPERF" --share=$share -I 50 -e task-clock -o /proc/self/fd/1 -- sh -c 'echo $$ >"$0"; exec "$1" after 100000 true >&2' "$TMP/pid" "$WORK" \
    2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 2 >/dev/null
  is "$(cat "$TMP/status")" 125 "-I to a closed pipe (--share=$share): status 125"
  ok "-I to a closed pipe (--share=$share): says so" grep -Eq '^bperf-mini: cannot write /proc/self/fd/1: Broken pipe' "$TMP/err"
  ok "-I to a closed pipe (--share=$share): the command is ended" gone "$(cat "$TMP/pid")"
done
{ "$BPERF" -I 50 -a -e cpu-clock 2>&1; echo $? >"$TMP/status"; } | head -n 2 >/dev/null
is "$(cat "$TMP/status")" 125 "-I to stderr, which is a closed pipe: status 125"
before=$(uptime_ms)
"$BPERF" -I 50 -a -e cpu-clock -o /dev/full --timeout 10000 2>"$TMP/err"
is $? 125 "-I to a full disk: status 125"
ok "-I to a full disk: at the first row" awk -v a="$before" -v b="$(uptime_ms)" 'BEGIN { print b - a " ms"; exit !(b - a < 4000) }'
ok "-I to a full disk: says so" grep -q '^bperf-mini: cannot write /dev/full: No space left' "$TMP/err"
ok "nothing is left of the intervals" ids_become "$TMP/ids.before"

# --- several runs -------------------------------------------------------------------------------------------------------
for _ in 1 2 3 4 5; do
  "$BPERF" -e page-faults -- "$WORK" faults 1000 2>"$TMP/out"
  value "$TMP/out" page-faults
done >"$TMP/single"
"$BPERF" -r 5 -e page-faults,task-clock -- "$WORK" faults 1000 2>"$TMP/out"
is $? 0 "-r 5: status 0"
ok "-r 5: the title says so" grep -Eq "^ Performance counter stats for '.*work faults 1000' \(5 runs\):\$" "$TMP/out"
ok "-r 5: one title, one footer" [ "$(grep -Ec 'Performance counter stats for|seconds time elapsed' "$TMP/out")" = 2 ]
ok "-r 5: the mean is that of five runs" \
  near "$(value "$TMP/out" page-faults)" "$(awk '{ sum += $1 } END { print sum / NR }' "$TMP/single")" 1
ok "-r 5: the footer has the mean time and how far it can be trusted" \
  grep -Eq '^ +[0-9]+\.[0-9]+ \+- [0-9.]+ seconds time elapsed  \( \+- *[0-9.]+% \)$' "$TMP/out"
nth "exec $WORK burn \$((n * 20))"
"$BPERF" -r 5 -e task-clock -- sh "$TMP/nth" 2>"$TMP/out"
# 20, 40, 60, 80, 100 ms, and a start each: the mean's standard error is 14.14 ms
ok "-r 5: the mean of runs that differ" between "$(value "$TMP/out" task-clock)" 60 "$(high 75)"
# (an emulated machine's starts differ by themselves)
ok "-r 5: and its standard error" awk -v off="${is_guest:+8}" '/msec task-clock/ { mean = $1; print; sub(/.*\( \+- */, ""); error = $0 * mean / 100 }
  END { print "error " error " ms"; exit !(error > 12 - off && error < 18 + off) }' "$TMP/out"
"$BPERF" -r 3 -e cpu-clock -a --timeout 200 2>"$TMP/out"
is $? 0 "-r 3 -a --timeout 200: status 0"
ok "-r 3 -a --timeout 200: the title says so" grep -q '(3 runs):$' "$TMP/out"
ok "-r 3 -a --timeout 200: the mean" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" $percent
ok "-r 3 -a --timeout 200: the time of one" between "$(seconds "$TMP/out")" 0.199 0.4
# shellcheck disable=SC2016 # for the script
nth 'exit $n'
"$BPERF" -r 4 -e dummy -- sh "$TMP/nth" 2>/dev/null
is "$? $(cat "$TMP/n")" "4 4" "-r 4, runs that fail: all are run, the status is the last one's"
# shellcheck disable=SC2016
nth 'exit $((n < 3))'
"$BPERF" -r 3 -e dummy -- sh "$TMP/nth" 2>/dev/null
is "$? $(cat "$TMP/n")" "0 3" "-r 3, the last one succeeds: status 0"
"$BPERF" -r 3 -e dummy -- /nonexistent 2>"$TMP/out"
is "$? $(grep -c '' "$TMP/out")" "127 1" "-r 3, a command that is not there: 127, said once"
nth "exec $WORK after 220 true"
"$BPERF" -r 2 -I 100 -e page-faults -- sh "$TMP/nth" 2>"$TMP/out"
is "$? $(cat "$TMP/n")" "0 2" "-r 2 -I 100: both are run"
ok "-r 2 -I 100: the intervals of each run" between "$(rows "$TMP/out" page-faults | grep -c '')" 6 8

# interrupted N ARGUMENT...: bperf-mini, which is sent INT once its Nth run is on. It is a part of a pipeline in the foreground: a
# shell's job in the background has INT ignored, and so would its command have.
interrupted() {
  nth_run=$1
  shift
  rm -f "$TMP/pid"
  # shellcheck disable=SC2016 # for the other sh
  { sh -c 'echo $$ >"$0"; exec "$@"' "$TMP/pid" "$BPERF" "$@" 2>"$TMP/out"; echo $? >"$TMP/status"; } </dev/null | {
    is_there "$TMP/pid"
    tries=0
    while [ "$(cat "$TMP/n")" -lt "$nth_run" ] 2>/dev/null && [ $tries -lt 200 ]; do
      sleep 0.1
      tries=$((tries + 1))
    done
    sleep 0.4
    kill -INT "$(cat "$TMP/pid")"
  }
}
# shellcheck disable=SC2016 # for the script
nth "$WORK faults "'$((n * 1000)); [ $n -lt 3 ] || exec '"$WORK after 100000 true"
interrupted 3 -r 10 -e page-faults -- sh "$TMP/nth"
is "$(cat "$TMP/status")" 130 "-r 10, INT in the third: 128 + 2"
is "$(cat "$TMP/n")" 3 "-r 10, INT in the third: no fourth"
ok "-r 10, INT in the third: the mean of the two that are complete" between "$(value "$TMP/out" page-faults)" 1500 1950
ok "-r 10, INT in the third: the title says so" grep -q '(2 runs):$' "$TMP/out"
# shellcheck disable=SC2016
nth "$WORK faults 1000; "'[ $n -lt 4 ] || exec '"$WORK after 100000 true"
interrupted 4 -r 0 -e page-faults -- sh "$TMP/nth"
is "$(cat "$TMP/status")" 130 "-r 0 runs until a signal: 128 + 2"
ok "-r 0: each run by itself, as there is no last one" awk '/ page-faults/ { gsub(",", ""); runs++; if ($1 < 1000 || $1 > 1450) wrong = 1; print }
  END { exit wrong || runs < 3 || runs > 4 }' "$TMP/out"
nth "exec $WORK after 100000 true"
interrupted 1 -r 5 -e page-faults -- sh "$TMP/nth"
is "$(cat "$TMP/status")" 130 "-r 5, INT in the first: 128 + 2"
ok "-r 5, INT in the first: what was counted is printed" between "$(value "$TMP/out" page-faults)" 20 1000
ok "nothing is left of the runs" ids_become "$TMP/ids.before"

# --- told by a FIFO -----------------------------------------------------------------------------------------------------
mkfifo "$TMP/ctl" "$TMP/ack"
# Both ends: nobody waits for the other to open it.
exec 3<>"$TMP/ctl" 4<>"$TMP/ack"
acks=0
tell() { # COMMAND: sends it and waits for the answer
  echo "$1" >&3
  [ "$(timeout 10 head -n 1 <&4)" = ack ] && acks=$((acks + 1))
}
# window OPTION...: two windows of 300 ms, the second with two enables; least and most: what they can have been
window() {
  "$BPERF" -e cpu-clock -C $last -D -1 "$@" 2>"$TMP/out" &
  session=$!
  acks=0
  tell ping
  sleep 0.4
  least=0 most=0
  for enables in 1 2; do
    outer=$(uptime_ms)
    while [ $enables -gt 0 ]; do
      tell enable
      enables=$((enables - 1))
    done
    inner=$(uptime_ms)
    sleep 0.3
    inner_end=$(uptime_ms)
    tell disable
    # the clock is of 10 ms
    least=$(awk -v sum="$least" -v a="$inner" -v b="$inner_end" 'BEGIN { print sum + b - a - 11 }')
    most=$(awk -v sum="$most" -v a="$outer" -v b="$(uptime_ms)" 'BEGIN { print sum + b - a + 11 }')
    sleep 0.4
  done
  tell disable
  tell ping
}
for form in "fifo:$TMP/ctl,$TMP/ack" fd:3,4; do
  window --control "$form"
  ok "--control ${form%%:*}: it goes on until it is told to stop" kill -0 $session
  tell stop
  wait $session
  is $? 0 "--control ${form%%:*}: status 0"
  is $acks 9 "--control ${form%%:*}: each command is answered"
  ok "--control ${form%%:*}: counted between enable and disable only" between "$(value "$TMP/out" cpu-clock)" "$least" "$most"
done
if spins_badly; then
  skip "--control: a busy process" "$SPINS_BADLY"
else
  "$BPERF" -e task-clock -p $spinner -D -1 --control "fifo:$TMP/ctl,$TMP/ack" 2>"$TMP/out" &
  session=$!
  tell ping
  sleep 0.3
  outer=$(uptime_ms)
  tell enable
  sleep 0.3
  tell disable
  most=$(awk -v a="$outer" -v b="$(uptime_ms)" 'BEGIN { print b - a + 11 }')
  sleep 0.3
  tell stop
  wait $session
  ok "--control: a busy process: its time between enable and disable" between "$(value "$TMP/out" task-clock)" 30 "$most"
  kill $spinner
  wait $spinner 2>/dev/null
fi
# A command that says itself what of it is to be counted.
{
  echo "$WORK faults 4000"
  echo "echo enable >$TMP/ctl; read -r answer <$TMP/ack"
  echo "$WORK faults 500"
  echo "echo disable >$TMP/ctl; read -r answer <$TMP/ack"
  echo "$WORK faults 4000"
  echo "exit 4"
} >"$TMP/marked"
exec 3<&- 4<&-
"$BPERF" -e page-faults -D -1 --control "fifo:$TMP/ctl,$TMP/ack" -- timeout -s KILL 30 sh "$TMP/marked" 2>"$TMP/out"
is $? 4 "--control, a command: its status"
ok "--control, a command: what it does between enable and disable" between "$(value "$TMP/out" page-faults)" 500 1100
"$BPERF" -e page-faults -D -1 --control "fifo:$TMP/ctl,$TMP/ack" -- "$WORK" faults 500 2>"$TMP/out"
ok "--control, a command: never enabled: <not counted>" grep -Eq '<not counted> +page-faults' "$TMP/out"
"$BPERF" -e cpu-clock -a --control "fifo:$TMP/ctl,$TMP/ack" --timeout 300 2>"$TMP/out"
ok "--control without -D -1: counts from the start" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" $percent

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
