#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Linux 5.10, the oldest: BPF is charged to the limit of locked memory, trampolines are lacking on arm64; then its JIT is switched off, and
# CPU 0 (tests/vm/parts.t).
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before

# --- V41 ----------------------------------------------------------------------------------------------------------------
# limited KB COMMAND...: sets status and err; err is in $TMP/out, too
limited() {
  limit=$1
  shift
  run sh -c "ulimit -l $limit;"' exec "$@"' sh "$@"
  printf '%s\n' "$err" >"$TMP/out"
}
for limit in 0 64; do
  limited $limit "$BPERF" --share=always -e task-clock -- "$WORK" burn 50
  ok "V41: ulimit -l $limit, root: raises it, and shares" between "$(value "$TMP/out" task-clock)" 49.5 "$(high 60)"
  unlike "$err" '^bperf-mini' "V41: ulimit -l $limit, root: no word of it"
  limited $limit "$WORK" caps 65534 bpf,perfmon,sys_resource "$BPERF" -e task-clock -- "$WORK" burn 50
  like "$err" '^bperf-mini: counting unshared: cannot make /sys/fs/bpf/bperf_mini: Permission denied' "V41: ulimit -l $limit, who may raise it: through BPF"
  limited $limit "$WORK" caps 65534 bpf,perfmon "$BPERF" -e task-clock -- "$WORK" burn 50
  is "$(printf '%s\n' "$err" | grep -c '^bperf-mini')" 1 "V41: ulimit -l $limit, who may not: one line"
  like "$err" "^bperf-mini: counting unshared, by plain events: cannot create map .*: Operation not permitted; .* or, before Linux 5.11, ulimit -l \(here $limit KB\) refuses it" \
    "V41: ulimit -l $limit, who may not: why"
  ok "V41: ulimit -l $limit, who may not: the count" between "$(value "$TMP/out" task-clock)" 49.5 "$(high 60)"
  limited $limit "$WORK" caps 65534 bpf,perfmon "$BPERF" --share=always -e task-clock -- true
  is "$status" 125 "V41: ulimit -l $limit, who may not, --share=always: status 125"
  like "$err" "^bperf-mini: needs root.*ulimit -l \(here $limit KB\)" "V41: ulimit -l $limit, who may not, --share=always: advice"
done
limited 64 "$WORK" caps 65534 perfmon "$BPERF" -e task-clock -- "$WORK" burn 50
unlike "$err" 'ulimit' "V41: who lacks CAP_BPF is told just that"

# --- V45 ----------------------------------------------------------------------------------------------------------------
# counts TITLE WHY: fexit is refused for that reason, and makes no difference to a command and a process
counts() {
  "$BPERF" check -j >"$TMP/out"
  is $? 0 "$1: sharing works"
  like "$(cat "$TMP/out")" "^\{\"check\" : \"fexit\", \"works\" : false, .*\"answer\" : \"$2\"" "$1: said by check"
  "$BPERF" --share=always -e task-clock,instructions:u -- "$WORK" loop 1000000 2>"$TMP/out"
  ok "$1: a command" between "$(value "$TMP/out" instructions:u)" 2000000 2200000
  "$WORK" after 1000 "$WORK" forks 4 25 &
  "$BPERF" --share=always -e task-clock -p $! 2>"$TMP/out"
  ok "$1: a process and its children" between "$(value "$TMP/out" task-clock)" 99.5 "$(high 115)"
  unlike "$(cat "$TMP/out")" '^bperf-mini' "$1: no word of it without -v"
}
[ "$release" != 5.10 ] || [ "$(uname -m)" != aarch64 ] || counts "V45: no trampolines" 'cannot attach it: Not supported by this kernel \(524\)'
echo 0 >/proc/sys/net/core/bpf_jit_enable
counts "V45: no JIT" 'cannot load a program: .*Invalid argument'
echo 1 >/proc/sys/net/core/bpf_jit_enable

# --- V48: this kernel knows no config3, which came with 6.3 ----------------------------------------------------------------
if has_pmu; then
  run "$BPERF" -e cycles,armv8_pmuv3/config3=1/ -a -- sleep 0.1
  is "$status" 0 "V48: a field that this kernel does not have: status 0"
  like "$err" '<not supported> +armv8_pmuv3/config3=1/' "V48: a field that this kernel does not have: <not supported>"
  printf '%s\n' "$err" >"$TMP/out"
  number "$(value "$TMP/out" cycles)" '>' 1000000 "V48: and the rest is counted"
fi

# --- V12: CPU 0 is off, and in the list of a PMU --------------------------------------------------------------------------
if echo 0 >/sys/devices/system/cpu/cpu0/online; then
  is "$(cat /sys/devices/system/cpu/online)" 1 "CPU 0 is off"
  "$BPERF" --share=always -e cpu-clock -a -- sleep 0.2 2>"$TMP/out"
  ok "V12: -a" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" 1)" 5
  "$BPERF" --share=always -e instructions:u -- "$WORK" loop 1000000 2>"$TMP/out"
  ok "V12: a command" between "$(value "$TMP/out" instructions:u)" 2000000 2200000
  run "$BPERF" -e cpu-clock -C 0 -- sleep 0.1
  is "$status" 2 "V12: -C 0: status 2"
  is "$err" "bperf-mini: CPU 0 of -C 0 is not online (online: 1)" "V12: -C 0: refused"
  if has_pmu; then
    is "$(cat /sys/bus/event_source/devices/armv8_pmuv3/cpus)" 0-1 "V12: the PMU's list has CPU 0"
    "$BPERF" -e armv8_pmuv3/cpu_cycles/ -a -- sleep 0.1 2>"$TMP/out"
    number "$(value "$TMP/out" armv8_pmuv3/cpu_cycles/)" '>' 50000000 "V12: it is counted where it can be"
    unlike "$(cat "$TMP/out")" '^bperf-mini' "V12: and nothing is said of the other"
  fi
  echo 1 >/sys/devices/system/cpu/cpu0/online
else
  skip "V12: CPU 0 is off" "this kernel cannot take it off"
fi
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
