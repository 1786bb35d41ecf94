#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini as the first process of a machine: an initramfs that holds it alone, on each architecture; with a next init; and what goes
# wrong. And as the first process of a container, where it is none, on this host.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ...", where one file is enough (default: one of each architecture that scripts/kernel knows)
# shellcheck disable=SC2154,SC2016 # set by booted; guest's words
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# The time of all but the amd64 machine is virtual: what else runs beside them makes no difference to them.
# boot NAME KERNEL WORDS [VM OPTION]...: boots it with the files of the folder root-NAME and these words; to $TMP/NAME.out, .err and .rc. The kernel
# says only what is a warning or worse (before loglevel= in the words, which counts then): else its words could come in the middle of ours.
boot()
{
	local name=$1 kernel=$2 words=$3 rc=0
	shift 3
	"$TOP/scripts/vm" --bare "$TMP/root-$name" --append "loglevel=5 rdinit=/bperf-mini $words" --timeout 100 \
		--log "$TOP/build/vm/init-$name.log" "$@" "$kernel" >"$TMP/$name.out" 2>"$TMP/$name.err" || rc=$?
	echo $rc >"$TMP/$name.rc"
}
# booted NAME: sets status, err and out (the console, as a terminal shows it)
booted()
{
	status=$(cat "$TMP/$1.rc")
	err=$(cat "$TMP/$1.err")
	out=$(tr -d '\r' <"$TMP/$1.out")
}
# ends STATUS HOW: as it was to end
ends()
{
	is "$status" 0 "$what: the machine ends by itself, without a splat" || diag "$err"
	like "$out" "^bperf-mini: exit status $1, then $2\$" "$what: exit status $1 is told"
	case $2 in reboot) like "$out" 'reboot: Restarting system' "$what: restarts" ;; *) like "$out" 'reboot: Power down' "$what: is switched off" ;; esac
}
# all_cpus N: the one row is the time of so many CPUs, within 10 %
all_cpus()
{
	printf '%s\n' "$out" >"$TMP/told"
	ok "$what: cpu-clock is the time of all CPUs" awk -v n="$1" '
		$3 == "cpu-clock" { gsub(",", "", $1); count = $1 + 0; rows++ }
		/seconds time elapsed/ { elapsed = $1 * 1000 }
		END {
			print rows " rows, " count " ms in " elapsed
			exit rows != 1 || elapsed < 400 || count < elapsed * n * 0.9 || count > elapsed * n * 1.1
		}' "$TMP/told"
}
# folder NAME ARCH [FILE]...: root-NAME holds these and the shipped program
folder()
{
	mkdir -p "$TMP/root-$1"
	cp "$TOP/build/$2/bperf-mini" "${@:3}" "$TMP/root-$1/" || fail "build/$2/bperf-mini is built (make ARCH=$2)"
}
mkdir -p "$TOP/build/vm"

# --- what one architecture is enough for: the one that counts exactly --------------------------------------------------------------
K=arm64/6.1
if ! busybox=$("$TOP/scripts/kernel" --busybox arm64) || ! "$TOP/scripts/kernel" $K >/dev/null; then
	[ "${BPERF_ALLOW_NO_KERNEL:-}" = 1 ] && skip_all "no kernel image from the mirror"
	fail "a kernel image could be had"
	done_testing
fi

# /dev/console is a folder: the kernel cannot open it, and the one that devtmpfs has is taken. Orphans that end, a signal to process 1.
folder job arm64 "$TOP/build/arm64/work" "$busybox"
mkdir -p "$TMP/root-job/dev/console"
cat >"$TMP/root-job/job" <<'END'
#!/busybox sh
b=/busybox
i=0
while [ $((i += 1)) -le 20 ]; do ( $b true & ); done
i=0
while zombies=$($b cat /proc/[0-9]*/status | $b grep -c '^State:.Z') && [ $((i += 1)) -le 50 ]; do $b sleep 0.1; done
echo "zombies $zombies"
$b sed 's/^/mounted /' /proc/mounts
/work loop 1000000
echo "loop ended with $?"
[ "$1" = "two words" ] && $b kill -TERM 1
$b sleep 1000
END

