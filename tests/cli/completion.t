#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Completion in bash: the function is called as bash does it, with the line and the words that it makes of it.
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"
TOP=$(cd "$TESTS/.." && pwd)
file=$TOP/src/bperf-mini.bash-completion
cd "$TMP" || exit 1

ok "shellcheck" shellcheck -s bash "$file"

# completed LINE: what bash would put in place of the line's last word, one a line, as whole words
completed()
{
	bash --norc --noprofile -c '
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9 COMP_KEY=9
		# bash splits words at its separators, too
		line=$2
		COMP_WORDS=("$3")
		line=${line#* }
		while [[ $line =~ ^[[:space:]]*([:=]|[^[:space:]:=]+)(.*)$ ]]; do
			COMP_WORDS+=("${BASH_REMATCH[1]}")
			line=${BASH_REMATCH[2]}
		done
		[[ $2 != *[[:space:]:=] ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		complete -p bperf-mini >/dev/null || exit
		_bperf_mini bperf-mini "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' - "$file" "$1" "$BPERF" 2>&1
}
# completes LINE WORD...: these, in any order, and no other
completes()
{
	local line=$1
	shift
	is "$(completed "$line" | sort | tr '\n' ' ')" "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" "'$line'"
}
# offers LINE WORD: this among others
offers()
{
	ok "'$1': $2" grep -Fqx -e "$2" <(completed "$1")
}

# --- options: those of --help, and no other ----------------------------------------------------------------------------------
"$BPERF" --help | grep -E '^  ' | cut -c1-25 | grep -oE -- '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,' | sort -u >help
{ completed 'bperf-mini -'; } | sort -u >all
number "$(wc -l <help)" '>' 40 "--help has options"
ok "each option of --help, and nothing more" diff help all
completes 'bperf-mini --interv' --interval-count --interval-print
completes 'bperf-mini stat -a --interval-c' --interval-count
completes 'bperf-mini status --j' --json-output
completes 'bperf-mini status --' --bpf-attr-map --help --json-output --then --verbose --version
completes 'bperf-mini list --v' --verbose --version
for option in $(completed 'bperf-mini list -') ; do
	unlike "$("$BPERF" list "$option" xyzzy 2>&1)" 'unknown option|counts nothing' "list takes $option"
done

# each option that takes a value waits for it, and no other does
"$BPERF" --help | sed -nE 's/^  (-.,|   ) (--[a-z-]+) [A-Z]+ .*/\2/p' >taking
number "$(wc -l <taking)" '>' 15 "some take a value"
wrong=
while read -r option; do
	case $option in --*) ;; *) continue ;; esac
	if grep -qx -e "$option" taking; then
		[ -z "$(completed "bperf-mini $option --al")" ] || wrong="$wrong $option"
		[ "$(completed "bperf-mini $option 1 --all-u")" = --all-user ] || wrong="$wrong $option:after"
	else
		[ "$(completed "bperf-mini $option --all-u")" = --all-user ] || wrong="$wrong $option"
	fi
done <help
is "$wrong" "" "options are told from values"

# --- values -----------------------------------------------------------------------------------------------------------------
completes 'bperf-mini -e task-c' task-clock
completes 'bperf-mini -e cs,task-c' cs,task-clock
completes 'bperf-mini -a -e {cs,task-c' '{cs,task-clock'
completes 'bperf-mini --event task-c' task-clock
completes 'bperf-mini --event=task-c' task-clock
completes 'bperf-mini -ae task-c' task-clock
"$BPERF" list 2>/dev/null | sed -n 's/^  \([^ ]*\).*/\1/p' | grep -Ev 'term=value|^rNNN' | sort -u >events
ok "all events of bperf-mini list" diff events <(completed 'bperf-mini -e ' | sort -u)
first=$(cut -d- -f1 /sys/devices/system/cpu/online | cut -d, -f1)
offers 'bperf-mini -C ' "$first"
offers "bperf-mini -C $first-" "$first-$first"
offers "bperf-mini -C $first," "$first,$first"
completes 'bperf-mini -C x'
offers 'bperf-mini -p ' $$
completes "bperf-mini -p 1,$$" "1,$$"
offers 'bperf-mini -t ' $$
completes 'bperf-mini --share a' always auto
completes 'bperf-mini --share=n' never
completes 'bperf-mini -b 12,a' 12,all
completes 'bperf-mini --then ' exit halt poweroff reboot
offers 'bperf-mini --then /de' /dev
touch 'x file' xfile
mkdir xdir
completes 'bperf-mini -o x' 'x file' xdir xfile
completes 'bperf-mini --output=xfi' xfile
completes 'bperf-mini --control fi' fifo:
completes 'bperf-mini --control fifo:xfi' xfile # behind bash's separator
completes 'bperf-mini -I '
if grep -q '^[^ ]* [^ ]* cgroup2 ' /proc/mounts; then
	at=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	group=$(cd "$at" && for f in */; do echo "${f%/}"; done | head -n 1)
	if [ "$group" != '*' ]; then
		offers 'bperf-mini -G ' "$group"
		offers 'bperf-mini --for-each-cgroup x,' "x,$group"
	else
		completes 'bperf-mini -G '
	fi
	# made by whoever may; bash would run what is in it
	hostile="$at/bperf\$(touch x)"
	if mkdir "$hostile" 2>/dev/null; then
		completes 'bperf-mini -G bperf$'
		ok "a group whose name is more than a word is not offered" test -z "$(completed 'bperf-mini -G bperf' | grep touch)"
		rmdir "$hostile"
	else
		skip "a group whose name is more than a word" "no cgroup can be made here"
	fi
fi

# --- words ------------------------------------------------------------------------------------------------------------------
completes 'bperf-mini ' check list stat status
offers 'bperf-mini stat' status
offers 'bperf-mini list task' task-clock
offers 'bperf-mini list ' hw
completes 'bperf-mini status '
offers 'bperf-mini -a -- slee' sleep
offers 'bperf-mini -e cs slee' sleep
completes 'bperf-mini -e cs -- cat xfi' xfile
unlike "$(completed 'bperf-mini -e cs cat -')" all-user "the command's options are not ours"

# --- installed --------------------------------------------------------------------------------------------------------------
for where in "" PREFIX=/usr BASHCOMPDIR=/etc/bash_completion.d; do
	case $where in
	PREFIX=*) want=/usr/share/bash-completion/completions ;;
	BASHCOMPDIR=*) want=/etc/bash_completion.d ;;
	*) want=/usr/local/share/bash-completion/completions ;;
	esac
	# shellcheck disable=SC2086 # none, or one word
	lines=$(make -n -C "$TOP" install DESTDIR="$TMP/dest" $where 2>&1)
	like "$lines" "install -D -m 644 src/bperf-mini.bash-completion $TMP/dest$want/bperf-mini\$" "make install $where"
	# shellcheck disable=SC2086
	like "$(make -n -C "$TOP" uninstall DESTDIR="$TMP/dest" $where)" "^rm -f .*$TMP/dest$want/bperf-mini\$" "make uninstall $where"
done
done_testing
