# SPDX-License-Identifier: GPL-2.0-only
# For death.t and tests/faults/: sessions of which one system call fails, or is the last thing they do.
#
# strace does it, to bperf-mini's own calls only (its command, a child, is not traced). It counts each kind of call by itself:
# "the Nth system call" is the Nth bpf, the Nth flock, ...; all of them together are all there are.
# shellcheck shell=sh
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/${KERNEL_LIB:-lib.sh}"

[ -z "$is_guest" ] || skip_all "strace is not in the emulated machine"
command -v strace >/dev/null || skip_all "strace is not installed (scripts/setup)"
strace -qq -o /dev/null -e trace=none -e inject=getppid:error=EPERM true 2>/dev/null || skip_all "strace may not trace here"

LIMIT=20
# what is killed but does not fail: calls that have no error to give, and those of the start and the end
NO_ERROR=' close munmap getuid geteuid getgid getegid getpid getpgrp gettid rt_sigaction rt_sigprocmask rt_sigpending '
NEITHER=' execve arch_prctl set_tid_address exit_group '
# what a session may say and go on
NOTE='^bperf-mini: (counting unshared(, by plain events)?: |[a-z-]+: counted unshared: |not sharing with perf: |no --overhead: |no /proc/[0-9]+/task: |--overhead lacks |'
NOTE=$NOTE"there is no (process|thread) |the cgroup '[^']*' is gone: |tracepoints are not listed: )"

# errors CALL: those that it can give (the manual pages, and the kernel's own of bpf and perf events), where they make a difference
errors() {
  case $1 in
  # not ENOENT and ENOSPC: that an entry or an id is not there, or that a link's tracepoint has a longer name, are answers, after which
  # another leader is rightly made and entered
  bpf) echo EPERM ENOMEM EINVAL EMFILE E2BIG EBUSY EAGAIN 524 ;;
  perf_event_open) echo EACCES EINVAL EMFILE ENODEV ENOENT EBUSY ENOSPC EOPNOTSUPP ESRCH ;;
  open | openat) echo ENOENT EACCES EMFILE ENOMEM ;;
  read) echo EIO EINTR ;;
  write) echo ENOSPC EIO EPIPE EINTR ;;
  mmap | mprotect | madvise | brk) echo ENOMEM ;;
  poll) echo ENOMEM EINTR ;;
  fork | clone | vfork) echo EAGAIN ENOMEM ;;
  pipe2 | signalfd4) echo EMFILE ENOMEM ;;
  fcntl) echo EMFILE EINVAL ;;
  flock) echo ENOLCK EAGAIN EINTR ;;
  mkdir) echo EACCES ENOSPC EEXIST ;;
  statfs | fstat | stat | lstat | newfstatat | access) echo ENOENT EACCES ;;
  getdents64) echo ENOENT EIO ;;
  ioctl) echo ENOTTY EINVAL ;;
  kill) echo EPERM ESRCH ;;
  pidfd_open) echo EMFILE EINVAL ENOSYS ESRCH ;;
  rename | renameat | renameat2 | unlink) echo EACCES ENOSPC ;;
  nanosleep) echo EINTR ;;
  wait4) echo EINTR ECHILD ;;
  *) echo EPERM EINVAL ;;
  esac
}

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
for command in true sleep ls; do ln -s "$(env which $command)" "$TMP/$command"; done

