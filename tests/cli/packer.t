#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The packer of the build (src/pack/): whatever it is given comes back, or one line says why not.
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"

PACKER=${0%/*}/../../build/packer
[ -x "$PACKER" ] || skip_all "there is no build/packer (PACK=0)"

printf x >"$TMP/byte"
printf ab >"$TMP/two"
head -c 5000 /dev/zero >"$TMP/zeros"
head -c 20000 "$PACKER" >"$TMP/code"
awk 'BEGIN { for (x = 1; n < 9000; n++) { x = (x * 16807) % 2147483647; printf "%c", 33 + x % 90 } }' >"$TMP/noise"
for what in amd64/byte amd64/two amd64/noise armhf/zeros amd64/code arm64/code armhf/code riscv64/code; do
  "$PACKER" "${what%/*}" <"$TMP/${what#*/}" >"$TMP/packed" && "$PACKER" -d "${what%/*}" <"$TMP/packed" >"$TMP/back"
  is "$(cmp "$TMP/${what#*/}" "$TMP/back" 2>&1)" "" "$what: the same comes back"
  case $what in
  */zeros) number "$(wc -c <"$TMP/packed")" '<' 400 "zeros become little" ;;
  */code) number "$(wc -c <"$TMP/packed")" '<' 15000 "$what: code becomes less" ;;
  esac
done

# refused STATUS_AND_WORDS NAME COMMAND...
refused() {
  want=$1 name=$2
  shift 2
  run "$@"
  is "$status,$out,$err" "1,,pack: $want" "$name"
}
as_input() {
  input=$1
  shift
  "$@" <"$input"
}
head -c 1048576 /dev/zero >"$TMP/large"
: >"$TMP/empty"
{ head -c 1000 "$TMP/packed" && printf 'else' && tail -c +1005 "$TMP/packed"; } >"$TMP/changed"
refused 'nothing to pack, or too much' "nothing" as_input "$TMP/empty" "$PACKER" amd64
refused 'nothing to pack, or too much' "a megabyte" as_input "$TMP/large" "$PACKER" amd64
refused 'not what is packed here' "unpacking nothing" as_input "$TMP/empty" "$PACKER" -d amd64
refused 'it is damaged' "four bytes are others" as_input "$TMP/changed" "$PACKER" -d riscv64
refused 'usage: pack [-d] amd64|arm64|armhf|riscv64' "no architecture" "$PACKER"
refused 'usage: pack [-d] amd64|arm64|armhf|riscv64' "another architecture" as_input "$TMP/code" "$PACKER" s390x
refused 'it cannot be written' "the disk is full" as_input "$TMP/byte" sh -c '"$1" amd64 >/dev/full' sh "$PACKER"

done_testing
