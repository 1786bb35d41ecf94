#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# With parts of the host missing: the count, or the next best way and one line that says so, or one line of why not, and one of advice.
#
# Field reports by their numbers (V..): here 11, 40 to 44, 48, 49. CPUs that are few, many, absent or isolated (10, 12, 15, 16), old kernels
# (41, 45), lockdown (46), little memory: tests/vm/parts.t. CPUs that come and go (12, 13): tests/vm/hotplug.t. A PMU of some CPUs (14):
# tests/unit/test_list.c. Errno 524 (45): check.t, on 5.10 for arm64. What the leader gets from sched_switch changed twice between 5.10
# and 6.1 (47): kernels.t runs on both sides.
# shellcheck source=tests/kernel/lib.sh
. "${0%/*}/lib.sh"

top=${TESTS%/*}
last=$((cpus - 1))

# part COMMAND...: sets status; what it prints is in $TMP/out
part() {
  status=0
  "$@" >"$TMP/out" 2>&1 </dev/null || status=$?
}
# without HOW COMMAND...: in a mount namespace of its own, changed by HOW
without() {
  how=$1
  shift
  unshare -m sh -c "mount --make-rprivate / 2>/dev/null; $how"' && exec "$@"' sh "$@"
}
# said TITLE STATUS [ERE]...: that status, and just these lines of ours, in order
said() {
  title=$1 want=$2
  shift 2
  is "$status" "$want" "$title: status $want"
  grep '^bperf-mini: ' "$TMP/out" >"$TMP/said" || :
  is "$(wc -l <"$TMP/said" | tr -d ' ')" $# "$title: lines of ours"
  n=0
  for line; do
    n=$((n + 1))
    like "$(sed -n ${n}p "$TMP/said")" "^bperf-mini: $line" "$title: line $n"
  done
}
# all_cpus TITLE [CPUS]: cpu-clock is the time of so many CPUs (all); that of one more or less is far from it
all_cpus() { ok "$1: the count" near "$(value "$TMP/out" cpu-clock)" "$(cpu_ms "$TMP/out" "${2:-$cpus}")" 25; }
# burnt TITLE MS: task-clock (:u, as users may) is that of a burner
burnt() {
  sed 's/task-clock:u/task-clock/' "$TMP/out" >"$TMP/named"
  # on a busy host the clock of an emulated x86 goes on while it waits for a CPU
  most=$(($2 * 3 / 2))
  [ -z "$is_guest" ] || most=$(($2 * 6))
  ok "$1: the count" between "$(value "$TMP/named" task-clock)" "$(($2 * 97 / 100))" $most
}
unshared='counting unshared: '
plain='counting unshared, by plain events: '

has_namespaces=
! unshare -m true 2>/dev/null || has_namespaces=1
has_strace=
[ -n "$is_guest" ] || ! strace -qq -o /dev/null -e trace=bpf true 2>/dev/null || has_strace=1
ids_before

# --- which right is missing (V40) ---------------------------------------------------------------------------------------
may_mmap="needs root, or the capabilities CAP_BPF and CAP_PERFMON, and CAP_SYS_ADMIN to share: what is missing"
root_only='.*/sys/fs/bpf/bperf_mini: Permission denied; sharing needs root'
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
# system, command OPTION...: by a user with these capabilities
system() { part "$WORK" caps 65534 "$caps" "$BPERF" "$@" -e cpu-clock -a -- sleep 0.2; }
command() { part "$WORK" caps 65534 "$caps" "$BPERF" "$@" -e task-clock -- "$WORK" burn 50; }
for caps in none bpf; do
  if [ "$paranoid" -gt 0 ]; then
    system
    said "with $caps, -a" 125 'cannot count cpu-clock: .*on CPU 0: Permission denied' "needs root or CAP_PERFMON: perf_event_paranoid is $paranoid$"
  fi
done
caps=perfmon
system
said "with $caps, -a" 0 "$plain.*: Operation not permitted; $may_mmap \(CAP_BPF, CAP_SYS_ADMIN\) refuses it"
all_cpus "with $caps, -a"
command
said "with $caps, a command" 0 "$plain.*: Operation not permitted; $may_mmap \(CAP_BPF, CAP_SYS_ADMIN\) refuses it"
burnt "with $caps, a command" 50
caps=bpf
"$BPERF" -e dummy -- true 2>/dev/null
command --share=always
said "with $caps, a command, --share=always" 125 '.*: Operation not permitted' "$may_mmap \(CAP_PERFMON, CAP_SYS_ADMIN\)"
for caps in bpf,perfmon sys_admin; do
  [ "$release" != 5.10 ] || caps=$caps,sys_resource # what locked memory does there: tests/vm/parts.t
  system
  said "with $caps, -a" 0 "$unshared$root_only"
  all_cpus "with $caps, -a"
  command
  said "with $caps, a command" 0 "$unshared$root_only"
  burnt "with $caps, a command" 50
  system --share=always
  said "with $caps, --share=always" 125 'cannot share: .*Permission denied' 'sharing needs root'
done
for errno in "1:Operation not permitted" "13:Permission denied"; do
  part "$WORK" deny bpf "${errno%%:*}" "$BPERF" -e cpu-clock -a -- sleep 0.2
  said "bpf(2) says ${errno#*:}" 0 "$plain.*: ${errno#*:}; no capability is missing: the seccomp filter that is in force.* refuses bpf\(2\)"
  part "$WORK" deny perf_event_open "${errno%%:*}" "$BPERF" -e minor-faults -a -- sleep 0.2
  said "perf_event_open(2) says ${errno#*:}" 125 "cannot count minor-faults: .*: ${errno#*:}" \
    'no capability is missing: the seccomp filter that is in force refuses perf_event_open\(2\)'
done
part "$WORK" deny bpf 38 "$BPERF" -e cpu-clock -a -- sleep 0.2
said "no bpf(2)" 0 "$plain.*: Function not implemented; bpf\(2\) is missing: a kernel without CONFIG_BPF_SYSCALL, or the seccomp filter"
all_cpus "no bpf(2)"
part "$WORK" deny perf_event_open 38 "$BPERF" -e minor-faults -a -- sleep 0.2
said "no perf_event_open(2)" 125 'this host cannot count minor-faults on CPU 0: Function not implemented' \
  'perf_event_open\(2\) is missing: a kernel without CONFIG_PERF_EVENTS, or the seccomp filter'
if unshare -Ur true 2>/dev/null; then
  part unshare -Ur "$BPERF" -e task-clock -- "$WORK" burn 50
  like "$(cat "$TMP/out")" "^bperf-mini: $plain.*: Operation not permitted; no capability is missing: a user namespace" "root of a user namespace: told so"
  burnt "root of a user namespace" 50
fi

# --- no programs of tracing (V44), none of any kind for want of a trampoline (V45) -----------------------------------------
part "$WORK" deny bpf:5 22 "$BPERF" -e cpu-clock -a -- sleep 0.2
said "programs are not known" 0 "$plain.*cannot load on_switch: Invalid argument; a kernel without CONFIG_BPF_EVENTS"
all_cpus "programs are not known"
part "$WORK" deny bpf:5 22 "$BPERF" --share=always -e cpu-clock -a -- sleep 0.2
said "programs are not known, --share=always" 125 'cannot share cpu-clock: cannot load on_switch: Invalid argument$' 'a kernel without CONFIG_BPF_EVENTS'
part "$WORK" deny bpf:5 524 "$BPERF" -e cpu-clock -a -- sleep 0.2
said "errno 524" 0 "$plain.*cannot load on_switch: Not supported by this kernel \(524\)$"
all_cpus "errno 524"

# --- what is scarce -----------------------------------------------------------------------------------------------------
part sh -c 'ulimit -n 30; exec "$@"' sh "$BPERF" --share=never \
  -e "$(yes cpu-clock,task-clock | head -n 20 | paste -sd, -)" -a -- true
said "few descriptors" 125 'cannot count (cpu|task)-clock: .*: No file descriptors available' 'the limit of open files is too low: ulimit -Hn'
if [ "$release" != 5.10 ]; then
  part sh -c 'ulimit -l 0; exec "$@"' sh "$BPERF" -e task-clock -- "$WORK" burn 50
  said "V41: no locked memory" 0
  burnt "V41: no locked memory" 50
fi
# each amount of memory: the count, or a line; but where not even --version is executed
limited() { part sh -c "ulimit -v $1; shift;"' exec "$@"' sh "$@"; }
wrong=
for memory in 1000 2000 4000 5000 5500 6000 6500 7000 9000; do
  limited $memory "$BPERF" --version
  able=$status
  limited $memory "$BPERF" -e task-clock -G / -- true
  lines=$(grep -c '^bperf-mini: ' "$TMP/out")
  case $status/$lines in
  0/0 | 125/1 | 125/2) ;;
  *) [ "$able$lines" != "${status}0" ] && wrong="$wrong $memory:$status/$lines" ;;
  esac
