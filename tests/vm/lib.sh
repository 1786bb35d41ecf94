# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests that boot emulated machines (bash, TAP, run by prove):
#
#   . "${0%/*}/lib.sh"
#   vm_tap [VM OPTION]... ARCH/KERNEL kernel/a.t kernel/b.t    scripts of tests/, run in the guest, as tests of this file
#   vm_aside, vm_together        the same, several machines at once
#   vm_run [VM OPTION]... ARCH/KERNEL COMMAND...               sets status, out and err (not a test)
#   done_testing
#
# and the tests of tests/lib.sh. Scripts are looked for in VM_SCRIPTS (default: tests/). The kernel's log of each boot is kept in build/vm/.
#
# Environment: BPERF_ALLOW_NO_KERNEL=1: a kernel that the mirror does not give is a skip, not a failure

# TMP and the counts of a subshell are its own, and meant so
# shellcheck disable=SC2030,SC2031
set -u
# shellcheck source=tests/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"
TOP=${TESTS%/*}
VM_SCRIPTS=${VM_SCRIPTS:-$TESTS}
vm_boots=0

# vm_log TARGET: sets vm_log_file for the next boot.
vm_log()
{
	mkdir -p "$TOP/build/vm"
	vm_log_file=$TOP/build/vm/$(basename "$0" .t)-$((++vm_boots))-${1//\//-}.log
}

# vm_split ARGUMENT...: sets vm_options, target and the rest (vm_rest).
vm_split()
{
	vm_options=()
	while [ $# -gt 0 ]; do
		case $1 in
		-v | --no-bpffs | --repeatable) vm_options+=("$1") ;;
		-*) vm_options+=("$1" "$2"); shift ;;
		*) break ;;
		esac
		shift
	done
	target=$1
	shift
	vm_rest=("$@")
	vm_log "$target"
	vm_options+=(--log "$vm_log_file")
	local program
	for program in work peer mdwe prog; do
		program=$TOP/build/${target%%/*}/$program
		[ ! -f "$program" ] || vm_options+=(--file "$program")
	done
	# An emulated CPU takes 0.03 s to unpack the shipped file, a thousand times over in all tests: what it unpacks to is run there, but
	# where that is the test's subject. This host's tests run what is shipped.
	program=$TOP/build/${target%%/*}/bperf-mini
	case " ${vm_options[*]} ${vm_rest[*]} " in
	*" --binary "*) ;;
	*) [ ! -f "$program.plain" ] || vm_options+=(--file "$program" --binary "$program.plain") ;;
	esac
}

vm_run()
{
	vm_split "$@"
	run "$TOP/scripts/vm" "${vm_options[@]}" "$target" "${vm_rest[@]}"
}

# vm_line LINE: one line of the guest. Tests are numbered anew and named after where they ran; a script's plan must be kept.
vm_line()
{
	local line=$1 text
	case $line in
	'# script '*) vm_script=${line#'# script '} vm_seen=0 vm_plan='' ;;
	'# end '*)
		if [ -z "$vm_plan" ]; then
			fail "$target $vm_script: ended before its plan"
		elif [ "$vm_plan" != "$vm_seen" ]; then
			fail "$target $vm_script: planned $vm_plan tests, ran $vm_seen"
		fi
		vm_done=$((vm_done + 1))
		;;
	'1..0 # SKIP '* | '1..0 # skip '*)
		vm_plan=0
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $target $vm_script # SKIP ${line#1..0 # ???? }"
		;;
	1..*) vm_plan=${line#1..} vm_plan=${vm_plan%% *} ;;
	'ok '* | 'not ok '*)
		text=${line#not } text=${text#ok }
		text=$(sed -E 's/^[0-9]+ *//; s/^- *//' <<<"$text")
		vm_seen=$((vm_seen + 1)) tap_count=$((tap_count + 1))
		case $line in
		not*) tap_failed=$((tap_failed + 1)); echo "not ok $tap_count - $target $vm_script: $text" ;;
		*) echo "ok $tap_count - $target $vm_script: $text" ;;
		esac
		;;
	'#'* | '') echo "$line" ;;
	*) echo "# $line" ;;
	esac
}

