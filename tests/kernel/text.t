#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The text of a real count: what is derived agrees with the counts, files begin with their date, and nothing but text is in them.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# shown EVENT: what is said of it in $TMP/out, without K, M and G
shown() {
  awk -v event="$1" '{ at = $2 == "msec" ? 3 : 2 }
    $at == event && $(at + 1) == "#" { unit = substr($(at + 3), 1, 1); print $(at + 2) * (unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 1); exit }' "$TMP/out"
}

"$BPERF" -e page-faults,task-clock,context-switches,minor-faults -- timeout 20 "$WORK" burn 300 2>"$TMP/out"
clock=$(value "$TMP/out" task-clock)
ok "CPUs utilized: the clock / the time elapsed" near "$(shown task-clock)" "$(awk "BEGIN { print $clock / 1000 / $(seconds "$TMP/out") }")" 1
for event in page-faults minor-faults context-switches; do
  ok "$event: a rate of the clock, which comes before or behind it" near "$(shown $event)" \
    "$(awk "BEGIN { print $(value "$TMP/out" $event) / $clock * 1000 }")" 1
done
ok "page faults were seen" [ "$(value "$TMP/out" page-faults)" -gt 0 ]
is "$(tr -d '\n -~' <"$TMP/out" | wc -c)" 0 "printable ASCII only"

# --- -o -----------------------------------------------------------------------------------------------------------------
before=$(date +%s)
"$BPERF" -o "$TMP/out" -e dummy -- true
after=$(date +%s)
started=$(sed -n '1s/^# started on \(... ... [ 1-9][0-9] ..:..:.. [0-9]*\) UTC$/\1/p' "$TMP/out")
seen=
for at in $(seq "$before" "$after"); do
  [ "$(TZ=UTC0 LC_ALL=C date -d "@$at" +'%a %b %e %H:%M:%S %Y')" != "$started" ] || seen=1
done
ok "the date is in a file's first line: $started" [ "$seen" ]
is "$(sed -n 2,4p "$TMP/out")" "

 Performance counter stats for 'true':" "... and two empty ones behind it, as perf has them"
"$BPERF" -o "$TMP/out" --append -e dummy -- true
is "$(grep -c '^# started on ' "$TMP/out")" 2 "--append: the date of each"
"$BPERF" -o "$TMP/out" -r 2 -e dummy -- true
is "$(grep -c '^# started on ' "$TMP/out")" 1 "-r: the date of the first"
"$BPERF" -o "$TMP/out" -q -e dummy -- true
is "$(cat "$TMP/out")" "" "-q: no date"
"$BPERF" -e dummy -- true 2>"$TMP/out"
ok "no date on stderr" [ "$(grep -c started "$TMP/out")" = 0 ]

done_testing
