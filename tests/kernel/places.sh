# SPDX-License-Identifier: GPL-2.0-only
# For the tests of -A, --per-core, ..: the rows of places.
# shellcheck shell=sh disable=SC2154

# rows FILE EVENT: "TIME PLACE CPUS VALUE" for each row of a place; "none": <not counted>, "no": <not supported>; TIME is - without -I
rows() {
  awk -v event="$2" '{ f = 1; time = "-"; value = ""
    if ($1 ~ /^[0-9]+\.[0-9]+$/) time = $(f++)
    if ($f !~ /^(CPU|S|N)-?[0-9]/) next
    place = $(f++)
    number = place ~ /^CPU/ ? 1 : $(f++)
    value = $(f++)
    if (value == "<not") value = $(f++) == "counted>" ? "none" : "no"
    if ($f == "msec") f++
    gsub(",", "", value)
    if ($f == event) print time, place, number, value }' "$1"
}

# of PLACE FILE EVENT: its value
of() { rows "$2" "$3" | awk -v place="$1" '$2 == place { print $4; exit }'; }

# each_near FILE EVENT MS: each place has the time of its CPUs; a start takes its time in an emulated machine
each_near() {
  rows "$1" "$2" | awk -v ms="$3" -v off="${is_guest:+0.1}" '{ print; d = $4 - $3 * ms; if (d < 0) d = -d
    if ($4 !~ /^[0-9.]+$/ || d > $3 * ms * (off ? off : 0.02)) wrong = 1 } END { exit wrong || !NR }'
}
