#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Cgroups: -G and --for-each-cgroup, against work of a known size in groups of this test's own (field reports V7, V39).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/kernel/groups.sh
. "${0%/*}/groups.sh"

ids_before
last=$((cpus - 1))

# --- by name ------------------------------------------------------------------------------------------------------------
mkdir "$HERE/a" "$HERE/a/in" "$HERE/a/in/deep" "$HERE/b"
"$BPERF" -G "$OWN/a" -e task-clock -- sh "$IN" a "$WORK" burn 200 2>"$TMP/out"
is $? 0 "-G before -e, without -a: status 0"
ok "a group by its name: 200 ms of work" counted "$TMP/out" task-clock "$OWN/a" 200
ok "it is for the whole system" grep -q "^ Performance counter stats for 'system wide':" "$TMP/out"
"$BPERF" -e cpu-clock,page-faults -a -G "$OWN/a" -- sh "$IN" a "$WORK" faults 2000 2>"$TMP/out"
ok "-a -G: all events for the one group: page faults" between "$(group_value "$TMP/out" page-faults "$OWN/a")" 2000 2120
ok "-a -G: and the clock" between "$(group_value "$TMP/out" cpu-clock "$OWN/a")" 0.1 "$(high 100)"
"$BPERF" -e task-clock -G "$OWN/b" -- sh "$IN" a "$WORK" burn 50 2>"$TMP/out"
is "$?$(group_value "$TMP/out" task-clock "$OWN/b")" '0<not' "a group in which nothing ran: <not counted>, and status 0"
"$BPERF" -e task-clock -G "$OWN/b" -- "$WORK" burn 50 2>"$TMP/out"
is "$(group_value "$TMP/out" task-clock "$OWN/b")" '<not' "the command is not counted: it says how long"
"$BPERF" -e task-clock -G "$OWN/a" --timeout 300 2>"$TMP/out"
is $? 0 "--timeout ends it, without a command"
"$BPERF" -v -e task-clock -G "$OWN/a" -- true 2>"$TMP/out"
is "$(grep -Ec '^bperf-mini: follower: program [0-9]+ follower[a-z_0-9]*, link [0-9]+, maps ' "$TMP/out")" 1 "-v: one follower"
# the last one may still be there: a program is freed a little later
ok "it is a shared count" grep -Eq 'leader (made|joined)$' "$TMP/out"

# --- nested and overlapping ---------------------------------------------------------------------------------------------
cat >"$TMP/nest" <<END
sh "$IN" a "$WORK" burn 100
sh "$IN" a/in "$WORK" burn 100
sh "$IN" a/in/deep "$WORK" burn 100
sh "$IN" b "$WORK" burn 50
END
"$BPERF" -e task-clock --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/a/in/deep,$OWN/b,$OWN" -- sh "$TMP/nest" 2>"$TMP/out"
ok "nested: the group itself" counted "$TMP/out" task-clock "$OWN/a/in/deep" 100
ok "nested: its parent includes it" counted "$TMP/out" task-clock "$OWN/a/in" 200
ok "nested: and so does that one's parent" counted "$TMP/out" task-clock "$OWN/a" 300
ok "nested: a sibling is in none of them" counted "$TMP/out" task-clock "$OWN/b" 50
ok "nested: the parent of all" between "$(group_value "$TMP/out" task-clock "$OWN")" 349.5 "$(high 390)"
"$BPERF" -e task-clock -G "$OWN/a" -- sh "$TMP/nest" 2>"$TMP/out"
ok "descendants are included where they are not named" counted "$TMP/out" task-clock "$OWN/a" 300
"$BPERF" -e task-clock,task-clock,task-clock -G "$OWN/a/in,$OWN/a/in,$OWN/a" -- sh "$TMP/nest" 2>"$TMP/out"
grep "$OWN/a/in" "$TMP/out" >"$TMP/first"
sed 1d "$TMP/first" >"$TMP/second"
ok "one group twice: in full the first time" counted "$TMP/first" task-clock "$OWN/a/in" 200
ok "one group twice: in full the second time" counted "$TMP/second" task-clock "$OWN/a/in" 200
ok "and the one around it" counted "$TMP/out" task-clock "$OWN/a" 300

