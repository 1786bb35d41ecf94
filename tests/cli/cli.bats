#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The command line, as far as it needs neither root nor anything of the kernel. BPERF is the binary.

setup() {
	here=$BATS_TEST_DIRNAME/../..
	BPERF=${BPERF:-$here/build/bperf-mini}
	# a relative path would not be found once a test changes directory
	BPERF=$(realpath "$BPERF")
	MAN=$here/src/bperf-mini.8
}

# Runs the binary, for 20 s at most (then status is 124); sets status, out and err.
bperf() {
	status=0
	timeout 20 "$BPERF" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
	out=$(cat "$BATS_TEST_TMPDIR/out")
	err=$(cat "$BATS_TEST_TMPDIR/err")
}

# Status 2, nothing on stdout, one line on stderr, two that show where if it is an event's, and at most one of advice; the first
# line is "bperf-mini: $1".
refused() {
	local want=$1 lines
	shift
	bperf "$@"
	lines=$(wc -l <"$BATS_TEST_TMPDIR/err")
	echo "status $status, out '$out', err '$err', want 'bperf-mini: $want'"
	[ "$status" -eq 2 ]
	[ -z "$out" ]
	case $want in
	'event syntax: '*) [ "$lines" -ge 3 ] && [ "$lines" -le 4 ] ;;
	*) [ "$lines" -ge 1 ] && [ "$lines" -le 2 ] ;;
	esac
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/err")" = "bperf-mini: $want" ]
	# nothing in it that a terminal obeys
	! LC_ALL=C grep -q '[^[:print:]]' "$BATS_TEST_TMPDIR/err"
}

# The advice, if there is any.
advised() {
	echo "err '$err', want the advice '$1'"
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/err")" = "bperf-mini: $1" ]
}

# Not a usage error: whatever this machine can do, it is something else than status 2.
accepted() {
	bperf "$@"
	echo "status $status, err '$err'"
	[ "$status" -ne 2 ]
}

# --- what is asked for ------------------------------------------------------------------------------------------------

@test "--help goes to stdout, with status 0" {
	for option in -h --help; do
		bperf $option
		[ "$status" -eq 0 ]
		[ -z "$err" ]
		[ "${out%%$'\n'*}" = 'Usage: bperf-mini [stat] [OPTIONS] [--] [COMMAND [ARGS]]' ]
	done
	bperf stat --help
	[ "$status" -eq 0 ]
}

@test "--help fits into 110 columns" {
	bperf --help
	[ "$(awk '{ if (length > m) m = length } END { print m }' "$BATS_TEST_TMPDIR/out")" -le 110 ]
}

@test "--help to a full disk fails" {
	[ -w /dev/full ]
	status=0
	"$BPERF" --help >/dev/full 2>/dev/null || status=$?
	[ "$status" -eq 125 ]
}

@test "--version is one line on stdout, with status 0" {
	bperf --version
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[[ $out == 'bperf-mini '?* ]]
}

# Options as "-e" and "--event" of a text, sorted.
options_of_help() {
	"$BPERF" --help | grep -E '^  ' | cut -c1-25 | grep -oE -- '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,' | sort -u
}

options_of_man() {
	sed -n '/^\.SH OPTIONS/,/^\.SH EVENTS/p' "$MAN" | grep -A 1 -E '^\.TP' | grep -E '^\.BI? ' | sed 's/\\-/-/g' |
		grep -oE -- '(^|[ ,"])--?[A-Za-z][a-z-]*' | tr -d ' ,"' | sort -u
}

@test "every option of --help is in the man page, and the reverse" {
	options_of_help >"$BATS_TEST_TMPDIR/help"
	options_of_man >"$BATS_TEST_TMPDIR/man"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/help")" -ge 20 ]
	diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/man"
}

