#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sharing with perf through its attr map, against tests/peer.c, which speaks perf's side byte for byte: both orders, every key size,
# leaders that are not to be trusted, maps that are none, a lock that somebody holds. (make interop does it with real perfs.)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

map=/sys/fs/bpf/perf_attr_map
limit=215
[ -z "$is_guest" ] || limit=400 # see high in lib.sh
rm -f $map
ids_before

# start_leader ARGUMENTS: of peer; it is ready when this returns
start_leader() {
  "$PEER" leader "$@" >"$TMP/leader" 2>&1 &
  leader=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    grep -q '^ready' "$TMP/leader" && return 0
    sleep 0.3
  done
  diag "$(cat "$TMP/leader")"
  return 1
}

stop_leader() {
  kill $leader
  wait $leader 2>/dev/null
}

# right NAME CPUS: the count of cpu-clock in $TMP/out
right() {
  ok "$1: the count is right" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$2")" 4
}

# --- no map of perf's ---------------------------------------------------------------------------------------------------
"$PEER" flock eventfd 0 --uid 65534 >/dev/null 2>&1 &
holder=$!
sleep 0.5
"$BPERF" -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "no map of perf's: a lock on an eventfd is nothing to us" [ "$(grep -c '^bperf-mini' "$TMP/out")" = 0 ]
right "no map of perf's" "$cpus"
ok "no map of perf's: none is made" [ ! -e $map ]

# --- a lock on any eventfd is the lock of every map ---------------------------------------------------------------------
"$PEER" map 136
"$BPERF" -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "held lock: status 0" [ $? = 0 ]
ok "held lock: says who, for how long, and what follows" \
  grep -Eq "^bperf-mini: not sharing with perf: (process $holder|another process) has held the lock of $map for [0-9]+ s" "$TMP/out"
right "held lock" "$cpus"
kill $holder
wait $holder 2>/dev/null
rm -f $map

# --- both orders, every key size ----------------------------------------------------------------------------------------
for size in 128 136 144; do
  "$PEER" map $size
  start_leader cpu-clock
  "$BPERF" -v -e cpu-clock -a --timeout 500 2>"$TMP/out"
  ok "key of $size: perf first: its leader is joined" grep -q "leader joined, one of perf's" "$TMP/out"
  right "key of $size: perf first" "$cpus"
  "$BPERF" -v -e cpu-clock -- "$WORK" burn 200 2>"$TMP/out"
  ok "key of $size: a command through perf's leader" grep -q "leader joined, one of perf's" "$TMP/out"
  ok "key of $size: a command through perf's leader: 200 ms" between "$(value "$TMP/out" cpu-clock)" 199.5 "$limit"
  stop_leader
  "$BPERF" -v -e cpu-clock -a --timeout 4000 2>"$TMP/out" &
  session=$!
  sleep 1
  ok "key of $size: perf gone: a leader is made" grep -Eq 'leader (made|joined)(, attached to sched_switch)?$' "$TMP/out"
  "$PEER" key cpu-clock --key $size >"$TMP/key"
  "$PEER" dump >"$TMP/dump"
  ok "key of $size: us first: the entry has perf's key" grep -qF "$(cat "$TMP/key")" "$TMP/dump"
  ok "key of $size: us first: and is alive" grep -q 'link [0-9]* live' "$TMP/dump"
  if has_fexit; then
    "$PEER" follow cpu-clock 500 --key $size >"$TMP/follow" 2>&1
    ok "key of $size: us first: perf joins" grep -q '^joined' "$TMP/follow"
    ok "key of $size: us first: perf counts every CPU right" \
      between "$(awk -v n="$cpus" '/^sum/ { print $2 / 1e6 / n }' "$TMP/follow")" 495 1900
  fi
  wait $session
  right "key of $size: us first" "$cpus"
  rm -f $map
done
if ! has_fexit; then skip "perf joins our leader" "fexit programs are refused by this kernel"; fi

# --- the other flag, another place --------------------------------------------------------------------------------------
"$PEER" map 136
start_leader cpu-clock --flags none
"$BPERF" -v -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "an entry without exclude_guest is found too" grep -q "leader joined, one of perf's" "$TMP/out"
stop_leader
rm -f $map
"$PEER" map 144 /sys/fs/bpf/elsewhere
start_leader cpu-clock --map /sys/fs/bpf/elsewhere
"$BPERF" -v --bpf-attr-map /sys/fs/bpf/elsewhere -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "--bpf-attr-map: that map is used" grep -q "leader joined, one of perf's" "$TMP/out"
stop_leader
rm -f /sys/fs/bpf/elsewhere
"$BPERF" --bpf-attr-map /sys/fs/bpf/nowhere -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "--bpf-attr-map of no file: says so, and counts" grep -q '^bperf-mini: not sharing with perf: cannot open .*/sys/fs/bpf/nowhere' "$TMP/out"
right "--bpf-attr-map of no file" "$cpus"

# --- leaders that are not to be trusted ---------------------------------------------------------------------------------
"$PEER" map 144
start_leader cpu-clock --cpus 0
"$BPERF" -v -e cpu-clock -a --timeout 500 2>"$TMP/out"
ok "perf's leader of CPU 0: not for -a" grep -q "perf's leader does not count CPU 1" "$TMP/out"
right "perf's leader of CPU 0" "$cpus"
stop_leader
rm -f $map
# One of ours may be joined: the kernel frees the last session's a little later than it ends.
for bad in tracepoint diff value nomap link none events stopped names; do
  "$PEER" map 136
  start_leader cpu-clock --bad $bad
  "$BPERF" -v -e cpu-clock -a --timeout 300 2>"$TMP/out"
  ok "a leader with bad $bad: is not joined" grep -Eq 'leader (made|joined)(, attached to sched_switch)?$' "$TMP/out"
  right "a leader with bad $bad" "$cpus"
  stop_leader
  rm -f $map
done
"$PEER" map 136
start_leader cpu-clock --prog-name other
"$BPERF" -v -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "a program of another name: is not joined" grep -Eq 'leader (made|joined)(, attached to sched_switch)?$' "$TMP/out"
stop_leader
rm -f $map

# --- full of the dead ---------------------------------------------------------------------------------------------------
"$PEER" map 136
"$PEER" fill 16
"$BPERF" -e cpu-clock -a --timeout 2500 2>"$TMP/out" &
session=$!
sleep 1
ok "sixteen dead entries: ours is entered all the same" sh -c "'$PEER' dump | grep -q live"
wait $session
right "sixteen dead entries" "$cpus"
rm -f $map

# --- another shape ------------------------------------------------------------------------------------------------------
"$PEER" map 136 --value 16
"$BPERF" -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "a map of another shape: expected and found are told" \
  grep -Eq "^bperf-mini: not sharing with perf: $map is not perf's attr map: expected .* values of 8 bytes, found type 1 with 136 and 16" "$TMP/out"
right "a map of another shape" "$cpus"
ok "a map of another shape: stays, and empty" sh -c "[ -e $map ] && [ -z \"\$('$PEER' dump 2>/dev/null)\" ]"
rm -f $map

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
