#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# With parts missing, in what only a machine of its own can lack or have too much of (tests/vm/guest/parts-*.t; all else: tests/kernel/parts.t).
# Their time is virtual: they run beside each other.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." (default: arm64/6.1), and for the oldest VM_OLDEST (arm64/5.10)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# vm_tap takes a script's folder: here it stands beside the helpers of the kernel tests
VM_SCRIPTS=$TMP/scripts
mkdir -p "$VM_SCRIPTS/guest"
cp "$TESTS"/kernel/*.sh "$TESTS"/vm/guest/*.t "$VM_SCRIPTS/guest/"

for kernel in ${VM_KERNELS:-arm64/6.1}; do
  vm_aside --timeout 200 --smp 64 "$kernel" guest/parts-many.t
  vm_aside --timeout 100 --smp 16 --append "maxcpus=2 isolcpus=1 nohz_full=1 lockdown=confidentiality lsm=lockdown,capability" \
    "$kernel" guest/parts-few.t
  vm_aside --timeout 100 --smp 1 --mem 96 "$kernel" guest/parts-small.t
done
vm_aside --timeout 100 "${VM_OLDEST:-arm64/5.10}" guest/parts-old.t
vm_together
done_testing
