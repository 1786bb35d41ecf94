#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every command line of the README's code blocks is run, and what it shows has the shape that is shown there. The word behind a
# fence's ``` says what is in the block, and the next ones where it is run:
#
#   sh       commands, one a line
#   console  commands behind "# ", each with what it prints; where one ends in "# meanwhile", the one before it still runs
#   ini      a systemd unit, whose ExecStart is run for a moment, with its file elsewhere
#   text     no command
#
#   host     on the machine that runs the tests        msr: which must have that PMU
#   lab      in the emulated machine with a PMU, where the groups web, web/php and db, the processes 1234 and 1235, a file
#            `words` and a `make` are                  mixed: with known work in the processes; lines in any order
#   other    not by this test; the words that follow say why
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

place=host
README=${TESTS%/*}/README.md
if [ -n "$is_guest" ]; then
  has_pmu || skip_all "no PMU here"
  place=lab
  README=$TESTS/README.md
fi

# --- the blocks ---------------------------------------------------------------------------------------------------------------
awk -v dir="$TMP" '
  /^```/ && !inside { inside = 1; file = dir "/block." ++n; print substr($0, 4) >(dir "/marks"); printf "" >file; next }
  /^```/ { inside = 0; close(file); next }
  inside { print >file; next }
  /^(    |\t)/ && blank { print NR ": " $0 >(dir "/indented") }
  { blank = /^$/ }
  END { if (inside) print "not closed" >(dir "/indented") }' "$README"
touch "$TMP/marks" "$TMP/indented"
number "$(wc -l <"$TMP/marks")" '>=' 6 "the README has code blocks"
is "$(cat "$TMP/indented")" "" "each of them is fenced, and so has a mark"
unknown=$(grep -Evx '(sh|console) host( msr)?|(sh|console) lab( mixed)?|(sh|console) other [a-z].*|ini host|text' "$TMP/marks")
is "$unknown" "" "each mark is known"

# --- where they run -----------------------------------------------------------------------------------------------------------
mkdir "$TMP/bin" "$TMP/here"
ln -s "$(cd "${BPERF%/*}" && pwd)/${BPERF##*/}" "$TMP/bin/bperf-mini"
PATH=$TMP/bin:$PATH
cd "$TMP/here" || exit 1

in_group() { # GROUP PID COMMAND...: a process of that id, in the background
  group=$1
  shift
  # shellcheck disable=SC2016 # the inner shell's
  "$WORK" reuse "$1" sh -c 'echo $$ >"$0/cgroup.procs"; shift; exec "$@"' "$ROOT/$group" "$@" 2>/dev/null &
  made="$made $1"
  tries=0
  until grep -q "$group" "/proc/$1/cgroup" 2>/dev/null || [ $tries = 50 ]; do sleep 0.1; tries=$((tries + 1)); done
}
stop_made() {
  for pid in $made; do
    kill -9 "$pid" 2>/dev/null
    gone "$pid"
  done
  made=
}
made=
if [ $place = lab ]; then
  ROOT=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  mkdir -p "$ROOT/web/php" "$ROOT/db"
  printf 'some\nwords\n' >words
  printf '#!/bin/sh\nexec %s burn 50\n' "$WORK" >"$TMP/bin/make"
  chmod +x "$TMP/bin/make"
fi
prepare() { # MARK
  stop_made
  case $1 in
  *mixed)
    in_group web 1234 "$WORK" after 1500 "$WORK" loop 100000000
    in_group web/php 1235 "$WORK" after 1500 "$WORK" loops 2 20000000
    ;;
  *lab)
    in_group web 1234 sh -c 'while :; do sleep 1; done'
    in_group db 1235 sh -c 'while :; do sleep 1; done'
    ;;
  esac
}

# start LINE OUT: in the background; sets pid
start() {
  case $1 in bperf-mini\ *) exec_it='exec' ;; *) exec_it='' ;; esac
  sh -c "$exec_it $1" >"$2" 2>&1 </dev/null &
  pid=$!
}
# end PID: sets status, that of a command that goes on until Ctrl-C is 0
end() {
  tries=0
  while kill -0 "$1" 2>/dev/null && [ $tries -lt 30 ]; do
    grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && break
    sleep 0.5
    tries=$((tries + 1))
  done
  kill "$1" 2>/dev/null
  status=0
  wait "$1" 2>/dev/null || status=$?
  [ "$status" != 143 ] || status=0
}

# Numbers are N, whatever their width: what is left is the labels, and where they stand; without the lines that are empty.
shape() {
  sed -E 's/ *[0-9][0-9,.]*/ N/g; s/(CPU|follower|session)s([ ,]|$)/\1\2/g; s/ +$//; /^$/d' | case $mark in *mixed) sort ;; *) cat ;; esac
}

run_sh() { # FILE
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    start "$line" "$TMP/out"
    end $pid
    ok "$line" [ "$status" = 0 ] || sed 's/^/# /' "$TMP/out"
    ok "  prints something that is no failure" sh -c '[ -s "$1" ] && ! grep -q "^bperf-mini: cannot" "$1"' - "$TMP/out" || sed 's/^/# /' "$TMP/out"
  done <"$1"
}

run_console() { # FILE
  pid=
  : >"$TMP/shown"
  grep '^# ' "$1" | cut -c3- >"$TMP/lines"
  grep -v '^# ' "$1" >"$TMP/want"
  while IFS= read -r line; do
    case $line in
    *'# meanwhile') sleep 1 ;;
    *) [ -z "$pid" ] || end "$pid" ;;
    esac
    first=$pid
    start "$line" "$TMP/out.$(wc -l <"$TMP/shown")"
    echo "$line" >>"$TMP/shown"
    case $line in
    *'# meanwhile')
      end $pid
      pid=$first
      ;;
    esac
  done <"$TMP/lines"
  end $pid
  ok "$(head -n 1 "$TMP/lines"): ran" between "$status" 0 2
  cat "$TMP"/out.* | shape >"$TMP/got.shape"
  shape <"$TMP/want" >"$TMP/want.shape"
  ok "$(head -n 1 "$TMP/lines"): shows what the README shows" diff "$TMP/want.shape" "$TMP/got.shape" || cat "$TMP"/out.* | sed 's/^/# /'
  rm -f "$TMP"/out.*
}

run_ini() { # FILE
  line=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$1" | sed 's/^ExecStart=//; s/\\$//' | tr '\n' ' ')
  output=${line##* -o }
  output=${output%% *}
  line=$(echo "$line" | sed "s|^[^ ]*/bperf-mini|bperf-mini --timeout 300|; s|$output|$TMP/here/unit.out|")
  start "$line" "$TMP/out"
  end $pid
  ok "ExecStart of $output" [ "$status" = 0 ] || sed 's/^/# /' "$TMP/out"
  ok "  writes its file" is_there "$TMP/here/unit.out"
}

n=0
while IFS= read -r mark; do
  n=$((n + 1))
  case "$mark" in
  *" other "*) diag "not run here: $mark: $(head -n 1 "$TMP/block.$n")" ;;
  *" $place msr")
    if [ -d /sys/bus/event_source/devices/msr ]; then
      "run_${mark%% *}" "$TMP/block.$n"
    else
      skip "$(head -n 1 "$TMP/block.$n")" "no msr PMU"
    fi
    ;;
  *" $place" | *" $place mixed")
    prepare "$mark"
    "run_${mark%% *}" "$TMP/block.$n"
    ;;
  esac
done <"$TMP/marks"
stop_made
ok "something was run" [ "$tap_count" -gt 5 ]
done_testing
