#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini as the first process of a machine: an initramfs that holds it alone, on each architecture; with a next init; and what goes
# wrong. And as the first process of a container, where it is none, on this host.
#
# Environment: VM_KERNELS: "ARCH/KERNEL ...", where one file is enough (default: one of each architecture)
# shellcheck disable=SC2154,SC2016 # set by vm_bare; guest's words
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# bare DIR WORDS KERNEL [OPTION]...: boots it with these files and words; sets status, out (the console, as a terminal shows it) and told
# (of that what came after the kernel's last word on its own).
bare()
{
	local dir=$1 words=$2 kernel=$3
	shift 3
	vm_log "$kernel"
	run "$TOP/scripts/vm" --bare "$dir" --append "$words" --timeout 90 --log "$vm_log_file" "$@" "$kernel"
	out=$(tr -d '\r' <"$TMP/run.out")
	told=$(sed -n '/Run \/[^ ]* as init process/,$p' <<<"$out")
}
# ends STATUS HOW: as it was to end
ends()
{
	is "$status" 0 "$what: the machine ends by itself, without a splat" || diag "$err"
	like "$told" "^bperf-mini: exit status $1, then $2\$" "$what: exit status $1 is told"
	case $2 in reboot) like "$told" 'reboot: Restarting system' "$what: restarts" ;; *) like "$told" 'reboot: Power down' "$what: is switched off" ;; esac
}
# both_cpus: the one row is the time of two CPUs, within 5 %
both_cpus()
{
	printf '%s\n' "$told" >"$TMP/told"
	ok "$what: cpu-clock is the time of both CPUs" awk '
		$3 == "cpu-clock" { gsub(",", "", $1); count = $1; rows++ }
		/seconds time elapsed/ { elapsed = $1 * 1000 }
		END {
			print rows " rows, " count " ms in " elapsed
			exit rows != 1 || elapsed < 400 || count < elapsed * 1.9 || count > elapsed * 2.1
		}' "$TMP/told"
}
# folder ARCH [FILE]...: sets dir to one that holds these and the shipped program
folder()
{
	dir=$TMP/root-$((++folders))
	mkdir -p "$dir"
	cp "$TOP/build/$1/bperf-mini" "${@:2}" "$dir/"
}
folders=0

# --- one file: on each architecture ------------------------------------------------------------------------------------------
for kernel in ${VM_KERNELS:-arm64/6.1 amd64/6.12}; do
	what=$kernel
	arch=${kernel%%/*}
	folder "$arch"
	is "$(find "$dir" -type f | wc -l)" 1 "$what: one file"
	if [ "$arch" = amd64 ]; then
		# time is real there: until Ctrl-C on the console, which is its terminal
		mkfifo "$TMP/keys"
		exec 9<>"$TMP/keys"
		(
			tries=0
			until grep -q 'cpu-clock .*CPUs utilized' "$TMP/run.out" || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
			for tries in 1 2 3; do
				printf '\003' >&9
				sleep 5
			done
		) &
		keys=$!
		vm_log "$kernel"
		status=0
		"$TOP/scripts/vm" --bare "$dir" --append 'rdinit=/bperf-mini bperf="-e cpu-clock -a" -- -I 500 --summary' --timeout 90 \
			--log "$vm_log_file" "$kernel" <&9 >"$TMP/run.out" 2>"$TMP/run.err" || status=$?
		kill "$keys" 2>/dev/null
		exec 9>&-
		err=$(cat "$TMP/run.err") told=$(tr -d '\r' <"$TMP/run.out" | sed -n '/Performance counter stats/,$p')
		ends 130 poweroff
		both_cpus
	else
		bare "$dir" 'rdinit=/bperf-mini splash "bperf=-e cpu-clock -a" -- --for-each-cgroup / --timeout 1000' "$kernel"
		ends 0 poweroff
		both_cpus
		like "$told" 'cpu-clock +/( |$)' "$what: of the root cgroup"
	fi
done

# --- what only one architecture is needed for: the one that counts exactly, in virtual time -------------------------------------
K=arm64/6.1
busybox=$("$TOP/scripts/kernel" --busybox arm64) || skip_all "no kernel image from the mirror"
folder arm64 "$TOP/build/arm64/work" "$busybox"
files=$dir

# /dev/console is a folder: the kernel cannot open it, and the one that devtmpfs has is taken. Orphans that end, a signal to process 1.
cp -R "$files" "$dir-job"
dir=$dir-job
mkdir -p "$dir/dev/console"
cat >"$dir/job" <<'END'
#!/busybox sh
b=/busybox
i=0
while [ $((i += 1)) -le 20 ]; do ( $b true & ); done
$b sleep 1
echo "zombies $($b cat /proc/[0-9]*/status | $b grep -c '^State:.Z')"
$b sed 's/^/mounted /' /proc/mounts
/work loop 1000000
echo "loop ended with $?"
[ "$1" = "two words" ] && $b kill -TERM 1
$b sleep 1000
END
chmod 755 "$dir/job"
what="$K, a command"
bare "$dir" 'rdinit=/bperf-mini splash bperf=--then bperf=reboot -- -e instructions:u -- /job "two words"' "$K"
like "$out" 'unable to open an initial console' "$what: the kernel has opened no console"
ends 143 reboot
like "$told" '^zombies 0$' "$what: what nobody waits for is reaped"
like "$told" "^ Performance counter stats for '/job two words':" "$what: its words, behind a second --"
is "$(sed -n 's/^mounted \([^ ]*\) \([^ ]*\) .*/\1 \2/p' <<<"$told" | grep -v '^rootfs\|^none' | tr '\n' ',')" \
	"devtmpfs /dev,proc /proc,sysfs /sys,tracefs /sys/kernel/tracing,bpf /sys/fs/bpf," "$what: what is mounted"
