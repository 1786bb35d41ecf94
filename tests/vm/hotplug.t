#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# CPUs that come and go, or are not there (tests/vm/guest/): emulated machines of four CPUs. In the arm64 one instructions are
# counted, too.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." (default: arm64/6.1 amd64/6.12)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# vm_tap takes a script's folder: here it stands beside the helpers of the kernel tests
# shellcheck disable=SC2031
VM_SCRIPTS=$TMP/scripts
mkdir -p "$VM_SCRIPTS/guest"
cp "$TESTS/kernel/lib.sh" "$TESTS"/vm/guest/*.t "$VM_SCRIPTS/guest/"

VM_KERNELS=${VM_KERNELS:-amd64/6.12 arm64/6.1}
for kernel in $VM_KERNELS; do vm_aside --timeout 240 --smp 4 "$kernel" guest/hotplug.t; done
for kernel in $VM_KERNELS; do vm_aside --timeout 60 --smp 4 --append maxcpus=2 "$kernel" guest/absent.t; done
vm_together
done_testing