# --- names --------------------------------------------------------------------------------------------------------------
# named GROUP SPELLING WHAT: work in the group is counted under that spelling, and the row has the name that mountinfo's path lacks
named() {
  [ -d "$HERE/$1" ] || mkdir "$HERE/$1"
  for option in -G --for-each-cgroup; do
    "$BPERF" -e task-clock $option "$2" -- sh "$IN" "$1" "$WORK" burn 20 2>"$TMP/out"
    ok "name: $3, with $option" counted "$TMP/out" task-clock "$OWN/$1" 20
  done
}
named 'a space' "$OWN/a space" "a space"
named 'comma,s,' "\"$OWN/comma,s,\"" "commas, quoted"
named 'comma,s,' "$OWN/\"comma,s,\"" "commas, quoted in part"
named 'say "so"' "\"$OWN/say \"\"so\"\"\"" "quotes, doubled"
named 'co:lon' "$OWN/co:lon" "a colon"
named 'käse-сыр-起司' "$OWN/käse-сыр-起司" "UTF-8"
named 'q.*(1)[a]+$' "$OWN/q.*(1)[a]+\$" "one that looks like a pattern"
named '-x' "$OWN/-x" "a leading dash"
named a "$OWN/a/" "a trailing slash"
named a "/$OWN/a" "a leading slash"
named a "//$OWN///a//" "more of them"
named a "$OWN/b/../a/in/.." ".. as in paths"
named a "./$OWN/./a/." ". as in paths"
named a "$HERE/a" "with the mount's path"
named '..a' "$OWN/..a" "one that begins with two dots"
mkdir "$HERE/$(printf 'e\033[1m\tc')"
"$BPERF" -e task-clock -G "$OWN/$(printf 'e\033[1m\tc')" -- true 2>"$TMP/out"
ok "name: nothing that a terminal obeys is printed" grep -q "task-clock  *$OWN/e?\[1m?c " "$TMP/out"

for root in / '' . "$ROOT" "$OWN/.."; do
  "$BPERF" -e cpu-clock --for-each-cgroup "$root" -- sleep 0.3 2>"$TMP/out"
  ok "the root as '$root' is all CPUs, idle or not" near "$(group_value "$TMP/out" cpu-clock /)" "$(cpu_ms "$TMP/out" "$cpus")" 3
done
"$BPERF" -e cpu-clock,cpu-clock -G "/,$OWN/a" -- sh "$IN" a "$WORK" burn 200 2>"$TMP/out"
ok "-G /,GROUP: the system" near "$(group_value "$TMP/out" cpu-clock /)" "$(cpu_ms "$TMP/out" "$cpus")" 3
ok "-G /,GROUP: and the group in the same run" counted "$TMP/out" cpu-clock "$OWN/a" 200

# --- names that are none ------------------------------------------------------------------------------------------------
refused() { # WHAT WANT ARGUMENT...: status 125, the line, and the command is not run
  refused_what=$1 refused_want=$2
  shift 2
  "$BPERF" "$@" -- touch "$TMP/touched" 2>"$TMP/out"
  is "$? $(cat "$TMP/out")" "125 bperf-mini: $refused_want" "$refused_what"
}
refused "no such group: the full path tried" "-G: cannot open cgroup $HERE/none: No such file or directory" -e cs -G "$OWN/none"
refused "one of several is not there" "--for-each-cgroup: cannot open cgroup $HERE/none: No such file or directory" \
  -e cs --for-each-cgroup "$OWN/a,$OWN/none"
refused "below a file" "-G: cannot open cgroup $HERE/cgroup.procs: Not a directory" -e cs -G "$OWN/cgroup.procs"
refused "above the mount" "-G: cgroup '$OWN/../..' is above $ROOT" -e cs -G "$OWN/../.."
refused "an open quote" "-G: cgroups '\"$OWN/a': an open quote or a long name" -e cs -G "\"$OWN/a"
refused "a pattern that nothing matches" "--for-each-cgroup: no cgroup matches '$OWN/n.*e'" -e cs --for-each-cgroup "$OWN/n.*e"
refused "-G takes no pattern" "-G: cannot open cgroup $HERE/.*: No such file or directory" -e cs -G "$OWN/.*"
refused "more groups than events" "-G names 3 cgroups for 2 events: give one for all, or one for each" \
  -e cs,faults -G "$OWN/a,$OWN/b,$OWN/a/in"
refused "fewer groups than events" "-G names 2 cgroups for 3 events: give one for all, or one for each" \
  -e cs,faults,cpu-clock -G "$OWN/a,$OWN/b"
