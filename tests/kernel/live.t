#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --live on a terminal: what it shows, and that the terminal is left as it was, however it ends. The terminal is a pty with a
# screen behind it (screen.py) that takes nothing but what --live may write.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

{ command -v python3 && command -v strace; } >/dev/null || skip_all "there is no python3, or no strace"
run "$BPERF" --live -a
is "$status" 125 "standard error is no terminal: 125"
is "$err" "bperf-mini: --live: standard error is no terminal
bperf-mini: -I MS prints intervals to whatever there is" "... and one line, and what to do"
run "$BPERF" --live -a --log-fd 1
like "$err" 'the descriptor of --log-fd is no terminal' "... nor is that of --log-fd"

ids_before
PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "${0%/*}/live_tests.py" "$BPERF" "$WORK" "$TMP" >"$TMP/results" 2>"$TMP/trace"
is $? 0 "the tests on a terminal ran to their end"
sed 's/^/# /' "$TMP/trace"
number "$(wc -l <"$TMP/results")" '>' 100 "so many facts were looked at"
# a line each: "ok NAME", "not ok NAME", "skip REASON: NAME", "# more"
while read -r verdict rest; do
  case $verdict in
  ok) pass "$rest" ;;
  skip) skip "${rest#*: }" "${rest%%: *}" ;;
  not) fail "${rest#ok }" ;;
  *) diag "$rest" ;;
  esac
done <"$TMP/results"
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
