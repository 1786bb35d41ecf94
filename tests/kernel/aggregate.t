#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A row for each CPU, core, die, socket or node (-A, --per-core, ..): against work that is pinned to one CPU, against /sys, and
# against the time that passed.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/kernel/groups.sh
. "${0%/*}/groups.sh"
# shellcheck source=tests/kernel/places.sh
. "${0%/*}/places.sh"

last=$((cpus - 1))
SYS=/sys/devices/system
online=$(for dir in "$SYS"/cpu/cpu[0-9]*; do
  [ "$(cat "$dir/online" 2>/dev/null || echo 1)" = 0 ] || echo "${dir##*/cpu}"
done | sort -n)

# id CPU FILE: as in its topology folder; OTHERWISE where there is none
id() { cat "$SYS/cpu/cpu$1/topology/$2" 2>/dev/null || echo "$3"; }

node() {
  for dir in "$SYS"/node/node[0-9]*; do
    [ -e "$SYS/cpu/cpu$1/${dir##*/}" ] || continue
    echo "${dir##*/node}"
    return
  done
  echo -1
}

# expected KIND: "PLACE CPUS" a line, as /sys has them
expected() {
  for cpu in $online; do
    socket=$(id "$cpu" physical_package_id -1) core=$(id "$cpu" core_id -1) die=$(id "$cpu" die_id 0)
    [ "$die" -ge 0 ] || die=0
    case $1 in
    -A) echo "$cpu 0 0 CPU$cpu" ;;
    --per-core) echo "$socket $die $core S$socket-D$die-C$core" ;;
    --per-die) echo "$socket $die 0 S$socket-D$die" ;;
    --per-socket) echo "$socket 0 0 S$socket" ;;
    --per-node) echo "$(node "$cpu") 0 0 N$(node "$cpu")" ;;
    esac
  done | sort -n -k 1,1 -k 2,2 -k 3,3 | uniq -c | awk '{ print $5, $1 }'
}

# shellcheck disable=SC2317 # ok calls it
# adds_up FILE EVENT: each place's intervals come to its count in the summary, to the last one
adds_up() {
  rows "$1" "$2" | awk -v cpus="$cpus" '$1 == "-" { total[$2] = $4; next } $4 != "none" { sum[$2] += $4; intervals++ }
    END { for (place in total) { n++; print place, sum[place], total[place]; if (sum[place] + 0 != total[place]) wrong = 1 }
      exit wrong || n != cpus || intervals <= cpus }'
}

ids_before

# --- which rows there are, and what they come to ------------------------------------------------------------------------
for kind in -A --per-core --per-die --per-socket --per-node; do
  "$BPERF" $kind -e cpu-clock,page-faults -a -- sleep 0.3 2>"$TMP/out"
  is $? 0 "$kind: status 0"
  is "$(rows "$TMP/out" cpu-clock | awk '{ print $2, $3 }')" "$(expected $kind)" "$kind: the places of /sys, with their CPUs, in order"
  ok "$kind: each has the time of its CPUs" each_near "$TMP/out" cpu-clock "$(cpu_ms "$TMP/out" 1)"
  ok "$kind: and all of them that of all CPUs" near "$(rows "$TMP/out" cpu-clock | awk '{ sum += $4 } END { print sum }')" "$(cpu_ms "$TMP/out" "$cpus")" 2
done
"$BPERF" -A -e cpu-clock -C $last -- sleep 0.2 2>"$TMP/out"
is "$(rows "$TMP/out" cpu-clock | awk '{ print $2, $3 }')" "CPU$last 1" "-A -C $last: that one only"
"$BPERF" --per-core -e cpu-clock -C $last -- sleep 0.2 2>"$TMP/out"
is "$(rows "$TMP/out" cpu-clock | awk '{ print $3 }')" 1 "--per-core -C $last: its core, of which one CPU is counted"
"$BPERF" --share=never -A -e cpu-clock,page-faults -a -- sleep 0.3 2>"$TMP/out"
is "$(rows "$TMP/out" cpu-clock | awk '{ print $2, $3 }')" "$(expected -A)" "-A, by plain events: the same rows"
ok "-A, by plain events: each has its CPU's time" each_near "$TMP/out" cpu-clock "$(cpu_ms "$TMP/out" 1)"

