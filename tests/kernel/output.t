#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where the counts go, in which format: files, descriptors, what is full, closed or not there. The formats themselves are in
# tests/formats/.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

ids_before

# --- CSV without any program to check it ----------------------------------------------------------------------------------
# fields SEPARATOR OPTION...: how many each row has
fields() {
  separator=$1
  shift
  "$BPERF" -e cs,cycles,task-clock -x "$separator" "$@" 2>&1 >/dev/null | grep -v '^bperf-mini: ' | awk -F"$separator" '{ print NF }' | sort -u | tr '\n' ' '
}
is "$(fields ';' -- true)" "7 " "-x: as many fields in each row: a command"
is "$(fields ';' -a --timeout 30)" "7 " "-x: the system"
is "$(fields ';' -a -I 20 --summary --interval-count 2)" "8 " "-x: intervals and the total"
is "$(fields ';' -r 2 -- true)" "8 " "-x: several runs"
is "$(fields ';' -r 2 -I 20 --summary -a --timeout 30)" "9 " "-x: several runs with intervals"
is "$(fields ';' --per-thread -p $$ --timeout 30)" "8 " "-x: threads"
is "$(fields ';' -a -C 0 -p $$ --timeout 30)" "8 " "-x: several scopes"
is "$(fields ';' -A -a --timeout 30)" "8 " "-x: a CPU each"
is "$(fields ';' --per-core -a --timeout 30)" "9 " "-x: a core each"
is "$(fields '\t' -a --timeout 30)" "7 " "-x: a tab"
is "$(fields ab -a --timeout 30)" "7 " "-x: two letters"
run "$BPERF" -x , -e cs -r 3 --csv-header -- true
is "$(printf '%s\n' "$err" | head -n 1)" "counter-value,unit,event,variance,event-runtime,pcnt-running,metric-value,metric-unit" "--csv-header: the names"
like "$err" '^[0-9]+,,cs,[0-9]+\.[0-9][0-9]%,[0-9]+,100\.00,' "... of these fields"

# V29: no locale changes a byte, but for the digits
for locale in C fr_FR.UTF-8 de_DE tr_TR.UTF-8; do
  LC_ALL=$locale LANG=$locale "$BPERF" -e cpu-clock,dummy -x ';' -a --timeout 30 2>&1 | sed 's/[0-9][0-9]*/0/g'
  LC_ALL=$locale LANG=$locale "$BPERF" -e cpu-clock,dummy -j -a --timeout 30 2>&1 | sed 's/[0-9][0-9]*/0/g'
done | sort | uniq -c | awk '{ print $1 }' | sort -u >"$TMP/bytes"
is "$(cat "$TMP/bytes")" 4 "four locales, the same bytes"

# --- a file that is replaced as a whole -----------------------------------------------------------------------------------
prom=$TMP/dir/bperf.prom
mkdir "$TMP/dir"
echo old >"$prom"
chmod 600 "$prom"
(umask 022 && "$BPERF" -a -e cs -I 10 --openmetrics -o "$prom" --timeout 1500) &
session=$!
reads=0 broken=0 olds=0 versions=0
while kill -0 $session 2>/dev/null; do
  cat "$prom" >"$TMP/copy" || broken=$((broken + 1))
  case $(tail -n 1 "$TMP/copy") in
  old) olds=$((olds + 1)) ;;
  "# EOF") [ "$(grep -c '# EOF' "$TMP/copy")" = 1 ] && [ "$(grep -c '^bperf_elapsed_seconds{session="bperf"} ' "$TMP/copy")" = 1 ] || broken=$((broken + 1)) ;;
  *) broken=$((broken + 1)) ;;
  esac
  cmp -s "$TMP/copy" "$TMP/copy.before" || versions=$((versions + 1))
  cp "$TMP/copy" "$TMP/copy.before"
  reads=$((reads + 1))
