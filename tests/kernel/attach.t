#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A leader runs on each switch only while somebody needs that: tasks, cgroups, or perf, which could join. Sessions by CPU cost nothing
# per switch. Who attaches it, who holds it, and who dies, makes no difference to a count.
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
# runs PID: of the programs that the process holds, as the kernel notes them (where its statistics are on)
runs() { cat "/proc/$1/fdinfo"/* | awk '$1 == "run_cnt:" { sum += $2 } END { printf "%.0f\n", sum }'; }

rm -f $map
ids_before

# --- by CPU ---------------------------------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
ok "all CPUs: not attached" becomes no
ok "-v says so" grep -q '^bperf-mini: cpu-clock:k: leader made, not attached to sched_switch$' "$TMP/first"
ok "status says so" sh -c "'$BPERF' status | grep -Eq '^cpu-clock:k: leader [0-9]+ by bperf-mini, not attached, '"
setting=$(cat /proc/sys/kernel/bpf_stats_enabled)
echo 1 >/proc/sys/kernel/bpf_stats_enabled
before=$(runs $first)
"$WORK" switches 2000
after=$(runs $first)
# it is triggered once a second on each CPU, to see whether it is counted
ok "a switch runs nothing ($((after - before)) runs in 2000)" between $((after - before)) 0 200

# --- who needs it comes and goes ---------------------------------------------------------------------------------------------
started "$TMP/second" -p $$
second=$pid
ok "a process: attached" becomes yes
before=$(runs $first)
"$WORK" switches 500
ok "a switch runs it" between $(($(runs $first) - before)) 500 1000000
echo "$setting" >/proc/sys/kernel/bpf_stats_enabled
was=$(link)
started "$TMP/third" -t $$
third=$pid
ok "a second one holds the same link" [ "$(link)" = "$was" ]
ok "one by CPU joins, and needs no link" sh -c "'$BPERF' -v -e cpu-clock:k -C 0 -- true 2>&1 | grep -q 'leader joined, not attached'"
kill -9 $second
wait $second 2>/dev/null
"$WORK" switches 20
ok "the one that attached it is killed: it stays" [ "$(link)" = "$was" ]
end $third
ok "the last one that needs it ends: detached" becomes no
"$BPERF" -e cpu-clock:k -- "$WORK" burn 300 2>"$TMP/command"
"$BPERF" -e cpu-clock -- "$WORK" burn 300 2>"$TMP/alone"
ok "attached anew, it counts a command as one made for it does" near "$(value "$TMP/command" cpu-clock:k)" "$(value "$TMP/alone" cpu-clock)" 10
ok "and is detached again" becomes no
end $first
right "all CPUs, while others came and went" "$TMP/first"

# --- the maker, by CPU, is gone before the others -------------------------------------------------------------------------------
started "$TMP/first" -C 0
first=$pid
"$BPERF" -e cpu-clock:k,task-clock -p $$ -- "$WORK" after 1000 "$WORK" burn 200 2>"$TMP/second" &
second=$!
ok "a process joins" becomes yes
kill -9 $first
wait $first 2>/dev/null
started "$TMP/third" -a
third=$pid
ok "the maker is killed: the leader is there" becomes yes
wait $second
ok "and then not attached" becomes no
end $third
right "all CPUs, joined by way of the link" "$TMP/third"

# --- coming and going at the same moment ------------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
n=0 failed=0
while [ $n -lt 8 ]; do
  for i in 1 2 3; do "$BPERF" -v -e cpu-clock:k -p $$ --timeout $((n * 2 + i * 3)) >"$TMP/race$i" 2>&1 & eval "race$i=$!"; done
  # shellcheck disable=SC2154 # eval
  for pid in $race1 $race2 $race3; do wait "$pid" || failed=$((failed + 1)); done
  for i in 1 2 3; do
    if ! grep -q 'leader joined$' "$TMP/race$i" || grep -q 'unshared\|^bperf-mini: cannot' "$TMP/race$i"; then
      failed=$((failed + 1))
      sed 's/^/# /' "$TMP/race$i"
    fi
  done
  n=$((n + 1))
done
ok "three at a time come as others go, 8 times: all join" [ $failed = 0 ]
ok "and it is detached in the end" becomes no
end $first
right "all CPUs meanwhile" "$TMP/first"

# --- perf's map --------------------------------------------------------------------------------------------------------------------
started "$TMP/first" -a
first=$pid
"$PEER" map 136
started "$TMP/second" -C 0
second=$pid
ok "perf's map is there: who joins by CPU attaches it" becomes yes
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
