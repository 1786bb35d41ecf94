#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real perfs (`perf stat --bpf-counters`) beside bperf-mini in emulated machines: `make interop`. No part of `make check`, as the
# perfs are built from the kernel's source first (scripts/perf-peer: a minute each); there tests/peer.c stands in.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." of this machine's ARCH (default: 6.1, 6.12 and the newest)
#              INTEROP_PERFS: "NAME ..." of scripts/perf-peer --list (default: all)
#              VM_TIMEOUT: seconds for each machine (default 900)
#              BPERF_ALLOW_NO_KERNEL=1: what the mirror does not give is a skip, not a failure
TESTS=${TESTS:-$(cd "${0%/*}" && pwd)}
# shellcheck source=tests/vm/lib.sh
. "$TESTS/vm/lib.sh"

# shellcheck disable=SC2154 # tests/lib.sh sets it
arch=$tap_arch
case $arch in
amd64 | arm64) ;;
*) skip_all "no emulated machine of this host's architecture" ;;
esac
[ -x "$TOP/build/$arch/peer" ] || { fail "build/$arch/peer is built (make interop)"; done_testing; }

options=()
for perf in ${INTEROP_PERFS:-$("$TOP/scripts/perf-peer" --list | cut -d' ' -f1)}; do
	rc=0
	path=$("$TOP/scripts/perf-peer" "$arch" "$perf") || rc=$?
	if [ "$rc" = 0 ]; then
		options+=(--dir "${path%/*}")
	elif [ "$rc" = 3 ] && [ "${BPERF_ALLOW_NO_KERNEL:-}" = 1 ]; then
		skip "perf $perf" "no source of it from the mirror"
	else
		fail "perf $perf is built (scripts/perf-peer $arch $perf: status $rc; BPERF_ALLOW_NO_KERNEL=1 makes 3 a skip)"
	fi
done
[ ${#options[@]} -gt 0 ] || done_testing

for kernel in ${VM_KERNELS:-$arch/6.1 $arch/6.12 $arch/newest}; do
	vm_tap --timeout "${VM_TIMEOUT:-900}" "${options[@]}" "$kernel" interop/perf.t
done
done_testing