done
is "$wrong" "" "little memory: the count, or a line"
is "$status" 0 "9 MB of addresses: the count"

# --- no /proc, no /sys, no bpffs (V42), odd files of CPUs (V11), BTF (V43), no tracefs (V44) ------------------------------
if [ -n "$has_namespaces" ]; then
  no_proc='mount -t tmpfs none /proc' no_sys='mount -t tmpfs none /sys'
  part without "$no_proc" "$BPERF" -e task-clock -- "$WORK" burn 50
  said "no /proc, a command" 0
  burnt "no /proc, a command" 50
  part without "$no_proc" "$BPERF" -e cpu-clock -G / -- true
  said "no /proc, -G" 125 '-G: cannot open /proc/self/mountinfo: No such file or directory'
  if unshare -pf true 2>/dev/null; then
    which="cannot tell which PID namespace this is: no /proc/self/ns/pid"
    part unshare -mpf sh -c "mount --make-rprivate / 2>/dev/null; $no_proc; exec $BPERF -e task-clock -- $WORK forks 2 50"
    said "a PID namespace without /proc, a command" 0 "$plain$which; mount -t proc"
    burnt "a PID namespace without /proc, a command" 100
    part unshare -mpf sh -c "mount --make-rprivate / 2>/dev/null; $no_proc; $WORK after 1500 $WORK burn 50 & exec $BPERF -e task-clock -p \$!"
    said "a PID namespace without /proc, -p" 0 'no /proc/[0-9]+/task: of process [0-9]+ the first thread alone is counted' "$plain$which"
    burnt "a PID namespace without /proc, -p" 50
    part unshare -mpf sh -c "mount --make-rprivate / 2>/dev/null; $no_proc; exec $BPERF --share=always -e task-clock -- true"
    said "a PID namespace without /proc, --share=always" 125 "$which" 'mount -t proc'
  fi

  part without "$no_sys" "$BPERF" -e cpu-clock -C $last -- sleep 0.2
  said "no /sys, -C $last" 0 "${unshared}no /sys/fs/bpf: No such file or directory"
  all_cpus "no /sys, -C $last" 1
  part without "$no_sys" "$BPERF" -e task-clock -- "$WORK" burn 50
  said "no /sys, a command" 0 "${unshared}no /sys/fs/bpf: No such file or directory"
  burnt "no /sys, a command" 50
  part without "$no_sys" "$BPERF" --share=always -e cpu-clock -a -- true
  said "no /sys, --share=always" 125 'cannot share: no /sys/fs/bpf: No such file or directory'
  part without "$no_sys" "$BPERF" -e cpu-clock -C $((cpus + 3)) -- true
  said "no /sys, an absent CPU" 2 "CPU $((cpus + 3)) of -C $((cpus + 3)) is not online"
  part without "$no_sys" "$BPERF" -e msr/tsc/ -a -- true
  said "no /sys, an event of a PMU" 2 "event syntax: 'msr/tsc/' at character 1: there is no /sys/bus/event_source/devices, so no PMU 'msr'"
  guess='counting unshared, by plain events, on the CPUs that this process may run on: no /sys/devices/system/cpu, and bpf\(2\) does not tell either: '
  part without "$no_sys" "$WORK" deny bpf 1 "$BPERF" -e cpu-clock -a -- sleep 0.2
  said "no /sys, and BPF refused" 0 "${guess}Operation not permitted"
  all_cpus "no /sys, and BPF refused"
  part without "$no_sys" taskset 1 "$WORK" deny bpf 38 "$BPERF" -e cpu-clock -a -- sleep 0.2
  said "no /sys, no BPF, one CPU allowed" 0 "${guess}Function not implemented"
  all_cpus "no /sys, no BPF, one CPU allowed" 1
  part without "$no_sys" "$WORK" deny bpf 1 "$BPERF" --share=always -e cpu-clock -a -- true
  said "no /sys, and BPF refused, --share=always" 125 'cannot tell which CPUs there are: no /sys/devices/system/cpu, and: Operation not permitted' 'mount sysfs'

  # V42. sharing TITLE HOW: a count that is shared all the same
  sharing() {
    part without "$2" "$BPERF" --share=always -e cpu-clock -a -- sleep 0.2
    said "V42: $1" 0
    all_cpus "V42: $1"
  }
  sharing "a tmpfs in its place: one is mounted over it" 'mount -t tmpfs none /sys/fs/bpf'
  sharing "not mounted: it is" 'while umount /sys/fs/bpf 2>/dev/null; do :; done'
  sharing "a new one" 'mount -t bpf none /sys/fs/bpf'
  sharing "read-only, with the registry" 'mount -o remount,bind,ro /sys/fs/bpf'
  sharing "a link to another folder" 'mount -t tmpfs none /sys/fs && mkdir /sys/fs/x && ln -s x /sys/fs/bpf'
  # lonely TITLE LINE HOW [OPTION]...
  lonely() {
    title="V42: $1" line=$2 how=$3
    shift 3
    part without "$how" sh -c '"$@"; status=$?; ls -AR /sys/fs/bpf 2>/dev/null | sed "s/^/left: /"; exit $status' sh "$BPERF" "$@" -e cpu-clock -a -- sleep 0.2
    said "$title" 0 "$unshared$line"
    all_cpus "$title"
  }
  lonely "a tmpfs, --no-mount" 'no bpf file system on /sys/fs/bpf \(and --no-mount\)' 'mount -t tmpfs none /sys/fs/bpf' --no-mount
  is "$(grep '^left: ' "$TMP/out")" "left: /sys/fs/bpf:" "V42: a tmpfs: nothing is written into it"
  lonely "a new one, read-only" 'cannot make /sys/fs/bpf/bperf_mini: Read-only file system' \
    'mount -t bpf none /sys/fs/bpf && mount -o remount,bind,ro /sys/fs/bpf'
  lonely "no folder" 'no /sys/fs/bpf: No such file or directory' 'mount -t tmpfs none /sys/fs'
  lonely "a file" 'no bpf file system on /sys/fs/bpf, and cannot mount one: Not a directory' 'mount -t tmpfs none /sys/fs && touch /sys/fs/bpf'
  if setpriv --bounding-set -sys_admin true 2>/dev/null; then
    part without 'mount -t tmpfs none /sys/fs/bpf' setpriv --bounding-set -sys_admin sh -c '"$@"; status=$?; ls -AR /sys/fs/bpf | sed "s/^/left: /"; exit $status' \
      sh "$BPERF" -e cpu-clock -a -- sleep 0.2
    said "V42: a tmpfs, and no right to mount" 0 "${unshared}no bpf file system on /sys/fs/bpf, and cannot mount one: Operation not permitted"
    is "$(grep '^left: ' "$TMP/out")" "left: /sys/fs/bpf:" "V42: a tmpfs: nothing is written into it, here either"
  fi
  # two sessions at once: one waits inside the other
  part "$BPERF" -v -e cpu-clock:h -a -o "$TMP/outer" -- unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t bpf none /sys/fs/bpf; exec $BPERF -v -e cpu-clock:h -a -- sleep 0.5"
  like "$(cat "$TMP/out")" '^bperf-mini: cpu-clock:h: leader made$' "V42: two mount namespaces: a leader here"
  is "$(grep -c '^bperf-mini: cpu-clock:h: leader made$' "$TMP/out")" 2 "V42: two mount namespaces: and one there"
  ok "V42: two mount namespaces: the count there" near "$(value "$TMP/out" cpu-clock:h)" "$(cpu_ms "$TMP/out" "$cpus")" 25
  ok "V42: two mount namespaces: the count here" near "$(value "$TMP/outer" cpu-clock:h)" "$(cpu_ms "$TMP/outer" "$cpus")" 25

  # V11: files of CPUs
  # files ONLINE POSSIBLE PRESENT: what is in the files, without newlines (+ for one); - for no file
  files() {
    how='mount -t tmpfs none /sys/devices/system/cpu'
    for file in online possible present; do
      [ "$1" = - ] || how="$how && echo -n '$1' | tr + '\\n' >/sys/devices/system/cpu/$file"
      shift
    done
    part without "$how" "$BPERF" -e cpu-clock -a -- sleep 0.1
  }
  possible=$(cat /sys/devices/system/cpu/possible)
  for case in "0+ $possible+ -" "0 $possible 0" "0+ - $possible" "0+ $possible+ 0+"; do
    # shellcheck disable=SC2086 # three words
    files $case
    said "V11: online, possible, present: $case" 0
    all_cpus "V11: online, possible, present: $case" 1
  done
  for case in "- - -" "+ + +" "- $possible -"; do
    # shellcheck disable=SC2086
    files $case
    said "V11: online, possible, present: $case" 0
    all_cpus "V11: online, possible, present: $case"
  done
  files 0- "$possible" 0
  said "V11: online: 0-" 125 "/sys/devices/system/cpu/online: bad CPU list '0-'"

  # V43: the kernel's own BTF is not used
  btf=/sys/kernel/btf/vmlinux
  if [ -r $btf ]; then
    cp /dev/null "$TMP/empty.btf"
    head -c 100000 $btf >"$TMP/short.btf"
    tr '\1\2\3' '\3\1\2' <$btf >"$TMP/wrong.btf"
    for file in /dev/null "$TMP/empty.btf" "$TMP/short.btf" "$TMP/wrong.btf"; do
      part without "mount --bind $file $btf" "$BPERF" -e task-clock -- "$WORK" forks 2 25
      said "V43: ${file##*/} as vmlinux BTF" 0
      burnt "V43: ${file##*/} as vmlinux BTF" 50
    done
  else
    skip "V43: vmlinux BTF" "this kernel has none"
  fi

  # V44
  no_tracefs='mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug'
  part without "$no_tracefs" "$BPERF" --share=always -e task-clock -- "$WORK" forks 2 25
  said "V44: no tracefs" 0
  burnt "V44: no tracefs" 50
  part without "$no_tracefs" "$BPERF" -e sched:sched_switch -a -- true
  said "V44: no tracefs, a tracepoint by name" 2 "event syntax: 'sched:sched_switch' at character 1: cannot open /sys/kernel/tracing/events" \
    'mount -t tracefs tracefs /sys/kernel/tracing'