@test "every option of --help is one that is known" {
	# --help is the next option or this one's value: either way nothing is counted
	for option in $(options_of_help); do
		bperf "$option" --help
		echo "$option: status $status, $err"
		case $option in
		-G | --cgroup | --for-each-cgroup) [ "$status" -eq 125 ] ;; # a group of that name, then
		*) [ "$status" -eq 0 ] || [ "$status" -eq 2 ] ;;
		esac
		[[ $err != *'unknown option'* ]]
	done
}

# --- options ----------------------------------------------------------------------------------------------------------

@test "nothing to count is a usage error" {
	refused 'nothing to count: give a command, -a, -C, -p, -t, -G or -b'
	refused 'nothing to count: give a command, -a, -C, -p, -t, -G or -b' stat
	refused 'nothing to count: give a command, -a, -C, -p, -t, -G or -b' -e cs
	refused 'nothing to count: give a command, -a, -C, -p, -t, -G or -b' -v --
}

@test "unknown options are refused by name" {
	refused "unknown option '--bogus'" --bogus
	advised 'bperf-mini --help lists the options'
	refused "unknown option '-z'" -z
	refused "unknown option '-z' in '-avz'" -avz
	refused "unknown option '--all'" --all
	refused "unknown option '-a?[1m'" $'-a\033[1m'
}

@test "missing, needless and repeated values are refused" {
	for option in -e -C -p -t -o -I -D -r --event --cpu --pid --tid --output --timeout --interval-print --interval-count \
		--delay --repeat --share --control; do
		refused "option $option needs a value" "$option"
	done
	refused 'option --append takes no value' --append=1
	refused 'option --per-thread takes no value' --per-thread=1
	refused 'option --summary takes no value' --summary=
	refused 'option --timeout is given twice' --timeout 1 --timeout 1 true
	refused 'option --interval-print is given twice' -I 1 --interval-print 1 true
	refused 'option --interval-count is given twice' -I 1 --interval-count 1 --interval-count 1 true
	refused 'option -D is given twice' -D 0 -D 0 true
	refused 'option -D is given twice' -D -1 -D-1 true
	refused 'option -r is given twice' -r1 -r1 true
	refused 'option --control is given twice' --control fd:0 --control fd:0 true
	refused 'option -o is given twice' -o "$BATS_TEST_TMPDIR/a" -o "$BATS_TEST_TMPDIR/b" true
	refused 'option -o: the file name is empty' -o '' true
	[ ! -e "$BATS_TEST_TMPDIR/a" ]
}

@test "--timeout takes a number of milliseconds from 1" {
	for ms in 0 -1 x 1.5 1s '' ' 1' 9223372036855 99999999999999999999999; do
		refused "option --timeout: '$ms' is not a number of milliseconds from 1 to 9223372036854" --timeout "$ms" true
	done
}

@test "-I, --interval-count, -D and -r take numbers of their own ranges" {
	for n in -2 x 1.5 1s '' ' 1' 9223372036855 99999999999999999999999; do
		refused "option -I: '$n' is not a number of milliseconds from 1 to 9223372036854" -I "$n" true
		refused "option --interval-count: '$n' is not a number from 1 to 9223372036854" --interval-count "$n" true
		refused "option -D: '$n' is not a number of milliseconds from -1 to 9223372036854" -D "$n" true
		refused "option -r: '$n' is not a number from 0 to 9223372036854" -r "$n" true
	done
	refused "option --interval-print: '0' is not a number of milliseconds from 1 to 9223372036854" --interval-print=0 true
	refused "option --interval-count: '0' is not a number from 1 to 9223372036854" -I 1 --interval-count=0 true
	refused "option --delay: '-1s' is not a number of milliseconds from -1 to 9223372036854" --delay=-1s true
	refused "option --repeat: '-1' is not a number from 0 to 9223372036854" --repeat -1 true
}