# --- work on one CPU ----------------------------------------------------------------------------------------------------
"$BPERF" -A -e page-faults,cpu-clock -a -- taskset -c $last "$WORK" faults 20000 2>"$TMP/out"
ok "-A: 20000 page faults on CPU $last" between "$(of CPU$last "$TMP/out" page-faults)" 20000 200000
mkdir "$HERE/a" "$HERE/b"
for share in always never; do
  if [ $share = never ] && ! have_plain; then
    skip "-A of cgroups, --share=never" "perf_event is not of cgroup v2 here, see /proc/cgroups"
    continue
  fi
  "$BPERF" --share=$share -A -e task-clock,page-faults --for-each-cgroup "$OWN/a,$OWN/b" -- taskset -c $last sh "$IN" a "$WORK" burn 200 2>"$TMP/out"
  is $? 0 "-A of cgroups, --share=$share: status 0"
  for group in a b; do grep -E "$OWN/$group( |\$)" "$TMP/out" >"$TMP/$group"; done
  ok "-A of cgroups, --share=$share: 200 ms of work on CPU $last" between "$(of CPU$last "$TMP/a" task-clock)" 199.5 "$(high 212)"
  is "$(rows "$TMP/a" task-clock | awk -v mine=CPU$last '$2 != mine { print $4 }' | sort -u)" none "-A of cgroups, --share=$share: none elsewhere"
  is "$(rows "$TMP/b" task-clock | awk '{ print $2, $4 }')" "$(expected -A | awk '{ print $1, "none" }')" "-A of cgroups, --share=$share: none in the other group"
done
"$BPERF" --per-socket -e task-clock -a -G "$OWN/a" -- sh "$IN" a "$WORK" burn 200 2>"$TMP/out"
ok "--per-socket of a cgroup: 200 ms, wherever it ran" between "$(rows "$TMP/out" task-clock | awk '$4 != "none" { sum += $4 } END { print sum }')" 199.5 "$(high 220)"

# --- intervals, runs, delays --------------------------------------------------------------------------------------------
"$BPERF" -A -e page-faults,cpu-clock -a -I 200 --summary -- taskset -c $last sh -c "$WORK faults 20000; sleep 0.5" 2>"$TMP/out"
ok "-A -I --summary: the intervals of each CPU come to its summary, to the last fault" adds_up "$TMP/out" page-faults
"$BPERF" -A -r 2 -e cpu-clock -a -- sleep 0.2 2>"$TMP/out"
is "$(rows "$TMP/out" cpu-clock | awk '{ print $2, $3 }')" "$(expected -A)" "-A -r 2: a row a CPU"
ok "-A -r 2: with the mean" between "$(of CPU0 "$TMP/out" cpu-clock)" 199 "$(high 260)"
"$BPERF" --per-socket -D 200 -e cpu-clock -a --timeout 300 2>"$TMP/out"
ok "--per-socket -D: each has the time of its CPUs" each_near "$TMP/out" cpu-clock "$(cpu_ms "$TMP/out" 1)"

# --- without /sys -------------------------------------------------------------------------------------------------------
cat >"$TMP/bare" <<END
mount -t tmpfs none /sys || exit 9
"$BPERF" --no-mount -A -e cpu-clock -a --timeout 200 2>"$TMP/cpu"
"$BPERF" --no-mount --per-core -e cpu-clock -a --timeout 200 2>"$TMP/core"
END
unshare -m sh "$TMP/bare" >"$TMP/out" 2>&1
status=$?
if [ $status = 9 ] || ! [ -s "$TMP/cpu" ]; then
  skip "without /sys" "nothing can be mounted over it here"
else
  is $status 0 "without /sys: status 0"
  ok "-A without /sys: each has its CPU's time" each_near "$TMP/cpu" cpu-clock "$(cpu_ms "$TMP/cpu" 1)"
  is "$(rows "$TMP/cpu" cpu-clock | awk '{ print $2 }')" "$(expected -A | awk '{ print $1 }')" "-A without /sys: a row a CPU"
  is "$(rows "$TMP/core" cpu-clock | awk '{ print $2, $3 }')" "S-1-D0-C-1 $cpus" "--per-core without /sys: one that has no name, as perf has it"
fi

# --- what does not fit --------------------------------------------------------------------------------------------------
for scope in "-p $$" "-t $$" "--"; do
  # shellcheck disable=SC2086 # two words
  run "$BPERF" --per-core -e cpu-clock $scope true
  is "$status" 2 "--per-core $scope: refused, as perf does"
  like "$err" '^bperf-mini: .*--per-core.*a task has no CPU' "--per-core $scope: and why"
done
"$BPERF" -A -e task-clock -a -p $$ -- sleep 0.1 2>"$TMP/out"
is $? 0 "-A of the system beside a process: status 0"
is "$(rows "$TMP/out" task-clock | grep -c '') $(grep -c 'task-clock' "$TMP/out")" "$cpus $((cpus + 1))" "-A of the system beside a process, which has one row"
if ! has_pmu; then
  "$BPERF" -A -e cycles,cpu-clock -a -- sleep 0.1 2>"$TMP/out"
  is "$(rows "$TMP/out" cycles | awk '{ print $2, $4 }')" "$(expected -A | awk '{ print $1, "no" }')" "-A of what this host cannot count: <not supported> for each"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
