#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who may do what: the rights that a file can be given, and those that it must not have; that nothing of them reaches the command;
# and the modes of what stays behind.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/../kernel/lib.sh"

USER=65534
own=$TMP/bperf-mini
chmod 755 "$TMP"
cp "$BPERF" "$own"

# as_user COMMAND...: as a user without any right
as_user() { "$WORK" as $USER "$@"; }

# --- setuid and setgid -----------------------------------------------------------------------------------------------------
grep -q nosuid /proc/mounts && grep -q " ${TMP%/*} [^ ]* [^ ]*nosuid" /proc/mounts && nosuid=1
for mode in 4755 2755; do
  if [ -n "${nosuid:-}" ]; then
    skip "mode $mode" "${TMP%/*} is mounted nosuid"
    continue
  fi
  chmod $mode "$own"
  for arguments in "-e dummy -- true" --version list status check; do
    # shellcheck disable=SC2086 # words
    run as_user "$own" $arguments
    is "$status $out" "125 " "mode $mode: $arguments: 125, and nothing is done"
    like "$err" '^bperf-mini: refuses to run setuid or setgid: ' "mode $mode: $arguments: why"
    is "$(printf '%s\n' "$err" | wc -l)" 2 "mode $mode: $arguments: and a line of advice"
  done
done
chmod 4755 "$own"
run "$own" --version
is "$status" 0 "to its owner a setuid file lends nothing: that is let pass"
chmod 755 "$own"

# --- what each right is for ------------------------------------------------------------------------------------------------
# The manual's section SECURITY, by test. with CAPABILITIES ARGUMENT...: a file that has them, run by a user who has none
with() {
  setcap "$1=ep" "$own" || return
  shift
  as_user "$own" "$@" >"$TMP/stdout" 2>"$TMP/out"
}
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
cp "$(env which true)" "$TMP/true"
if ! command -v setcap >/dev/null || ! setcap cap_perfmon=ep "$TMP/true" 2>/dev/null; then
  skip "capabilities of a file" "no setcap, or no file system that keeps them"
else
  "$BPERF" -e task-clock -a --timeout 60000 2>"$TMP/root" &
  root=$!
  status_shows " $root "
  setcap -r "$own" 2>/dev/null
  if [ "$paranoid" -ge 1 ]; then
    as_user "$own" -e task-clock -a -- true 2>"$TMP/out"
    is $? 125 "without any: not all CPUs"
  fi
  with cap_perfmon -e task-clock -a -- sleep 0.3
  is $? 0 "cap_perfmon: all CPUs"
  ok "cap_perfmon: by plain events, and that is said" grep -q '^bperf-mini: counting unshared, by plain events: ' "$TMP/out"
  ok "cap_perfmon: the count is right" near "$(value "$TMP/out" task-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
  with cap_perfmon -e task-clock -p $$ --timeout 100
  is $? 0 "cap_perfmon: a process of another user"
  with cap_perfmon,cap_bpf -v -e task-clock -a -- sleep 0.3
  is $? 0 "cap_perfmon,cap_bpf: all CPUs"
  ok "cap_perfmon,cap_bpf: through BPF, a leader of its own" grep -q 'task-clock: leader made, unshared' "$TMP/out"
  ok "cap_perfmon,cap_bpf: that it is not shared is said" grep -q '^bperf-mini: counting unshared: .*: Permission denied' "$TMP/out"
  ok "cap_perfmon,cap_bpf: the count is right" near "$(value "$TMP/out" task-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
  with cap_perfmon,cap_bpf --share=always -e task-clock -a -- true
  is $? 125 "cap_perfmon,cap_bpf: not --share=always"
  with cap_perfmon,cap_bpf,cap_sys_admin,cap_dac_override -v -e task-clock -a -- sleep 0.3
  is $? 0 "with cap_sys_admin,cap_dac_override: all CPUs"
  ok "with cap_sys_admin,cap_dac_override: shared" grep -q 'task-clock: leader joined' "$TMP/out"
  ok "with cap_sys_admin,cap_dac_override: the count is right" near "$(value "$TMP/out" task-clock)" "$(cpu_ms "$TMP/out" "$cpus")" 2
  with cap_perfmon,cap_bpf --overhead -e task-clock -a -- true
  ok "cap_perfmon,cap_bpf: no --overhead, and why" grep -q '^bperf-mini: .*overhead.*: Operation not permitted' "$TMP/out"
  kill $root
  gone $root || kill -9 $root
  wait $root

  # nothing goes on to the command
  with cap_perfmon,cap_bpf -e dummy -o /dev/null -- grep -E '^(Cap|Uid|Gid|NoNewPrivs)' /proc/self/status
  sort "$TMP/stdout" >"$TMP/counted"
  as_user grep -E '^(Cap|Uid|Gid|NoNewPrivs)' /proc/self/status | sort >"$TMP/alone"
  ok "the command has none of the file's rights" diff "$TMP/alone" "$TMP/counted"

  # The way by a file in memory (src/stub/stub.c): that file has no rights. Those of a service are not the file's.
  MDWE=${WORK%work}mdwe
  if grep -q 'cannot unpack itself' "$own"; then
    setcap cap_perfmon,cap_bpf=ep "$own"
    # by seccomp they would be lost anyway: for that a user needs PR_SET_NO_NEW_PRIVS
    if "$MDWE" mdwe true 2>/dev/null && [ "$paranoid" -ge 1 ]; then
      as_user "$MDWE" mdwe "$own" -e task-clock -a -- true >"$TMP/out" 2>&1
      is $? 125 "where written memory may not be executed the file's rights are lost"
      ok "... and advice" grep -q 'needs root or CAP_PERFMON' "$TMP/out"
    fi
    setcap -r "$own"
    if setpriv --inh-caps=+perfmon true 2>/dev/null; then
      setpriv --reuid $USER --regid $USER --clear-groups --inh-caps=-all,+perfmon,+bpf --ambient-caps=-all,+perfmon,+bpf \
        "$MDWE" mprotect "$own" -v -e task-clock -a -- true >"$TMP/out" 2>&1
      is $? 0 "a service's (AmbientCapabilities=) are not"
      ok "... through BPF" grep -q 'task-clock: leader made' "$TMP/out"
    else
      skip "ambient capabilities" "setpriv knows no perfmon"
    fi
  fi
fi

# --- what stays behind -------------------------------------------------------------------------------------------------------
"$BPERF" -e dummy -- true 2>/dev/null
is "$(ls -ldn /sys/fs/bpf/bperf_mini | awk '{ print $1, $3 }')" "drwx------ 0" "the registry's folder is root's alone"
# another version's may stand beside ours
is "$(ls -ln /sys/fs/bpf/bperf_mini | awk 'NF > 3 { sub(/[0-9]+$/, ""); print $1, $3, $NF }' | sort -u)" "-rw------- 0 leaders_v" \
  "so is its map, and nothing else is there"
(umask 077; "$BPERF" -e dummy -o "$TMP/count" -- true)
is "$(stat -c %a "$TMP/count")" 600 "a file of counts has the mode that the umask says"

done_testing
