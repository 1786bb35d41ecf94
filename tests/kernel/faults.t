#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Of the sessions that death.t does not break every 24th system call fails, or is the last. (All of them: make faults.)
# shellcheck source=tests/kernel/faults.sh
. "${0%/*}/faults.sh"

keepers_start
# shellcheck disable=SC2034 # of faults.sh
EVERY=24
for name in $SCOPES; do
  case $name in cpus | process | command) ;; *) scope "$name" ;; esac
done
keepers_end
done_testing
