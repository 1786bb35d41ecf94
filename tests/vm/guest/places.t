#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Rows of sockets, cores and CPUs in a machine of two sockets of two cores (tests/vm/places.t), of which one CPU comes and goes.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/kernel/places.sh
. "${0%/*}/places.sh"

cpu_set() { # CPU 0|1
  echo "$2" >/sys/devices/system/cpu/cpu"$1"/online
}

# names FILE EVENT [TIME]: the places, in order
names() { rows "$1" "$2" | awk -v time="$3" 'time == "" || $1 == time { printf "%s(%s) ", $2, $3 }'; }

is "$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | tr '\n' ' ')" "0 0 1 1 " "two sockets of two CPUs"
# where the kernel knows dies, some number them within the socket and some through the machine
die=$(cat /sys/devices/system/cpu/cpu2/topology/die_id 2>/dev/null || echo 0)
[ "$die" -ge 0 ] || die=0
ids_before

# --- which rows ---------------------------------------------------------------------------------------------------------
while read -r kind want; do
  "$BPERF" "$kind" -e cpu-clock -a --timeout 300 2>"$TMP/out"
  is "$(names "$TMP/out" cpu-clock)" "$want " "$kind: the places in order"
  ok "$kind: each has the time of its CPUs" each_near "$TMP/out" cpu-clock "$(cpu_ms "$TMP/out" 1)"
done <<END
-A CPU0(1) CPU1(1) CPU2(1) CPU3(1)
--per-core S0-D0-C0(1) S0-D0-C1(1) S1-D$die-C0(1) S1-D$die-C1(1)
--per-die S0-D0(2) S1-D$die(2)
--per-socket S0(2) S1(2)
END
"$BPERF" --per-socket -e cpu-clock -C 1-3 --timeout 200 2>"$TMP/out"
is "$(names "$TMP/out" cpu-clock)" "S0(1) S1(2) " "--per-socket -C 1-3: one CPU of a socket, two of the other"

# --- work on CPU 2 ------------------------------------------------------------------------------------------------------
"$BPERF" --per-socket -e page-faults -a -- taskset 4 "$WORK" faults 20000 2>"$TMP/out"
ok "20000 page faults on CPU 2: they are the second socket's" between "$(of S1 "$TMP/out" page-faults)" 20000 21000
ok "and not the first one's" between "$(of S0 "$TMP/out" page-faults | sed 's/none/0/')" 0 1000
if has_pmu; then
  "$BPERF" -A -e instructions:u -a -- taskset 4 "$WORK" loop 100000000 2>"$TMP/out"
  ok "200 million instructions on CPU 2" near "$(of CPU2 "$TMP/out" instructions:u)" 200000000 1
  ok "and few on the others" between "$(rows "$TMP/out" instructions:u | awk '$2 != "CPU2" && $4 != "none" { sum += $4 } END { print sum + 0 }')" 0 10000000
else
  skip "instructions" "no PMU in this machine"
fi

# --- a CPU that comes ---------------------------------------------------------------------------------------------------
cpu_set 3 0
"$BPERF" -A -e cpu-clock -a --timeout 300 2>"$TMP/out"
is "$(names "$TMP/out" cpu-clock)" "CPU0(1) CPU1(1) CPU2(1) " "an offline CPU has no row"
"$BPERF" --per-core -e cpu-clock -a -I 1000 --summary --timeout 4000 2>"$TMP/core" &
core=$!
"$BPERF" --per-socket -e cpu-clock -a --timeout 4000 2>"$TMP/socket" &
socket=$!
# the CPU comes while the first run counts, and the second one would see it
"$BPERF" -A -r 2 -e cpu-clock -a --timeout 1900 2>"$TMP/runs" &
runs=$!
# they begin up to half a second late in an emulated x86, and look at the CPUs once a second
sleep 1.7
cpu_set 3 1
wait $core
is $? 0 "--per-core, a CPU comes: status 0"
wait $socket
is $? 0 "--per-socket, a CPU comes: status 0"
wait $runs
is $? 0 "-A -r 2, a CPU comes: status 0"
first=$(rows "$TMP/core" cpu-clock | awk 'NR == 1 { print $1 }')
is "$(names "$TMP/core" cpu-clock "$first")" "S0-D0-C0(1) S0-D0-C1(1) S1-D$die-C0(1) " "a CPU comes: it has no row at first"
is "$(names "$TMP/core" cpu-clock -)" "S0-D0-C0(1) S0-D0-C1(1) S1-D$die-C0(1) S1-D$die-C1(1) " "and one in the summary"
ok "with the time from when it was seen" between "$(rows "$TMP/core" cpu-clock | awk '$1 == "-" && $2 ~ /^S1-.*-C1$/ { print $4 }')" 900 3100
is "$(names "$TMP/socket" cpu-clock)" "S0(2) S1(2) " "its socket has one CPU more"
ok "and its time" between "$(of S1 "$TMP/socket" cpu-clock)" 4900 7200
is "$(names "$TMP/runs" cpu-clock)" "CPU0(1) CPU1(1) CPU2(1) " "the mean of several runs is of the CPUs of the first"

# --- a CPU that goes ----------------------------------------------------------------------------------------------------
"$BPERF" -A -e cpu-clock -a -I 1000 --summary --timeout 3000 2>"$TMP/out" &
session=$!
sleep 1.2
cpu_set 3 0
wait $session
is $? 0 "a CPU goes: status 0"
is "$(names "$TMP/out" cpu-clock -)" "CPU0(1) CPU1(1) CPU2(1) CPU3(1) " "a CPU goes: its row stays"
is "$(rows "$TMP/out" cpu-clock | awk '$2 == "CPU3" { value = $1 == "-" ? value : $4 } END { print value }')" none "it is not counted any more"
ok "and keeps what it was counted for" between "$(rows "$TMP/out" cpu-clock | awk '$1 == "-" && $2 == "CPU3" { print $4 }')" 500 2200
cpu_set 3 1

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