ok "none of them ran the command" [ ! -e "$TMP/touched" ]

# --- pairs --------------------------------------------------------------------------------------------------------------
"$BPERF" -e task-clock,cpu-clock -G "$OWN/a,$OWN/b" -- sh "$TMP/nest" 2>"$TMP/out"
is "$(grep -c "$OWN" "$TMP/out")" 2 "-e a,b -G x,y: two rows"
ok "-e a,b -G x,y: the first for the first" counted "$TMP/out" task-clock "$OWN/a" 300
ok "-e a,b -G x,y: the second for the second" counted "$TMP/out" cpu-clock "$OWN/b" 50
"$BPERF" -G "$OWN/a,$OWN/b" -e task-clock -e cpu-clock -- sh "$TMP/nest" 2>"$TMP/out"
ok "the same with -G first and two -e" counted "$TMP/out" cpu-clock "$OWN/b" 50
"$BPERF" -e task-clock,cpu-clock --for-each-cgroup "$OWN/b,$OWN/a" -- sh "$TMP/nest" 2>"$TMP/out"
is "$(grep -c "$OWN" "$TMP/out")" 4 "--for-each-cgroup: all events for each"
ok "--for-each-cgroup: each of the four" counted "$TMP/out" task-clock "$OWN/a" 300
ok "--for-each-cgroup: the other event" counted "$TMP/out" cpu-clock "$OWN/b" 50
"$BPERF" -e task-clock -G "$OWN/b" -G "$OWN/a" -- sh "$TMP/nest" 2>"$TMP/out"
is "$(grep "^ Performance" "$TMP/out" | tr -d '\n')" \
  " Performance counter stats for cgroup '$OWN/b': Performance counter stats for cgroup '$OWN/a':" "-G twice: a block for each, in their order"
ok "-G twice: one" counted "$TMP/out" task-clock "$OWN/b" 50
ok "-G twice: the other" counted "$TMP/out" task-clock "$OWN/a" 300

# --- patterns -----------------------------------------------------------------------------------------------------------
names() { # LIST: the names of the rows, in their order
  "$BPERF" -e dummy --for-each-cgroup "$1" -- true 2>&1 | sed -n "s/^.* dummy  *\\(${OWN}[^ ]*\\).*/\\1/p" | tr '\n' ' '
}
mkdir "$HERE/w1" "$HERE/w2" "$HERE/w3" "$HERE/w3/w1"
is "$(names "^$OWN/w[12]\$" | sed "s|^$OWN/w2 $OWN/w1 |$OWN/w1 $OWN/w2 |")" "$OWN/w1 $OWN/w2 " "pattern: a set, from the beginning to the end"
is "$(names "$OWN/w.*1" | tr ' ' '\n' | sort | tr '\n' ' ')" "$OWN/w1 $OWN/w3/w1 " "pattern: .* goes into groups below"
is "$(names "$OWN/w3*\$")" "$OWN/w3 " "pattern: * is of the character before it"
is "$(names "$OWN/w[12]\$,$OWN/w1" | sed "s|^$OWN/w2 $OWN/w1 |$OWN/w1 $OWN/w2 |")" "$OWN/w1 $OWN/w2 " "pattern: a group that two mean is one row"
is "$(names "$OWN/w2,$OWN/w1")" "$OWN/w2 $OWN/w1 " "names: in the order given"

# --- tasks that move ----------------------------------------------------------------------------------------------------
"$BPERF" -e task-clock -G "$OWN/a" -- sh -c "$WORK burn 200; sh $IN a $WORK burn 100" 2>"$TMP/out"
ok "a task that goes into the group itself: from then on" counted "$TMP/out" task-clock "$OWN/a" 100
# Two on one CPU take turns, so that a slice is some ms long. The kernel has a clock of its own for each group.
slice=25 work=400
[ -z "$is_guest" ] || slice=100 work=2000
cat >"$TMP/move" <<END
taskset -c $last $WORK burn $((work + 200)) & other=\$!
taskset -c $last $WORK burn $work & moved=\$!
sleep 0.3
echo \$moved >$HERE/moved/cgroup.procs
wait \$moved \$other
END
mkdir "$HERE/moved"
"$BPERF" -e task-clock --for-each-cgroup "$OWN/moved" -- sh "$TMP/move" 2>"$TMP/out"
want=$(awk '$1 == "usage_usec" { print $2 / 1000 }' "$HERE/moved/cpu.stat")
diag "moved when $want ms of $work were left"
ok "the task was moved in the middle of its work" between "$want" 20 "$(high $((work - 20)))"
ok "a task that is moved: from the move on, within a slice" between "$(group_value "$TMP/out" task-clock "$OWN/moved")" \
  "$(awk -v w="$want" 'BEGIN { print w - 5 }')" "$(awk -v w="$want" -v s=$slice 'BEGIN { print w + s }')"