like "$told" '^loop ended with 0$' "$what: the loop ended"

# The loop's instructions, alone and beside a next init; then one mistake after the other, each in the place of the init before.
cp -R "$files" "$files-then"
dir=$files-then
cat >"$dir/next" <<'END'
#!/busybox sh
b=/busybox
echo "next: pid $$ with '$*'"
for fd in 0 1 2; do echo "next: $fd is $($b readlink /proc/1/fd/$fd)"; done
[ -e /counts ] || exec /bperf-mini -e instructions:u,cs -o /counts --then /next -- /work loop 1000000
i=0
until [ "$($b wc -l </counts)" -gt 6 ] || [ $((i += 1)) -gt 50 ]; do $b sleep 0.1; done
$b sed 's/^/FILE /' /counts
$b pidof bperf-mini >/children
echo "children $($b wc -w </children)"
$b killall bperf-mini
i=0
while $b pidof bperf-mini >/dev/null && [ $((i += 1)) -le 50 ]; do $b sleep 0.1; done
$b dmesg | $b sed -n 's/^.*\] bperf-mini: /LOG /p'
exec /bperf-mini -e nosuch -a --then /not/there
END
chmod 755 "$dir/next"
what="$K, a next init"
bare "$dir" 'rdinit=/bperf-mini splash -- -e instructions:u,cpu-clock,page-faults -C 0,1 -A -x, -I 20 --then /next' "$K"
ends 2 poweroff
like "$told" "^next: pid 1 with 'splash'\$" "$what: is process 1, with the words that are its own"
is "$(grep -c '^next: [012] is /dev/console$' <<<"$told")" 6 "$what: has the console, each time"
like "$told" "^next: pid 1 with ''\$" "$what: executed again, with words of its own"
count=$(sed -n 's/^FILE *\([0-9,]*\) *instructions:u .*/\1/p' <<<"$told" | tr -d ,)
within_percent "$count" 2000000 1 "$what: -o: the loop's instructions beside it"
like "$told" '^children 2$' "$what: a child counts, another writes to the log"
log=$(sed -n 's/^LOG //p' <<<"$told")
like "$log" '^[0-9.]+,CPU[01],[0-9.]+,msec,cpu-clock,' "$what: intervals come to the kernel's log"
number "$(grep -c ',cpu-clock,' <<<"$log")" '>=' 20 "$what: many more than the ten in 5 s which it lets pass"
is "$(grep -c ',cpu-clock,' <<<"$log")" "$(grep -c ',page-faults,' <<<"$log")" "$what: none is lost"
is "$(sed -n 's/ *,CPU.*//p' <<<"$log" | sort -u | wc -l | tr -d ' ')" "$(($(grep -c ',cpu-clock,' <<<"$log") / 2))" "$what: each interval has two CPUs"
like "$told" "\] bperf-mini: event syntax: 'nosuch'" "$what: then an event that is none"
like "$told" "^bperf-mini: cannot run '/not/there': No such file or directory\$" "$what: and an init that is not there"

# No console at all, and nothing may be mounted; a message for each thing that is wrong goes to the kernel's log.
cp -R "$files" "$files-silent"
dir=$files-silent
mkdir -p "$dir/dev/console"
what="$K, no console"
if mknod "$dir/dev/kmsg" c 1 11 2>/dev/null && mknod "$dir/dev/null" c 1 3; then
	bare "$dir" 'rdinit=/bperf-mini bperf="--no-mount --then reboot" -- -e cpu-clock -a --timeout 1000 --bogus' "$K"
	told=$(sed -n 's/^\[[^]]*\] //p' <<<"$told")
	like "$told" "^bperf-mini: unknown option '--bogus'\$" "$what: a mistake is told in the log"
	is "$status" 0 "$what: the machine ends by itself"
	like "$told" '^bperf-mini: exit status 2, then reboot$' "$what: as was said before the mistake"
	like "$told" '^reboot: Restarting system' "$what: it restarts"
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
