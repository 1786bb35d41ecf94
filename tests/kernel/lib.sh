# SPDX-License-Identifier: GPL-2.0-only
# For the tests that run bperf-mini on a real kernel: this host's, or an emulated machine's. POSIX sh, dash and busybox ash.
# shellcheck shell=sh disable=SC2034

# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"

PEER=${WORK%work}peer
cpus=$(grep -c '^processor' /proc/cpuinfo)
release=$(uname -r | cut -d. -f1-2)
is_guest=
[ ! -e /vm/settings ] || is_guest=1

[ "$(id -u)" = 0 ] || skip_all "counting needs root, and we are not"

# value FILE EVENT: the count as a plain number, a clock's in ms with two decimals; "<not" for <not counted>
value() {
  awk -v event="$2" '{ name = $2 == "msec" || $2 == "counted>" || $2 == "supported>" ? ($3 == "msec" ? $4 : $3) : $2
    if (name == event) { gsub(",", "", $1); print $1; exit } }' "$1"
}

# plain FILE EVENT: the value in the output of `work plain`; a clock's in ms
plain() {
  awk -v event="$2" '$1 == event { print event ~ /clock/ ? $2 / 1000000 : $2; exit }' "$1"
}

# seconds FILE: time elapsed
seconds() {
  awk '/seconds time elapsed/ { print $1 }' "$1"
}

# The kernel frees programs, maps and links a little later than their last user goes; some that were there before we came, too. No id
# is given twice.
ids_new() { # FILE: the ids that are not in it
  "$WORK" ids >"$TMP/ids.now"
  awk 'FILENAME == ARGV[1] { was[$0] = 1; next } !($0 in was)' "$1" "$TMP/ids.now"
}

ids_become() { # FILE: no ids but those in it; waits for it up to 10 s
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(ids_new "$1")" ] || return 0
    sleep 1
  done
  ids_new "$1" | sed 's/^/# /'
  return 1
}

# The registry stays: it is there before the ids are taken, and what that run left is gone.
ids_before() {
  "$BPERF" -e dummy -- true 2>/dev/null
  "$WORK" ids >"$TMP/ids.before"
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    "$WORK" ids >"$TMP/ids.now"
    cmp -s "$TMP/ids.before" "$TMP/ids.now" && return
    mv "$TMP/ids.now" "$TMP/ids.before"
  done
}

has_pmu() {
  "$WORK" plain -a instructions true >/dev/null 2>&1
}

# Does this kernel let a program hang on another by fexit (perf's followers, -b)? By what it is, not by what bperf-mini says of it: what
# does not hang where it could is a fault. See lab.md: 5.10 for arm64 answers 524, as 32-bit Arm always does; Debian's riscv64 boots
# without JIT; this kind of host EPERM.
has_fexit() {
  [ -n "$is_guest" ] || return 1
  case $(uname -m)/$release in
  aarch64/5.10 | armv7l/*) return 1 ;;
  riscv64/*) [ "$(cat /proc/sys/net/core/bpf_jit_enable)" = 1 ] ;;
  esac
}

gone() { # PID: it has ended; waits for that up to 5 s
  tries=0
  while [ -e "/proc/$1" ] && ! grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; do
    [ $tries -lt 50 ] || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
}

is_there() { # FILE: it has something in it; waits for that up to 10 s
  tries=0
  until [ -s "$1" ]; do
    [ $tries -lt 100 ] || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
}

status_shows() { # PATTERN [TENTHS]: a line of status, which is left in $TMP/status; waits for that up to 10 s, or so many tenths of one
  tries=0
  until "$BPERF" status >"$TMP/status" 2>&1; grep -q "$1" "$TMP/status"; do
    [ $tries -lt "${2:-100}" ] || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
}

# A process that does its work when it is told to, and runs at no other time: it waits before, and afterwards until it is let go. (A
# process that ends is seen to end before its last microseconds, in which it may be preempted, and who reads at once has not got them.)
worker() { # COMMANDS: starts it; sets worker_pid
  rm -f "$TMP/go" "$TMP/go".*
  mkfifo "$TMP/go"
  sh -c "echo >'$TMP/go.ready'; read -r _ <'$TMP/go'; $1; echo >'$TMP/go.done'; read -r _ <'$TMP/go'" &
  worker_pid=$!
  worker_waits "$TMP/go.ready"
}
worker_waits() { # FILE, which it has written before: to wait is the first thing after that for which it sleeps
  is_there "$1"
  for _ in $(seq 200); do
    [ "$(awk '/^State:/ { print $2 }' "/proc/$worker_pid/status")" != S ] || break
    sleep 0.05
  done
}
worker_works() { # comes back when it waits again
  echo >"$TMP/go"
  worker_waits "$TMP/go.done"
}
worker_ends() {
  echo >"$TMP/go"
  wait "$worker_pid"
}

# Predicates for ok, which show what they saw.

# between GOT LOW HIGH
between() {
  echo "got $1, want $2 to $3"
  awk -v a="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(a ~ /^[0-9.]+$/ && a + 0 >= low + 0 && a + 0 <= high + 0) }'
}

# near GOT WANT PERCENT
near() {
  echo "got $1, want $2 within $3 %"
  awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d
    exit !(a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+(e\+?[0-9]+)?$/ && d * 100 <= b * p) }'
}

# cpu_ms FILE CPUS: the time of so many CPUs while FILE's run lasted, in ms
cpu_ms() {
  awk -v n="$2" '/seconds time elapsed/ { print $1 * n * 1000 }' "$1"
}

# What a task takes beside its known work. An emulated machine runs one CPU at a time while its clock goes on for all: tasks
# that compete are charged for each other there, by plain counting as well (twice was nearly seen).
high() {
  awk -v ms="$1" -v guest="$is_guest" 'BEGIN { print guest ? ms * 2 : ms }'
}