done
wait $session
is $? 0 "--openmetrics -I -o FILE: status 0"
is $broken 0 "--openmetrics -I -o FILE: whoever reads it sees it whole (of $reads reads, $olds of the old one)"
number $versions '>' 5 "--openmetrics -I -o FILE: and always anew"
is "$(ls -A "$TMP/dir")" bperf.prom "--openmetrics -I -o FILE: nothing is left beside it"
is "$(ls -l "$prom" | cut -c1-10)" "-rw-r--r--" "--openmetrics -o FILE: the mode of a new file"
# totals, not the intervals' parts
"$BPERF" -C 0 -e cpu-clock -I 100 --openmetrics --interval-count 3 2>"$TMP/out"
ok "--openmetrics -I: each has the total so far" awk '/^bperf_clock_seconds/ { n++; print; if ($2 < n * 0.09) wrong = 1 } END { exit wrong || n != 3 }' "$TMP/out"

echo old >"$prom"
run "$BPERF" -e nosuch --openmetrics -o "$prom" -- true
is "$(cat "$prom")" old "a usage error leaves the file"
run "$BPERF" -e cs --openmetrics -o "$prom" -- /nonexistent
is "$status $(cat "$prom")" "127 old" "so does a command that is not there"
run "$BPERF" -e cs --openmetrics -o "$TMP/nonexistent/x.prom" -- touch "$TMP/touched"
is $status 125 "a folder that is not there: status 125"
like "$err" "^bperf-mini: cannot open $TMP/nonexistent/x\.prom\.[0-9]+: No such file or directory" "a folder that is not there: says so"
like "$err" "^bperf-mini: the file is written anew beside the old one each time: its directory must be writable" "... and what it takes"
ok "... before anything is run" [ ! -e "$TMP/touched" ]
# shellcheck disable=SC2016 # for the other sh
run sh -c 'echo stale >"$1.$$"; exec "$0" -e cs --openmetrics -o "$1" -- true' "$BPERF" "$prom"
is "$status $(ls -A "$TMP/dir") $(tail -n 1 "$prom")" "0 bperf.prom # EOF" "what a process of our id has left beside it goes"
# /dev/stdout is one, and another's
ln -s bperf.prom "$TMP/dir/link"
"$BPERF" -e cs --openmetrics -o "$TMP/dir/link" -a -I 10 --interval-count 2
is "$(readlink "$TMP/dir/link") $(grep -c '# EOF' "$prom")" "bperf.prom 2" "a link is not replaced: one exposition after another"
rm "$TMP/dir/link"
ok "an output that is the caller's, by a link" sh -c "'$BPERF' -e cs --openmetrics -o /proc/self/fd/1 -- true >'$TMP/out' && [ \"\$(tail -n 1 '$TMP/out')\" = '# EOF' ]"
run "$BPERF" -e cs --openmetrics -o /dev/full -- true
is $status 125 "--openmetrics to a full disk: status 125"
ok "what is no file is not replaced" [ -c /dev/full ]
"$BPERF" -e cs --openmetrics -a -I 30 --interval-count 2 -o /proc/self/fd/1 2>/dev/null | cat >"$TMP/out"
is "$(grep -c '# EOF' "$TMP/out")" 2 "--openmetrics to a pipe: one after another"
"$BPERF" -e cs --openmetrics -a -I 10 -o "$prom" 2>/dev/null &
session=$!
sleep 0.3
kill -TERM $session
wait $session
is $? 143 "--openmetrics -o FILE, TERM: status 143"
is "$(ls -A "$TMP/dir") $(tail -n 1 "$prom")" "bperf.prom # EOF" "--openmetrics -o FILE, TERM: the last one is whole, nothing beside it"

# A disk that has room for the old one only.
cat >"$TMP/full" <<END
mount -t tmpfs -o size=8k,mode=755 none "$TMP/dir" || exit 77
echo old >"$prom"
"$BPERF" -a -e cs --openmetrics -o "$prom" --timeout 10 && echo room
echo old >"$prom"
dd if=/dev/zero of="$TMP/dir/fill" bs=1k count=100 2>/dev/null
"$BPERF" -a -e cs --openmetrics -o "$prom" --timeout 10 2>&1
echo \$?
cat "$prom"
ls -A "$TMP/dir" | tr '\n' ' '
END
if command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
  run unshare -m sh "$TMP/full"
  if [ "$status" = 77 ]; then
    skip "a disk that is full" "no tmpfs can be mounted"
  else
    is "$out" "room