else
  skip "no /proc, /sys, bpffs, tracefs, BTF; files of CPUs" "no mount namespace can be made here"
fi

# --- what this kernel refuses: the verifier (V49), the BTF (V43) ----------------------------------------------------------
plain_program=$top/build/${tap_arch:-none}/bperf-mini.plain
if [ -z "$is_guest" ] && command -v python3 >/dev/null; then
  for what in prog btf; do python3 "$TESTS/kernel/spoil.py" "$plain_program" "$TMP/$what" $what && chmod +x "$TMP/$what"; done
  part "$TMP/prog" -e cpu-clock:u -a -- sleep 0.2
  said "V49: a program that the verifier refuses" 0 \
    ".*" "${plain}cannot share cpu-clock:u: cannot load on_switch: R9 !read_ok \([0-9]+ lines omitted, -v shows them\): Permission denied; this kernel's verifier refuses the program; no capability"
  part "$TMP/prog" --share=always -e task-clock -a -- sleep 0.2
  said "V49: a program that the verifier refuses, --share=always" 125 'cannot share task-clock: cannot load on_switch: R9 !read_ok' "this kernel's verifier"
  part "$TMP/prog" -v -e task-clock -a -- sleep 0.2
  like "$(cat "$TMP/out")" '^0: \(bf\) r6 = r9' "V49: -v shows all of the log"
  part "$TMP/btf" --share=always -e cpu-clock -a -- sleep 0.2
  said "V43: BTF that the kernel refuses" 0
  all_cpus "V43: BTF that the kernel refuses"
  part "$TMP/btf" -v -e task-clock -- "$WORK" forks 2 25
  like "$(cat "$TMP/out")" "^bperf-mini: the kernel refuses the programs' BTF: .*INT.*Invalid.*: Invalid argument" "V43: -v has the last line of the BTF's log"
  burnt "V43: BTF that the kernel refuses" 50
  part "$TMP/btf" --share=always -e task-clock -- "$WORK" forks 2 25
  said "V43: BTF that the kernel refuses, a command through BPF" 0
  burnt "V43: BTF that the kernel refuses, a command through BPF" 50
  "$TMP/btf" check -j >"$TMP/out" 2>&1
  is "$(sed -nE 's/^\{"check" : "(follower|fexit|sharing)", "works" : ([a-z]*), .*/\1 \2/p' "$TMP/out" | paste -sd ' ' -)" "follower true fexit false sharing true" \
    "V43: BTF that the kernel refuses: check: all is shared, and perf cannot join"
  if [ -n "$has_strace" ]; then
    # the second load of on_switch has a log; the kernel "finds" it too small
    strace -qq -e trace=bpf -o "$TMP/trace" "$TMP/prog" --share=always -e minor-faults -a -- true 2>/dev/null
    n=$(awk '/log_level=1/ && /BPF_PROG_LOAD/ { print NR; exit }' "$TMP/trace")
    part strace -qq -e trace=bpf -o "$TMP/trace" -e "inject=bpf:error=ENOSPC:when=${n:-0}" "$TMP/prog" --share=always -e minor-faults -a -- true
    is "$(sed -n 's/.*log_level=1, log_size=\([0-9]*\).*/\1/p' "$TMP/trace" | tr '\n' ' ')" "65536 131072 " "V49: a log that is too small is doubled"
    like "$(cat "$TMP/out")" 'cannot load on_switch: R9 !read_ok' "V49: and its last line is told"
  fi
