#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In an emulated machine: each perf that was put there (/work/6.1 and so on, scripts/perf-peer) counts beside bperf-mini, through
# one leader, whoever was first. See tests/interop.t.
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"

PEER=${PEER:-/work/peer}
MAP=/sys/fs/bpf/perf_attr_map
cpus=$(grep -c '^processor' /proc/cpuinfo)

# value FILE EVENT: the count, a clock's in ms (perf and bperf-mini print alike)
value()
{
	awk -v event="$2" '{ name = $2 == "msec" || $2 == "counted>" || $2 == "supported>" ? ($3 == "msec" ? $4 : $3) : $2
		if (name == event) { gsub(",", "", $1); print $1; exit } }' "$1"
}

# share FILE EVENT: how many CPUs' time the count is, in percent of one CPU
share()
{
	awk -v value="$(value "$1" "$2")" '/seconds time elapsed/ && value ~ /^[0-9.]+$/ { printf "%.1f\n", value / $1 / 10; exit }' "$1"
}

# right FILE EVENT CPUS NAME: ours is right within 2 %.
right() { within_percent "$(share "$1" "$2")" $(($3 * 100)) 2 "$4" || { diag "of:"; sed 's/^/# /' "$1"; }; }

# perf_right FILE EVENT CPUS NAME: perf's first difference reaches back to the last switch of each CPU (kernel-facts.md 4.2), which
# an idle one had long ago: too much is its own fault, too little would be ours.
perf_right()
{
	got=$(share "$1" "$2")
	if tap_is_number "$got" && awk "BEGIN { exit !($got >= $3 * 97 && $got <= $3 * 125) }"; then
		pass "$4"
	else
		fail "$4"
		diag "got $got % of a CPU, want $(($3 * 100)); of:"
		sed 's/^/# /' "$1"
	fi
}

leaders() { "$PEER" progs | awk '$2 == "on_switch"' | wc -l; }

# follows N: waits until N of perf's followers are there, up to 20 s.
follows()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$("$PEER" progs | grep -c ' fexit_XXX tracing')" -lt "$1" ] || return 0
		sleep 1
	done
	return 1
}

# held PID: the ids of the links that the process holds, in order
held() { cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '$1 == "link_id:" { print $2 }' | sort -n | uniq; }

# entry_link: the link of the one live entry of perf's map
entry_link() { "$PEER" dump | sed -n 's/.* link \([0-9]*\) live .*/\1/p'; }

# holds PID NAME: the process holds the link that perf's map names, so it uses that leader.
holds()
{
	link=$(entry_link)
	like "$(held "$1")" "^${link:-no live entry}\$" "$2" || { diag "the entries:"; "$PEER" dump | sed 's/^/# /'; }
}

# all_gone NAME: no leader is left; the kernel frees programs a little later than their last user goes.
all_gone()
{
	for _ in 1 2 3 4 5; do
		[ "$(leaders)" != 0 ] || break
		sleep 1
	done
	is "$(leaders)" 0 "$1"
}


# perf_bg FILE ARGUMENT...; ours_bg FILE ARGUMENT...: started, its id is set as perf or ours
perf_bg()
{
	file=$1
	shift
	"$P" stat --bpf-counters -o "$TMP/$file" "$@" >/dev/null 2>&1 &
	perf=$!
}
ours_bg()
{
	file=$1
	shift
	"$BPERF" -o "$TMP/$file" "$@" >/dev/null 2>"$TMP/$file.err" &
	ours=$!
}

# ended PID NAME
ended()
{
	wait "$1"
	is $? 0 "$2: status"
}

