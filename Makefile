# SPDX-License-Identifier: GPL-2.0-only
# bperf-mini. `make` builds build/bperf-mini for this host, `make ARCH=arm64` build/arm64/bperf-mini (or armhf, riscv64);
# `make help` lists the rest.
# PACK=0: the plain program instead of the one that unpacks itself.
# A file config.mak, if there is one, is read first. CC, CLANG, CFLAGS, CPPFLAGS, LDFLAGS, CROSS_COMPILE, PREFIX, DESTDIR are yours.

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
-include config.mak

# --- what to build for -------------------------------------------------------------------------------------------------
# Debian's names, and what else each is called
ARCHES := amd64 arm64 armhf riscv64
NAMES_amd64 := amd64 x86_64
NAMES_arm64 := arm64 aarch64
NAMES_armhf := armhf armv7 armv7l arm
NAMES_riscv64 := riscv64
arch_of = $(strip $(foreach arch,$(ARCHES),$(if $(filter $(1),$(NAMES_$(arch))),$(arch))))
HOST_ARCH := $(call arch_of,$(shell uname -m))
ARCH ?= $(HOST_ARCH)
ifeq ($(call arch_of,$(ARCH)),)
$(error ARCH=$(ARCH): expected one of $(foreach arch,$(ARCHES),$(NAMES_$(arch))))
endif
override ARCH := $(call arch_of,$(ARCH))
TRIPLE_amd64 := x86_64-linux-gnu
TRIPLE_arm64 := aarch64-linux-gnu
TRIPLE_armhf := arm-linux-gnueabihf
TRIPLE_riscv64 := riscv64-linux-gnu
TRIPLE := $(TRIPLE_$(ARCH))
# What Debian builds for. No floating point is in the program, but it is linked with what is built for a machine that has it.
MACHINE_armhf := -march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard -mthumb
# (the linker of LLVM 14 cannot relax, and where it makes the code does not know for which machine)
MACHINE_riscv64 := -march=rv64gc -mabi=lp64d -mno-relax -msmall-data-limit=0
LD_MACHINE_riscv64 := -Wl,--lto-O1 -Wl,-mllvm,-target-abi=lp64d -Wl,-mllvm -Xlinker -mattr=+m,+a,+f,+d,+c
REGISTERS_amd64 := -mgeneral-regs-only
REGISTERS_arm64 := -mgeneral-regs-only
# clang's target name for BPF of the same byte order: all of the architectures are little-endian.
BPF_TARGET := bpfel

V ?= 0
ifeq ($(V),0)
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)'
else
Q :=
say = @:
endif

# --- tools -------------------------------------------------------------------------------------------------------------
CLANG ?= clang
LLVM_STRIP ?= llvm-strip
HOSTCC ?= gcc
READELF ?= $(shell command -v readelf || echo llvm-readelf)
ifeq ($(origin CC),default)
CC :=
endif
ifeq ($(CC),)
  ifneq ($(CROSS_COMPILE),)
    CC := $(CROSS_COMPILE)gcc
  else ifeq ($(ARCH),$(HOST_ARCH))
    CC := gcc
  else ifneq ($(shell command -v $(TRIPLE)-gcc 2>/dev/null),)
    CC := $(TRIPLE)-gcc
  else
    CC := $(CLANG)
  endif
endif
CC_IS_CLANG := $(shell $(CC) --version 2>/dev/null | grep -c clang)

# musl of the target: from the system where it is installed, else a private unpacked copy (scripts/sysroot says where).
SYSROOT ?= $(shell ./scripts/sysroot --path $(ARCH))
MUSL := $(SYSROOT)/usr/lib/$(subst gnu,musl,$(TRIPLE))
MUSL_INCLUDE := $(SYSROOT)/usr/include/$(subst gnu,musl,$(TRIPLE))

ifeq ($(CC_IS_CLANG),0)
CC_TARGET := $(MACHINE_$(ARCH))
CC_INCLUDE := $(shell $(CC) -print-file-name=include)
CC_RUNTIME := $(shell $(CC) -print-libgcc-file-name)
LD_FLAVOUR := -no-pie
# What is the same each time packs better: 3 KB in all of the packed file, by the options that keep the order of instructions alone
SMALL := -Os -flto=auto -flto-partition=one $(REGISTERS_$(ARCH)) -fno-schedule-insns2 -fno-caller-saves -fno-if-conversion -fno-shrink-wrap
# else it makes memcpy of the loop in memcpy
STUB_SMALL := -Os -fno-tree-loop-distribute-patterns
# the decoder: 350 bytes more, and a twelfth less time than with -Os
STUB_FAST := -O2 -fno-align-functions -fno-align-loops -fno-align-jumps
else
CC_TARGET := --target=$(TRIPLE) $(MACHINE_$(ARCH))
CC_INCLUDE := $(shell $(CC) -print-resource-dir)/include
CC_RUNTIME = $(shell ./scripts/sysroot --libgcc $(ARCH))
# the same as for gcc; here the code is made by the linker
LD_FLAVOUR := -fuse-ld=lld -Wl,-O2 -Wl,-mllvm,-enable-misched=false -Wl,-mllvm,-enable-post-misched=false \
	-Wl,-mllvm,-disable-block-placement $(LD_MACHINE_$(ARCH))
