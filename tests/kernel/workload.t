#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The command: what it costs to be counted, what it finds, what becomes of it and of us when signals come, shared and unshared.
# (What of it is counted: scopes.t, tasks.t.)
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# shellcheck disable=SC3045 # dash and busybox have it
ulimit -c 0

ids_before

# --- what is counted of a command that does nothing ---------------------------------------------------------------------
least() { # FILE EVENT: of the values in it
  awk -v event="$2" '$1 == event && (min == "" || $2 + 0 < min) { min = $2 + 0 } END { print min }' "$1"
}
for share in auto never; do
  : >"$TMP/least"
  : >"$TMP/least.plain"
  # a busy host adds to some, so the least of five counts
  for _ in 1 2 3 4 5; do
    "$BPERF" --share=$share -e task-clock,context-switches,page-faults -- true 2>"$TMP/out"
    for event in task-clock context-switches page-faults; do echo "$event $(value "$TMP/out" $event)"; done >>"$TMP/least"
    "$WORK" plain -w task-clock,page-faults true >>"$TMP/least.plain"
  done
  ok "--share=$share, true: its task-clock" between "$(least "$TMP/least" task-clock)" 0.01 "$(high 3)"
  ok "--share=$share, true: its context switches" between "$(least "$TMP/least" context-switches)" 0 5
  low=$(least "$TMP/least.plain" page-faults)
  ok "--share=$share, true: its page faults as plain counting has them from its exec" \
    between "$(least "$TMP/least" page-faults)" $((low - 8)) $((low + 8))
done

# --- what it finds ------------------------------------------------------------------------------------------------------
# same TITLE SETTING COMMAND...: prints the same alone and in each of three runs, shared and unshared. SETTING is what the caller does
# before: shell code that runs "$@".
same() {
  title=$1 setting=$2
  shift 2
  sh -c "$setting" sh "$@" >"$TMP/alone" 2>&1
  cat "$TMP/alone" "$TMP/alone" "$TMP/alone" >"$TMP/alone3"
  for share in auto never; do
    sh -c "$setting" sh "$BPERF" --share=$share -r 3 -e dummy -o "$TMP/out" -- "$@" >"$TMP/counted" 2>&1
    ok "$title, in each of three runs (--share=$share)" diff "$TMP/alone3" "$TMP/counted"
  done
  [ -s "$TMP/alone" ] || fail "$title: there is something to compare"
}
KEPT='^(Umask|Uid|Gid|Groups|Seccomp|NoNewPrivs|Cpus_allowed|Mems_allowed|THP_enabled|(Sig|Cap)[A-Z][a-z]+):'
# shellcheck disable=SC2016 # for the other sh
{
  same "signals, capabilities, umask and CPUs" 'exec "$@"' grep -E "$KEPT" /proc/self/status
  same "those of a caller that ignores signals" 'trap "" HUP PIPE USR1 CHLD XFSZ; umask 027; exec "$@"' grep -E "$KEPT" /proc/self/status
  same "those of a caller on one CPU" 'exec taskset 1 "$@"' grep -E "$KEPT" /proc/self/status
  same "its descriptors" 'exec "$@" 5</dev/null 7>/dev/null' ls /proc/self/fd
  same "the flags of its standard streams" 'exec "$@"' grep flags /proc/self/fdinfo/0 /proc/self/fdinfo/1
  same "all limits" 'exec "$@"' cat /proc/self/limits
  same "all limits, of a caller that has lowered some" 'ulimit -n 64; ulimit -l 64; ulimit -s 4096; ulimit -t 100; exec "$@"' cat /proc/self/limits
  if command -v nice >/dev/null; then same "the niceness" 'exec nice -n 5 "$@"' cut -d ' ' -f 18,19 /proc/self/stat; fi
  same "process group, session and terminal" 'exec "$@"' cut -d ' ' -f 5-8 /proc/self/stat
  same "the directory" 'cd /proc && exec "$@"' pwd
  same "the environment" 'BPERF_TEST="a b" exec "$@"' env
  same "the chance to be killed for memory" 'echo 500 >/proc/self/oom_score_adj; exec "$@"' cat /proc/self/oom_score_adj
}
if command -v python3 >/dev/null; then
  cat >"$TMP/blocked" <<'END'
