# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists what can be made.

VERSION := 0.1
B := build
Q := $(if $(V),,@)
KERNELS := 6.12 7.x

all: tools perf-plugin

# The compiler of this system where it has one and the libraries; else the one
# that qemu/vm fetches.
has_libs := $(shell printf '\043include <%s>\n' libelf.h elfutils/libdw.h zstd.h traceevent/event-parse.h | \
	sed '$$a int main(void){return 0;}' | \
	$(CC) -x c - -ldw -lelf -lzstd -ltraceevent -o /dev/null 2>/dev/null && echo yes)
ifneq ($(if $(has_libs),$(SSCTR_TARGET),yes),)
ON_HOST := qemu/on-host
TOOLCHAIN := machine
endif

include qemu/build.mk
include tools/build.mk
include packaging/build.mk
include driver/build.mk
include selftests/build.mk
include perf-plugin/build.mk

# The whole way once: boot, load, record, convert, look.
demo: tools $(KERNELS:%=driver-%)
	@qemu/demo

DEMO_LOGS := $(KERNELS:%=$B/logs/demo-%.tap)
$(DEMO_LOGS): $B/logs/demo-%.tap: tools driver-% $B/tests/judge/trace_check FORCE
	@tools/tests/suite run $@ selftests/demo.sh $* '$(ON_HOST)'

# The tests that need no guest.
check: $(HOST_LOGS)
	@tools/tests/suite sum $(HOST_LOGS)

# All tests, in the guests too.
test: $(HOST_LOGS) $(FUZZ_LOGS) $(LINT_LOGS) $(DEB_LOGS) $(GUEST_LOGS) $(TRUTH_LOGS) $(PERF_LOGS) \
		$(PROFILE_LOGS) $(PLUGIN_LOGS) $(RECORDER_LOGS) $(REFUSE_LOGS) $(MIXED_LOGS) $(ACPI_LOGS) $(WORDS_LOGS) $(DEMO_LOGS) $(VM_LOGS)
	@tools/tests/suite sum $^

# What is shown, held against what the machine executed.
truth: $(TRUTH_LOGS)
	@tools/tests/suite sum $^

# The self-tests on kernels of our own that look for faults: an hour the first time.
test-debug: $(DEBUG_LOGS)
	@tools/tests/suite sum $^

clean:
	rm -rf $B

help:
	@echo 'demo       boot, record a real program, convert, look: the whole way once'
	@echo 'all        the ssctr command, libstf and the plug-ins of perf'
	@echo 'tools-riscv64 the ssctr command for the guest (build/riscv64)'
	@echo 'driver     the module, for both stock kernels'
	@echo 'perf-plugin plug-ins of perf script, and of libtraceevent'
	@echo 'perf-plugin-riscv64 the same for the machine that records'
	@echo 'test       all tests, in guests with both kernels'
	@echo 'test-debug the tests of the guest on kernels that look for faults (long)'
	@echo 'test-dkms  DKMS in guests with a compiler of their own (long)'
	@echo 'test-user  what the README says, on a Debian with systemd (long; as root)'
	@echo 'test-tree  the module in a kernel'"'"'s tree, built in and as a module (long)'
	@echo 'truth      of them, those that hold samples and traces against QEMU'"'"'s own log'
	@echo 'check      the tests that need no guest'
	@echo 'test-browser the page of ssctr report in Chromium'
	@echo 'pgo        make a real program faster by its branches, with GCC and clang'
	@echo 'blocks     hold block counts from samples against exact ones'
	@echo 'bench-driver what the module costs, in instructions'
	@echo 'bench      how fast libstf and ssctr profile are, beside their peers'
	@echo 'mutants    break the product in many places and see whether the tests fail (long)'
	@echo 'fuzz       fuzz the readers of traces, recordings and CSVs, each for FUZZ_SECONDS (600)'
	@echo 'deb        Debian packages, in build/deb; deb-riscv64 for a RISC-V machine'
	@echo 'install    the command, libstf and the plug-ins, to PREFIX (/usr/local), under DESTDIR'
	@echo 'install-dkms the module'"'"'s sources, for DKMS, and what loads it at boot'
	@echo 'uninstall  remove what install put there'
	@echo 'machine    fetch what the guests are made of (qemu/vm setup)'
	@echo 'clean      remove what was built; the cache stays'

.PHONY: all demo check test truth test-debug clean help FORCE
.DELETE_ON_ERROR:
