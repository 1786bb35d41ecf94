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

# What each finds without asking for another way to write. clang's own analyzer takes nearly two minutes for it; gcc's does the same work here.
checks='-*,bugprone-*,misc-redundant-expression,misc-misplaced-const,portability-*'
for not in easily-swappable-parameters narrowing-conversions implicit-widening-of-multiplication-result suspicious-string-compare \
  sizeof-expression not-null-terminated-result reserved-identifier; do checks="$checks,-bugprone-$not"; done
parsed="-std=c11 -D_GNU_SOURCE"
program="$parsed -Isrc -Ibpf -Iuapi" version='-DBPERF_VERSION=""'
# shellcheck disable=SC2086 # words
{
  ok "clang-tidy src" clang-tidy --quiet "--checks=$checks" '--warnings-as-errors=*' src/*.c -- $program "$version"
  ok "clang-tidy src/stub src/pack" clang-tidy --quiet "--checks=$checks" '--warnings-as-errors=*' src/stub/stub.c src/pack/*.c -- $parsed -iquote src
  # Without optimisation, which takes away what is wrong before it is looked for. What memcpy has brought it takes for uninitialised.
  analyze() {
    printf '%s\n' src/*.c | xargs -P 2 -n 1 "${HOSTCC:-gcc}" $program "$version" -O0 -fanalyzer \
      -Wno-analyzer-use-of-uninitialized-value -Werror -S -o /dev/null &&
      printf '%s\n' src/stub/stub.c src/pack/*.c | xargs -P 2 -n 1 "${HOSTCC:-gcc}" $parsed -iquote src -O0 -fanalyzer -Werror -S -o /dev/null
  }
}
case $("${HOSTCC:-gcc}" --version) in
*"Free Software"*) ok "gcc -fanalyzer src" analyze ;;
*) skip "gcc -fanalyzer" "the compiler is not gcc" ;;
esac

for page in $(files 'src/*.8'); do
	groff -man -Tutf8 -ww -z "$page" >"$TMP/page" 2>&1
	is "$(cat "$TMP/page")" "" "$page: groff has nothing to say"
done

without=$(for f in $(files 'src/*.[chS]' 'src/*/*.[chS]' 'bpf/*.[ch]' 'uapi/*.h' 'tests/*.[ch]' scripts 'tests/*.sh' 'tests/*.t' 'tests/*.bats' Makefile); do
	head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f"
done)
is "$without" "" "each source file names its licence"

hosts=$(files scripts tests/vm .ci Makefile | xargs grep -nE '(https?|ftp)://' | grep -v 'tests/lint')
is "$hosts" "" "the scripts name no host"

done_testing