no_child() {
  tries=0
  while pgrep -f "$TMP/(true|sleep|ls)" >"$TMP/children"; do
    [ $tries -lt 40 ] || { pgrep -af "$TMP/(true|sleep|ls)"; return 1; }
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

# What is wrong with how it ended, if anything is. file: where its counts go instead of stderr; expected: what its stdout may be, or
# any; also: statuses that it may have; body: what lines of counts begin with that may stand before an error.
complaint() {
  if [ -s "$TMP/out" ] && [ "$expected" != any ] && ! cmp -s "$TMP/out" "$expected"; then echo "something else on stdout"; fi
  case $status in
  137) [ "$1" = signal=KILL ] || echo "killed" ;;
  125 | 126 | 127)
    grep -Ev "$NOTE${body:+|$body}" "$TMP/err" >"$TMP/said"
    lines=$(grep -c '' "$TMP/said")
    # where it is the error that cannot be written there is none
    [ "$lines$call" = 0write ] && return
    [ "$lines" = 1 ] || [ "$lines" = 2 ] || echo "$lines lines of error and advice"
    grep -Evq '^bperf-mini: .' "$TMP/said" && echo "a line that is not its own"
    head -n 1 "$TMP/said" | grep -Eq '^bperf-mini: .*(: |[^:] \()' || echo "no reason in the error"
    ;;
  0)
    grep '^bperf-mini: ' "$TMP/err" | grep -Evq "$NOTE" && echo "status 0 with an error"
    # through a pipe: of --control it may be none
    if [ -n "$file" ]; then
      if [ ! -s "$file" ]; then echo "status 0 without a file of counts"; fi
    elif [ -n "$has_report" ] && ! grep -q 'seconds time elapsed' "$TMP/err"; then
      echo "status 0 without a report"
    fi
    # a count of a CPU is right or there is none
    case $2 in
    -C) awk '/msec/ { count[++n] = $1 } /elapsed/ { for (i = 1; i <= n; i++) if (count[i] != "<not") {
          d = count[i] - $1 * 1000; if (d < -5 - $1 * 100 || d > 50 + $1 * 300) print count[i] " ms in " $1 " s" } }' "$TMP/err" ;;
    esac
    ;;
  *) case $also in *" $status "*) ;; *) echo "an unexpected status" ;; esac ;;
  esac
  # a killed one leaves what it was writing
  if [ -n "$file" ]; then
    case $(echo "$file".*) in "$file.*") ;; *) [ "$1" = signal=KILL ] || echo "a file is left beside that of the counts"; rm -f "$file".* ;; esac
    rm -f "$file"
  fi
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

