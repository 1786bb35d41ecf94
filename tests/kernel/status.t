#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini status: who shares what now, as text and as JSON; it changes nothing.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before
"$BPERF" status >"$TMP/out" 2>&1
ok "without sessions: nothing is shared" grep -qx 'nothing is shared now' "$TMP/out"

pids=
for _ in 1 2 3; do
  "$BPERF" -e task-clock -p $$ --timeout 60000 2>/dev/null &
  pids="$pids $!"
  last=$!
done
for _ in 1 2; do
  "$BPERF" -e task-clock,cpu-clock:u -a --timeout 60000 2>/dev/null &
  pids="$pids $!"
done
sleep 2
"$WORK" ids >"$TMP/ids.running"
"$BPERF" status >"$TMP/out" 2>"$TMP/err"
ok "status 0, and nothing on stderr" [ $? = 0 ] && [ ! -s "$TMP/err" ]
ok "one leader of the event that five sessions count, three of them by followers" \
  grep -Eq "^task-clock: leader [0-9]+ by bperf-mini, not attached, [0-9]+ s old, $cpus CPUs?, 3 followers, 5 sessions\$" "$TMP/out"
ok "the other event is another leader, which is needed by CPUs only" \
  grep -Eq "^cpu-clock:u: leader [0-9]+ by bperf-mini, not attached, [0-9]+ s old, $cpus CPUs?, 0 followers, 2 sessions\$" "$TMP/out"
ok "the sessions are named" grep -Eq "^ +$last bperf-mini\$" "$TMP/out"
ok "software events take no hardware counter" grep -qx 'hardware counters in use: 0, saved by sharing: 0' "$TMP/out"
"$BPERF" status -j >"$TMP/json" 2>"$TMP/err"
ok "JSON: an object a line" [ "$(grep -c '^{.*}$' "$TMP/json")" = 2 ]
ok "JSON: nothing else" [ "$(wc -l <"$TMP/json")" = 2 ]
ok "JSON: the numbers" grep -q '"event" : "task-clock", "type" : 1, "config" : 1, .*"link-id" : 0, "made-by" : "bperf-mini", .*"followers" : 3, "sessions" : 5, ' "$TMP/json"
ok "JSON: no link where it is not attached" grep -q '"event" : "cpu-clock:u", .*"link-id" : 0, ' "$TMP/json"
if command -v python3 >/dev/null; then
  ok "JSON: strict" python3 -c 'import json, sys; [json.loads(l, parse_constant=lambda c: 1 / 0) for l in open(sys.argv[1])]' "$TMP/json"
fi
ok "status makes and leaves nothing" ids_become "$TMP/ids.running"
# shellcheck disable=SC2086 # several
kill $pids
# shellcheck disable=SC2086
wait $pids 2>/dev/null

if has_pmu; then
  pids=
  for _ in 1 2 3 4; do
    "$BPERF" -e instructions -a --timeout 60000 2>/dev/null &
    pids="$pids $!"
  done
  sleep 2
  "$BPERF" status >"$TMP/out"
  ok "hardware: one counter a CPU in use, three saved" \
    grep -qx "hardware counters in use: $cpus, saved by sharing: $((3 * cpus))" "$TMP/out"
  # shellcheck disable=SC2086
  kill $pids
  # shellcheck disable=SC2086
  wait $pids 2>/dev/null
fi
"$WORK" as 65534 "$BPERF" status >"$TMP/out" 2>"$TMP/err"
ok "not root: a failure that says why" grep -Eq '^bperf-mini: cannot open /sys/fs/bpf/bperf_mini/leaders_v4: (Permission denied|Operation not permitted)' "$TMP/err"
"$BPERF" status >/dev/full 2>"$TMP/err"
ok "a full disk is a failure" [ $? = 125 ]

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