import os, signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD, signal.SIGRTMIN])
os.execvp(sys.argv[1], sys.argv[1:])
END
  same "signals, of a caller that blocks some" "exec python3 $TMP/blocked \"\$@\"" grep -E "$KEPT" /proc/self/status
fi
for share in auto never; do
  is "$(echo one two | "$BPERF" --share=$share -e dummy -o "$TMP/out" -- cat)" "one two" "its standard input (--share=$share)"
  is "$({ echo one; echo two; echo three; } | "$BPERF" --share=$share -r 3 -e dummy -o "$TMP/out" -- head -n 5)" "one
two
three" "its standard input, of which the first of three runs takes all (--share=$share)"
done

# --- exit statuses, beyond those of errors.t ------------------------------------------------------------------------------
# ends STATUS TITLE ARGUMENT...
ends() {
  want=$1 title=$2
  shift 2
  for share in auto never; do
    status=0
    "$BPERF" --share=$share -e dummy "$@" >"$TMP/stdout" 2>"$TMP/out" || status=$?
    is $status "$want" "--share=$share, $title: status $want"
    case $want in
    12[67])
      is "$(grep -c '' "$TMP/out")" 1 "--share=$share, $title: one line"
      ok "--share=$share, $title: the reason" grep -Eq '^bperf-mini: cannot run .*: (Permission denied|No such file|Is a directory)' "$TMP/out"
      ;;
    esac
  done
}
mkdir "$TMP/folder"
echo exit >"$TMP/folder/no-program"
PATH=$PATH:$TMP/folder
ends 126 "a file that is no program" -- /etc/passwd
ends 126 "a file that is no program, found by PATH" -- no-program
ends 126 "a directory" -- "$TMP/folder"
ends 127 "not there" -- /nonexistent
ends 127 "not in PATH" -- nonexistent-command
ends 127 "an empty name" -- ''
ends 1 false -- false
# shellcheck disable=SC2016 # for the other sh
ends 137 "killed by KILL" -- sh -c 'kill -9 $$'
ends 7 "-I" -I 100 -- sh -c 'exit 7'
ends 7 "-D" -D 1 -- sh -c 'sleep 0.1; exit 7'
ends 7 "-a" -a -- sh -c 'exit 7'
ends 126 "-a, a file that is no program" -a -- /etc/passwd
ends 127 "-a, not there" -a -- /nonexistent

# --- signals ------------------------------------------------------------------------------------------------------------
# A session is a part of a pipeline in the foreground: a shell's job in the background has INT and QUIT ignored, and so would its
# command have. session NAME ARGUMENT...: leaves pid.NAME, out.NAME, status.NAME
session() {
  name=$1
  shift
  # shellcheck disable=SC2016 # for the other sh
  sh -c 'echo $$ >"$0"; exec "$@"' "$TMP/pid.$name" "$BPERF" "$@" </dev/null >"$TMP/out.$name" 2>&1
  echo $? >"$TMP/status.$name"
}
# ends by itself after a minute
LOAD="$WORK after 60000 true"
# shellcheck disable=SC2016 # for the other sh
COMMAND='echo $$ >"$0"; exec "$@"'
sh -c 'while :; do sleep 0.1; done' &
target=$!

