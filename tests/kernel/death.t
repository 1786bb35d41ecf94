#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Any kind of death: every system call of a session fails once, and the session is killed at every one of them. Nothing stays
# but the registry, sessions that run are not disturbed, the next one starts clean. (faults.sh says how; other scopes:
# faults.t; all errors of all calls of all scopes: make faults.)
# shellcheck source=tests/kernel/faults.sh
. "${0%/*}/faults.sh"

keepers_start

for name in cpus process command; do scope "$name"; done

# --- the command dies before it is one ----------------------------------------------------------------------------------
# with -f each process is counted by itself, and strace passes over the exec of bperf-mini itself
for fate in 137:signal=KILL 126:error=ENOMEM 127:error=ENOENT; do
  status=0
  timeout -k 1 $LIMIT strace -f -qq -o /dev/null -e trace=execve -e "inject=execve:${fate#*:}:when=1" \
    "$BPERF" -e task-clock -- "$TMP/true" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
  is "$status" "${fate%%:*}" "the command's exec ends in ${fate#*:}: the status says so"
done
ok "nothing is left" ids_soon

# --- the command of a session that fails while it runs ------------------------------------------------------------------
for call in poll wait4 read; do
  for n in 1 2 3 4 5 6 7 8 9 10; do
    inject $call error=ENOMEM $n -e cpu-clock --timeout 100 -- "$TMP/sleep" 300
    [ -n "$hit" ] || break
    ok "$call $n fails while a command runs ($status): it is not left behind" no_child
    for child in $(pgrep -f "$TMP/sleep"); do kill "$child"; done
  done
done

keepers_end
done_testing