@test "options without what they go with are refused" {
	refused '--interval-count needs -I' --interval-count 3 true
	refused '--interval-count needs -I' -a --timeout 100 --interval-count 3
	refused '--summary needs -I' --summary true
	refused '--per-thread goes with -p, -t or a command' --per-thread -a
	refused '--per-thread goes with -p, -t or a command' --per-thread -C 0 true
	refused '--per-thread and -r do not mix: rows of different threads have no mean' --per-thread -r 2 true
	refused '--per-thread and -r do not mix: rows of different threads have no mean' --per-thread -r 0 -p 1 true
	refused '-r needs a command, --timeout or --interval-count: each run must end by itself' -r 2 -a
	refused '-r needs a command, --timeout or --interval-count: each run must end by itself' -r 0 -p 1 -I 100
	for option in '-D -1' -D-1 '--delay -1' --delay=-1; do
		refused '-D -1 needs --control: nothing else would start the count' $option true
	done
}

@test "--share is auto, always or never, and only one of them" {
	refused "option --share: 'x' is not auto, always or never" --share x true
	refused "option --share: '' is not auto, always or never" --share= true
	refused '--share auto and --share never do not mix' --share auto --share never true
	refused '--share never and --bpf-counters do not mix' --share=never --bpf-counters true
	refused '--bpf-counters and --share auto do not mix' --bpf-counters --share=auto true
	# the same again is no error: the next one is told
	refused '--summary needs -I' --share always --bpf-counters --share=always --bpf-counters --summary true
}

@test "--control is descriptors or FIFOs" {
	for where in '' 3 fd: fd:x fd:-1 'fd: 3' fd:3x fd:3, fd:,3 fd:3,x fd:3,4,5 fd:2147483648 fifo: fifo:, fifo:,b fifo:a, pipe:a; do
		refused "--control: '$where' is neither fd:CTL[,ACK] nor fifo:PATH[,PATH]" --control "$where" true
	done
	refused "--control: 'a?[1m' is neither fd:CTL[,ACK] nor fifo:PATH[,PATH]" --control $'a\033[1m' -a
}

@test "formats: what does not mix, or lacks what it goes with" {
	refused "option -x: the separator is empty" -x '' true
	for separator in '"' $'\n' $'\r' 'a"b' $';\n'; do
		refused "option -x: quotes and newlines are no separator" -x "$separator" true
	done
	refused '-x and -j do not mix' -x , -j true
	refused '-j and --openmetrics do not mix' -j --openmetrics true
	refused '--openmetrics and --field-separator do not mix' --openmetrics --field-separator=, true
	refused '--csv-header needs -x' --csv-header true
	refused '--csv-header needs -x' -j --csv-header true
	refused '--append and --openmetrics do not mix: such a file has one end' --openmetrics -o "$BATS_TEST_TMPDIR/a" --append true
	refused '-o and --log-fd do not mix' -o "$BATS_TEST_TMPDIR/a" --log-fd 2 true
	refused "option --log-fd: '-1' is not a number from 0 to 2147483647" --log-fd -1 true
	[ ! -e "$BATS_TEST_TMPDIR/a" ]
}

# --- scopes -----------------------------------------------------------------------------------------------------------

@test "odd CPU lists are refused, in bounded time" {
	refused "-C: bad CPU list '0-': a CPU number is missing at character 3" -C 0- true
	refused "-C: bad CPU list '-1': expected a CPU number at character 1" -C -1 true
	refused "-C: bad CPU list '1-0': a range that ends before it starts at character 1" -C 1-0 true
	refused "-C: bad CPU list 'a': expected a CPU number at character 1" -C a true
	refused "-C: bad CPU list '': it is empty at character 1" -C '' true
	refused "-C: bad CPU list '0-99999999999': a CPU number above 8191 at character 3" -C 0-99999999999 true
	refused "-C: bad CPU list '0,': a CPU number is missing at character 3" -C 0, true
}