bperf-mini: cannot write $prom: No space left on device
125
old
bperf.prom fill " "a disk that is full: the old file stays, the new one goes"
  fi
else
  skip "a disk that is full" "no unshare"
fi

# --- descriptors ----------------------------------------------------------------------------------------------------------
run "$BPERF" -e cs --log-fd 9 -- touch "$TMP/touched"
is "$status $err" "125 bperf-mini: cannot write to the descriptor of --log-fd: Bad file descriptor" "--log-fd: not open"
"$BPERF" -e cs --log-fd 9 -- touch "$TMP/touched" 9</dev/null 2>"$TMP/err"
is "$? $(cat "$TMP/err")" "125 bperf-mini: cannot write to the descriptor of --log-fd: Bad file descriptor" "--log-fd: for reading only"
ok "--log-fd: nothing was run" [ ! -e "$TMP/touched" ]
"$BPERF" -e cs -x , --log-fd 9 -- true 9>"$TMP/fd" 2>"$TMP/err"
is "$?$(cat "$TMP/err")" 0 "--log-fd: status 0, and nothing on stderr"
like "$(cat "$TMP/fd")" '^[0-9]+,,cs,' "--log-fd: the counts"
"$BPERF" -e cs -- true 2>&-
is $? 125 "stderr is closed: status 125"

# --- -q, --append -----------------------------------------------------------------------------------------------------------
run "$BPERF" -q -e cs -o "$TMP/quiet" -I 10 --summary -- sh -c 'exit 3'
is "$status$out$err" 3 "-q: the status, and not a word"
is "$(cat "$TMP/quiet")" "" "-q: an empty file"
run "$BPERF" -q -e cs --openmetrics -o "$prom" -- true
is "$(tail -n 1 "$prom")" "# EOF" "-q: a file that is not to be replaced"
run "$BPERF" -q -e cs -- /nonexistent
is "$status $err" "127 bperf-mini: cannot run '/nonexistent': No such file or directory" "-q: errors all the same"
for _ in 1 2 3; do
  "$BPERF" -x , --csv-header --append -e cs -o "$TMP/grows.csv" -- true
done
is "$(cut -d, -f3 "$TMP/grows.csv" | tr '\n' ' ')" "event cs cs cs " "--append --csv-header: the names once"
"$BPERF" -x , --csv-header -e cs -I 20 --interval-count 3 -a -o "$TMP/intervals.csv"
is "$(cut -d, -f4 "$TMP/intervals.csv" | tr '\n' ' ')" "event cs cs cs " "-I --csv-header: the names once"
"$BPERF" -j -e cs -o "$TMP/grows.csv" -- true
is "$(grep -c . "$TMP/grows.csv") $(cut -c1-16 "$TMP/grows.csv" | sort -u)" '4 {"counter-value"' "-o without --append begins anew"

# --- V33: closed and full -------------------------------------------------------------------------------------------------
for format in "-x ," -j --openmetrics; do
  before=$(awk '{ print $1 * 1000 }' /proc/uptime)
  # shellcheck disable=SC2086 # several words
  { "$BPERF" $format -I 50 -a -e cpu-clock 2>&1; echo $? >"$TMP/status"; } | head -n 1 >/dev/null
  is "$(cat "$TMP/status")" 125 "$format to a pipe that is closed: status 125"
  ok "$format to a pipe that is closed: at once" awk -v a="$before" '{ b = $1 * 1000 - a; print b " ms"; exit !(b < 3000) }' /proc/uptime
  # shellcheck disable=SC2086
  run "$BPERF" $format -e cpu-clock -o /dev/full -- true
  is "$status $err" "125 bperf-mini: cannot write /dev/full: No space left on device" "$format to a full disk"
done

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