SMALL := -Oz -flto $(REGISTERS_$(ARCH))
STUB_SMALL := -Oz
STUB_FAST := -Os
endif

# --- flags -------------------------------------------------------------------------------------------------------------
OUT := build/$(ARCH)
VERSION := $(shell git describe --always --dirty 2>/dev/null || cat VERSION 2>/dev/null || echo unknown)
WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wpedantic -Wvla -Wformat=2
ifneq ($(CI),)
WARNINGS += -Werror
endif
CFLAGS ?= $(SMALL)
COMMON := -std=c11 -D_GNU_SOURCE -DBPERF_VERSION='"$(VERSION)"' -Isrc -Ibpf -Iuapi $(WARNINGS)
ALL_CFLAGS := $(CC_TARGET) -nostdinc -isystem $(MUSL_INCLUDE) -isystem $(CC_INCLUDE) $(COMMON) -ffunction-sections \
	-fdata-sections -fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie -fno-ident \
	-ffile-prefix-map=$(CURDIR)=. $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(CC_TARGET) $(LD_FLAVOUR) -static -nostdlib -Wl,--gc-sections -Wl,--build-id=none -Wl,-z,norelro \
	-Wl,-z,noseparate-code -Wl,-z,common-page-size=512 $(LDFLAGS)
# no section headers either: nobody reads them of a program that is not to be debugged
strip = $(LLVM_STRIP) --strip-all --strip-sections --remove-section=.comment --remove-section=.note.gnu.property
link = $(CC) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $(MUSL)/crt1.o $(MUSL)/crti.o $(filter %.o,$^) -L$(MUSL) -lc $(CC_RUNTIME) -lc $(MUSL)/crtn.o
BPF_CFLAGS := --target=$(BPF_TARGET) -mcpu=v2 -O2 -g -ffreestanding -std=gnu11 -Wall -Wextra -Werror \
	-Wno-unused-parameter -fdebug-compilation-dir=. -ffile-prefix-map=$(CURDIR)=.

