#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# uapi/ against the kernel's own headers: the same numbers, offsets and sizes. And the direction of includes (design.md 4).
# shellcheck source=tests/lib.sh
. "${0%/*}/../lib.sh"
cd "$TESTS/.." || exit 1
HOSTCC=${HOSTCC:-gcc}

# headers older than 6.3 know no config3
known=
grep -q PERF_ATTR_SIZE_VER8 /usr/include/linux/perf_event.h || known=-DNO_CONFIG3
# shellcheck disable=SC2086 # none, or one word
ok "tests/uapi.c compiles against uapi/" "$HOSTCC" -std=gnu11 $known -Iuapi -o "$TMP/ours" tests/uapi.c
ok "tests/uapi.c compiles against linux-libc-dev" "$HOSTCC" -std=gnu11 -o "$TMP/kernels" tests/uapi.c
"$TMP/ours" >"$TMP/ours.txt"
"$TMP/kernels" >"$TMP/kernels.txt"
number "$(wc -l <"$TMP/ours.txt")" '>' 180 "so many facts are compared"
ok "they say the same" diff "$TMP/ours.txt" "$TMP/kernels.txt"

# A lower module never includes a higher one. Same rank: not each other, but for their own header.
rank() {
  case $1 in
  main) echo 12 ;;
  session | session_open | session_end | session_programs | repeat | screen | live | live_draw) echo 11 ;;
  counter | report | report_text | report_status | report_plan | report_list | report_csv | report_json | report_openmetrics | report_overhead | cells | metric | overhead) echo 10 ;;
  report_check) echo 10 ;;
  plain) echo 9 ;;
  tasks | control | groups | targets | output) echo 8 ;;
  topology) echo 8 ;;
  plan | status | list) echo 7 ;;
  init) echo 7 ;;
  probe | probe_lab) echo 7 ;;
  options) echo 6 ;;
  leader | leader_events | follower | children | workload | watch | terminal) echo 5 ;;
  registry) echo 4 ;;
  attr_map | perf_map | loader | embed) echo 4 ;;
  object | object_btf | object_parse | event_fd) echo 3 ;;
  event_resolve) echo 4 ;;
  pmu | number | target | refusal) echo 3 ;;
  elf | btf | event | program | sysfs | sys_task | cgroup) echo 2 ;;
  pen | span | sys_bpf | sys_perf | cpulist | spread | suggest) echo 1 ;;
  err | fd | reading | out | memory | sort | bperf | unpack | cmdline) echo 0 ;;
  *) echo unknown ;;
  esac
}
wrong=
for file in src/*.c src/*.h; do
  from=$(basename "$file" | sed 's/\.[ch]$//')
  [ "$(rank "$from")" != unknown ] || wrong="$wrong $from:no-rank"
  for to in $(sed -n 's/^#include "\(.*\)\.h".*/\1/p' "$file"); do
    [ "$(rank "$to")" -le "$(rank "$from")" ] || wrong="$wrong $from->$to"
  done
done
is "$wrong" "" "includes point down only"
# The stub in front of the program is no part of it: no libc, and of the modules it has the decoder alone.
is "$(sed -n 's/^#include "\(.*\)".*/\1/p' src/stub/*.[ch] | sort -u | tr '\n' ' ')" "arch.h unpack.h " "the stub includes the decoder only"
# So is the packer, which runs where the program is built.
is "$(sed -n 's/^#include "\(.*\)".*/\1/p' src/pack/*.[ch] | sort -u | tr '\n' ' ')" "pack.h unpack.h " "the packer includes the decoder only"
calls=$(grep -lE '(^|[^>.[:alnum:]_])(open|read|write|syscall|mount|fork|ioctl|flock|kill|poll|mmap)\(' src/*.c | xargs -n 1 basename | tr '\n' ' ')
is "$calls" "attr_map.c cgroup.c fd.c init.c memory.c sys_bpf.c sys_perf.c sys_task.c sysfs.c terminal.c watch.c workload.c " "system calls stand in these modules only"
is "$(grep -lE '\b(printf|fprintf|snprintf|malloc|calloc)\(|#include <(stdio|stdlib)\.h>' src/*.c)" "" "no stdio, no malloc"
is "$(grep -nE '\b(float|double)\b' src/*.[ch] bpf/*.[ch])" "" "no floating point"
long=$(wc -l src/*.[ch] src/stub/*.[ch] src/pack/*.[ch] bpf/*.[ch] | awk '$2 != "total" && $1 > 500 { print $2 }')
is "$long" "" "files of 500 lines at most"

# the layout of C that clang-format 14 (Debian 12) gives; another version has other opinions
case $(clang-format --version 2>/dev/null) in
*"version 14."*) ok "clang-format has nothing to change" clang-format --dry-run --Werror src/*.c src/stub/*.[ch] src/pack/*.[ch] bpf/*.bpf.c ;;
*) skip "clang-format" "its version is not 14" ;;
esac

done_testing
