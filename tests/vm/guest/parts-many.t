#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# V16: 64 CPUs (tests/vm/parts.t). How long a start takes is compared with what plain events take in the same machine.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

is "$(nproc)" 64 "64 CPUs"
events=cpu-clock,task-clock,page-faults,context-switches,cycles,instructions
now() { awk '{ print $1 * 1000 }' /proc/uptime; } # ms
"$BPERF" -e dummy -- true 2>/dev/null

before=$(now)
"$BPERF" --share=always -e $events -a -o "$TMP/out" -- true
after=$(now)
"$WORK" plain -a $events true >/dev/null
plain=$(now)
diag "start and end: $(awk "BEGIN { print $after - $before }") ms; of plain events: $(awk "BEGIN { print $plain - $after }") ms"
number "$(awk "BEGIN { print $after - $before }")" '<' 1000 "V16: six events of 64 CPUs: under 1 s of the machine's time"
number "$(awk "BEGIN { print $after - $before }")" '<' "$(awk "BEGIN { print ($plain - $after) * 6 + 50 }")" "V16: no more than some times what plain events take"
is "$(grep -c '<not' "$TMP/out")" 0 "V16: all are counted"

# descriptors SHARE: of a session that counts, "events others"
descriptors() {
  "$BPERF" --share="$1" -e $events -a -o "$TMP/$1" &
  session=$!
  sleep 0.4 # of virtual time, ten times what a start takes
  ls -l /proc/$session/fd | awk '/->/ { if (/perf_event/) events++; else others++ } END { print events + 0, others + 0 }' >"$TMP/descriptors"
  kill -INT $session
  wait $session
  cat "$TMP/descriptors"
}
have=$(descriptors never)
is "${have% *}" $((6 * 64)) "V16: unshared: a descriptor for each event and CPU"
number "${have#* }" '<' 20 "V16: unshared: and few others"
ok "V16: unshared: the count" near "$(value "$TMP/never" cpu-clock)" "$(cpu_ms "$TMP/never" 64)" 5
have=$(descriptors always)
is "${have% *}" 0 "V16: shared: none, as the leader has them"
number "${have#* }" '<' 100 "V16: shared: and no more others for 64 CPUs"
ok "V16: shared: the count" near "$(value "$TMP/always" cpu-clock)" "$(cpu_ms "$TMP/always" 64)" 5
"$BPERF" --share=always -e instructions:u -- "$WORK" loop 1000000 2>"$TMP/out"
ok "V16: a command" between "$(value "$TMP/out" instructions:u)" 2000000 2400000
done_testing