"$BPERF" -e task-clock --for-each-cgroup "$OWN/b,$OWN/a" -- sh -c "sh $IN b sh -c '$WORK burn 100; exec sh $IN a $WORK burn 60'" 2>"$TMP/out"
ok "a task that goes to another group: in the one it leaves" counted "$TMP/out" task-clock "$OWN/b" 100
ok "a task that goes to another group: in the one it goes to" counted "$TMP/out" task-clock "$OWN/a" 60

# --- groups that come and go --------------------------------------------------------------------------------------------
"$BPERF" -e task-clock -G "$OWN/b" -- sh -c "mkdir $HERE/b/new $HERE/b/new/er; sh $IN b/new $WORK burn 100; sh $IN b/new/er $WORK burn 50" 2>"$TMP/out"
ok "groups that are made below it while it is counted" counted "$TMP/out" task-clock "$OWN/b" 150
mkdir "$HERE/gone"
"$BPERF" -e task-clock --for-each-cgroup "$OWN/gone,$OWN" -- \
  sh -c "sh $IN gone $WORK burn 100; rmdir $HERE/gone; mkdir $HERE/gone; sh $IN gone $WORK burn 60" 2>"$TMP/out"
is $? 0 "a group that is removed while it is counted: status 0"
ok "a group that is removed: the count is kept, and a new one of its name is not added" counted "$TMP/out" task-clock "$OWN/gone" 100
ok "its parent has both" between "$(group_value "$TMP/out" task-clock "$OWN")" 159.5 "$(high 185)"
ok "it is said to be gone" grep -qx "bperf-mini: the cgroup '$OWN/gone' is gone: what it had been counted for stays" "$TMP/out"
is "$(grep -c 'is gone' "$TMP/out")" 1 "and no other is"
"$BPERF" -I 100 -e task-clock -G "$OWN/gone" -- sh -c "sh $IN gone $WORK burn 60; rmdir $HERE/gone; sleep 0.4" 2>"$TMP/out"
is "$? $(grep -c 'is gone' "$TMP/out")" "0 1" "removed, with -I: it goes on, and says so once"

# --- CPUs ---------------------------------------------------------------------------------------------------------------
if [ "$cpus" -ge 2 ]; then
  "$BPERF" -e task-clock -C 0 -G "$OWN/a" -- sh "$IN" a taskset -c 1 "$WORK" burn 100 2>"$TMP/out"
  ok "-C 0 -G: what runs on CPU 1 is not in it" awk -v got="$(group_value "$TMP/out" task-clock "$OWN/a")" -v most="$(high 10)" 'BEGIN { print got
    exit !(got == "<not" || got + 0 < most) }'
  "$BPERF" -G "$OWN/a" -e task-clock -C 1 -a -- sh "$IN" a taskset -c 1 "$WORK" burn 100 2>"$TMP/out"
  ok "-a -C 1 -G: what runs on CPU 1 is" between "$(group_value "$TMP/out" task-clock "$OWN/a")" 99.5 "$(high 112)"
  is "$(grep -c '^ Performance' "$TMP/out")" 1 "-a -C 1 -G: as in perf, one block"
else
  skip "-C with -G" "one CPU only"
fi

# --- time ---------------------------------------------------------------------------------------------------------------
"$BPERF" -I 100 --summary -e task-clock --for-each-cgroup "$OWN/a,$OWN/a/in" -- sh "$TMP/nest" 2>"$TMP/out"
for group in "$OWN/a" "$OWN/a/in"; do
  sum=$(awk -v group="$group" '$1 ~ /^[0-9]+\.[0-9]+$/ && $3 == "msec" && $5 == group { n++; sum += $2 } END { print (n > 1 ? sum : "none") }' "$TMP/out")
  sed -n '/^ Performance/,$p' "$TMP/out" >"$TMP/summary"
  ok "-I: the rows of $group add up to the summary's" near "$sum" "$(group_value "$TMP/summary" task-clock "$group")" 0.05
