#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# armhf and riscv64, in emulated machines of one CPU and virtual time: armhf has no PMU, no vmlinux BTF and no trampolines, riscv64 a PMU
# with one counter of cycles and one of instructions, and trampolines where there is JIT. And armhf's program on an arm64 kernel.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." or "all" (those of scripts/kernel --list; default: armhf/6.1 riscv64/6.12)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# vm_tap takes a script's folder: here it stands beside the helpers of the kernel tests
VM_SCRIPTS=$TMP/scripts
mkdir -p "$VM_SCRIPTS/guest"
cp "$TESTS/kernel/lib.sh" "$TESTS"/vm/guest/*.t "$VM_SCRIPTS/guest/"

with_compat=1
case ${VM_KERNELS:=all-quick} in
all) VM_KERNELS=$("$TOP/scripts/kernel" --list | awk '/^(armhf|riscv64) / { print $1 "/" $2 }') ;;
all-quick) VM_KERNELS='armhf/6.1 riscv64/6.12' ;;
*) with_compat= ;;
esac
for kernel in $VM_KERNELS; do
  # without JIT a riscv64 kernel of 7.x refuses programs that ask for the current task
  [ "$kernel" = riscv64/7.x ] || vm_aside --timeout 300 "$kernel" guest/architecture.t
  vm_aside --timeout 300 --append sysctl.net.core.bpf_jit_enable=1 "$kernel" guest/architecture.t
done
# field report V20
if [ -n "$with_compat" ]; then
  mkdir "$TMP/compat"
  for program in bperf-mini work; do cp "$TOP/build/armhf/$program" "$TMP/compat/${program}32"; done
  vm_aside --timeout 300 --file "$TMP/compat/bperf-mini32" --file "$TMP/compat/work32" arm64/6.1 guest/compat.t
fi
vm_together
done_testing