SRC := $(sort $(wildcard src/*.c))
BPF := $(sort $(wildcard bpf/*.bpf.c))
# unpack is in the stub only
OBJ := $(patsubst src/%.c,$(OUT)/%.o,$(filter-out src/unpack.c,$(SRC))) $(OUT)/embed_bytes.o
BPF_OBJ := $(BPF:bpf/%.c=build/bpf/%.o)
# bytes: the promise is 100 KB (design.md 9)
SIZE_MAX_amd64 := 102400
SIZE_MAX_arm64 := 102400
SIZE_MAX_armhf := 102400
SIZE_MAX_riscv64 := 102400
SIZE_MAX := $(SIZE_MAX_$(ARCH))
PACK ?= 1

.PHONY: all check demo check-unit check-fuzz check-cli check-kernel check-formats check-vm matrix fuzz lint size install uninstall clean help FORCE
all: $(OUT)/bperf-mini $(if $(filter $(ARCH),$(HOST_ARCH)),build/bperf-mini)

# --- the binary --------------------------------------------------------------------------------------------------------
# What is shipped is the plain program, packed, behind a stub that unpacks it when it is started (src/stub/). The bar is for what
# is shipped; all else is asked of both.
$(OUT)/bperf-mini.plain: $(OUT)/bperf-mini.debug scripts/size-check
	$(call say,STRIP,$@)
	$(Q)$(strip) -o $@.tmp $<
	$(Q)READELF=$(READELF) ./scripts/size-check $@.tmp any
	$(Q)mv $@.tmp $@

# The packer runs here, whatever it packs for.
build/packer: $(wildcard src/pack/*.[ch]) src/unpack.c src/unpack.h Makefile
	$(call say,HOSTCC,$@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=c11 -O2 -iquote src $(WARNINGS) -o $@ $(filter %.c,$^)

ifeq ($(PACK),0)
$(OUT)/bperf-mini: $(OUT)/bperf-mini.plain $(OUT)/pack
	$(Q)cp $< $@.tmp && mv $@.tmp $@
else
$(OUT)/bperf-mini: $(OUT)/stub/bperf-mini.debug $(OUT)/bperf-mini.plain $(OUT)/pack scripts/size-check
	$(call say,STRIP,$@)
	$(Q)$(strip) -o $@.tmp $<
	$(Q)READELF=$(READELF) ./scripts/size-check $@.tmp $(SIZE_MAX) $(OUT)/bperf-mini.plain ./build/packer -d $(ARCH)
	$(Q)mv $@.tmp $@
endif

# The stub has no libc (of the runtime of the compiler, shifts of 64 bits at most) and no flags of yours: what hardens a program (a stack protector, say) needs what is not there yet.
STUB_OBJ := $(OUT)/stub/stub.o $(OUT)/stub/unpack.o $(OUT)/stub/payload.o
STUB_CFLAGS := $(CC_TARGET) -nostdinc -isystem $(MUSL_INCLUDE) -isystem $(CC_INCLUDE) -std=c11 -D_GNU_SOURCE -iquote src $(WARNINGS) \
	$(STUB_SMALL) -ffreestanding -ffunction-sections $(REGISTERS_$(ARCH)) -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fno-unwind-tables -fno-pie -fno-ident -ffile-prefix-map=$(CURDIR)=.

$(OUT)/stub/bperf-mini.debug: $(STUB_OBJ) src/stub/stub.ld
	$(call say,LINK,$@)
	$(Q)$(CC) $(CC_TARGET) $(LD_FLAVOUR) -static -nostdlib -Wl,--gc-sections -Wl,--build-id=none -Wl,-z,norelro \
		-Wl,-T,src/stub/stub.ld -o $@ $(STUB_OBJ) $(CC_RUNTIME)

$(OUT)/stub/%.o: src/stub/%.c Makefile | $(MUSL)/libc.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STUB_CFLAGS) -MMD -MP -c -o $@ $<
$(OUT)/stub/unpack.o: src/unpack.c Makefile | $(MUSL)/libc.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STUB_CFLAGS) $(STUB_FAST) -MMD -MP -c -o $@ $<

# The addresses from the first segment's start to the last one's end.
$(OUT)/stub/payload.o: src/stub/payload.S $(OUT)/bperf-mini.plain build/packer Makefile
	$(call say,PACK,$@)
	@mkdir -p $(@D)
	$(Q)$(READELF) -lW $(OUT)/bperf-mini.plain | \
		awk '$$1 == "LOAD" { if (!n++) print "program_start = " $$3; end = $$3 " + " $$6 } END { print "program_end = " end }' >$(@D)/payload.include
	$(Q)./build/packer $(ARCH) <$(OUT)/bperf-mini.plain >$(@D)/bperf-mini.packed
	$(Q)$(CC) $(CC_TARGET) -I$(@D) -c -o $@ $<

# Is PACK as it was the last time?
$(OUT)/pack: FORCE
	@mkdir -p $(@D); echo '$(PACK)' | cmp -s - $@ || echo '$(PACK)' >$@

$(OUT)/bperf-mini.debug: $(OBJ) | $(MUSL)/libc.a
	$(call say,LINK,$@)
	$(Q)$(link)

build/bperf-mini: build/$(HOST_ARCH)/bperf-mini
	$(Q)cp $< $@.tmp && mv $@.tmp $@

$(OUT)/%.o: src/%.c Makefile | $(MUSL)/libc.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# In the order of enum embed_name.
EMBED := $(patsubst %,build/bpf/%.bpf.o,leader follower children groups target)
build/bpf/embed.bytes: $(EMBED)
	$(call say,CAT,$@)
	$(Q)echo ".long $$(stat -c %s $^ | paste -sd,)" >$(@D)/embed.lengths
	$(Q)cat $^ >$@

$(OUT)/embed_bytes.o: src/embed_bytes.S build/bpf/embed.bytes | $(MUSL)/libc.a
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CC_TARGET) -Ibuild/bpf -c -o $@ $<

# Compiled from where the source is not found: clang would put the text of each line into the BTF, 4 KB in
# all. LINE_INFO=1 keeps the numbers of the lines, for the verifier's log (another 4 KB). BPF_PREBUILT=dir: a builder without clang takes the objects from there.
build/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	$(call say,BPF,$@)
	@mkdir -p $(@D)
ifneq ($(BPF_PREBUILT),)
	$(Q)cp $(BPF_PREBUILT)/$(@F) $@
else
	$(Q)$(CLANG) $(BPF_CFLAGS) -Ibpf -Iuapi -MMD -MP -MT $@ -MF $(@:.o=.d) -E -o $(@:.o=.i) $<
	$(Q)cd $(@D) && $(CLANG) $(BPF_CFLAGS) -x cpp-output -c -o $(@F).tmp $(@F:.o=.i)
	$(Q)$(LLVM_STRIP) -g -x --remove-section=.rel.BTF --remove-section=.rel.BTF.ext --remove-section=.llvm_addrsig \
		$(if $(LINE_INFO),,--remove-section=.BTF.ext) $@.tmp
	$(Q)mv $@.tmp $@
endif

$(MUSL)/libc.a:
	$(Q)./scripts/sysroot $(ARCH)

# For the tests: known work and plain counting (work), perf's side of the sharing protocol (peer), where unpacking is refused (mdwe), BPF programs
# to be counted (prog).
$(OUT)/work $(OUT)/peer $(OUT)/mdwe $(OUT)/prog: $(OUT)/%: $(OUT)/tests/%.o $(filter-out $(OUT)/main.o,$(OBJ))
	$(call say,LINK,$@)
	$(Q)$(link)

$(OUT)/tests/%.o: tests/%.c | $(MUSL)/libc.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# the version is in main only
$(OUT)/main.o: build/version
build/version: FORCE
	@mkdir -p build; echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@

-include $(wildcard $(OUT)/*.d $(OUT)/stub/*.d $(OUT)/tests/*.d build/bpf/*.d)

# --- tests -------------------------------------------------------------------------------------------------------------
# Unit tests run on the host's libc under ASan and UBSan; each is one tests/unit/test_*.c linked with every module but main.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UNIT := $(patsubst tests/unit/%.c,build/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
UNIT_LIB := $(patsubst src/%.c,build/unit/lib/%.o,$(filter-out src/main.c,$(SRC)))

build/unit/lib/%.o: src/%.c Makefile
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) $(COMMON) -O1 -g $(SANITIZE) -MMD -MP -c -o $@ $<

build/unit/lib/embed_bytes.o: src/embed_bytes.S build/bpf/embed.bytes
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -Ibuild/bpf -c -o $@ $<

build/unit/test_%: tests/unit/test_%.c $(UNIT_LIB) build/unit/lib/embed_bytes.o
	$(call say,CC,$@)
	$(Q)$(HOSTCC) $(COMMON) -Itests/unit -O1 -g $(SANITIZE) -MMD -MP -MF $@.d -o $@ $< $(UNIT_LIB) build/unit/lib/embed_bytes.o


# Fuzz targets: tests/fuzz/fuzz_*.c, libFuzzer. `make check` runs each over its corpus; `make fuzz T=600` that many seconds each.
FUZZ := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_LIB := $(patsubst src/%.c,build/fuzz/lib/%.o,$(filter-out src/main.c,$(SRC)))
FUZZ_CFLAGS = $(COMMON) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
T ?= 60

build/fuzz/lib/%.o: src/%.c Makefile
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

# A target that takes the place of system calls names the functions that it replaces.
build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_LIB) build/unit/lib/embed_bytes.o
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(FUZZ_LIB) build/unit/lib/embed_bytes.o \
		$$(sed -nE 's/^[a-z].* \**__wrap_([a-z_]+)\(.*\);$$/-Wl,--wrap=\1/p' $<)

fuzz: $(FUZZ)
	$(Q)./scripts/fuzz $(T) $(FUZZ)

-include $(wildcard build/unit/*.d build/unit/lib/*.d build/fuzz/*.d build/fuzz/lib/*.d)

# The suites; each needs what is named behind it. The other architectures' programs are for the emulated machines.
PROGRAMS := bperf-mini work peer mdwe prog
.PHONY: programs programs-other
programs: build/bperf-mini $(PROGRAMS:%=build/$(HOST_ARCH)/%)
programs-other: programs
	$(Q)+for arch in $(filter-out $(HOST_ARCH),$(ARCHES)); do \
		$(MAKE) --no-print-directory ARCH=$$arch $(PROGRAMS:%=build/$$arch/%) || exit; done

check: programs programs-other $(UNIT) $(FUZZ)
	$(Q)./scripts/run-tests lint unit fuzz cli kernel formats vm
check-unit: $(UNIT)
	$(Q)./scripts/run-tests unit
check-fuzz: $(FUZZ)
	$(Q)./scripts/run-tests fuzz
check-cli: programs
	$(Q)./scripts/run-tests cli
check-kernel: programs
	$(Q)./scripts/run-tests kernel
check-formats: programs $(addprefix build/unit/test_,report_formats report_text)
	$(Q)./scripts/run-tests formats
check-vm: programs programs-other
	$(Q)./scripts/run-tests vm
lint:
	$(Q)./scripts/run-tests lint
# every kernel of scripts/kernel --list
matrix: programs programs-other
	$(Q)VM_KERNELS=all ./scripts/run-tests tests/vm/kernels.t tests/vm/architectures.t
# with real perfs, built from Debian's source on the first run (scripts/perf-peer; minutes, and 30 MB of cache)
.PHONY: interop
interop: programs programs-other
	$(Q)./scripts/run-tests tests/interop.t
# what was done to break it, and what came of it
.PHONY: report faults soak
# every errno of every system call of every scope, and a death at each (half an hour)
faults: programs
	$(Q)./scripts/run-tests tests/faults/faults.t
# here and in an emulated machine, T seconds each: make soak T=1800
soak: programs programs-other
	$(Q)./scripts/soak $(T)
report:
	$(Q)./scripts/report
demo:
	$(Q)./scripts/demo
# what counting costs: a table, and as CSV in build/bench.csv (scripts/bench --help); a quarter of an hour
.PHONY: bench
bench: programs programs-other
	$(Q)./scripts/bench -o build/bench.csv

# --- the rest ----------------------------------------------------------------------------------------------------------
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions

# what each part of the binary takes, and how much of the bar is left
size: $(OUT)/bperf-mini $(OUT)/bperf-mini.plain
	$(Q)V=1 ./scripts/size-check $(OUT)/bperf-mini.plain any
	$(Q)$(if $(filter 0,$(PACK)),,V=1 ./scripts/size-check $< $(SIZE_MAX) $(OUT)/bperf-mini.plain ./build/packer -d $(ARCH))
	$(Q)size $(OBJ) | sort -n -k4

# What is handed out: the four programs, manual page, completion, sums. The same source gives the same bytes, with the same compilers:
# dist-check builds it again elsewhere.
.PHONY: dist dist-check
dist:
	$(Q)+for arch in $(ARCHES); do $(MAKE) --no-print-directory ARCH=$$arch build/$$arch/bperf-mini || exit; done
	$(Q)rm -rf dist && mkdir dist
	$(Q)for arch in $(ARCHES); do install -m 755 build/$$arch/bperf-mini dist/bperf-mini-$(VERSION)-$$arch || exit; done
	$(Q)install -m 644 src/bperf-mini.8 src/bperf-mini.bash-completion dist
	$(Q)cd dist && sha256sum * >SHA256SUMS && cat SHA256SUMS
dist-check: dist
	$(Q)./scripts/dist-check $(ARCHES)

install: all
	install -D -m 755 $(OUT)/bperf-mini $(DESTDIR)$(BINDIR)/bperf-mini
	install -D -m 644 src/bperf-mini.8 $(DESTDIR)$(MANDIR)/man8/bperf-mini.8
	install -D -m 644 src/bperf-mini.bash-completion $(DESTDIR)$(BASHCOMPDIR)/bperf-mini
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/bperf-mini $(DESTDIR)$(MANDIR)/man8/bperf-mini.8 $(DESTDIR)$(BASHCOMPDIR)/bperf-mini
clean:
	rm -rf build dist

help:
	@echo 'make [ARCH=...]           build/bperf-mini for this host, build/ARCH/bperf-mini: amd64 arm64 armhf riscv64'
	@echo 'make PACK=0               the plain program, which does not unpack itself'
	@echo 'make demo                 shows the main job, on this host or in an emulated machine'
	@echo 'make check                all tests; check-unit -fuzz -cli -kernel -formats -vm and lint: one suite'
	@echo 'make matrix               the kernel tests on every kernel (scripts/kernel --list)'
	@echo 'make interop              sharing with real perfs 6.1, 6.12, 7.x in emulated machines'
	@echo 'make bench                what counting costs, in guest instructions: a table and build/bench.csv'
	@echo 'make fuzz [T=60]          each fuzz target for T seconds'
	@echo 'make faults               every system call of every scope fails, and is the last (half an hour)'
	@echo 'make soak [T=60]          200 sessions come and go for T seconds, here and in an emulated machine'
	@echo 'make report               what came of these'
	@echo 'make size                 what fills the binary'
	@echo 'make dist                 all four, and what goes with them, in dist/; dist-check: twice, the same bytes'
	@echo 'make install uninstall    PREFIX, DESTDIR, BINDIR, MANDIR, BASHCOMPDIR'
	@echo 'make clean                removes build/ and dist/ (what was fetched is in ~/.cache/bperf-mini)'