# The loop's instructions, beside a next init; then one mistake after the other, each in the place of the init before.
folder next arm64 "$TOP/build/arm64/work" "$busybox"
cat >"$TMP/root-next/next" <<'END'
#!/busybox sh
b=/busybox
echo "next: pid $$ with '$*'"
for fd in 0 1 2; do echo "next: $fd is $($b readlink /proc/1/fd/$fd)"; done
if [ $# -gt 0 ]; then exec /bperf-mini -e instructions:u,cs -o /counts --then /next -- /work loop 1000000; fi
if [ -e /mistakes ]; then
	i=0
	until $b dmesg | $b sed -n 's/^.*\] bperf-mini: event/MISTAKE &/p' | $b grep . || [ $((i += 1)) -gt 50 ]; do $b sleep 0.1; done
	# the hierarchy cannot be mounted there; no process more may be; CAP_SYS_BOOT is not there: so who comes later switches off
	$b mount -t tmpfs -o ro none /sys/fs
	/work after 5000 $b sh -c 'echo o >/proc/sysrq-trigger' &
	echo 20 >/proc/sys/kernel/threads-max
	exec /work without 22 /bperf-mini -G / --then /not/there
fi
i=0
until [ "$($b wc -l </counts)" -gt 6 ] || [ $((i += 1)) -gt 50 ]; do $b sleep 0.1; done
$b sed 's/^/FILE /' /counts
$b sleep 0.5
echo "children $($b pidof bperf-mini | $b wc -w)"
$b killall bperf-mini
i=0
while $b pidof bperf-mini >/dev/null && [ $((i += 1)) -le 50 ]; do $b sleep 0.1; done
$b dmesg | $b sed -n 's/^.*\] bperf-mini: /LOG /p'
$b touch /mistakes
exec /bperf-mini -e nosuch -a --then /next
END
chmod 755 "$TMP/root-job/job" "$TMP/root-next/next"

# No console at all, and nothing may be mounted: all goes to the kernel's log.
folder silent arm64
mkdir -p "$TMP/root-silent/dev/console"
has_nodes=
if mknod "$TMP/root-silent/dev/kmsg" c 1 11 2>/dev/null && mknod "$TMP/root-silent/dev/null" c 1 3; then has_nodes=1; fi

(
	boot job $K 'splash bperf=--then bperf=reboot -- -e instructions:u -- /job "two words"'
	boot next $K 'splash -- -e instructions:u,cpu-clock,page-faults -C 0,1 -A -x, -I 100 --then /next'
	[ -z "$has_nodes" ] || boot silent $K 'loglevel=7 bperf="--no-mount --then exit" -- -e cpu-clock -a --timeout 1000 --bogus'
) &
aside=$!

# --- one file, on each architecture that there is ------------------------------------------------------------------------------
kernels=${VM_KERNELS:-$("$TOP/scripts/kernel" --list | awk '/^(arm64|armhf) 6.1 |^(amd64|riscv64) 6.12 / { print $1 "/" $2 }')}
for kernel in $kernels; do
	what=$kernel
	arch=${kernel%%/*}
	# several of the others hang, or need real time
	case $arch in amd64 | arm64) cpus=2 ;; *) cpus=1 ;; esac
	folder "$arch" "$arch"
	is "$(find "$TMP/root-$arch" -type f | wc -l)" 1 "$what: one file"
	if [ "$arch" = amd64 ]; then
		# until Ctrl-C on the console, which is its terminal
		mkfifo "$TMP/keys"
		exec 9<>"$TMP/keys"
		(
			tries=0
			until grep -q 'cpu-clock .*CPUs utilized' "$TMP/$arch.out" || [ $((tries += 1)) -gt 900 ]; do sleep 0.1; done
			for tries in 1 2 3; do
				printf '\003' >&9
				sleep 5
			done
		) 2>/dev/null &
		keys=$!
		boot "$arch" "$kernel" 'bperf="-e cpu-clock -a" -- -I 500 --summary' --smp $cpus <&9
		kill "$keys" 2>/dev/null
		exec 9>&-
		booted "$arch"
		ends 130 poweroff
		out=$(sed -n '/Performance counter stats/,$p' <<<"$out")
	else
		boot "$arch" "$kernel" 'splash "bperf=-e cpu-clock -a" -- --for-each-cgroup / --timeout 1000' --smp $cpus
		booted "$arch"
		ends 0 poweroff
		like "$out" 'cpu-clock +/( |$)' "$what: of the root cgroup"
	fi
	all_cpus "$cpus"
done

wait $aside
what="$K, a command"
booted job
like "$out" 'unable to open an initial console' "$what: the kernel has opened no console"
ends 143 reboot
like "$out" '^zombies 0$' "$what: what nobody waits for is reaped"
like "$out" "^ Performance counter stats for '/job two words':" "$what: its words, behind a second --"
is "$(sed -n 's/^mounted \([^ ]*\) \([^ ]*\) .*/\1 \2/p' <<<"$out" | grep -v '^rootfs\|^none' | tr '\n' ',')" \
	"devtmpfs /dev,proc /proc,sysfs /sys,tracefs /sys/kernel/tracing,bpf /sys/fs/bpf," "$what: what is mounted"
like "$out" '^loop ended with 0$' "$what: the loop ended"

what="$K, a next init"
booted next
ends 125 poweroff
like "$out" "^next: pid 1 with 'splash'\$" "$what: is process 1, with the words that are its own"
is "$(grep -c '^next: [012] is /dev/console$' <<<"$out")" 9 "$what: has the console, each time"
like "$out" "^next: pid 1 with ''\$" "$what: executed again, with words of its own"
count=$(sed -n 's/^FILE *\([0-9,]*\) *instructions:u .*/\1/p' <<<"$out" | tr -d ,)
within_percent "$count" 2000000 1 "$what: -o: the loop's instructions beside it"
like "$out" '^children 2$' "$what: a child counts, another writes to the log"
log=$(sed -n 's/^LOG //p' <<<"$out")
like "$log" '^[0-9.]+,CPU[01],[0-9.]+,msec,cpu-clock,' "$what: intervals come to the kernel's log"
clocks=$(grep -c ',cpu-clock,' <<<"$log")
number "$clocks" '>=' 12 "$what: many more than the ten in 5 s which it lets pass"
is "$clocks" "$(grep -c ',page-faults,' <<<"$log")" "$what: none is lost"
is "$(($(sed 's/,.*//' <<<"$log" | sort -u | wc -l) * 2))" "$clocks" "$what: each interval has two CPUs"
like "$out" "^MISTAKE \[.*\] bperf-mini: event syntax: 'nosuch'" "$what: then an event that is none"
like "$out" "^bperf-mini: cannot mount cgroup2 on /sys/fs/cgroup: No such file or directory\$" "$what: what cannot be mounted is told"
like "$out" "^bperf-mini: cannot start a child: Resource temporarily unavailable\$" "$what: no child"
like "$out" "^bperf-mini: cannot run '/not/there': No such file or directory\$" "$what: an init that is not there"
like "$out" "^bperf-mini: cannot poweroff: Operation not permitted\$" "$what: not allowed to switch off, it stays"

what="$K, no console"
if [ -n "$has_nodes" ]; then
	booted silent
	out=$(sed -n 's/^\[[^]]*\] //p' <<<"$out")
	like "$out" "^bperf-mini: unknown option '--bogus'\$" "$what: a mistake is told in the log"
	like "$out" '^bperf-mini: exit status 2, then exit$' "$what: it ends as was said before the mistake"
	is "$status" 97 "$what: exit: the kernel panics"
	like "$out" 'Attempted to kill init! exitcode=0x00000200' "$what: exit: with the status"
else
	skip "$what" "no right to make device nodes"
fi

# --- a container's first process is none ----------------------------------------------------------------------------------------
bperf=$TOP/build/$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')/bperf-mini
if unshare -pfm true 2>/dev/null; then
	for words in '' 'umount -l /proc; mount -t tmpfs none /proc;' 'umount -l /proc;'; do
		run unshare -pfm sh -c "$words"' cat /proc/self/mountinfo 2>/dev/null >&2; exec "$0" -n -- sh -c "echo \$PPID; exit 5"' "$bperf"
		is "$status" 5 "a container, '$words': the status is the command's"
		is "$out" 1 "a container, '$words': it was process 1"
		unlike "$err" 'exit status' "a container, '$words': nothing is switched off"
	done
	run unshare -pfm "$bperf" --then reboot -n -- true
	is "$status" 2 "a container: --then is refused"
else
	skip "a container" "no right to make namespaces"
fi
done_testing
