#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# -A, --per-core, .. where there is more than one socket (tests/vm/guest/places.t): emulated machines of two sockets of two cores. In
# the arm64 one instructions are counted, too.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." (default: arm64/6.1 amd64/6.12)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# vm_tap takes a script's folder: here it stands beside the helpers of the kernel tests
# shellcheck disable=SC2031
VM_SCRIPTS=$TMP/scripts
mkdir -p "$VM_SCRIPTS/guest"
cp "$TESTS"/kernel/*.sh "$TESTS"/vm/guest/*.t "$VM_SCRIPTS/guest/"

for kernel in ${VM_KERNELS:-arm64/6.1 amd64/6.12}; do
  vm_aside --timeout 120 --smp 4,sockets=2,cores=2 "$kernel" guest/places.t
done
vm_together
done_testing
