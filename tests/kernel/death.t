#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Any kind of death: every system call of a session fails once, and the session is killed at every one of them. Nothing stays
# but the registry, sessions that run are not disturbed, the next one starts clean.
#
# strace does it, to bperf-mini's own calls only (its command, a child, is not traced). It counts each kind of call by itself:
# "the Nth system call" is the Nth bpf, the Nth flock, ...; all of them together are all there are.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

[ -z "$is_guest" ] || skip_all "strace is not in the emulated machine"
command -v strace >/dev/null || skip_all "strace is not installed (scripts/setup)"
strace -qq -o /dev/null -e trace=none -e inject=getppid:error=EPERM true 2>/dev/null || skip_all "strace may not trace here"

LIMIT=20
# what is killed but does not fail: calls that have no error to give, and those of the start and the end
NO_ERROR=' close munmap geteuid gettid rt_sigaction rt_sigprocmask '
NEITHER=' execve arch_prctl set_tid_address exit_group '
# what a session may say and go on
NOTE='^bperf-mini: (counting unshared(, by plain events)?: |[a-z-]+: counted unshared: |not sharing with perf: )'

# as ids_become, without its second of waiting: there are many
ids_soon() {
  tries=0
  while [ $tries -lt 50 ]; do
    [ -n "$(ids_new "$TMP/ids.before")" ] || return 0
    sleep 0.1
    tries=$((tries + 1))
  done
  ids_new "$TMP/ids.before"
  return 1
}

# Commands are named by a path of ours: their processes can be told, before their exec by the arguments and after it by the name.
for command in true sleep; do ln -s "$(env which $command)" "$TMP/$command"; done

no_child() {
  tries=0
  while pgrep -f "$TMP/(true|sleep)" >"$TMP/children"; do
    [ $tries -lt 40 ] || { pgrep -af "$TMP/(true|sleep)"; return 1; }
    sleep 0.05
    tries=$((tries + 1))
  done
}

# The next session joins the leader that is there and makes the one that is not.
joins() {
  "$BPERF" -v -e cpu-clock,task-clock -C 0 -- "$TMP/true" 2>"$TMP/next"
  leaders=$(sed -n 's/^bperf-mini: \([a-z-]*: leader [a-z]*\).*/\1/p' "$TMP/next" | tr '\n' ' ')
  [ "$leaders" = "cpu-clock: leader joined task-clock: leader made " ] || { echo "$leaders"; return 1; }
}

# inject CALL HOW N ARGUMENT...: a session whose Nth CALL is dealt with; sets status and hit
inject() {
  call=$1 how=$2 nth=$3
  shift 3
  status=0
  # the shell's own word about the death is not of interest
  { timeout -k 1 $LIMIT strace -qq -o "$TMP/trace" -e "trace=$call" -e "inject=$call:$how:when=$nth" "$BPERF" "$@" \
    >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?; } 2>/dev/null
  case $how in
  signal*) hit=$([ $status != 137 ] || echo 1) ;;
  *) hit=$(grep -m 1 INJECTED "$TMP/trace") ;;
  esac
  # a session that hangs is left to itself by strace
  if [ $status = 124 ]; then for left in $(pgrep -xf "$BPERF $*"); do kill -9 "$left"; done; fi
}

# What is wrong with how it ended, if anything is.
complaint() {
  grep -q . "$TMP/out" && echo "something on stdout"
  case $status in
  137) [ "$1" = signal=KILL ] || echo "killed" ;;
  125 | 126 | 127)
    grep -Ev "$NOTE" "$TMP/err" >"$TMP/said"
    lines=$(grep -c '' "$TMP/said")
    [ "$lines" = 1 ] || [ "$lines" = 2 ] || echo "$lines lines of error and advice"
    grep -Evq '^bperf-mini: .' "$TMP/said" && echo "a line that is not its own"
    head -n 1 "$TMP/said" | grep -Eq '^bperf-mini: .*(: |[^:] \()' || echo "no reason in the error"
    ;;
  0)
    grep '^bperf-mini: ' "$TMP/err" | grep -Evq "$NOTE" && echo "status 0 with an error"
    grep -q 'seconds time elapsed' "$TMP/err" || echo "status 0 without a report"
    # a count of a CPU is right or there is none
    case $2 in
    -C) awk '/msec/ { count[++n] = $1 } /elapsed/ { for (i = 1; i <= n; i++) if (count[i] != "<not") {
          d = count[i] - $1 * 1000; if (d < -5 - $1 * 100 || d > 50 + $1 * 300) print count[i] " ms in " $1 " s" } }' "$TMP/err" ;;
    esac
    ;;
  *) echo "an unexpected status" ;;
  esac
}

# what the last 20 have left; who joins then joins the one that runs
batch() {
  for check in ids_soon no_child joins; do
    if ! $check >"$TMP/left"; then
      bad=$((bad + 1))
      diag "$check: one of the last 20 up to $call $nth $how:"
      sed 's/^/#   /' "$TMP/left"
    fi
  done
}