# vm_boot ...: as vm_tap, once.
vm_boot()
{
	local script line
	vm_split "$@"
	rm -rf "$TMP/stage"
	mkdir -p "$TMP/stage/tests"
	cp -R "$TESTS/lib.sh" "$TESTS/vm/guest-run" "$TOP/README.md" "$TMP/stage/tests/"
	# the whole folder of each: they have files of their own that they share
	for script in "${vm_rest[@]}"; do cp -R "$VM_SCRIPTS/${script%/*}" "$TMP/stage/tests/"; done
	vm_script='(no script)' vm_seen=0 vm_plan='' vm_done=0
	: >"$TMP/vm.rc"
	while IFS= read -r line; do vm_line "$line"; done < <(
		"$TOP/scripts/vm" "${vm_options[@]}" --dir "$TMP/stage/tests" "$target" sh tests/guest-run "${vm_rest[@]}" </dev/null
		echo $? >"$TMP/vm.rc"
	)
	# the pipe may be closed a moment before the status is written
	wait $! 2>/dev/null || true
	status=$(cat "$TMP/vm.rc")
	if [ "$status" = 3 ]; then
		if [ "${BPERF_ALLOW_NO_KERNEL:-}" = 1 ]; then
			skip "$target" "no kernel image from the mirror"
		else
			fail "$target: no kernel image could be had from the mirror (BPERF_ALLOW_NO_KERNEL=1 makes this a skip)"
		fi
		return
	fi
	if ! ok "$target: no kernel splat" test "$status" != 97; then diag "the log is $vm_log_file"; fi
	if ! is "$status" 0 "$target: the guest said that all passed"; then
		diag "the log is $vm_log_file; 124 means time limit, 125 that the guest died"
	fi
	is "$vm_done" "${#vm_rest[@]}" "$target: every script was run to its end"
}

# vm_into FOLDER ...: vm_boot, its tests into FOLDER/tap; the log has FOLDER's number.
vm_into()
{
	(
		TMP=$1 tap_count=0 tap_failed=0 vm_boots=$((${1##*-} - 1))
		shift
		vm_boot "$@"
	) >"$1/tap" 2>&1
}

# vm_replay FOLDER: its tests as tests of this file.
vm_replay()
{
	local line text
	while IFS= read -r line; do
		text=${line#not } text=${text#ok * - }
		case $line in
		'ok '*) tap_count=$((tap_count + 1)); echo "ok $tap_count - $text" ;;
		'not ok '*) tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1)); echo "not ok $tap_count - $text" ;;
		*) echo "$line" ;;
		esac
	done <"$1/tap"
}

# An amd64 machine lives in real time: when this host gives it no CPU for a while, its kernel complains of stalls and a test's second
# is over before the program has begun. So it has a second try, of which the verdict is taken; what failed in the first one is shown.
# A complaint of the kernel in which BPF has a part is a failure at once. The others' time is virtual: there is no such excuse.
vm_tries() # BOOT ...
{
	local dir=$TMP/boot-$1 log
	shift
	vm_into "$dir" "$@"
	case " $* " in *" amd64/"*) ;; *) return ;; esac
	if grep -q '^not ok' "$dir/tap" && ! grep -Eq '^  \| .*(bpf|BPF)' "$dir/tap"; then
		{
			echo "# SECOND TRY of this machine; in the first one failed:"
			grep -E -A 3 '^not ok|^  \|' "$dir/tap" | sed 's/^/#   /'
		} >"$dir/first"
		for log in "$TOP/build/vm/$(basename "$0" .t)-${dir##*-}-"*.log; do cp "$log" "${log%.log}.first"; done
		vm_into "$dir" "$@"
		cat "$dir/first" "$dir/tap" >"$dir/both"
		mv "$dir/both" "$dir/tap"
	fi
}

vm_tap()
{
	local boot=$((++vm_boots))
	mkdir "$TMP/boot-$boot"
	vm_tries "$boot" "$@"
	vm_replay "$TMP/boot-$boot"
}

# vm_aside ...: as vm_tap, beside others, as many at once as this host has CPUs, but one amd64 machine at a time: two would be in each
# other's way, while the others use what CPU time they get. The tests come out with vm_together.
vm_asides=()
vm_aside()
{
	local boot=$((++vm_boots))
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
	mkdir "$TMP/boot-$boot"
	vm_asides+=("$TMP/boot-$boot")
	case " $* " in
	*" amd64/"*) (flock 9; vm_tries "$boot" "$@" 9>&-) 9>"$TMP/amd64" & ;;
	*) vm_tries "$boot" "$@" & ;;
	esac
}

# vm_together: waits for them, and prints their tests, in the order in which they were started.
vm_together()
{
	local aside
	wait
	for aside in "${vm_asides[@]}"; do vm_replay "$aside"; done
	vm_asides=()
}
