# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034
# TAP for tests in POSIX sh (dash, busybox ash): they run on this host and in the emulated machines alike.
#
# A test starts with:   . "${0%/*}/../lib.sh"      and ends with:   done_testing
# It has: BPERF (the program under test), WORK (the helper of tests/work.c), TMP (a folder of its own, removed at the end).
# No floating point in sh: numbers are compared by awk.

# a test lies one folder below this file
TESTS=${TESTS:-$(cd "${0%/*}/.." && pwd)}
if [ -e /vm/settings ]; then
	# in an emulated machine (scripts/vm-init)
	BPERF=${BPERF:-/bin/bperf-mini}
	WORK=${WORK:-/work/work}
else
	case $(uname -m) in
	x86_64) tap_arch=amd64 ;;
	aarch64) tap_arch=arm64 ;;
	*) tap_arch=$(uname -m) ;;
	esac
	BPERF=${BPERF:-${TESTS%/*}/build/bperf-mini}
	WORK=${WORK:-${TESTS%/*}/build/$tap_arch/work}
fi
TMP=$(mktemp -d) || exit 1
# No trap for a signal: a child between its fork and its exec would take a "kill" for itself as the shell's, and lose it.
# shellcheck disable=SC2154 # set in the same string
trap 'tap_rc=$?; rm -rf "$TMP"; exit $tap_rc' EXIT

tap_count=0
tap_failed=0

# diag TEXT: a line for whoever reads the failure.
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# tap_result STATUS NAME: prints the line of one test; returns STATUS.
tap_result()
{
	tap_count=$((tap_count + 1))
	tap_name=$(printf '%s' "$2" | tr '\n#' '  ')
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $tap_name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_name"
	fi
	return "$1"
}

# Each of these is one test; it returns 0 when it passed.

# ok NAME COMMAND [ARGUMENT]...: the command succeeds (its output goes to the diagnostics when it does not).
ok()
{
	tap_title=$1
	shift
	tap_status=0
	"$@" >"$TMP/ok.out" 2>&1 || tap_status=$?
	tap_result "$tap_status" "$tap_title" && return
	diag "status $tap_status of: $*"
	head -n 20 "$TMP/ok.out" | sed 's/^/# /'
	return 1
}

# pass NAME, fail NAME
pass() { tap_result 0 "$1"; }
fail() { tap_result 1 "$1"; }

# is GOT WANT NAME: the same text.
is()
{
	if [ "$1" = "$2" ]; then tap_result 0 "$3"; return; fi
	tap_result 1 "$3"
	diag "got:  $1"
	diag "want: $2"
	return 1
}

# like GOT ERE NAME: some line of GOT matches.
like()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then tap_result 0 "$3"; return; fi
	tap_result 1 "$3"
	diag "got:  $1"
	diag "want a line that matches: $2"
	return 1
}

# unlike GOT ERE NAME: no line of GOT matches.
unlike()
{
	if ! printf '%s\n' "$1" | grep -Eq -e "$2"; then tap_result 0 "$3"; return; fi
	tap_result 1 "$3"
	diag "got:  $1"
	diag "want no line that matches: $2"
	return 1
}

# tap_is_number TEXT
tap_is_number() { printf '%s\n' "$1" | grep -Eqx -e '[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?'; }

# number GOT OP WANT NAME: OP is one of < <= > >= == !=; what is no number fails.
number()
{
	if tap_is_number "$1" && tap_is_number "$3" && awk "BEGIN { exit !(($1) $2 ($3)) }"; then tap_result 0 "$4"; return; fi
	tap_result 1 "$4"
	diag "got $1, want $2 $3"
	return 1
}

# within_percent GOT WANT PERCENT NAME: GOT is off by at most PERCENT of WANT.
within_percent()
{
	if tap_is_number "$1" && tap_is_number "$2" &&
		awk "BEGIN { d = ($1) - ($2); if (d < 0) d = -d; w = ($2); if (w < 0) w = -w; exit !(d * 100 <= w * ($3)) }"; then
		tap_result 0 "$4"
		return
	fi
	tap_result 1 "$4"
	diag "got $1, want $2 within $3 %"
	return 1
}

# skip NAME REASON: for what this machine cannot do, and only for that; the reason says what it lacks.
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $(printf '%s' "$1" | tr '\n#' '  ') # SKIP cannot: $2"
}

# skip_all REASON: nothing of this file can be done here.
skip_all()
{
	echo "1..0 # SKIP cannot: $1"
	exit 0
}

# run COMMAND [ARGUMENT]...: sets status, out and err (not a test).
run()
{
	status=0
	"$@" >"$TMP/run.out" 2>"$TMP/run.err" </dev/null || status=$?
	out=$(cat "$TMP/run.out")
	err=$(cat "$TMP/run.err")
}

# done_testing: the plan, and the exit status.
done_testing()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ] || diag "$tap_failed of $tap_count failed"
	[ "$tap_failed" -eq 0 ]
	exit
}