@test "good CPU lists are no usage error" {
	for list in 0 0,0 ' 0' '0 ' 0-0; do
		accepted -e dummy -C "$list" true
	done
	[ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || skip 'one CPU only'
	for list in 0-1 0,1; do
		accepted -e dummy -C "$list" true
	done
}

@test "a CPU that is not online is refused, with those that are" {
	online=$(cat /sys/devices/system/cpu/online)
	refused "CPU 8191 of -C 8191 is not online (online: $online)" -C 8191 -e cpu-clock -- true
	refused "CPU 8191 of -C 0,8191 is not online (online: $online)" -C 0,8191
}

@test "ids that are none are refused" {
	refused '-p: no process id is given' -p ''
	refused "-p 0: '0' is not a process id" -p 0
	refused "-p -1: '-1' is not a process id" -p -1
	refused "-p self: 'self' is not a process id" -p self
	refused "-p 1,,2: '' is not a process id" -p 1,,2
	refused "-t 1,x: 'x' is not a thread id" -t 1,x
	refused "-t 99999999999: '99999999999' is not a thread id" -t 99999999999
}

# failed WANT ARGUMENT...: as refused, but what this machine lacks: status 125
failed() {
	local want=$1
	shift
	bperf "$@"
	echo "status $status, out '$out', err '$err', want 'bperf-mini: $want'"
	[ "$status" -eq 125 ]
	[ -z "$out" ]
	[ "$err" = "bperf-mini: $want" ]
	! LC_ALL=C grep -q '[^[:print:]]' "$BATS_TEST_TMPDIR/err"
}

# Where cgroups are mounted: v2, else v1 with perf_event.
cgroup_mount() {
	awk '{ for (i = 7; i < NF && $i != "-"; i++); if ($(i + 1) == "cgroup2") v2 = v2 ? v2 : $5
		if ($(i + 1) == "cgroup" && $NF ~ /(^|,)perf_event(,|$)/) v1 = v1 ? v1 : $5 } END { print v2 ? v2 : v1 }' /proc/self/mountinfo
}

@test "cgroups: what is wrong with the options" {
	for option in -G --cgroup --for-each-cgroup; do
		refused "option $option needs a value" -a "$option"
	done
	many=()
	for _ in {1..16}; do many+=(-G /); done
	refused 'option -G: more than 16 scopes' "${many[@]}" -G / true
	refused 'option --for-each-cgroup: more than 16 scopes' "${many[@]}" --for-each-cgroup / true
	refused '--per-thread goes with -p, -t or a command' --per-thread -G / true
	refused '-r needs a command, --timeout or --interval-count: each run must end by itself' -r 2 -G /
	refused "-C: bad CPU list 'x': expected a CPU number at character 1" -C x -G / true
	refused "unknown option '--cgroups'" --cgroups / true
}

@test "BPF programs: what is wrong with the options" {
	for option in -b --bpf-prog; do
		refused "option $option needs a value" -a "$option"
	done
	for list in x 0 4294967296 name: pin: alls -1 ' 1'; do
		refused "-b: '$list' is none of ID, name:NAME, pin:PATH and all" -b "$list" true
		refused "-b: '$list' is none of ID, name:NAME, pin:PATH and all" -b "12,$list" true
	done
	refused "-b: '' is none of ID, name:NAME, pin:PATH and all" -b 1, true
	refused "-b: '?[1m' is none of ID, name:NAME, pin:PATH and all" -b $'\033[1m' true
	refused '-b and --share never do not mix: it takes BPF to count around BPF programs' --share never -b 1 true
	refused '--per-thread goes with -p, -t or a command' --per-thread -b 1 true
	refused '-A and --per-core, .. go with -a, -C or -G: a task has no CPU of its own' -A -b 1 true
}