# all TITLE ARGUMENT...: what such a session calls, and each of these calls fails, and is its last. EVERY: each so many calls only;
# ERRORS=all: with each of its errors, not only the next one; FAULTS_PART=I/N: of those the Ith of every N.
EVERY=1 ERRORS='' expected=/dev/null file='' also='' body='' has_report=1 turn=0 rotation=0
part=${FAULTS_PART:-1/1}
all() {
  title=$1
  shift
  strace -qq -o "$TMP/calls" "$BPERF" "$@" >/dev/null 2>&1 </dev/null
  sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$TMP/calls" | sort | uniq -c | sort -k2 >"$TMP/counts"
  row='' all_bad=0 remains=0
  for what in error kill; do
    runs=0 hits=0 bad=0
    while read -r count call <&3; do
      case $NEITHER in *" $call "*) continue ;; esac
      if [ $what = error ]; then case $NO_ERROR in *" $call "*) continue ;; esac; fi
      n=0
      while [ "$n" -lt "$count" ]; do
        n=$((n + 1)) turn=$((turn + 1))
        [ $((turn % EVERY)) = 0 ] || continue
        hows=signal=KILL
        if [ $what = error ]; then
          # shellcheck disable=SC2046 # words
          set_errors $(errors "$call")
        fi
        for how in $hows; do
          part_turn=$((part_turn + 1))
          [ $((part_turn % ${part#*/})) = $((${part%/*} - 1)) ] || continue
          one "$how" "$call" "$n" "$@"
        done
      done
    done 3<"$TMP/counts"
    diag "$title, $what: $runs system calls, $hits of them hit"
    all_bad=$((all_bad + bad))
    row="$row $hits"
    ok "$title: each call $([ $what = error ] && echo fails || echo is the last): one error, and no harm" [ $bad = 0 ]
    # whether a clock has moved, and who is first at a lock, may change the number of calls
    ok "$title: (nearly) every call was hit" between $hits $((runs < 20 ? runs - 2 : runs * 9 / 10)) $runs
    ok "$title: nothing is left" ids_soon || remains=$((remains + 1))
    ok "$title: no process is left" no_child || remains=$((remains + 1))
    ok "$title: the next session joins the one that runs" joins
  done
  # shellcheck disable=SC2086 # two words
  "${TESTS%/*}/scripts/report" --row faults "$title${FAULTS_PART:+ $FAULTS_PART}" $row $all_bad $remains
}
part_turn=-1

# set_errors ERROR...: sets hows to all of them, or to the next one
set_errors() {
  hows=
  if [ -n "$ERRORS" ]; then
    for error; do hows="$hows error=$error"; done
    return
  fi
  rotation=$((rotation + 1))
  shift $((rotation % $#))
  hows=error=$1
}

# Sessions that run all the time: one of all CPUs, and one that has a follower, beside a plain event of the same process.
keepers_start() {
  ids_before
  cp "$TMP/ids.before" "$TMP/ids.first"
  nice -n 19 "$WORK" spin &
  task=$!
  "$BPERF" -e cpu-clock -a 2>"$TMP/keeper" &
  keeper=$!
  "$WORK" plain -p $task task-clock "$BPERF" -e cpu-clock -p $task -o "$TMP/follower" --timeout 600000 >"$TMP/plain" &
  plain=$!
  ok "two sessions run beside it all" status_shows ', 2 sessions$'
  follower=$(pgrep -P $plain)
  "$WORK" ids >"$TMP/ids.before"
}

keepers_end() {
  kill -INT "$follower"
  wait $plain
  kill -INT $keeper
  wait $keeper
  kill $task
  ok "the session of all CPUs was not disturbed" near "$(value "$TMP/keeper" cpu-clock)" "$(cpu_ms "$TMP/keeper" "$cpus")" 2
  ok "the session of a process was not disturbed" near "$(value "$TMP/follower" cpu-clock)" "$(plain "$TMP/plain" task-clock)" 3
  ok "nothing is left at the end" ids_become "$TMP/ids.first"
}

# What there is to be broken. scope NAME: all of it; KEEPERS run.
# shellcheck disable=SC2034 # for those who source this
SCOPES='cpus process command intervals threads cgroup programs control openmetrics file unshared repeat overhead descriptors mixed
  places status list check'
scope() {
  case $1 in
  # a leader joined and one made; a follower of one joined; a follower, children and a command of one made
  cpus) all "CPUs" -e cpu-clock,task-clock -C 0 --timeout 20 ;;
  process) all "a process" -e cpu-clock -p "$task" --timeout 20 ;;
  command) all "a command" -e task-clock -- "$TMP/true" ;;
  intervals)
    body='^(#| +[0-9])' has_report=
    all "all CPUs, in intervals" -e cpu-clock -a -I 10 --interval-count 2
    body='' has_report=1
    ;;
  threads)
    # a call for each row that there may be
    every=$EVERY EVERY=$((EVERY * 16))
    all "threads" -e cpu-clock --per-thread -p "$task" --timeout 20
    EVERY=$every
    ;;
  cgroup)
    group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/bperf-faults-$$
    if mkdir "$group" 2>/dev/null; then
      all "cgroups" -e cpu-clock --for-each-cgroup "/,${group##*/}" --timeout 20
      rmdir "$group"
    else
      skip "cgroups" "no cgroup can be made here"
    fi
    ;;
  # where no program may hang on another (faults.sh's own host), up to that
  programs) all "BPF programs" -e cpu-clock -b name:on_switch --timeout 20 ;;
  control)
    printf 'enable\nping\nstop\n' >"$TMP/commands"
    : >"$TMP/answers"
    has_report=
    all "--control" -e cpu-clock -a -D -1 --control "fifo:$TMP/commands,$TMP/answers" --timeout 1000
    has_report=1
    ;;
  openmetrics)
    file=$TMP/written.prom
    all "OpenMetrics" -e cpu-clock -a -I 10 --interval-count 2 --openmetrics -o "$file"
    file=
    ;;
  file)
    file=$TMP/written
    all "a file" -e cpu-clock -C 0 -o "$file" --timeout 20
    file=
    ;;
  unshared) all "plain events" --share=never -e cpu-clock,task-clock -a -p "$task" --timeout 20 ;;
  repeat) all "two runs" -r 2 -e task-clock -- "$TMP/true" ;;
  overhead) all "--overhead" --overhead -e cpu-clock -C 0 --timeout 20 ;;
  descriptors)
    expected=$TMP/descriptors
    # with the one that `all` reads from
    strace -qq -o /dev/null -e trace=none "$TMP/ls" /proc/self/fd >"$expected" </dev/null 2>/dev/null 3</dev/null
    all "what a command inherits" -e task-clock -- "$TMP/ls" /proc/self/fd
    expected=/dev/null
    ;;
  mixed) all "several scopes" -e cpu-clock,task-clock -a -C 0 -p "$task" -- "$TMP/true" ;;
  places) all "by place" -e cpu-clock --per-core -a --timeout 20 ;;
  status | list | check)
    expected=any has_report=
    every=$EVERY
    # status looks at each descriptor of each process
    case $1 in list) also=' 1 ' ;; check) also=' 1 3 ' ;; status) EVERY=$((EVERY * 50)) ;; esac
    all "$1" "$1"
    expected=/dev/null has_report=1 also='' EVERY=$every
    ;;
  esac
}