beside()
{
	P=/work/$1/perf
	label="perf $1"
	rm -f "$MAP"

	# --- perf by itself: what the rest stands on
	perf_bg alone -a -e cpu-clock -- sleep 2
	ended $perf "$label alone"
	perf_right "$TMP/alone" cpu-clock "$cpus" "$label alone: the count"
	key=$(printf %x "$2")
	like "$("$PEER" dump)" "^0=1 4=$key " "$label: a key of $2 bytes"
	is "$("$PEER" dump | sed 's/ link.*//')" "$("$PEER" key cpu-clock --key "$2")" "$label: the key as our peer makes it"
	all_gone "$label alone: nothing is left"

	# --- perf first, then us
	perf_bg first -a -e cpu-clock -- sleep 7
	follows 1
	ours_bg second -a -e cpu-clock -- sleep 3
	sleep 1.5
	is "$(leaders)" 1 "$label first: one leader"
	holds $ours "$label first: we use it"
	ended $ours "$label first, ours"
	right "$TMP/second" cpu-clock "$cpus" "$label first: our count"
	"$BPERF" -e cpu-clock -C 1 -o "$TMP/third" -- sleep 1
	right "$TMP/third" cpu-clock 1 "$label first: our count of CPU 1"
	ended $perf "$label first, perf"
	perf_right "$TMP/first" cpu-clock "$cpus" "$label first: its count"
	all_gone "$label first: nothing is left"

	# --- us first, then perf; its map is there, with the dead entry of before
	ours_bg first -a -e cpu-clock -- sleep 6
	sleep 1.5
	holds $ours "$label second: our leader is in its map"
	perf_bg second -a -e cpu-clock -- sleep 3
	follows 1
	is "$(leaders)" 1 "$label second: one leader"
	holds $perf "$label second: it uses ours"
	ended $perf "$label second, perf"
	perf_right "$TMP/second" cpu-clock "$cpus" "$label second: its count"
	ended $ours "$label second, ours"
	right "$TMP/first" cpu-clock "$cpus" "$label second: our count"
	all_gone "$label second: nothing is left"

	# --- other modes are other keys
	for mode in u k; do
		perf_bg mode -a -e cpu-clock:$mode -- sleep 4
		follows 1
		ours_bg ours -a -e cpu-clock:$mode -- sleep 1.5
		sleep 1
		is "$(leaders)" 1 "$label, cpu-clock:$mode: one leader"
		holds $ours "$label, cpu-clock:$mode: the same"
		ended $ours "$label, cpu-clock:$mode, ours"
		ended $perf "$label, cpu-clock:$mode, perf"
	done

	# --- the maker is killed while the other counts
	perf_bg killed -a -e task-clock -- sleep 60
	follows 1
	ours_bg stays -a -e task-clock -- sleep 3
	sleep 1.5
	holds $ours "$label killed: we had joined"
	kill -9 $perf
	wait $perf 2>/dev/null
	ended $ours "$label killed, ours"
	right "$TMP/stays" task-clock "$cpus" "$label killed: our count"
	all_gone "$label killed: nothing is left"
	ours_bg killed -a -e task-clock -- sleep 60
	sleep 1.5
	perf_bg stays -a -e task-clock -- sleep 3
	follows 1
	is "$(leaders)" 1 "$label before ours is killed: one leader"
	holds $perf "$label before ours is killed: it had joined"
	kill -9 $ours
	wait $ours 2>/dev/null
	ended $perf "$label when ours is killed"
	perf_right "$TMP/stays" task-clock "$cpus" "$label when ours is killed: its count"
	all_gone "$label when ours is killed: nothing is left"

	# --- perf -C 0: from 6.18 on its leader has an event on CPU 0 only
	perf_bg one -C 0 -e cpu-clock -- sleep 7
	follows 1
	ours_bg all -a -e cpu-clock -- sleep 5
	sleep 1.5
	first=$perf
	holds $ours "$label -C 0: the leader that we use is in its map"
	perf_bg late -a -e cpu-clock -- sleep 1.5
	follows 2
	holds $perf "$label -C 0, then us: its -a uses that one too"
	ended $perf "$label -C 0, then us, its -a"
	perf_right "$TMP/late" cpu-clock "$cpus" "$label -C 0, then us: its -a is right too"
	ended $ours "$label -C 0, ours"
	right "$TMP/all" cpu-clock "$cpus" "$label -C 0: our -a"
	"$BPERF" -e cpu-clock -C 1 -o "$TMP/other" -- sleep 1
	right "$TMP/other" cpu-clock 1 "$label -C 0: our -C 1"
	ended $first "$label -C 0, perf"
	perf_right "$TMP/one" cpu-clock 1 "$label -C 0: its count"
	all_gone "$label -C 0: nothing is left"

	# --- a process: perf's own count lacks its end (kernel-facts.md 4.1), ours does not
	"$WORK" spin &
	task=$!
	sleep 0.5
	perf_bg process -p $task -e cpu-clock -- sleep 6
	follows 1
	ours_bg own -p $task -e cpu-clock -- sleep 2
	sleep 1
	is "$(leaders)" 1 "$label -p: one leader"
	holds $ours "$label -p: we use it"
	ended $ours "$label -p, ours"
	within_percent "$(share "$TMP/own" cpu-clock)" 100 10 "$label -p: our count of a busy process"
	kill $task
	wait $task 2>/dev/null
	ended $perf "$label -p, perf"
	all_gone "$label -p: nothing is left"

	# --- both at the same moment
	for round in 1 2 3; do
		perf_bg perfs -a -e cpu-clock -- sleep 4
		ours_bg ours -a -e cpu-clock -- sleep 4
		follows 1
		is "$(leaders)" 1 "$label at once, $round: one leader"
		ended $ours "$label at once, $round, ours"
		ended $perf "$label at once, $round, perf"
		right "$TMP/ours" cpu-clock "$cpus" "$label at once, $round: our count"
		perf_right "$TMP/perfs" cpu-clock "$cpus" "$label at once, $round: its count"
	done
	all_gone "$label at once: nothing is left"

	# --- its map full of what is gone: perf itself would fail for ever
	"$PEER" fill 16
	ours_bg ours -a -e page-faults -- sleep 4
	sleep 1.5
	holds $ours "$label, full map: room was made for our leader"
	perf_bg perfs -a -e page-faults -- sleep 1
	ended $perf "$label, full map: it works again"
	ended $ours "$label, full map, ours"
	all_gone "$label, full map: nothing is left"
	rm -f "$MAP"
}

for one in 6.1:128 6.12:136 7.x:144; do
	[ ! -x "/work/${one%:*}/perf" ] || beside "${one%:*}" "${one#*:}"
done
done_testing