@test "cgroups that are not there, names and patterns that are none: the path, or what is wrong" {
	mount=$(cgroup_mount)
	[ -n "$mount" ] || skip 'cannot: no cgroups are mounted'
	none=bperf-none-$$
	failed "-G: cannot open cgroup $mount/$none: No such file or directory" -e cs -G "$none" -- touch "$BATS_TEST_TMPDIR/touched"
	failed "-G: cannot open cgroup $mount/$none/b: No such file or directory" -e cs -G "/$none/b/" true
	failed "-G: cannot open cgroup $mount/$none: No such file or directory" -e cs -G "$mount/x/../$none" true
	failed "-G: cannot open cgroup $mount/$none b: No such file or directory" -e cs --cgroup="/,$none b" true
	failed "-G: cannot open cgroup $mount/$none,b: No such file or directory" -e cs -G "\"$none,b\"" true
	failed "-G: cannot open cgroup $mount/${none}?[1m: No such file or directory" -e cs -G "$none"$'\033[1m' true
	failed "-G: cannot open cgroup $mount/$none.*: No such file or directory" -e cs -G "$none.*" true
	failed "-G: cannot open cgroup $mount/cgroup.procs: Not a directory" -e cs -G cgroup.procs true
	failed "-G: cgroup '..' is above $mount" -e cs -G .. true
	failed "-G: cgroup 'a/../../b' is above $mount" -e cs -G a/../../b true
	failed "-G: cgroups '\"a': an open quote or a long name" -e cs -G '"a' true
	failed "--for-each-cgroup: cannot open cgroup $mount/$none: No such file or directory" -e cs --for-each-cgroup "/,$none" true
	failed "--for-each-cgroup: no cgroup matches '$none.*'" -e cs --for-each-cgroup "$none.*" true
	for pattern in '(a)' 'a|b' 'a{2}' '[a' '[a[b]*' '*\n'; do
		failed "--for-each-cgroup: cgroups '$pattern': only . * + ? ^ \$ [a-z] \\ are known" -e cs --for-each-cgroup "$pattern" true
	done
	failed '-G names 2 cgroups for 1 events: give one for all, or one for each' -e cs -G /,/ true
	failed '-G names 2 cgroups for 3 events: give one for all, or one for each' -e cs,faults,cpu-clock -G /,/ true
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
}

# --- events -----------------------------------------------------------------------------------------------------------

# at N LIST WHAT: as event errors begin.
at() {
	printf "event syntax: '%s' at character %s: %s" "$2" "$1" "$3"
}

@test "unknown events are refused, with the nearest name" {
	refused "$(at 1 cycels,faults "unknown event 'cycels'")" -e cycels,faults true
	advised "did you mean 'cycles'?"
	refused "$(at 1 CYCLES "unknown event 'CYCLES'")" -e CYCLES true
	advised "did you mean 'cycles'?"
	refused "$(at 1 LLC-lods "unknown event 'LLC-lods'")" -e LLC-lods true
	advised "did you mean 'LLC-loads'?"
	refused "$(at 4 cs,xyzzy "unknown event 'xyzzy'")" -e cs,xyzzy true
	refused "$(at 1 'cs?' "unknown event 'cs?'")" -e $'cs\n' true
}

