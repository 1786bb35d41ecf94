#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A leader runs on each switch only where perf may join: its attr map is there. Else nothing of it does, whoever counts: CPUs' events are
# read when somebody asks, those of tasks and cgroups by the followers. Who attaches it, who holds it, and who dies, makes no
# difference to a count.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

map=/sys/fs/bpf/perf_attr_map

# link: the leader's, as status tells it; 0: not attached; nothing: there is no leader
link() { "$BPERF" status -j | sed -n 's/.*"event" : "cpu-clock:k".*"link-id" : \([0-9]*\).*/\1/p'; }
# becomes WHAT: yes or no: attached; waits for that up to 10 s
becomes() {
  tries=0
  while :; do
    case $1/$(link) in no/0 | yes/[1-9]*) return 0 ;; esac
    [ $tries -lt 100 ] || { echo "link $(link)"; return 1; }
    sleep 0.1
    tries=$((tries + 1))
  done
}
# started FILE OPTION...: in the background, its id is set as pid; it has made or joined what it needs
started() {
  file=$1
  shift
  rm -f "$file"
  "$BPERF" -v -e cpu-clock:k "$@" 2>"$file" &
  pid=$!
  is_there "$file"
}
end() { kill "$1" && wait "$1"; }
# right NAME FILE: the count of a session of all CPUs
right() { ok "$1: the count is right" near "$(value "$2" cpu-clock:k)" "$(cpu_ms "$2" "$cpus")" 2; }
# runs PID NAME: of the programs of that name that the process holds, as the kernel notes them (where its statistics are on)
runs() {
  "$PEER" progs | awk -v name="$2" '$2 ~ "^" name { print $1 }' >"$TMP/names"
  cat "/proc/$1/fdinfo"/* | awk 'FILENAME == ARGV[1] { is[$1]; next } $1 == "prog_id:" { id = $2 }
    $1 == "run_cnt:" && id in is { sum += $2 } END { printf "%.0f\n", sum }' "$TMP/names" -
}

rm -f $map
ids_before

# --- without perf's map ------------------------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
ok "all CPUs: not attached" becomes no
ok "-v does not say so" grep -q '^bperf-mini: cpu-clock:k: leader made$' "$TMP/first"
ok "status says so" sh -c "'$BPERF' status | grep -Eq '^cpu-clock:k: leader [0-9]+ by bperf-mini, not attached, '"
started "$TMP/second" -p $$
second=$pid
ok "a process: the same leader, not attached" sh -c "status=\$('$BPERF' status) && echo \"\$status\" && echo \"\$status\" | grep -Eq '^cpu-clock:k: .*, not attached, .*, 1 follower, 2 sessions\$'"
ok "a process: -v tells of no attaching" grep -q '^bperf-mini: cpu-clock:k: leader joined$' "$TMP/second"
sleep 1
setting=$(cat /proc/sys/kernel/bpf_stats_enabled)
echo 1 >/proc/sys/kernel/bpf_stats_enabled
before=$(runs $first on_switch) followed=$(runs $second follower)
"$WORK" switches 2000
after=$(runs $first on_switch)
# it is triggered once a second on each CPU, to see whether it is counted
ok "a switch runs no leader ($((after - before)) runs in 2000)" between $((after - before)) 0 200
ok "but the follower" between $(($(runs $second follower) - followed)) 2000 1000000
end $second
end $first

# --- who reads its totals holds it where a CPU goes offline --------------------------------------------------------------------
# held FILE: the leader's link, as -v tells it
held() { sed -n 's/^bperf-mini: leader of cpu-clock:k: program [0-9]* on_switch, \(link [0-9]*\|not attached\), .*/\1/p' "$1"; }
# (status stands at the end of what -v says of programs)
said() { tries=0; until grep -q ' on_switch, ' "$1" || [ $tries -ge 100 ]; do sleep 0.1; tries=$((tries + 1)); done; }
started "$TMP/task" -p $$
task=$pid
said "$TMP/task"
is "$(held "$TMP/task")" "not attached" "a process that makes the leader: it is attached nowhere"
started "$TMP/first" -a
first=$pid
said "$TMP/first"
ok "all CPUs join it: they attach it" expr "$(held "$TMP/first")" : 'link [1-9]'
started "$TMP/second" -C 0
said "$TMP/second"
is "$(held "$TMP/second")" "$(held "$TMP/first")" "others of CPUs hold the same link"
end $pid
end $task
sleep 1

# --- with it, who needs it comes and goes ------------------------------------------------------------------------------------
"$PEER" map 136
started "$TMP/second" -p $$
second=$pid
ok "perf's map, a process: attached" becomes yes
ok "-v says so" grep -q '^bperf-mini: cpu-clock:k: leader joined, attached to sched_switch$' "$TMP/second"
before=$(runs $first on_switch)
"$WORK" switches 500
ok "a switch runs it" between $(($(runs $first on_switch) - before)) 500 1000000
echo "$setting" >/proc/sys/kernel/bpf_stats_enabled
was=$(link)
started "$TMP/third" -t $$
third=$pid
ok "a second one holds the same link" [ "$(link)" = "$was" ]
rm -f $map
for scope in "-C 0" "-p $$"; do
  # shellcheck disable=SC2086 # an option and its value
  "$BPERF" -v -e cpu-clock:k $scope --timeout 10 >"$TMP/out" 2>&1
  ok "the map is gone: $scope joins, and needs no link" grep -q '^bperf-mini: cpu-clock:k: leader joined$' "$TMP/out"
done
kill -9 $second
wait $second 2>/dev/null
"$WORK" switches 20
ok "the one that attached it is killed: it stays" [ "$(link)" = "$was" ]
end $third
ok "the last one that needs it ends: detached" becomes no
"$PEER" map 136
"$BPERF" -e cpu-clock:k -- "$WORK" burn 300 2>"$TMP/command"
rm -f $map
"$BPERF" -e cpu-clock -- "$WORK" burn 300 2>"$TMP/alone"
ok "attached anew, it counts a command as one made for it does" near "$(value "$TMP/command" cpu-clock:k)" "$(value "$TMP/alone" cpu-clock)" 10
ok "and is detached again" becomes no
end $first
right "all CPUs, while others came and went" "$TMP/first"

# --- the maker, by CPU, is gone before the others ------------------------------------------------------------------------------
for attached in no yes; do
  rm -f $map
  [ $attached = no ] || "$PEER" map 136
  started "$TMP/first" -C 0
  first=$pid
  "$BPERF" -e cpu-clock:k,task-clock -p $$ -- "$WORK" after 1000 "$WORK" burn 200 2>"$TMP/second" &
  second=$!
  ok "attached: $attached: a process joins" status_shows '^cpu-clock:k: .*, 1 follower, 2 sessions$'
  kill -9 $first
  wait $first 2>/dev/null
  started "$TMP/third" -a
  third=$pid
  ok "attached: $attached: the maker is killed: the leader is there" becomes $attached
  ok "attached: $attached: and joined" grep -q '^bperf-mini: cpu-clock:k: leader joined' "$TMP/third"
  wait $second
  ok "attached: $attached: and stays as it is" becomes $attached
  end $third
  right "attached: $attached: all CPUs" "$TMP/third"
done
rm -f $map

# --- coming and going at the same moment -----------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
"$PEER" map 136
n=0 failed=0
while [ $n -lt 8 ]; do
  for i in 1 2 3; do "$BPERF" -v -e cpu-clock:k -p $$ --timeout $((n * 2 + i * 3)) >"$TMP/race$i" 2>&1 & eval "race$i=$!"; done
  # shellcheck disable=SC2154 # eval
  for pid in $race1 $race2 $race3; do wait "$pid" || failed=$((failed + 1)); done
  for i in 1 2 3; do
    if ! grep -q 'leader joined, attached to sched_switch$' "$TMP/race$i" || grep -q 'unshared\|^bperf-mini: cannot' "$TMP/race$i"; then
      failed=$((failed + 1))
      sed 's/^/# /' "$TMP/race$i"
    fi
  done
  n=$((n + 1))
done
ok "three at a time come as others go, 8 times: all join, attached" [ $failed = 0 ]
ok "and it is detached in the end" becomes no
rm -f $map
end $first
right "all CPUs meanwhile" "$TMP/first"

# --- perf's map --------------------------------------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
"$PEER" map 136
started "$TMP/second" -C 0
second=$pid
ok "perf's map is there: who joins by CPU attaches it, too" becomes yes
ok "and perf finds it" sh -c "'$PEER' dump | grep -q 'link $(link) live'"
end $second
ok "that one ends: detached" becomes no
started "$TMP/second" -a
second=$pid
ok "attached anew for perf" becomes yes
if has_fexit; then
  "$PEER" follow cpu-clock:k 300 >"$TMP/follow" 2>&1
  ok "perf joins" grep -q '^joined' "$TMP/follow" || diag "$(cat "$TMP/follow"; "$PEER" dump; "$PEER" key cpu-clock:k --key 136)"
fi
end $second
end $first
right "all CPUs meanwhile" "$TMP/first"
rm -f $map

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