done
ok "-I --summary: the work" counted "$TMP/summary" task-clock "$OWN/a" 300
"$BPERF" -r 3 -e task-clock -G "$OWN/a" -- sh "$IN" a "$WORK" burn 60 2>"$TMP/out"
ok "-r 3: the mean" counted "$TMP/out" task-clock "$OWN/a" 60
ok "-r 3: of three runs" grep -q "(3 runs)" "$TMP/out"
"$BPERF" -D 300 -e task-clock -G "$OWN/a" -- sh -c "sh $IN a $WORK burn 100; sleep 1; sh $IN a $WORK burn 50" 2>"$TMP/out"
if [ -n "$is_guest" ]; then
  ok "-D: what comes later" between "$(group_value "$TMP/out" task-clock "$OWN/a")" 49.5 "$(high 165)"
else
  ok "-D: what comes later" counted "$TMP/out" task-clock "$OWN/a" 50
fi

# --- plain events -------------------------------------------------------------------------------------------------------
if ! have_plain; then
  skip "--share=never" "perf_event is not of cgroup v2 here, see /proc/cgroups"
else
  "$BPERF" --share=never -e task-clock --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/b" -- sh "$TMP/nest" 2>"$TMP/out"
  is $? 0 "--share=never: status 0"
  ok "--share=never: the work, descendants included" counted "$TMP/out" task-clock "$OWN/a" 300
  ok "--share=never: in a group inside" counted "$TMP/out" task-clock "$OWN/a/in" 200
  ok "--share=never: in another" counted "$TMP/out" task-clock "$OWN/b" 50
  # At once, of tasks that are in their groups before: of one that moves, the shared count has the time slice in which it did.
  for where in a a/in b; do
    sh "$IN" $where taskset -c $last "$WORK" after 2000 sh -c "$WORK burn 100; $WORK faults 1000" &
  done
  sleep 0.5
  "$BPERF" --share=never -o "$TMP/plain" -e task-clock,page-faults --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/b" -- \
    "$BPERF" -o "$TMP/out" -e task-clock,page-faults --for-each-cgroup "$OWN/a,$OWN/a/in,$OWN/b" -- \
    sh -c "while cat $HERE/*/cgroup.procs $HERE/a/in/cgroup.procs | grep -q .; do sleep 0.1; done"
  for group in "$OWN/a" "$OWN/a/in" "$OWN/b"; do
    for event in task-clock page-faults; do
      ok "shared and plain in one window: $event of $group within 5 %" \
        near "$(group_value "$TMP/out" $event "$group")" "$(group_value "$TMP/plain" $event "$group")" 5
    done
  done
  "$WORK" deny bpf 1 "$BPERF" -e task-clock -G "$OWN/a" -- sh "$IN" a "$WORK" burn 50 2>"$TMP/out"
  ok "where BPF is refused: plain, and said so" grep -q 'counting unshared, by plain events: ' "$TMP/out"
  ok "where BPF is refused: the work" counted "$TMP/out" task-clock "$OWN/a" 50
fi

# --- limits -------------------------------------------------------------------------------------------------------------
deep=d
list=$OWN/d
mkdir "$HERE/d"
for level in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  deep=$deep/$level
  mkdir "$HERE/$deep"
  list=$list,$OWN/$deep
done
"$BPERF" --share=always -e task-clock --for-each-cgroup "$list" -- sh "$IN" "$deep" "$WORK" burn 100 2>"$TMP/out"
is "$(grep -c "$OWN" "$TMP/out")" 16 "sixteen deep: a row each"
for group in "$OWN/d" "$OWN/d/2/3/4/5/6/7/8" "$OWN/$deep"; do
  ok "sixteen deep: in full at ${group#"$OWN/"}" counted "$TMP/out" task-clock "$group" 100
done
"$BPERF" --share=always -e cs --for-each-cgroup "$OWN,$list" -- true 2>"$TMP/out"
is "$? $(cat "$TMP/out")" "125 bperf-mini: more than 16 of the cgroups contain '$OWN/$deep'" "seventeen deep: not shared"
"$BPERF" -e task-clock --for-each-cgroup "$OWN,$list" -- sh "$IN" "$deep" "$WORK" burn 100 2>"$TMP/out"
ok "seventeen deep: counted by plain events" counted "$TMP/out" task-clock "$OWN/d" 100
ok "seventeen deep: said so" grep -qx "bperf-mini: counting unshared, by plain events: more than 16 of the cgroups contain '$OWN/$deep'" "$TMP/out"

# --- 200 groups ---------------------------------------------------------------------------------------------------------
# Both sessions' followers run at the same switches. What one costs is the kernel's own measure of it, without the leader's part.
mkdir "$HERE/many"
(cd "$HERE/many" && seq -w 200 | sed 's/^/g/' | xargs mkdir)
one=$OWN/many/g077
all=$(cd "$ROOT" && echo "$OWN"/many/g* | tr ' ' ',')
is "$(echo "$all" | tr ',' '\n' | grep -c many)" 200 "200 groups are made"
"$BPERF" -e task-clock --for-each-cgroup "$all" -- sh -c "sh $IN many/g001 $WORK burn 50; sh $IN many/g200 $WORK burn 100; sh $IN many/g077 $WORK burn 60" 2>"$TMP/out"
is "$(grep -c "$OWN/many/g" "$TMP/out")" 200 "200 groups: a row each"
ok "200 groups: the first" counted "$TMP/out" task-clock "$OWN/many/g001" 50
ok "200 groups: the last" counted "$TMP/out" task-clock "$OWN/many/g200" 100
ok "200 groups: one between" counted "$TMP/out" task-clock "$one" 60
is "$(grep "$OWN/many/g" "$TMP/out" | grep -vc '<not counted>')" 3 "200 groups: nothing in the others"

# cost PID: "NS RUNS" of the programs that the session holds and status does not call leaders
cost() {
  for info in "/proc/$1/fdinfo"/*; do
    awk -v leaders=" $leaders " '/^prog_id:/ { id = $2 } /^prog_type:/ { type = $2 } /^run_time_ns:/ { ns = $2 } /^run_cnt:/ { runs = $2 }
      END { if (type && !index(leaders, " " id " ")) print id, ns, runs }' "$info" 2>/dev/null
  done | sort -u | awk '{ ns += $2; runs += $3 } END { print ns + 0, runs + 0 }'
}
stats=/proc/sys/kernel/bpf_stats_enabled
was=$(cat $stats 2>/dev/null)
if [ -n "$was" ] && echo 1 2>/dev/null >$stats; then
  trap 'rc=$?; echo "$was" >$stats; remove_groups; rm -rf "$TMP"; exit $rc' EXIT
  per_switch() { echo "$1 $2" | awk '{ print ($4 > $2 ? ($3 - $1) / ($4 - $2) : "none") }'; }
  # Which one was attached first makes a difference, too: each is once the first. The best of two such pairs.
  first=$one second=$all few_sum=0 many_sum=0 least=none
  for turn in 1 2 3 4; do
    "$BPERF" -e cs --for-each-cgroup "$first" --timeout 60000 2>/dev/null &
    few=$!
    sleep 0.5
    "$BPERF" -e cs --for-each-cgroup "$second" --timeout 60000 2>/dev/null &
    many=$!
    sleep 1
    [ "$first" = "$one" ] || { swap=$few few=$many many=$swap; }
    leaders=$("$BPERF" status | sed -n 's/^.*: leader \([0-9]*\) by.*/\1/p' | tr '\n' ' ')
    few_before=$(cost $few) many_before=$(cost $many)
    sh "$IN" many/g077 "$WORK" switches 3000
    few_after=$(cost $few) many_after=$(cost $many)
    kill $few $many
    wait $few $many 2>/dev/null
    few_cost=$(per_switch "$few_before" "$few_after") many_cost=$(per_switch "$many_before" "$many_after")
    runs=$(echo "$many_before $many_after" | awk '{ print $4 - $2 }')
    diag "a follower's run: of one group $few_cost ns, of 200 $many_cost ns, $runs runs"
    few_sum=$(awk -v a="$few_sum" -v b="$few_cost" 'BEGIN { print a + b }') many_sum=$(awk -v a="$many_sum" -v b="$many_cost" 'BEGIN { print a + b }')
    swap=$first first=$second second=$swap
    case $turn in 1 | 3) continue ;; esac
    least=$(awk -v a="$least" -v few="$few_sum" -v many="$many_sum" 'BEGIN { ratio = few > 0 ? many / few : "none"
      print (a == "none" || ratio != "none" && ratio < a + 0 ? ratio : a) }')
    few_sum=0 many_sum=0
    awk -v a="$least" 'BEGIN { exit !(a != "none" && a <= 1.3) }' && break
  done
  echo "$was" >$stats
  ok "200 groups: the followers ran at each switch" between "$runs" 6000 1000000000
  ok "200 groups: a switch costs at most 1.3 times what it costs with one" between "$least" 0.01 1.3
