#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each fuzz target over its seeds and past findings (make fuzz goes on from there).
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"
cd "$TESTS/.." || exit 1

for source in tests/fuzz/fuzz_*.c; do
  name=$(basename "$source" .c)
  ok "$name: no finding over its corpus" scripts/fuzz 0 "build/fuzz/$name"
done

done_testing
