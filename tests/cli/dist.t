#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What `make dist` puts into dist/, of what is built already; and that one of them comes out the same in another folder (all four:
# make dist-check).
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"
cd "$TESTS/.." || exit 1

for arch in amd64 arm64 armhf riscv64; do
	[ -x "build/$arch/bperf-mini" ] || skip_all "build/$arch/bperf-mini is not built here (make check builds it)"
done
version=$(cat build/version)
# the time of what is built does not matter here: nothing is to be built anew
ok "make dist" env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory VERSION="$version" dist
is "$(ls dist | tr '\n' ' ')" "SHA256SUMS $(printf "bperf-mini-$version-%s " amd64 arm64 armhf riscv64)bperf-mini.8 bperf-mini.bash-completion " \
	"four programs, the manual page, completion, the sums"
(cd dist && sha256sum -c SHA256SUMS) >"$TMP/sums" 2>&1
is "$(grep -c ': OK$' "$TMP/sums")/$(grep -vc ': OK$' "$TMP/sums")" 6/0 "sha256sum -c"
machines=$(for file in dist/bperf-mini-"$version"-*; do readelf -h "$file" | sed -n 's/^ *Class: *//p; s/^ *Machine: *//p'; done | tr '\n' ' ')
is "$machines" "ELF64 Advanced Micro Devices X86-64 ELF64 AArch64 ELF32 ARM ELF64 RISC-V " "each is a program of its machine"
ok "the same bytes in another folder" scripts/dist-check riscv64
done_testing
