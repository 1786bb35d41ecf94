#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The shipped file unpacks itself (src/stub/): nothing of that is seen by whoever runs it, whichever way it takes; where it
# cannot, or the file is damaged, one line says so.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

# in an emulated machine (tests/vm/lib.sh)
[ ! -e /work/bperf-mini ] || [ -z "$is_guest" ] || BPERF=/work/bperf-mini
grep -q 'cannot unpack itself' "$BPERF" || skip_all "this build does not unpack itself (PACK=0)"
MDWE=${WORK%work}mdwe
version=$("$BPERF" --version)
own_name=$(basename "$BPERF")

# what can be refused here: PR_SET_MDWE came with 6.3
ways="mprotect mprotect,mfd-exec mprotect,execveat"
if "$MDWE" mdwe true 2>/dev/null; then ways="$ways mdwe"; else skip "PR_SET_MDWE" "this kernel has none"; fi

# as WAY COMMAND...
as() {
  way=$1
  shift
  if [ "$way" = plainly ]; then "$@"; else "$MDWE" "$way" "$@"; fi
}

for way in plainly $ways; do
  run as "$way" "$BPERF" --version
  is "$status $err" "0 " "$way: --version succeeds"
  like "$out" '^bperf-mini .' "$way: --version says what it should"
  run as "$way" "$BPERF" --help
  is "$status" 0 "$way: --help succeeds"
  run as "$way" "$BPERF" --no-such-option
  is "$status" 2 "$way: a usage error is status 2"
  run as "$way" "$BPERF" -o "$TMP/count" -e dummy -- sh -c 'exit 42'
  is "$status" 42 "$way: the command's status is passed on"
  run as "$way" "$BPERF" -o "$TMP/count" -e dummy -- sh -c 'kill -TERM $$'
  is "$status" 143 "$way: so is the signal that ended it"

  # shellcheck disable=SC2016 # the inner shell's
  echo 'some input' | as "$way" env -i PATH="$PATH" ONE=1 'TWO=a b' "$BPERF" -o "$TMP/count" -e dummy -- \
    sh -c 'cat; echo "$ONE,$TWO,$#,$1,$2,$3"; cat /proc/$PPID/comm' sh 'x y' '' '*' >"$TMP/passed" 2>&1
  is "$(cat "$TMP/passed")" "some input
1,a b,3,x y,,*
$own_name" "$way: input, arguments and environment are passed on, and the name is ours"
  as "$way" env -i PATH="$PATH" ONE=1 sh -c 'env | grep -c =' >"$TMP/few"
  as "$way" env -i PATH="$PATH" ONE=1 "$BPERF" -o "$TMP/count" -e dummy -- sh -c 'env | grep -c =' >"$TMP/many"
  is "$(cat "$TMP/many")" "$(cat "$TMP/few")" "$way: nothing is added to the environment"

  # shellcheck disable=SC2016
  as "$way" "$BPERF" -o "$TMP/count" -e dummy -- sh -c 'cat /proc/$PPID/maps' >"$TMP/maps"
  like "$(cat "$TMP/maps")" ' r-xp ' "$way: the map of its memory is there"
  unlike "$(cat "$TMP/maps")" ' .wxp ' "$way: nothing of it is writable and executable"

  as "$way" "$BPERF" -o "$TMP/count" -e dummy -- true <&- >&- 2>&-
  is "$?" 0 "$way: without stdin, stdout and stderr"
  like "$(cat "$TMP/count")" ' dummy' "$way: and what was counted is in the file"
done

# A count that is right says that its data and bss came out as they should.
"$BPERF" -o "$TMP/count" -e task-clock -- "$WORK" burn 100
ok "the time that a command took" between "$(value "$TMP/count" task-clock)" 95 "$(high 150)"

# gone WAYS PATTERN
gone() {
  # through a pipe: where files may have no bytes, a file could not take the line either
  out=$(
    "$MDWE" "$1" "$BPERF" --version 2>&1
    echo $?
  )
  is "$out" "bperf-mini: cannot unpack itself: $2
125" "$1: one line says which calls failed, status 125"
}
gone mprotect,memfd 'mprotect, errno 1; then memfd_create, errno 38'
gone mprotect,no-fd 'mprotect, errno 1; then memfd_create, errno 24'
gone mprotect,fsize 'mprotect, errno 1; then write, errno 27'
"$MDWE" mprotect,memfd "$BPERF" --version <&- >&- 2>&-
is $? 125 "it cannot even say so"

