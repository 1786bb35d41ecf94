#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Corners that people get into: PID namespaces, few descriptors, odd signals, odd ids, missing rights, a /sys that is not there.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before

# --- in a PID namespace -------------------------------------------------------------------------------------------------
if unshare -pf --mount-proc true 2>/dev/null; then
  low=1000
  for _ in 1 2 3 4 5; do
    unshare -pf --mount-proc "$BPERF" -e task-clock -- "$WORK" threads 2 100 2>"$TMP/out"
    low=$(awk -v a="$low" -v b="$(value "$TMP/out" task-clock)" 'BEGIN { print b + 0 < a ? b + 0 : a }')
  done
  ok "PID namespace: a command's threads, the least of five" between "$low" 199.5 "$(high 215)"
  unshare -pf --mount-proc sh -c "$WORK after 500 $WORK threads 2 100 & exec $BPERF -e task-clock -p \$!" 2>"$TMP/out"
  ok "PID namespace: a process by the id it has there" between "$(value "$TMP/out" task-clock)" 199.5 "$(high 215)"
  cat >"$TMP/nested" <<EOF
unshare -pf --mount-proc sh -c '$WORK after 3000 true & wait' &
sleep 1
for status in /proc/[0-9]*/status; do
  awk '/^NSpid:/ && NF == 3 { exit 1 }' \$status || nested=\$(echo \$status | tr -dc 0-9)
done
exec $BPERF -e task-clock -p \$nested
EOF
  unshare -pf --mount-proc sh "$TMP/nested" 2>"$TMP/out"
  ok "PID namespace: a process of one below is refused" grep -q 'it is in a PID namespace below this one' "$TMP/out"
else
  skip "PID namespace" "no PID namespace can be made here"
fi

# --- ids ----------------------------------------------------------------------------------------------------------------
"$WORK" threads 2 100000 &
process=$!
sleep 0.5
for task in /proc/$process/task/*; do
  [ "${task##*/}" = "$process" ] || thread=${task##*/}
done
"$BPERF" -e task-clock -p "$thread" --timeout 1000 2>"$TMP/out"
ok "-p of a thread's id counts its process" between "$(value "$TMP/out" task-clock)" 700 "$(high 2100)"
kill $process
wait $process 2>/dev/null
"$BPERF" -e dummy -p "$$,$$" --timeout 10 2>"$TMP/out"
ok "-p of one process twice" [ $? = 0 ]

# --- few descriptors: a live leader is not taken for a dead one ---------------------------------------------------------
"$BPERF" -e cpu-clock -a --timeout 60000 2>/dev/null &
keeper=$!
sleep 0.5
limit=5
while [ $limit -lt 20 ]; do
  sh -c "ulimit -n $limit; exec $BPERF -e cpu-clock -a --timeout 20" >"$TMP/o.$limit" 2>&1
  limit=$((limit + 1))
done
"$BPERF" -v -e cpu-clock -a --timeout 20 2>"$TMP/out"
ok "sessions short of descriptors leave the leader where it is" grep -q 'leader joined' "$TMP/out"
ok "and say what they lack" grep -q 'No file descriptors available' "$TMP/o.5"
kill $keeper
wait $keeper

# --- signals ------------------------------------------------------------------------------------------------------------
sh -c "trap '' CHLD; exec timeout 20 $BPERF -e task-clock -- $WORK burn 100" 2>"$TMP/out"
ok "SIGCHLD ignored by the caller: the end is seen" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 110)"
(ulimit -f 0; "$BPERF" -e dummy -o "$TMP/limited" -- true; echo "status $?") 2>&1 | cat >"$TMP/out"
ok "no file may grow: status 125" grep -q 'status 125' "$TMP/out"
ok "no file may grow: says so" grep -q "cannot write $TMP/limited: File too large" "$TMP/out"
"$BPERF" -e dummy -- sh -c 'kill -STOP $$; exit 3' 2>/dev/null &
session=$!
sleep 0.5
child=$(for status in /proc/[0-9]*/status; do
  awk -v p=$session '/^Pid:/ { pid = $2 } /^PPid:/ && $2 == p { print pid }' "$status" 2>/dev/null
done)
kill -CONT $child
wait $session
ok "a command that was stopped goes on" [ $? = 3 ]

# --- commands -----------------------------------------------------------------------------------------------------------
echo 'exit 5' >"$TMP/script"
chmod +x "$TMP/script"
"$BPERF" -e dummy -- "$TMP/script" 2>/dev/null
ok "a script without #! is run by the shell" [ $? = 5 ]
"$BPERF" -e task-clock -- "$BPERF" -e task-clock -- "$WORK" burn 50 2>"$TMP/out"
ok "bperf-mini counts bperf-mini" [ "$(grep -c 'msec task-clock' "$TMP/out")" = 2 ]
"$BPERF" -e dummy -- sh -c 'ls -l /proc/self/fd | grep -c anon_inode' >"$TMP/fds" 2>/dev/null
ok "the command gets no descriptor of ours" [ "$(cat "$TMP/fds")" = 0 ]
# shellcheck disable=SC3045 # dash and busybox have them
(ulimit -n 100; "$BPERF" -e dummy -- sh -c 'ulimit -n; ulimit -l' >"$TMP/limits" 2>/dev/null; ulimit -n; ulimit -l) >"$TMP/ours"
ok "the command gets the caller's limits" cmp "$TMP/limits" "$TMP/ours"
"$BPERF" -e dummy -- true <&- >&- 2>&-
ok "standard streams closed: what cannot be printed is a failure" [ $? = 125 ]
"$BPERF" -e dummy -o "$TMP/closed" -- true <&- >&- 2>&-
ok "standard streams closed, -o: status 0" [ $? = 0 ]

# --- rights -------------------------------------------------------------------------------------------------------------
if setpriv --bounding-set -sys_admin --inh-caps -sys_admin true 2>/dev/null; then
  setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$BPERF" -e cpu-clock -a -- sleep 0.2 2>"$TMP/out"
  ok "root without CAP_SYS_ADMIN: counts" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 3
fi
"$WORK" as 65534 "$BPERF" --share=always -e task-clock -- true 2>"$TMP/out"
ok "not root, a command: one line and advice" between "$(wc -l <"$TMP/out")" 2 2
ok "not root, a command: the advice" grep -q 'needs root, or the capabilities' "$TMP/out"

# --- no /sys ------------------------------------------------------------------------------------------------------------
if unshare -m true 2>/dev/null; then
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none /sys; exec $BPERF -e cpu-clock -a -- sleep 0.3" 2>"$TMP/out"
  ok "no /sys: every CPU is counted" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 3
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none /proc; exec $BPERF -e task-clock -- $WORK burn 50" 2>"$TMP/out"
  ok "no /proc: a command is counted" between "$(value "$TMP/out" task-clock)" 49.5 "$(high 60)"
fi

# --- more events than the registry ever held ----------------------------------------------------------------------------
n=0
while [ $n -lt 30 ]; do
  "$BPERF" -e "r$n,cpu-clock" -C 0 --timeout 1 2>/dev/null || break
  n=$((n + 1))
done
ok "thirty different events, one after the other" [ $n = 30 ]

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