else
  skip "200 groups: the cost of a switch" "no kernel.bpf_stats_enabled that can be switched on"
fi

(cd "$HERE/many" && seq -w 825 | sed 's/^/h/' | xargs mkdir)
"$BPERF" -e cs --for-each-cgroup "^$OWN/many/.*" -- true 2>"$TMP/out"
is "$? $(cat "$TMP/out")" "125 bperf-mini: --for-each-cgroup: more than 1024 cgroups" "1025 groups: refused"

# --- v1 -----------------------------------------------------------------------------------------------------------------
# The mount is this test's; the controller goes back to v2 when it and its groups are gone.
cat >"$TMP/v1" <<END
mount --make-rprivate / 2>/dev/null
mount -t cgroup -o perf_event none $TMP/mount || exit 3
# A hierarchy that is unmounted while a group that is removed has not quite gone stays, and keeps the controller from v2.
back() {
  rmdir $TMP/mount/$OWN-v1/in $TMP/mount/$OWN-v1
  umount $TMP/mount
  for try in 1 2 3 4 5 6 7 8 9 10; do
    ! grep -q '^perf_event[[:space:]]*0' /proc/cgroups || return 0
    sleep 0.5
    mount -t cgroup -o perf_event none $TMP/mount && umount $TMP/mount
  done
}
trap back EXIT
trap 'exit 1' HUP INT TERM
mkdir $TMP/mount/$OWN-v1 $TMP/mount/$OWN-v1/in
$BPERF -e task-clock -G $OWN-v1 -- sh -c 'echo \$\$ >$TMP/mount/$OWN-v1/in/tasks; exec $WORK burn 100' >$TMP/shared 2>&1
echo \$? >$TMP/shared.status
$BPERF --share=always -e task-clock -G $OWN-v1 -- true >$TMP/always 2>&1
echo \$? >$TMP/always.status
$BPERF -e task-clock -G $OWN-v1/none -- true >$TMP/none 2>&1
$BPERF -e task-clock -G $OWN/a -- sh $IN a $WORK burn 50 >$TMP/v2 2>&1
END
mkdir "$TMP/mount"
unshare -m sh "$TMP/v1" >"$TMP/out" 2>&1
if [ $? = 3 ]; then
  skip "v1" "no v1 perf_event hierarchy: $(head -n 1 "$TMP/out")"