# all eight at once: the shell is not told of what it does not wait for
matrix() { # SIGNAL...
  rm -f "$TMP"/pid.* "$TMP"/status.* "$TMP"/out.* "$TMP"/work.* "$TMP/alive"
  # shellcheck disable=SC2086 # several words
  {
    session auto.all --timeout 40000 -a -e cpu-clock |
      session auto.process --timeout 40000 -p $target -e task-clock |
      session auto.intervals --timeout 40000 -a -I 200 -e cpu-clock |
      session auto.command -e task-clock -- sh -c "$COMMAND" "$TMP/work.auto.command" $LOAD |
      session never.all --share=never --timeout 40000 -a -e cpu-clock |
      session never.process --share=never --timeout 40000 -p $target -e task-clock |
      session never.intervals --share=never --timeout 40000 -a -I 200 -e cpu-clock |
      session never.command --share=never -e task-clock -- sh -c "$COMMAND" "$TMP/work.never.command" $LOAD |
      {
        for share in auto never; do
          for name in all process intervals command; do is_there "$TMP/pid.$share.$name"; done
          is_there "$TMP/work.$share.command"
        done
        sleep 0.9
        for signal; do
          for file in "$TMP"/pid.*; do kill -0 "$(cat "$file")" && echo "$signal ${file#*/pid.}"; done >>"$TMP/alive"
          for file in "$TMP"/pid.*; do kill "-$signal" "$(cat "$file")"; done
          sleep 0.3
        done
      }
  } >/dev/null 2>&1
}
event() { case $1 in *.all | *.intervals) echo cpu-clock ;; *) echo task-clock ;; esac; }
# printed NAME: there is an output, with a count that is no zero
printed() {
  cat "$TMP/out.$1"
  case $1 in
  *.intervals) [ "$(grep -c ' msec cpu-clock' "$TMP/out.$1")" -ge 3 ] ;;
  *)
    grep -q 'seconds time elapsed' "$TMP/out.$1" &&
      awk -v count="$(value "$TMP/out.$1" "$(event "$1")")" 'BEGIN { exit !(count + 0 > 0) }'
    ;;
  esac
}
# verdict SIGNAL STATUS: of all eight; with output
verdict() {
  for share in auto never; do
    for name in all process intervals command; do
      is "$(cat "$TMP/status.$share.$name")" "$2" "$1, --share=$share, $name: status $2"
      ok "$1, --share=$share, $name: what was counted is printed" printed $share.$name
    done
    ok "$1, --share=$share: the command has ended" gone "$(cat "$TMP/work.$share.command")"
  done
  ok "$1: the process that was counted goes on" kill -0 $target
  ok "$1: nothing is left" ids_become "$TMP/ids.before"
}
for signal in HUP:1 INT:2 QUIT:3 TERM:15; do
  if [ $signal = HUP:1 ] && awk '/^SigIgn:/ { exit !(substr($2, length($2)) ~ /[13579bdf]/) }' /proc/self/status; then
    skip "HUP" "this test was started with it ignored"
    continue
  fi
  matrix ${signal%:*}
  verdict ${signal%:*} $((128 + ${signal#*:}))
done
# PIPE is nothing to us, then TERM ends it
matrix PIPE TERM
is "$(grep -c '^TERM' "$TMP/alive")" 8 "PIPE: all go on"
verdict "TERM after PIPE" 143
# ALRM has its default: the session is gone, without a word, and leaves its command to itself
matrix ALRM
for share in auto never; do
  for name in all process intervals command; do
    is "$(cat "$TMP/status.$share.$name")" 142 "ALRM, --share=$share, $name: killed"
  done
  command=$(cat "$TMP/work.$share.command")
  ok "ALRM, --share=$share: the command goes on" kill -0 "$command"
  kill "$command"
done
ok "ALRM: nothing is left" ids_become "$TMP/ids.before"

# --- a command that does not end at once, or not at all -----------------------------------------------------------------
# told SIGNAL... NAME ARGUMENT...: one session, and the signals, 0.5 s after each other, once "ready" is there
told() {
  signals=$1 name=$2
  shift 2
  rm -f "$TMP/ready" "$TMP"/pid.* "$TMP"/status.*
  session "$name" "$@" 2>/dev/null | {
    is_there "$TMP/ready"
    sleep 0.2
    for signal in $signals; do
      kill "-$signal" "$(cat "$TMP/pid.$name")"
      sleep 0.5
    done
    # still there?
    kill -0 "$(cat "$TMP/pid.$name")" 2>/dev/null && echo there >"$TMP/there" || rm -f "$TMP/there"
  }
}
for share in auto never; do
  # shellcheck disable=SC2016 # for the other sh
  told TERM handled --share=$share -e task-clock -- sh -c 'trap "sleep 1; exit 9" TERM; echo $$ >"$0"; while :; do sleep 0.1; done' "$TMP/ready"
  is "$(cat "$TMP/status.handled")" 9 "--share=$share: a command that handles TERM: its own status"
  ok "--share=$share: a command that handles TERM: counted to its end" between "$(seconds "$TMP/out.handled")" 1.1 10
  # shellcheck disable=SC2016
  told TERM ignored --share=$share -e task-clock -- sh -c 'trap "" TERM; echo $$ >"$0"; n=0; while [ $n -lt 15 ]; do sleep 0.1; n=$((n + 1)); done; exit 8' "$TMP/ready"
  ok "--share=$share: a command that ignores TERM: the count goes on with it" [ -e "$TMP/there" ]
  is "$(cat "$TMP/status.ignored")" 8 "--share=$share: a command that ignores TERM: its own status"
  for signals in "TERM TERM" "INT TERM" "HUP INT"; do
    # shellcheck disable=SC2016
    told "$signals" second --share=$share -e task-clock -- sh -c 'trap "" TERM INT HUP; echo $$ >"$0"; exec "$1" after 100000 true' "$TMP/ready" "$WORK"
    ok "--share=$share: $signals: the second signal ends it at once" [ ! -e "$TMP/there" ]
    want=143
    [ "${signals#* }" = TERM ] || want=130
    is "$(cat "$TMP/status.second")" $want "--share=$share: $signals: status 128 + the last one"
    ok "--share=$share: $signals: what was counted is printed" grep -q 'seconds time elapsed' "$TMP/out.second"
    kill -9 "$(cat "$TMP/ready")" 2>/dev/null
  done
done
kill $target
wait $target 2>/dev/null

# --- Ctrl-C at a terminal -----------------------------------------------------------------------------------------------
# The terminal sends INT to all of its foreground group: the command gets it once, and from the kernel. A second Ctrl-C ends all.
# The session is made to be late, on a busy CPU: one INT would hide another that comes before it is taken.
if command -v python3 >/dev/null; then
  cat >"$TMP/command.py" <<'END'
import os, signal, sys, time
os.sched_setaffinity(0, {max(os.sched_getaffinity(1))})
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True)
end = time.monotonic() + 2
while time.monotonic() < end:
    got = signal.sigtimedwait([signal.SIGINT], 0.1)
    if got:
        print("INT", "from the terminal" if got.si_code == 128 else "from process %d" % got.si_pid, flush=True)
        time.sleep(0.1)
sys.exit(6)
END
  cat >"$TMP/terminal.py" <<'END'
import os, pty, sys, time
times, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.nice(10)
    os.execvp(command[0], command)
text = b""
while b"ready" not in text:
    text += os.read(terminal, 4096)
for _ in range(times):
    time.sleep(0.5)
    os.write(terminal, b"\x03")
try:
    while True:
        more = os.read(terminal, 4096)
        if not more:
            break
        text += more
except OSError:
    pass
status = os.waitpid(pid, 0)[1]
sys.stdout.write(text.decode().replace("\r", ""))
print("\nstatus", os.waitstatus_to_exitcode(status)) # what the command says may be cut off by the end
END
  taskset -c 0 "$WORK" spin &
  spinner=$!
  for share in auto never; do
    timeout 20 python3 "$TMP/terminal.py" 1 "$BPERF" --share=$share -e task-clock -o "$TMP/out" -- python3 "$TMP/command.py" >"$TMP/terminal"
    is "$(grep -c INT "$TMP/terminal")" 1 "--share=$share, Ctrl-C at a terminal: the command gets it once"
    ok "--share=$share, Ctrl-C at a terminal: from the terminal" grep -q 'INT from the terminal' "$TMP/terminal"
    ok "--share=$share, Ctrl-C at a terminal: the command's own status" grep -qx 'status 6' "$TMP/terminal"
    ok "--share=$share, Ctrl-C at a terminal: what was counted is printed" grep -q 'seconds time elapsed' "$TMP/out"
    timeout 20 python3 "$TMP/terminal.py" 2 "$BPERF" --share=$share -e task-clock -o "$TMP/out" -- python3 "$TMP/command.py" >"$TMP/terminal"
    ok "--share=$share, Ctrl-C twice: status 130, at once" grep -qx 'status 130' "$TMP/terminal"
    ok "--share=$share, Ctrl-C twice: what was counted is printed" grep -q 'seconds time elapsed' "$TMP/out"
  done
  kill $spinner
  wait $spinner 2>/dev/null
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
