# SPDX-License-Identifier: GPL-2.0-only
# For the kernel tests that make cgroups: a folder of their own below the v2 mount, gone again however the test ends.
# shellcheck shell=sh disable=SC2034,SC2154

ROOT=$(awk '{ for (i = 7; i < NF && $i != "-";) i++; if ($(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
[ -n "$ROOT" ] || skip_all "cgroup v2 is not mounted"
OWN=bperf-test-$$
HERE=$ROOT/$OWN

# Ends what runs in our groups, by its ids, and removes them. What is in them was started by this test.
remove_groups() {
  for try in 1 2 3 4 5 6 7 8 9 10; do
    [ -d "$HERE" ] || return 0
    find "$HERE" -name cgroup.procs -exec cat {} + 2>/dev/null | while read -r task; do
      [ "$task" = 0 ] || kill -9 "$task" 2>/dev/null
    done
    find "$HERE" -depth -type d -exec rmdir {} + 2>/dev/null
    [ ! -d "$HERE" ] || sleep "0.$try"
  done
}

trap 'rc=$?; remove_groups; rm -rf "$TMP"; exit $rc' EXIT
# A test that a signal ends does not get there (see tests/lib.sh): then this does it. An emulated machine ends with it.
[ -n "$is_guest" ] || (
  trap '' HUP INT TERM
  while kill -0 $$ 2>/dev/null; do sleep 1; done
  remove_groups
) >/dev/null 2>&1 </dev/null &

mkdir "$HERE" || skip_all "no cgroup can be made in $ROOT"

# sh "$IN" GROUP COMMAND...: the command in that group (a path below ours); in the background, $! is its id
IN=$TMP/in
cat >"$IN" <<END
echo \$\$ >"$HERE/\$1/cgroup.procs" || exit
shift
exec "\$@"
END

# Can plain events count groups of v2 here? They can once any controller was ever enabled for the root's children; in a machine just
# booted none was.
have_plain() {
  if [ -n "$is_guest" ]; then
    controller=$(awk '{ print $1 }' "$ROOT/cgroup.controllers")
    echo "+$controller" >"$ROOT/cgroup.subtree_control"
    echo "-$controller" >"$ROOT/cgroup.subtree_control"
  fi
  awk '$1 == "perf_event" && $2 == 0 { found = 1 } END { exit !found }' /proc/cgroups
}

# group_value FILE EVENT GROUP: as value(), of the row of that group
group_value() {
  NAME=$3 awk -v event="$2" '{ at = $2 == "msec" || $2 == "counted>" || $2 == "supported>" ? ($3 == "msec" ? 4 : 3) : 2
    if ($at != event) next
    rest = substr($0, index($0, " " event " ") + length(event) + 2)
    sub(/^ +/, "", rest)
    name = ENVIRON["NAME"]
    if (substr(rest, 1, length(name)) == name && substr(rest, length(name) + 1) ~ /^ *([#(].*)?$/) { gsub(",", "", $1); print $1; exit } }' "$1"
}

# counted FILE EVENT GROUP MS: the group's clock is that of MS ms of work, as a name for ok
counted() {
  between "$(group_value "$1" "$2" "$3")" "$(awk -v ms="$4" 'BEGIN { print ms - 0.5 }')" "$(high "$(awk -v ms="$4" 'BEGIN { print ms + 12 }')")"
}