else
  skip "V49, V43: what the kernel refuses" "there is no python3 in this machine to spoil programs with"
fi

# --- sizes of attributes (V48) ------------------------------------------------------------------------------------------
if [ -n "$has_strace" ]; then
  strace -f -qq -v -e trace=bpf,perf_event_open,openat -o "$TMP/trace" "$BPERF" -e cpu-clock,page-faults -- "$WORK" burn 10 2>/dev/null
  sed -nE 's/^([0-9]+ +)?bpf\((BPF_[A-Z_]+),.*, ([0-9]+)\) += .*/\2 \3/p' "$TMP/trace" | sort -u >"$TMP/sizes"
  # what each command has taken since 5.8 or before (TEST_RUN's cpu: 5.10)
  is "$(awk '{ most["BPF_PROG_LOAD"] = 120; most["BPF_MAP_CREATE"] = 56; most["BPF_BTF_LOAD"] = 28; most["BPF_PROG_TEST_RUN"] = 72
      most["BPF_OBJ_GET_INFO_BY_FD"] = 16; most["BPF_RAW_TRACEPOINT_OPEN"] = 12; most["BPF_LINK_GET_FD_BY_ID"] = 12
      if ($2 > ($1 in most ? most[$1] : 32)) print }' "$TMP/sizes")" "" "V48: bpf(2): no size above what 5.10 knows"
  number "$(wc -l <"$TMP/sizes")" '>' 7 "V48: so many commands were seen"
  is "$(sed -nE 's/.*perf_event_open\(\{.*size=([^,]*),.*/\1/p' "$TMP/trace" | sort -u)" PERF_ATTR_SIZE_VER1 "V48: perf_event_open(2): size 72"
  is "$(grep -c kernel/btf "$TMP/trace")" 0 "V43: the kernel's own BTF is not even opened"
  part strace -f -qq -o /dev/null -e trace=perf_event_open -e inject=perf_event_open:error=E2BIG "$BPERF" -e cpu-clock,minor-faults -a -- true
  said "V48: a field that the kernel does not have" 125 'this host cannot count cpu-clock on CPU 0: Argument list too long' '.*'
else
  skip "V48: sizes of attributes" "there is no strace in this machine"
fi

ok "nothing is left" ids_become "$TMP/ids.before"
done_testing
