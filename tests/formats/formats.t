#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# CSV, JSON, OpenMetrics and text of every kind of count, through a checker of our own (check.py), promtool, a strict parser of
# OpenMetrics, and node_exporter. The reports' own test makes up rows of what this host does not have.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/../kernel/lib.sh"

CHECK=$TESTS/formats/check.py
FOLDER=$TMP/reports
mkdir "$FOLDER"

# checked: each file of the folder is what it is to be. Those of OpenMetrics for the others, too.
checked() {
  python3 "$CHECK" folder "$FOLDER" >"$TMP/verdicts"
  while read -r verdict; do
    case $verdict in
    "right: "*) pass "${verdict#right: }" ;;
    *) fail "$verdict" ;;
    esac
  done <"$TMP/verdicts"
  for file in "$FOLDER"/*.prom; do
    case $file in *.several.* | *.killed.*) continue ;; esac
    ok "promtool check metrics: ${file##*/}" promtool check metrics <"$file"
  done
  # Debian's python, which has it, whatever else is in PATH
  ok "as OpenMetrics, in Prometheus' own client" /usr/bin/python3 - "$FOLDER" <<'PY'
import glob, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
files = [f for f in glob.glob(sys.argv[1] + "/*.prom") if ".several." not in f and ".killed." not in f]
for file in files:
    print(file)
    families = list(text_string_to_metric_families(open(file).read()))
    assert families and {f.type for f in families} == {"gauge"}, families
