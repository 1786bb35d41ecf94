#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini check where a kernel lacks something that this host's has: emulated arm64 machines. (All else: tests/kernel/check.t.)
#
# Environment: VM_KERNELS: "ARCH/KERNEL ..." (default: arm64/6.1)
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# row NAME WORKS ERE: what the table that was printed last says of it
row() { like "$out" "^\{\"check\" : \"$1\", \"works\" : $2, .*\"answer\" : \"$3\"" "$kernel, $what: $1: $2"; }
# machine WHAT OPTION...: a table from a machine with these options
machine() {
	what=$1
	shift
	vm_run --timeout 60 "$@" "$kernel" bperf-mini check -j
	is "$status" 0 "$kernel, $what: sharing works"
}

for kernel in ${VM_KERNELS:-arm64/6.1}; do
	# securityfs is not mounted
	machine "locked down" --append "lockdown=confidentiality lsm=lockdown,capability"
	row lockdown false "BPF may not read the kernel's memory: .*"
	row children true '.*'
	machine "JIT off" --append sysctl.net.core.bpf_jit_enable=0
	row JIT false '.*'
	row fexit false 'cannot load a program: .*Invalid argument'
	row follower true 'on sched_switch, and on sched_process_exec'
	machine "no PMU, no bpffs" --cpu cortex-a72,pmu=off --no-bpffs
	row PMU false '.*cycles.*: No such file or directory'
	row counters null 'not tried.*'
	row 'software events' true '.*'
	row bpffs true 'none on /sys/fs/bpf: the first session mounts it.*'
	row registry true 'none yet: the first session makes it'
done
done_testing
