#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What cannot be done: one line that says what, on what and why, at most one of advice, the documented status, nothing left.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before

# refuse STATUS PATTERN ARGUMENTS: of bperf-mini
refuse() {
  want=$1 pattern=$2
  shift 2
  "$BPERF" "$@" >"$TMP/stdout" 2>"$TMP/out" </dev/null
  status=$?
  judge "$*"
}

judge() {
  ok "$1: exit status $want" [ "$status" = "$want" ]
  ok "$1: says why" grep -Eq "^bperf-mini: $pattern" "$TMP/out"
  ok "$1: one line, or two with advice, and what was written" between "$(grep -c '^bperf-mini: ' "$TMP/out")" 1 2
  ok "$1: nothing else" [ "$(grep -cv '^bperf-mini: ' "$TMP/out")" = "${shown:-0}" ]
  [ "$status" = "$want" ] && grep -Eq "^bperf-mini: $pattern" "$TMP/out" || sed 's/^/# /' "$TMP/out"
}

shown=2
refuse 2 "event syntax: 'nosuch' at character 1: unknown event 'nosuch'" -e nosuch -- true
shown=0
refuse 2 "CPU $((cpus + 3)) .*online.*0-" -C $((cpus + 3)) -- true
refuse 2 "nothing to count" -e cpu-clock
refuse 125 "cannot count process 999999: there is none" -e cpu-clock -p 999999
refuse 125 "cannot count thread 999999: there is none" -e cpu-clock -t 999999
refuse 127 "cannot run '/nonexistent': No such file" -e cpu-clock -- /nonexistent
refuse 126 "cannot run '/etc': Permission denied" -e cpu-clock -- /etc
refuse 125 "cannot open /nonexistent/file: No such file" -e cpu-clock -o /nonexistent/file -- true
refuse 125 "cannot write /dev/full: No space left" -e cpu-clock -o /dev/full -- true
if ! has_pmu; then
  refuse 125 "this host cannot count cycles on CPU 0: No such file" -e cycles -- true
  ok "and advice: a virtual machine" grep -q 'virtual machine' "$TMP/out"
  "$BPERF" -e cycles,cpu-clock -a -- sleep 0.1 2>"$TMP/out"
  ok "an event that is not supported does not stop the rest: status 0" [ $? = 0 ]
  ok "an event that is not supported is said" grep -Eq '<not supported> +cycles' "$TMP/out"
  ok "the rest is counted" between "$(value "$TMP/out" cpu-clock)" 50 10000
fi
"$WORK" after 60000 true &
sleeper=$!
"$BPERF" -e task-clock -p $sleeper --timeout 100 2>"$TMP/out"
ok "a process that never ran: <not counted>" grep -Eq '<not counted> msec task-clock' "$TMP/out"
kill $sleeper

# --- exit statuses of commands and signals ------------------------------------------------------------------------------
"$BPERF" -e dummy -- false 2>/dev/null
ok "the command's own status" [ $? = 1 ]
"$BPERF" -e dummy -- sh -c 'exit 7' 2>/dev/null
ok "the command's own status, 7" [ $? = 7 ]
"$BPERF" -e dummy -- sh -c 'kill -9 $$' 2>/dev/null
ok "128 + the signal that ended the command" [ $? = 137 ]
signals="INT:2 TERM:15 HUP:1"
if awk '$1 == "SigIgn:" { exit $2 !~ /[13579bdf]$/ }' /proc/$$/status; then
  signals="INT:2 TERM:15"
  skip "HUP ends a count" "cannot: these tests were started with nohup"
fi
for signal in $signals; do
  # the shell makes its background jobs ignore INT; as with perf, a count ends on it all the same
  "$BPERF" -e cpu-clock -a 2>"$TMP/out" &
  session=$!
  sleep 0.5
  kill -"${signal%:*}" $session
  gone $session || kill -KILL $session
  wait $session
  status=$?
  ok "${signal%:*} ends a count: 128 + ${signal#*:}" [ $status = $((128 + ${signal#*:})) ]
  ok "${signal%:*}: what was counted is printed" between "$(value "$TMP/out" cpu-clock)" 1 100000
done
sh -c "trap '' HUP; exec $BPERF -e cpu-clock -a --timeout 1500" 2>"$TMP/out" &
session=$!
sleep 0.5
kill -HUP $session
wait $session
ok "HUP does not end what was started with nohup" [ $? = 0 ]
"$BPERF" -e dummy -- sleep 100 2>/dev/null &
session=$!
sleep 0.5
kill -TERM $session
wait $session
ok "TERM goes on to the command: 143" [ $? = 143 ]

# --- rights -------------------------------------------------------------------------------------------------------------
status=0
"$WORK" deny bpf 1 "$BPERF" --share=always -e cpu-clock -a -- true 2>"$TMP/out" || status=$?
want=125 pattern='cannot share: .*Operation not permitted'
judge "bpf(2) refused (EPERM)"
ok "bpf(2) refused (EPERM): advice" grep -q seccomp "$TMP/out"
status=0
"$WORK" deny bpf 38 "$BPERF" --share=always -e cpu-clock -a -- true 2>"$TMP/out" || status=$?
pattern='cannot share: .*Function not implemented'
judge "bpf(2) missing (ENOSYS)"
ok "bpf(2) missing (ENOSYS): advice" grep -q 'CONFIG_BPF_SYSCALL' "$TMP/out"
status=0
"$WORK" deny perf_event_open 13 "$BPERF" -e emulation-faults -a -- true 2>"$TMP/out" || status=$?
pattern='cannot (share|count) emulation-faults: .*CPU 0: Permission denied'
judge "perf_event_open(2) refused (EACCES)"
ok "perf_event_open(2) refused (EACCES): advice" grep -q 'seccomp filter that is in force refuses perf_event_open(2)' "$TMP/out"
status=0
"$WORK" as 65534 "$BPERF" --share=always -e cpu-clock -a -- true 2>"$TMP/out" || status=$?
pattern='cannot share.*: (Permission denied|Operation not permitted)'
judge "not root"
ok "not root: advice" grep -Eq 'needs root|CAP_PERFMON' "$TMP/out"

# --- no bpf file system -------------------------------------------------------------------------------------------------
if unshare -m true 2>/dev/null; then
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none /sys/fs/bpf; exec $BPERF --no-mount -e cpu-clock -a -- sleep 0.2" 2>"$TMP/out"
  ok "no bpffs, --no-mount: counts all the same" [ $? = 0 ]
  ok "no bpffs, --no-mount: unshared, and says so" grep -q '^bperf-mini: counting unshared: no bpf file system on /sys/fs/bpf' "$TMP/out"
  ok "no bpffs, --no-mount: the count is right" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none /sys/fs/bpf; $BPERF -v -e cpu-clock -a -- true; ls -ld /sys/fs/bpf/bperf_mini" >"$TMP/ls" 2>"$TMP/out"
  ok "no bpffs: mounts one and shares" grep -q 'mounted a bpf file system on /sys/fs/bpf' "$TMP/out"
  ok "the registry's folder is for root only" grep -q '^drwx------' "$TMP/ls"
else
  skip "no bpffs" "no mount namespace can be made here"
fi
ok "nothing is left" ids_become "$TMP/ids.before"

done_testing
