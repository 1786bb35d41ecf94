#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every test of tests/kernel/ in emulated machines. In the arm64 ones cycles and instructions are hardware events.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." or "all" (scripts/kernel --list); default: a quick set, of which one kernel runs the
#              files that take long there. "all" is of amd64 and arm64: the others have tests/vm/architectures.t
#              VM_TIMEOUT: seconds for each machine (default 900)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# The arm64 machine that runs all of them is three, side by side, else the others would wait for it.
long=' aggregate.t attach.t marks.t scopes.t tasks.t unshared.t workload.t time.t cgroups.t mixed.t output.t pack.t registry.t text.t overhead.t readme.t parts.t '
everything=" ${VM_KERNELS:-arm64/6.1} "
# one amd64 machine at a time runs beside the others
VM_KERNELS=${VM_KERNELS:-amd64/6.1 arm64/6.1 amd64/newest arm64/5.10 arm64/newest}
[ "$VM_KERNELS" != all ] || VM_KERNELS=$("$TOP/scripts/kernel" --list | awk '/^(amd64|arm64) / { print $1 "/" $2 }')

# boot KERNEL SCRIPT...
boot()
{
	[ $# -gt 1 ] || return 0
	vm_aside --timeout "${VM_TIMEOUT:-900}" "$@"
}

for kernel in $VM_KERNELS; do
	longer=() scripts=()
	for file in "$VM_SCRIPTS"/kernel/*.t; do
		[ -e "$file" ] || continue
		case "$long" in
		*" ${file##*/} "*)
			case "$everything" in *" all "* | *" $kernel "*) longer+=("kernel/${file##*/}") ;; esac
			;;
		*) scripts+=("kernel/${file##*/}") ;;
		esac
	done
	[ ${#scripts[@]} -gt 0 ] || fail "there are tests in tests/kernel/"
	if [ ! -x "$TOP/build/${kernel%%/*}/bperf-mini" ]; then
		fail "$kernel: build/${kernel%%/*}/bperf-mini is built (make ARCH=${kernel%%/*})"
		continue
	fi
	half=$(((${#longer[@]} + 1) / 2))
	boot "$kernel" "${longer[@]:0:half}"
	boot "$kernel" "${longer[@]:half}"
	boot "$kernel" "${scripts[@]}"
done
vm_together
done_testing
