#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The lab itself: what happens in an emulated machine comes out of it, and nothing that goes wrong there looks like a pass.
# shellcheck disable=SC2154,SC2016 # set by run; guest's words
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

K=arm64/6.1
vm_run $K true
if [ "$status" = 3 ]; then
	[ "${BPERF_ALLOW_NO_KERNEL:-}" = 1 ] && skip_all "no kernel image from the mirror"
	diag "$err"
fi
is "$status" 0 "a command that succeeds"
is "$out" "" "nothing is printed that the command did not print"

vm_run $K sh -c 'echo "it'\''s \"quoted\" \$x	tab"; echo second >&2; exit 42'
is "$status" 42 "the command's status is carried out"
is "$out" "it's \"quoted\" \$x	tab
second" "its words and its output are carried as they are"

vm_run $K sh -c 'ls /sys/fs/cgroup/cgroup.procs /sys/kernel/tracing/events /dev/pts/ptmx /proc/self/status >/dev/null &&
	grep -q "bpf /sys/fs/bpf" /proc/mounts && id -u && cat /proc/sys/kernel/perf_event_paranoid'
is "$out" "0
-1" "root, the usual mounts, and perf_event_paranoid"

vm_run --no-bpffs --smp 1 $K sh -c 'grep -c "/sys/fs/bpf" /proc/mounts; nproc'
is "$out" "0
1" "--no-bpffs and --smp are obeyed"

vm_run $K sh -c 'echo "exit 0"; echo "exit 0" >/dev/console; poweroff -f; sleep 1000'
is "$status" 125 "a guest that ends without a status, whatever it prints"

vm_run $K sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
is "$status" 97 "a panic"
like "$err" 'Kernel panic' "the panic is shown"

vm_run --timeout 15 $K sh -c 'echo before; while :; do :; done'
is "$status" 124 "a hang ends with the time limit"
is "$out" before "what was printed before it came out"

vm_run $K sh -c 'echo "WARNING: CPU: 0 PID: 1 at kernel/made_up.c:1" >/dev/kmsg'
is "$status" 97 "a warning of the kernel fails a command that succeeded"
like "$err" 'made_up' "the warning is shown"

vm_run $K sh -c 'echo "WARNING: said by the command"'
is "$status" 0 "the same said by the command does not"

vm_run $K/none true
is "$status" 2 "an image that is not there"

# vm_tap: a guest's failure, a broken plan and a crash each fail the file
mkdir "$TMP/scripts" "$TMP/scripts/k"
printf '. "${0%%/*}/../lib.sh"\npass one\nskip two "a reason"\ndone_testing\n' >"$TMP/scripts/k/good.t"
printf '. "${0%%/*}/../lib.sh"\npass one\nis 1 2 two\ndone_testing\n' >"$TMP/scripts/k/bad.t"
printf 'echo ok 1 - one\necho 1..2\n' >"$TMP/scripts/k/short.t"
printf 'echo ok 1 - one\n' >"$TMP/scripts/k/noplan.t"
cat >"$TMP/scripts/inner.t" <<'END'
. "$TESTS/vm/lib.sh"
vm_tap "$1" k/good.t
echo "# first $tap_count tests, $tap_failed failed"
vm_tap "$1" k/bad.t k/short.t k/noplan.t
done_testing
END
run env TESTS="$TESTS" VM_SCRIPTS="$TMP/scripts" bash "$TMP/scripts/inner.t" $K
is "$status" 1 "vm_tap: a file with failures ends with 1"
like "$out" '^# first 5 tests, 0 failed' "vm_tap: a good script passes"
like "$out" '^ok 2 - arm64/6.1 k/good.t: two # SKIP cannot: a reason' "vm_tap: a skip is carried out"
like "$out" '^not ok 7 - arm64/6.1 k/bad.t: two' "vm_tap: a failure is carried out"
like "$out" '^not ok .* k/short.t: planned 2 tests, ran 1' "vm_tap: a plan that is not kept"
like "$out" '^not ok .* k/noplan.t: ended before its plan' "vm_tap: no plan"
like "$out" '^not ok .* the guest said that all passed' "vm_tap: the guest did not say so"

done_testing
