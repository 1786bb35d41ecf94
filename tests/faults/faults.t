#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every system call of every scope's set-up, readings and end fails with each errno that it can give, and is the last one of its session.
# (tests/kernel/death.t does a part of it.) It takes half an hour; the machine should have no other user of BPF.
#
# Environment: FAULTS_SCOPES: some of those of tests/kernel/faults.sh; FAULTS_PART=I/N: the Ith of every N faults
KERNEL_LIB=../kernel/lib.sh
# shellcheck source=tests/kernel/faults.sh
. "${0%/*}/../kernel/faults.sh"

keepers_start
# shellcheck disable=SC2034 # of faults.sh
ERRORS=all
for name in ${FAULTS_SCOPES:-$SCOPES}; do scope "$name"; done
keepers_end
done_testing
