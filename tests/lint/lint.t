#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The source itself: shell scripts, C as cppcheck sees it, the manual page, the licence line of each file.
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"
cd "$TESTS/.." || exit 1

# files PATTERN...: those of the tree, tracked or to be
files() { git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

shell=$(for f in $(files scripts tests .ci | grep -Ev '\.(c|h|bats|md)$'); do
	case $f in
	*.sh | *.t) echo "$f" ;;
	*) if head -n 1 "$f" | grep -Eq '^#!/.*(sh|busybox sh)$'; then echo "$f"; fi ;;
	esac
done)
for f in $shell; do
	case $f in scripts/* | .ci/*) severity=style ;; *) severity=warning ;; esac
	ok "shellcheck $f" shellcheck -x -S $severity "$f"
done

ok "cppcheck src" cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	-D_GNU_SOURCE -DBPERF_VERSION='""' -Isrc -Ibpf -Iuapi src

for page in $(files 'src/*.8'); do
	groff -man -Tutf8 -ww -z "$page" >"$TMP/page" 2>&1
	is "$(cat "$TMP/page")" "" "$page: groff has nothing to say"
done

without=$(for f in $(files 'src/*.[chS]' 'bpf/*.[ch]' 'uapi/*.h' 'tests/*.[ch]' scripts 'tests/*.sh' 'tests/*.t' 'tests/*.bats' Makefile); do
	head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f"
done)
is "$without" "" "each source file names its licence"

hosts=$(files scripts tests/vm .ci Makefile | xargs grep -nE '(https?|ftp)://' | grep -v 'tests/lint')
is "$hosts" "" "the scripts name no host"

done_testing