assert files
PY
  # Prometheus' own parser wants times, which we do not print
  for file in "$FOLDER"/*.prom; do
    case $file in *.several.* | *.killed.*) ;; *) echo "$file" ;; esac
  done | head -n 3 | while read -r file; do
    awk '/^#/ { print; next } { print $0 " 1700000000" }' "$file" >"$TMP/timed.om"
    promtool tsdb create-blocks-from openmetrics "$TMP/timed.om" "$TMP/blocks" >"$TMP/blocks.out" 2>&1 || { cat "$TMP/blocks.out"; touch "$TMP/blocks.failed"; }
  done
  ok "as OpenMetrics, in Prometheus" [ ! -e "$TMP/blocks.failed" ]
}

# --- the checker itself -------------------------------------------------------------------------------------------------
names=counter-value,unit,event,event-runtime,pcnt-running,metric-value,metric-unit
object='"counter-value" : "1", "unit" : "", "event" : "cs", "event-runtime" : 1, "pcnt-running" : 1.00'
family='# TYPE bperf_events gauge
# HELP bperf_events x
bperf_events{scope="system",event="cs"}'
elapsed='# TYPE bperf_elapsed_seconds gauge
# UNIT bperf_elapsed_seconds seconds
# HELP bperf_elapsed_seconds x
bperf_elapsed_seconds 1'
# looks NAME.ENDING TEXT: a file that is right or, by the letter before its name, wrong
looks() { printf '%s\n' "$2" >"$FOLDER/$1"; }
header=$names$'\n'
metrics() { looks "$1.prom" "$2"$'\n'"$elapsed"$'\n# EOF'; }
looks "right.csv" "$header"'1,,cs,1,100.00,,'
looks "right quotes.csv" "$header"'1,,"c,""s",1,100.00,,'
looks "right.perf.json" "{$object}"
metrics "right" "$family 1"
printf '%s\n%s' "{$object}" "{$object" >"$FOLDER/right, cut off.killed.json"
looks "x a field too few.csv" "$header"'1,,cs,1,100.00,'
looks "x a field too many.csv" "$header"'1,,cs,1,100.00,,,'
looks "x a comma that is not quoted.csv" "$header"'1,,cs,a,1,100.00,,'
looks "x a decimal comma.tab.csv" "${names//,/$'\t'}"$'\n1,5\t\tcs\t1\t100.00\t\t'
looks "x commas between thousands.tab.csv" "${names//,/$'\t'}"$'\n1,000\t\tcs\t1\t100.00\t\t'
looks "x nan.csv" "$header"'nan,,cs,1,100.00,,'
looks "x half a metric.csv" "$header"'1,,cs,1,100.00,1.0,'
looks "x too much of the time.csv" "$header"'1,,cs,1,100.01,,'
looks "x names in another order.csv" "unit,counter-value,${names#*,*,}"$'\n,1,cs,1,100.00,,'
looks "x a title.json" "# started on"$'\n'"{$object}"
looks "x half an object.json" "{$object"
looks "x NaN.json" "{${object/1.00/NaN}}"
looks "x a key of another row.json" "{$object}"$'\n'"{$object, \"x\" : 1}"
looks "x a key twice.json" "{$object, \"unit\" : \"\"}"
looks "x a count without quotes.json" "{${object/\"1\"/1}}"
looks "x no count, and no reason.json" "{${object/\"1\"/null}}"
looks "x a key that perf has not.perf.json" "{\"scope\" : \"system\", $object}"
looks "x no end.prom" "$family 1"$'\n'"$elapsed"
metrics "x a sample twice" "$family 1"$'\n'"${family##*$'\n'} 1"
metrics "x a family twice" "$family 1"$'\n'"$elapsed"$'\n'"$family 1"
metrics "x a quote in a label" "${family/cs/c\"s} 1"
metrics "x an unknown escape" "${family/cs/c\\ts} 1"
metrics "x no number" "$family <not counted>"
metrics "x a time" "$family 1 1700000000"
metrics "x a unit that is not in the name" "${family/$'\n'/$'\n'# UNIT bperf_events seconds$'\n'} 1"
metrics "x no type" "${family#*$'\n'} 1"
metrics "x a comment" "# it is"$'\n'"$family 1"
python3 "$CHECK" folder "$FOLDER" >"$TMP/verdicts"
is "$(grep -c '' "$TMP/verdicts") $(grep -c '^wrong: x ' "$TMP/verdicts")" "32 27" "the checker sees what is wrong"
is "$(grep '^right: x\|^wrong: r' "$TMP/verdicts")" "" "... and nothing else"
rm -f "$FOLDER"/*

# --- rows that are made up ----------------------------------------------------------------------------------------------
unit=$TESTS/../build/unit/test_report_formats
ok "the reports' own test writes them" env FORMATS_DIR="$FOLDER" "$unit"
checked
rm -f "$FOLDER"/*

# --- V29: a decimal comma ---------------------------------------------------------------------------------------------------
# The unit tests are programs of the host's libc and ask for its locale, as a build with it would.
mkdir "$TMP/locales"
localedef -i fr_FR -f UTF-8 "$TMP/locales/fr_FR.UTF-8" >"$TMP/localedef" 2>&1
is "$(LOCPATH=$TMP/locales LC_ALL=fr_FR.UTF-8 bash -c 'printf %.1f 1,5')" 1,5 "there is a locale with a decimal comma"
for name in report_formats report_text; do
  ok "in it: the unit test of $name" env LOCPATH="$TMP/locales" LC_ALL=fr_FR.UTF-8 "${unit%/*}/test_$name"
done

# --- what is counted ----------------------------------------------------------------------------------------------------
[ "$(id -u)" = 0 ] || { skip "counting" "needs root, and we are not"; done_testing; }
ids_before
odd=
[ ! -e /sys/bus/event_source/devices/software ] || odd=",software/config=3,name='é\"q\\,{}'/"
events="cs,cs,cycles,cpu/event=1,umask=2/,task-clock,instructions,faults:u$odd"
[ -e /sys/bus/event_source/devices/cpu ] || events=${events/cpu\/event=1,umask=2\/,/}

# every NAME OPTION...: a count in each format
every() {
  local name=$1
  shift
  "$BPERF" -e "$events" -o "$FOLDER/$name.txt" "$@"
  "$BPERF" -e "$events" -x , --csv-header -o "$FOLDER/$name.csv" "$@"
  "$BPERF" -e "$events" -j -o "$FOLDER/$name.json" "$@"
  # to a file that is replaced, and after one another
  "$BPERF" -e "$events" --openmetrics -o "$FOLDER/$name.prom" "$@"
} 2>>"$TMP/err"
last=$((cpus - 1))
"$WORK" after 100000 true &
task=$!
every "a command" -- sh -c true
every "the system" -a --timeout 10
every "CPUs" -C 0,$last --timeout 10
every "a process" -p $task --timeout 10
every "a thread" -t $task --timeout 10
every "each thread" --per-thread -p $$ --timeout 10
every "each thread of a command" --per-thread -- sh -c true
every "several scopes" -C 0 -C $last -a -p $task,$$ -t $task -p $task -p $task --timeout 10
every "several scopes, each thread" -a --per-thread -p $task --timeout 10
every "intervals" -a -I 10 --interval-count 3
every "intervals and the total" -I 10 --summary -C 0 -p $task --interval-count 2
every "intervals of threads" -I 10 --per-thread -p $$ --interval-count 2
every "several runs" -r 3 -- sh -c true
every "several runs with intervals" -r 2 -I 10 --summary -a --timeout 10
every "a delay" -D 10 -a --timeout 10
every "never enabled" -D 60000 -a -- true
every "the cost of a command" --overhead -- sh -c true
every "the cost of several scopes in intervals" --overhead -a -p $task -I 10 --summary --interval-count 2
every "the cost of several runs" --overhead -r 2 -- sh -c true
every "no sharing" --share=never -- sh -c true
for by in -A --per-core --per-die --per-socket --per-node; do
  every "${by##*-}" "$by" -a --timeout 10
done
every "a CPU each, several scopes, intervals" -A -a -p $task -I 10 --interval-count 2
events=cs
for by in -A --per-core --per-socket --per-node; do
  "$BPERF" -e cs,task-clock -j "$by" -a -o "$FOLDER/as perf's ${by##*-}.perf.json" --timeout 10
done
"$BPERF" -e cs,task-clock -j -o "$FOLDER/as perf's command.perf.json" -- true
"$BPERF" -e cs,task-clock -j -o "$FOLDER/as perf's intervals.perf.json" -a -I 10 --interval-count 2
"$BPERF" -e task-clock -j -o "$FOLDER/as perf's threads.perf.json" --per-thread -- sh -c true
"$BPERF" -e cs,faults -x '\t' --csv-header -a -p $task --timeout 10 2>"$FOLDER/a separator.tab.csv"
"$BPERF" -e cs,faults -x ab --csv-header -a -p $task --timeout 10 2>"$FOLDER/a separator.ab.csv"
"$BPERF" -e cs,faults --openmetrics -a -I 10 --interval-count 4 2>"$FOLDER/one after another.several.prom"
is "$(grep -c '# EOF' "$FOLDER/one after another.several.prom")" 4 "OpenMetrics on stderr: each interval has an end"
ROOT=$(awk '{ for (i = 7; i < NF && $i != "-";) i++; if ($(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
if [ -n "$ROOT" ]; then
  # shellcheck source=tests/kernel/groups.sh
  . "$TESTS/kernel/groups.sh"
  odd='q"u,o\e é;'
  mkdir "$HERE/$odd"
  events=cs,cycles
  every "cgroups" --for-each-cgroup "/,$OWN,\"$OWN/${odd//\"/\"\"}\"" --timeout 10
  every "a cgroup" -G "$OWN" --timeout 10
  every "a cgroup twice" -G "$OWN" -G "$OWN" --timeout 10
  every "a cgroup a CPU each" -A -G "$OWN" --timeout 10
  every "cgroups and others" -a --for-each-cgroup "$OWN" -p $task -I 10 --summary --interval-count 2
else
  skip "cgroups" "cgroup v2 is not mounted"
fi
checked
is "$(find "$FOLDER" -name '*.prom.*')" "" "nothing is left beside the files that were replaced"
is "$(grep -lE 'overhead.leader|overhead_seconds.kind="leader"' "$FOLDER/the cost of "* | grep -c .)" 12 "the cost is in each format"
ok "a count above all others is there" grep -q 'nth="2"' "$FOLDER/a command.prom"
kill $task
wait $task 2>/dev/null
rm -f "$FOLDER"/*

# --- V31: cut off in the middle -----------------------------------------------------------------------------------------
# until FILE SIGNAL OPTION...: ended once there is something in the file
until_() {
  "$BPERF" -e "cs,cycles$odd_event" -a -I 1 -o "$1" "${@:3}" 2>/dev/null &
  session=$!
  is_there "$1"
  sleep 0.1
  kill "-$2" $session
  wait $session
} 2>/dev/null
odd_event=,faults,cpu-clock,task-clock
for signal in INT TERM KILL KILL KILL; do
  n=$((n + 1))
  how=whole
  [ $signal != KILL ] || how=killed
  until_ "$FOLDER/$signal$n.$how.json" $signal -j
  until_ "$FOLDER/$signal$n.$how.csv" $signal -x , --csv-header
  # of those that are replaced, not even a last line is cut
  until_ "$FOLDER/$signal$n.prom" $signal --openmetrics
done
rm -f "$FOLDER"/*.prom.*
checked
ok "... and there is much" awk 'END { exit NR < 100 }' "$FOLDER/KILL3.killed.json"
rm -f "$FOLDER"/*

# --- the fleet: node_exporter's textfile collector ------------------------------------------------------------------------
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# (ends by itself where this test does not end it)
timeout 120 prometheus-node-exporter --web.listen-address="127.0.0.1:$port" --collector.disable-defaults --collector.textfile \
  --collector.textfile.directory="$FOLDER" >"$TMP/exporter" 2>&1 &
exporter=$!
scrape() { python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())' "http://127.0.0.1:$port/metrics" >"$TMP/metrics" 2>"$TMP/scrape.err"; }
for _ in $(seq 50); do ! scrape || break; sleep 0.1; done
"$BPERF" -a -e cs,cycles,cs,task-clock -I 50 --openmetrics -o "$FOLDER/bperf.prom" 2>/dev/null &
session=$!
is_there "$FOLDER/bperf.prom"
"$BPERF" -a -e cs --timeout 10 --openmetrics -o "$FOLDER/other.prom"
# of NAME: its first number, of this session where it is one of ours
of() { awk -v name="$1" 'index($0, name) == 1 && !/session="other"/ { print $2; exit }' "$TMP/metrics"; }
scrape
first=$(of 'bperf_elapsed_seconds') first_cs=$(of 'bperf_events{')
errors=0 reads=0
while [ $reads -lt 20 ]; do
  scrape
  [ "$(of node_textfile_scrape_error)" = 0 ] && [ -n "$(of 'bperf_events{')" ] || errors=$((errors + 1))
  reads=$((reads + 1))
done
second=$(of 'bperf_elapsed_seconds') second_cs=$(of 'bperf_events{')
kill -TERM $session
wait $session
is "$errors" 0 "node_exporter: 20 scrapes while the file is being replaced, each whole"
number "$second" '>' "$first" "node_exporter: the totals grow: time"
number "$second_cs" '>' "$first_cs" "node_exporter: the totals grow: switches"
ok "node_exporter: type and help are ours" grep -qx '# HELP bperf_events What was counted since the start, scaled to all the time, in the event.s unit\.' "$TMP/metrics"
is "$(grep -c '^bperf_elapsed_seconds{session="\(bperf\|other\)"}' "$TMP/metrics")" 2 "node_exporter: two sessions in one folder"
ok "node_exporter: type" grep -qx '# TYPE bperf_clock_seconds gauge' "$TMP/metrics"
scrape
is "$(of 'bperf_events{')" "$(sed -n 's/^bperf_events{.*} //p' "$FOLDER/bperf.prom" | head -n 1 | awk '{ print $1 + 0 }')" \
  "node_exporter: the number is the file's"
# what README asks Prometheus
sed -n '/^## A fleet/,/^## [^A]/{ /^\(rate\|time\)(/p; }' "$TESTS/../README.md" |
  awk 'BEGIN { print "groups:\n- name: fleet\n  rules:" } { sub(/ +# .*/, ""); gsub(/\047/, "&&"); print "  - record: r" NR "\n    expr: \047" $0 "\047" }' >"$TMP/rules.yml"
ok "README's questions to Prometheus" promtool check rules "$TMP/rules.yml"
is "$(grep -c expr "$TMP/rules.yml")" 3 "... are so many"
kill $exporter
wait $exporter 2>/dev/null
ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