@test "an error shows the character" {
	refused "$(at 7 cs,cs:x "unknown modifier 'x': known are u, k, h, G, H and I")" -e cs,cs:x true
	[ "$(sed -n 2,3p "$BATS_TEST_TMPDIR/err")" = $'  cs,cs:x\n        ^' ]
	list=$(printf 'cs,%.0s' $(seq 60))
	refused "$(at 184 "$list"cs:x "unknown modifier 'x': known are u, k, h, G, H and I")" -e "$list"cs:x true
	shown=$(sed -n 2p "$BATS_TEST_TMPDIR/err")
	[ ${#shown} -le 72 ]
	caret=$(sed -n 3p "$BATS_TEST_TMPDIR/err")
	[ "${shown:${#caret}-1:1}" = x ]
}

@test "empty and misplaced parts of an event list are refused" {
	refused "$(at 1 '' 'an event name is missing')" -e '' true
	refused "$(at 1 ,cs 'an event name is missing')" -e ,cs true
	refused "$(at 4 cs, 'an event name is missing')" -e cs, true
	refused "$(at 4 cs,,cs 'an event name is missing')" -e cs,,cs true
	refused "$(at 4 cs: 'a modifier is missing')" -e cs: true
	refused "$(at 4 '{cs' 'expected , or }')" -e '{cs' true
	refused "$(at 12 cpu/event=1 'expected the closing /')" -e cpu/event=1 true
}

@test "bad modifiers are refused" {
	refused "$(at 11 cpu-clock:x "unknown modifier 'x': known are u, k, h, G, H and I")" -e cpu-clock:x true
	refused "$(at 12 cpu-clock:uu "repeated modifier 'u'")" -e cpu-clock:uu true
	refused "$(at 14 instructions:pp "unusable modifier 'p': a count through a shared leader needs no precise_ip")" \
		-e instructions:pp true
	refused "$(at 4 cs:D "unusable modifier 'D': others would get no counter")" -e cs:D true
}

@test "bad raw events are refused" {
	refused "$(at 1 r1z 'after the r of a raw event come hexadecimal digits only')" -e r1z true
	refused "$(at 1 r10000000000000000 'a raw event has 64 bits at most')" -e r10000000000000000 true
}

@test "breakpoints and PMUs that are not there are refused" {
	refused "$(at 1 mem:0x1000:rw 'breakpoints are not supported')" -e mem:0x1000:rw true
	bperf -e nosuch/event=1/ true
	[ "$status" -eq 2 ]
	[[ $err == "bperf-mini: $(at 1 nosuch/event=1/ "no PMU 'nosuch' of this host, which has: ")"* ]]
}

# dry LINE OPTION...: --dry-run prints the line, or lines, and nothing else happens.
dry() {
	local want=$1
	shift
	bperf --dry-run "$@"
	echo "status $status, out '$out', err '$err', want '$want'"
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$out" = "$want" ]
}

@test "--dry-run: the attr of each event, and its CPUs" {
	online=$(cat /sys/devices/system/cpu/online)
	none="config1=0 config2=0"
	dry $'cs\t'"type=1 config=0x3 $none cpus=$online" -e cs
	dry $'cs\t'"type=1 config=0x3 $none cpus=$online" -e cs -- touch "$BATS_TEST_TMPDIR/touched"
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
	dry $'cs:u\t'"type=1 config=0x3 $none exclude_kernel exclude_hv cpus=0"$'\nfaults:ku\t'"type=1 config=0x2 $none exclude_hv cpus=0" \
		-C 0 -e '{cs,faults:k}:u'
	dry $'cs:GI\t'"type=1 config=0x3 $none exclude_idle exclude_host cpus=$online" -a -e cs:GI
	dry $'cs\t'"type=1 config=0x3 $none exclude_kernel cpus=$online"$'\ncs:k\t'"type=1 config=0x3 $none exclude_user exclude_hv cpus=$online" \
		--all-user -e cs,cs:k
	dry $'cs\t'"type=1 config=0x3 $none exclude_user cpus=$online" -a -e cs --all-kernel
}

@test "--dry-run: generic events where there is one kind of CPU at most" {
	cat /sys/bus/event_source/devices/*/cpus >/dev/null 2>&1 && skip 'there may be several'
	dry $'cycles\ttype=0 config=0 config1=0 config2=0 cpus=0' -C 0 -e cycles
	dry $'LLC-load-misses:u\ttype=3 config=0x10002 config1=0 config2=0 exclude_kernel exclude_hv cpus=0' -C 0 -e LLC-load-misses:u
	dry $'r0x1a8\ttype=4 config=0x1a8 config1=0 config2=0 cpus=0' -C 0 -e r0x1a8
}

@test "--dry-run: an alias of this host's msr PMU" {
	msr=/sys/bus/event_source/devices/msr
	[ -e $msr/events/tsc ] || skip 'no msr PMU'
	type=$(cat $msr/type)
	for event in msr/tsc/ msr/event=0/ msr/config=0x0/ tsc; do
		dry "$event"$'\t'"type=$type config=0 config1=0 config2=0 cpus=0" -C 0 -e $event
	done
	dry $'a name, it is\t'"type=$type config=0 config1=0 config2=0 cpus=0" -C 0 -e "msr/tsc,name='a name, it is'/"
	refused "$(at 9 msr/tsc/u 'msr counts all levels: no modifiers, --all-user or --all-kernel')" -e msr/tsc/u true
	refused "$(at 1 tsc 'msr counts all levels: no modifiers, --all-user or --all-kernel')" --all-user -e tsc true
}

@test "--dry-run -j: a JSON object a line" {
	bperf --dry-run -j -C 0 -e 'cs:k,faults'
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 2 ]
	[ "$(head -n 1 <<<"$out")" = '{"event" : "cs:k", "unit" : "", "scale" : 1e0, "pmu" : "", "type" : 1, "config" : 3, "config1" : 0, "config2" : 0, "exclude_user" : true, "exclude_hv" : true, "cpus" : "0"}' ]
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <<<"$out"
	fi
}

@test "--dry-run to a full disk fails" {
	[ -w /dev/full ]
	status=0
	"$BPERF" --dry-run -e cs >/dev/full 2>/dev/null || status=$?
	[ "$status" -eq 125 ]
}

@test "--live: what it does not mix with, and where it cannot draw" {
	refused '--ascii needs --live' --ascii -a
	refused '--live and -q do not mix' --live -q -a
	refused '--live and -o do not mix' --live -o "$BATS_TEST_TMPDIR/out" -a
	refused '--live and -r do not mix' --live -r 2 true
	for format in -j -x, --openmetrics; do
		refused '--live draws on a terminal: it does not mix with -x, -j and --openmetrics' --live $format -a
	done
	bperf --live -a
	[ "$status" -eq 125 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 2 ]
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/err")" = 'bperf-mini: --live: standard error is no terminal' ]
	advised '-I MS prints intervals to whatever there is'
}

@test "--all-user and --all-kernel do not mix" {
	refused '--all-user and --all-kernel do not mix' --all-user --all-kernel true
}

@test "groups are accepted" {
	accepted -e '{cs,faults}:u' true
}

@test "a usage error leaves the output file alone" {
	echo precious >"$BATS_TEST_TMPDIR/file"
	refused "$(at 1 cycels "unknown event 'cycels'")" -o "$BATS_TEST_TMPDIR/file" -e cycels true
	[ "$(cat "$BATS_TEST_TMPDIR/file")" = precious ]
}

@test "a usage error runs no command" {
	refused "$(at 1 cycels "unknown event 'cycels'")" -e cycels touch "$BATS_TEST_TMPDIR/touched"
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
}

@test "status: what goes with it, and what does not" {
  run "$BPERF" status operand
  [ "$status" -eq 2 ]
  [ "$output" = "bperf-mini: status takes no operand: 'operand'" ]
  run "$BPERF" status -a
  [ "$status" -eq 2 ]
  [ "$output" = "bperf-mini: status counts nothing: it takes -j, -v and --bpf-attr-map only" ]
  for option in -e=cs -C0 -p1 -t1 -i --timeout=1 --per-thread -I1 --interval-count=1 --summary -D0 -D-1 -r1 --control=fd:0 \
    --share=auto --bpf-counters --no-mount --append -ox --all-user --all-kernel --dry-run; do
    refused 'status counts nothing: it takes -j, -v and --bpf-attr-map only' status "$option"
  done
  refused '-j and -x do not mix' -j -x, -e cs -- true
}

@test "--then: for the first process of a machine, which this is not" {
	for then in poweroff reboot halt exit /sbin/init; do
		refused 'option --then: this is not the first process of a machine' --then $then -n -- true
		advised "it is for rdinit=/bperf-mini on a kernel's command line"
	done
	refused "option --then: 'off' is not poweroff, reboot, halt, exit or a path" --then off -n -- true
	refused 'option --then: this is not the first process of a machine' list --then reboot
	refused 'option --then is given twice' --then halt --then halt -n -- true
}

@test "list: what goes with it, and what does not" {
	refused "list takes no second operand: 'b'" list a b
	refused "list takes no second operand: '-v'" list a -v
	refused 'list counts nothing: it takes -j and -v only' list -a
	refused 'list counts nothing: it takes -j and -v only' list --bpf-attr-map x
}

@test "check: what goes with it, and what does not" {
	refused "check takes no operand: 'x'" check x
	refused 'check counts nothing: it takes -j and -v only' check -a
	refused 'check counts nothing: it takes -j and -v only' check --bpf-attr-map x
}

@test "check: a row for each thing, in 80 columns; the man page has them all" {
	bperf check
	[ "$status" -le 3 ]
	[ "$status" -ne 2 ]
	[ -z "$err" ]
	[ "$(awk '{ if (length > m) m = length } END { print m }' "$BATS_TEST_TMPDIR/out")" -le 80 ]
	grep -o '^[^ ].*' "$BATS_TEST_TMPDIR/out" | cut -c1-21 | sed 's/ *$//' >"$BATS_TEST_TMPDIR/rows"
	sed -n '/^\.SH CHECK/,/^\.SH/p' "$MAN" | grep -A 1 '^\.TP' | grep -vE '^(\.|--)' >"$BATS_TEST_TMPDIR/man"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -ge 20 ]
	diff "$BATS_TEST_TMPDIR/rows" "$BATS_TEST_TMPDIR/man"
	bperf check -j
	[ "$(grep -c '^{"check" : ".*}$' "$BATS_TEST_TMPDIR/out")" = "$(wc -l <"$BATS_TEST_TMPDIR/rows")" ]
}

@test "list: names by PMU, in 80 columns, each one that -e takes" {
	bperf list
	[ "$status" -eq 0 ]
	[ "$(awk '{ if (length > m) m = length } END { print m }' "$BATS_TEST_TMPDIR/out")" -le 80 ]
	grep -qx '  context-switches' "$BATS_TEST_TMPDIR/out"
	grep -qx 'Software events (PMU: software):' "$BATS_TEST_TMPDIR/out"
	grep -Ev 'term=value|^  rNNN|:$|^$' "$BATS_TEST_TMPDIR/out" | cut -c3- | grep -o '^[^ ]*' | grep -v ':' >"$BATS_TEST_TMPDIR/names"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -ge 40 ]
	while read -r name; do
		"$BPERF" --dry-run -e "$name" >/dev/null
	done <"$BATS_TEST_TMPDIR/names"
}

@test "list: patterns" {
	bperf list sw
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(head -n 2 <<<"$out")" = $'Software events (PMU: software):\n  cpu-clock' ]
	bperf list 'M*FAULTS'
	[ "$out" = $'Software events (PMU: software):\n  minor-faults\n  major-faults' ]
	bperf list xyzzy
	[ "$status" -eq 1 ]
	[ -z "$out" ]
	[ "$(tail -n 1 <<<"$err")" = "bperf-mini: no event of this host matches 'xyzzy'" ]
}

@test "list -v, list -j: as --dry-run has them" {
	bperf list -v context-switches
	[ "$(tail -n 1 <<<"$out")" = "$("$BPERF" --dry-run -e cs | sed 's/^cs//')" ]
	bperf list -j minor-faults
	[ "$out" = "$("$BPERF" --dry-run -j -e minor-faults | sed 's/"pmu" : ""/"pmu" : "software"/')" ]
	bperf list -j
	[ "$status" -eq 0 ]
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys; [json.loads(line)["config"] for line in sys.stdin]' <<<"$out"
	fi
}

@test "list to a full disk fails" {
	[ -w /dev/full ]
	status=0
	"$BPERF" list >/dev/full 2>/dev/null || status=$?
	[ "$status" -eq 125 ]
}