else
  is "$(cat "$TMP/shared.status")" 0 "v1: status 0"
  ok "v1: the work, descendants included" counted "$TMP/shared" task-clock "$OWN-v1" 100
  ok "v1: unshared, and why" grep -qx \
    "bperf-mini: counting unshared, by plain events: cannot share for '$OWN-v1': BPF knows cgroup v2 only, and this one is of v1" "$TMP/shared"
  is "$(cat "$TMP/always.status" "$TMP/always" | tr '\n' ' ')" \
    "125 bperf-mini: cannot share for '$OWN-v1': BPF knows cgroup v2 only, and this one is of v1 " "v1: refused with --share=always"
  ok "v1: in neither: v2's path is named" grep -q "cannot open cgroup $ROOT/$OWN-v1/none: No such file" "$TMP/none"
  ok "v1: a group of v2 is counted beside it" counted "$TMP/v2" task-clock "$OWN/a" 50
fi

# --- a namespace --------------------------------------------------------------------------------------------------------
if unshare -Cm true 2>/dev/null; then
  cat >"$TMP/namespace" <<END
mount --make-rprivate / 2>/dev/null
umount -l $ROOT
mount -t cgroup2 none $ROOT
exec $BPERF -e task-clock --for-each-cgroup /,in -- sh -c '$WORK burn 60; echo \$\$ >$ROOT/in/cgroup.procs; exec $WORK burn 100'
END
  sh "$IN" a unshare -Cm sh "$TMP/namespace" 2>"$TMP/out"
  ok "in a cgroup namespace: a name counts from its root" counted "$TMP/out" task-clock in 100
  ok "in a cgroup namespace: its root is not the system" between "$(group_value "$TMP/out" task-clock /)" 159.5 "$(high 185)"
else
  skip "a cgroup namespace" "none can be made here"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