# Little memory: it works, or says why not. With much less the kernel ends any program before it begins, with this shell's words
# for that: then the smallest program there is has the same end.
strange=
worked=
for limit in v.300 v.400 v.600 v.800 v.1000 v.4000 v.16000 d.0 d.50 d.200 d.300 d.400 d.16000 s.32 s.64; do
  # shellcheck disable=SC3045 # dash and busybox have all of these
  {
    (ulimit "-${limit%.*}" "${limit#*.}" && exec "$BPERF" --version) >"$TMP/limit" 2>&1
    rc=$?
    (ulimit "-${limit%.*}" "${limit#*.}" && exec "$MDWE") 2>/dev/null
    least=$?
  } 2>/dev/null
  case $rc,$(cat "$TMP/limit") in
  "0,$version") worked="$worked $limit" ;;
  125,'bperf-mini: cannot unpack itself: mmap, errno 12') ;;
  139,* | 137,*) [ "$least" = "$rc" ] || strange="$strange $limit: status $rc;" ;;
  *) strange="$strange $limit: status $rc, $(cat "$TMP/limit");" ;;
  esac
done
is "$strange" "" "with little memory it works, or says why not"
like "$worked" 'v.16000' "with 16 MB it works"
unlike "$worked" 'd.0' "without any data it does not"
like "$worked" 'd.16000' "with 16 MB of data it works"

# damage AT: one byte is another one
damage() {
  cp "$BPERF" "$TMP/bperf-mini"
  byte=$(od -An -tu1 -j "$1" -N 1 "$BPERF" | tr -d ' ')
  # shellcheck disable=SC2059 # an octal escape
  printf "\\$(printf %o $((byte ^ ${2:-255})))" | dd of="$TMP/bperf-mini" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

size=$(wc -c <"$BPERF")
# the payload is the second segment; its last bytes are the size of what is unpacked and the checksum
case $(od -An -tu1 -j 4 -N 1 "$BPERF" | tr -d ' ') in
1) offset=$((52 + 32 + 4)) length=$((52 + 32 + 16)) ;;
*) offset=$((64 + 56 + 8)) length=$((64 + 56 + 32)) ;;
esac
start=$(od -An -tu4 -j $offset -N 4 "$BPERF" | tr -d ' ')
last=$((start + $(od -An -tu4 -j $length -N 4 "$BPERF") - 1))
number "$start" '<' 8192 "the payload begins near the start"
number "$last" '<' "$size" "and ends in the file"
wrong=
said=0
# the first bytes, the last ones, the checksum, the size, and then some all over
for at in $start $((start + 1)) $((start + 2)) $((start + 3)) $((start + 4)) $((start + 5)) $((last - 10)) $((last - 9)) $((last - 8)) \
  $((last - 7)) $((last - 6)) $((last - 5)) $((last - 4)) $((last - 3)) $((last - 2)) $((last - 1)) $last \
  $(awk -v from="$start" -v to="$last" 'BEGIN { for (i = 1; i < 40; i++) print int(from + (to - from) * i / 40) }'); do
  for bits in 255 1; do
    damage "$at" $bits
    run "$TMP/bperf-mini" --version
    case $status,$out,$err in
    125,,'bperf-mini: cannot unpack itself: this file is damaged' | 125,,'bperf-mini: cannot unpack itself: mmap, errno '*) said=$((said + 1)) ;;
    *) wrong="$wrong byte $at ^ $bits: $status, $out, $err;" ;;
    esac
  done
done
is "$wrong" "" "a byte of the payload that is another one is noticed"
number "$said" '>' 100 "in so many places"

# (behind the stub: where that is cut itself, nobody is there to say so; and the last byte of all is 0, as is what stands for it then)
for length in $start $((start + 10)) $((start + 100)) 4096 8192 $((size / 2)) 40960 65536 $((last - 8)) $((last - 4)) $((last - 1)); do
  if [ "$length" -lt "$start" ] || [ "$length" -ge "$last" ]; then continue; fi
  head -c "$length" "$BPERF" >"$TMP/bperf-mini"
  chmod 755 "$TMP/bperf-mini"
  run "$TMP/bperf-mini" --version
  is "$status,$out,$err" "125,,bperf-mini: cannot unpack itself: this file is damaged" "cut off after $length bytes"
done

done_testing