# one HOW CALL N ARGUMENT...: counts runs, hits and bad ones
one() {
  how=$1 call=$2 nth=$3
  shift 3
  inject "$call" "$how" "$nth" "$@"
  runs=$((runs + 1))
  [ -z "$hit" ] || hits=$((hits + 1))
  wrong=$(complaint "$how" "$3")
  if [ -n "$wrong" ]; then
    bad=$((bad + 1))
    diag "$call $nth $how: status $status: $wrong"
    head -n 5 "$TMP/err" | sed 's/^/#   /'
  fi
  [ $((runs % 20)) != 0 ] || batch
}

# all TITLE ARGUMENT...: what such a session calls, and each of these calls fails, and is its last
all() {
  title=$1
  shift
  strace -qq -o "$TMP/calls" "$BPERF" "$@" >/dev/null 2>&1 </dev/null
  sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$TMP/calls" | sort | uniq -c | sort -k2 >"$TMP/counts"
  for what in error kill; do
    runs=0 hits=0 bad=0
    while read -r count call <&3; do
      case $NEITHER in *" $call "*) continue ;; esac
      if [ $what = error ]; then case $NO_ERROR in *" $call "*) continue ;; esac; fi
      n=1
      while [ "$n" -le "$count" ]; do
        how=signal=KILL
        if [ $what = error ]; then
          rotation=$((rotation + 1))
          case $((rotation % 4)) in 0) how=error=EPERM ;; 1) how=error=ENOMEM ;; 2) how=error=EMFILE ;; 3) how=error=EINVAL ;; esac
        fi
        one $how "$call" "$n" "$@"
        n=$((n + 1))
      done
    done 3<"$TMP/counts"
    diag "$title, $what: $runs system calls, $hits of them hit"
    ok "$title: each call $([ $what = error ] && echo fails || echo is the last): one error, and no harm" [ $bad = 0 ]
    # whether a clock has moved, and who is first at a lock, may change the number of calls
    ok "$title: (nearly) every call was hit" [ $((hits * 100)) -ge $((runs * 97)) ]
    ok "$title: nothing is left" ids_soon
    ok "$title: no process is left" no_child
    ok "$title: the next session joins the one that runs" joins
  done
}

ids_before
cp "$TMP/ids.before" "$TMP/ids.first"
rotation=0
nice -n 19 "$WORK" spin &
task=$!
"$BPERF" -e cpu-clock -a 2>"$TMP/keeper" &
keeper=$!
sleep 0.3
# one that has a follower, beside a plain event of the same process
"$WORK" plain -p $task task-clock "$BPERF" -e cpu-clock -p $task -o "$TMP/follower" --timeout 600000 >"$TMP/plain" &
plain=$!
sleep 0.7
follower=$(pgrep -P $plain)
"$WORK" ids >"$TMP/ids.before"

# a leader joined and one made; a follower on one joined; a follower, children and a command on one made
all "CPUs" -e cpu-clock,task-clock -C 0 --timeout 20
all "a process" -e cpu-clock -p $task --timeout 20
all "a command" -e task-clock -- "$TMP/true"

# --- the command dies before it is one ----------------------------------------------------------------------------------
# with -f each process is counted by itself, and strace passes over the exec of bperf-mini itself
for fate in 137:signal=KILL 126:error=ENOMEM 127:error=ENOENT; do
  status=0
  timeout -k 1 $LIMIT strace -f -qq -o /dev/null -e trace=execve -e "inject=execve:${fate#*:}:when=1" \
    "$BPERF" -e task-clock -- "$TMP/true" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
  is "$status" "${fate%%:*}" "the command's exec ends in ${fate#*:}: the status says so"
done
ok "nothing is left" ids_soon

# --- the command of a session that fails while it runs ------------------------------------------------------------------
for call in poll wait4 read; do
  for n in 1 2 3 4 5 6 7 8 9 10; do
    inject $call error=ENOMEM $n -e cpu-clock --timeout 100 -- "$TMP/sleep" 300
    [ -n "$hit" ] || break
    ok "$call $n fails while a command runs ($status): it is not left behind" no_child
    for child in $(pgrep -f "$TMP/sleep"); do kill "$child"; done
  done
done

# --- those that ran all the time ----------------------------------------------------------------------------------------
kill -INT "$follower"
wait $plain
kill -INT $keeper
wait $keeper
kill $task
ok "the session of all CPUs was not disturbed" near "$(value "$TMP/keeper" cpu-clock)" "$(cpu_ms "$TMP/keeper" "$cpus")" 2
ok "the session of a process was not disturbed" near "$(value "$TMP/follower" cpu-clock)" "$(plain "$TMP/plain" task-clock)" 3
ok "nothing is left at the end" ids_become "$TMP/ids.first"

done_testing
