# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists what can be made.

VERSION := 0.1
B := build
Q := $(if $(V),,@)
KERNELS := 6.12 7.x
BEGIN := $(shell date +%s)
# What qemu/vm fetched, and has compiled.
CACHE := $(shell qemu/vm path cache 2>/dev/null)

# cd of the scripts would print a folder, or go to another.
unexport CDPATH

# In recipes each of these is one word, also in those that remove.
$(foreach name,B DESTDIR PREFIX LIBDIR PYTHONDIR,$(if $(word 2,[$($(name))]),\
	$(error $(name)="$($(name))": the path of this folder must not have blanks)))
# What is installed contains these paths, and is used from other folders.
$(foreach name,PREFIX LIBDIR PYTHONDIR,$(if $(filter-out /%,$($(name))),\
	$(error $(name)=$($(name)): the path of this folder must be absolute)))

# Where -j does not say how many, one recipe more at once than there are processors:
# tests wait now and then.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell expr $$(nproc) + 1)
endif

all: tools perf-plugin

# The compiler of this system where it has one and the libraries; else the one
# that qemu/vm fetches, which there is for amd64 alone.
PACKAGES := gcc libc6-dev libelf-dev libdw-dev libzstd-dev libtraceevent-dev
host_arch := $(shell dpkg --print-architecture 2>/dev/null)
has_libs := $(shell printf '\043include <%s>\n' libelf.h elfutils/libdw.h zstd.h traceevent/event-parse.h | \
	sed '$$a int main(void){return 0;}' | \
	$(CC) -x c - -ldw -lelf -lzstd -ltraceevent -o /dev/null 2>/dev/null && echo yes)
# INSIDE is for the make of its root folder, which finds all there.
INSIDE :=
ifneq ($(if $(INSIDE),,$(if $(has_libs),$(SSCTR_TARGET),yes)),)
ON_HOST := qemu/on-host
TOOLCHAIN := $(if $(or $(SSCTR_TARGET),$(filter amd64,$(host_arch))),machine,no-compiler)
endif
# Whether it is that compiler that compiles.
BY_MACHINE := $(ON_HOST)$(INSIDE)
.PHONY: no-compiler
no-compiler:
	@echo 'what ssctr is built with is not all here; on Debian: apt install $(PACKAGES)' >&2
	@exit 1

# What one of them compiled is compiled anew for the other, and so it is where the version or
# the sanitizers' flags are others. make run by a test is told.
SSCTR_BUILT_BY ?= $(if $(BY_MACHINE),machine,system)
export SSCTR_BUILT_BY
$B/built-by: now = $(SSCTR_BUILT_BY) $(VERSION) $(BUILT_WITH)
# What is linked of the objects of a list is linked anew where the list is another one: an
# object that was there before is older than what it comes into.
$B/linked: now = $(STF_SRC) $(LIB_SRC) $(LIBPERF_OBJ) $(CMD_SRC)
$B/built-by $B/linked: FORCE
	@mkdir -p $(@D)
	@echo '$(now)' | cmp -s - $@ || echo '$(now)' >$@

# Tests run beside the programs that they compare with and check by: this system's
# where it has all of them, else those that qemu/vm fetches.
TEST_TOOLS := cbmc clang dh_dkms dh_python3 lintian llvm-profdata-19 mandoc perf pkg-config pprof protoc reuse spin zstd
has_tools := $(shell for tool in $(TEST_TOOLS); do command -v $$tool || exit; done >/dev/null && \
	python3 -c 'import google.protobuf, numpy' 2>/dev/null && echo yes)
ifneq ($(if $(ON_HOST),,$(has_tools)),yes)
ifeq ($(host_arch),amd64)
# Asked for once, by the first that needs them.
checkers = $(eval checkers := $$(shell qemu/vm checkers))$(checkers)
ON_CHECK = qemu/on-host --root "$(checkers)"
endif
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
	@tools/tests/suite run $@ selftests/demo.sh $*

# The tests stand in three tiers; CONTRIBUTING.md tells what is in which. What takes
# longest comes first, so that no processor has nothing to do in the end.
logs = $(1:%=$B/logs/%.tap)
TEST_LOGS := $(call logs,guest-7.x-2 guest-6.12-2 trace-7.x truth-7.x \
	recorder-7.x collect-6.12 due-6.12 traps-7.x plugin-7.x profile-6.12 joined-7.x mixed-7.x \
	vm-run emulator demo-7.x last-7.x oops-7.x lint) \
	$(PROVE_LOGS) $(HOST_LOGS)
LONG_LOGS := $(GUEST_LOGS) $(TRUTH_LOGS) $(PERF_LOGS) $(BPF_LOGS) $(PROFILE_LOGS) $(PLUGIN_LOGS) \
	$(RECORDER_LOGS) $(COLLECT_LOGS) $(COLLECT_COST_LOGS) $(VARIANTS_LOGS) $(REFUSE_LOGS) $(MIXED_LOGS) $(ACPI_LOGS) $(DUE_LOGS) \
	$(KVM_LOGS) $(KVM_LINUX_LOGS) $(WORDS_LOGS) $(DEMO_LOGS) $(VM_LOGS) $(LINT_LOGS) $(DEB_LOGS) $(FUZZ_LOGS) \
	$(CLUSTER_LOGS) \
	$(RULE_LOGS) $(PROVE_LOGS) $(HOST_LOGS)
ALL_LOGS := $(USER_LOGS) $(DEBUG_LOGS) $(TREE_LOGS) $(DKMS_LOGS) $(BARE_LOGS) \
	$(BARE_TEST_LOGS) $(MANY_LOGS) $(RULE_ALL_LOGS) $(SEED_LOGS) $(THREAD_LOGS) $(LONG_LOGS)

# Without a guest.
check: $(HOST_LOGS)
# A little of everything, in guests too.
test: $(TEST_LOGS)
# Much of everything, on more machines; and on those that take long to make, too.
test-long: $(LONG_LOGS)
test-all: $(ALL_LOGS)
# The command looks for leaks in them, which takes as long as all else.
test-long test-all: export ASAN_OPTIONS := detect_leaks=1
# What is shown, held against what the machine executed.
truth: $(TRUTH_LOGS)
# The tests that draw at random, with many seeds.
seeds: $(SEED_LOGS)
# The self-tests on kernels of our own that look for faults: an hour the first time.
test-debug: $(DEBUG_LOGS)

# What is only run by hand is compiled all the same.
BY_HAND := $(addprefix $B/,tests/judge/block_check tests/judge/exact_profile tests/judge/phases_check bench/stf_bench bench/prof_bench bench/prof_gen)
check test test-long: | $(BY_HAND)

check test test-long test-all truth seeds test-debug:
	@tools/tests/suite sum $(BEGIN) $^

clean:
	rm -rf $B

help:
	@echo 'Usage: make TARGET'
	@echo
	@echo 'Try it:'
	@echo '  demo                 boot a guest, record a real program, show reports and a trace'
	@echo 'Build:'
	@echo '  all                  the ssctr command, libstf and the plug-ins of perf'
	@echo '  tools-riscv64        the ssctr command for the guest, in build/riscv64'
	@echo '  driver               the module, for both stock kernels'
	@echo '  perf-plugin          the plug-ins of perf script and of libtraceevent'
	@echo '  perf-plugin-riscv64  the same plug-ins for the machine that records'
	@echo '  deb, deb-riscv64     the Debian packages for this or for a RISC-V machine, in build/deb'
	@echo 'Install (settings: PREFIX, which is /usr/local, and DESTDIR):'
	@echo '  install              the command, libstf, its Python module, the plug-ins and the documentation'
	@echo '  install-dkms         the sources of the module for DKMS, and the unit that loads it at boot'
	@echo '  uninstall            remove what install installed'
	@echo '  uninstall-dkms       remove what install-dkms installed'
	@echo 'Test (the times are for two processors):'
	@echo '  check                the tests that need no guest: 8 minutes'
	@echo '  test                 a part of all tests, in guests with both kernels: 15 minutes'
	@echo '  test-long            most tests, on more machines: some hours'
	@echo '  test-all             all tests: a night'
	@echo '  truth                the tests that compare samples and traces with the log of QEMU'
	@echo '  test-debug           the self-tests on kernels that look for faults: long'
	@echo '  test-next            the same on the newest kernel of Debian'"'"'s experimental: long'
	@echo '  test-cluster         jobs of Slurm that record, and a node that dies: five minutes'
	@echo '  test-dkms            DKMS in guests that have a compiler: long'
	@echo '  test-user            the commands of the README, on a Debian with systemd: long, as root'
	@echo '  test-tree            the module in the tree of a kernel, built in and as a module: long'
	@echo '  test-bare            demo, check and test on a bare Debian 12 and 13: long, as root'
	@echo '  test-browser         the pages of ssctr report and ssctr diff, in Chromium'
	@echo '  fuzz                 fuzz the readers of traces, recordings, CSVs and counts, each for FUZZ_SECONDS (600)'
	@echo '  seeds                the tests that draw at random, each with SEEDS (200) seeds: an hour'
	@echo '  mutants              make faults in many places, and print those that no test notices: long'
	@echo '  same                 compare the command with another build: OLD=FOLDER or OLD=SSCTR'
	@echo 'Measure:'
	@echo '  pgo                  how much faster a real program becomes with a profile, by GCC and clang'
	@echo '  league               the same for ten programs: hours'
	@echo '  fleet                the same by what ssctr collect counted on three machines: long'
	@echo '  kernel-pgo           how much faster a kernel becomes with a profile, by clang: long'
	@echo '  blocks               how right the block counts from samples are'
	@echo '  estimates            how right estimates from windows of six programs are'
	@echo '  bench-driver         how many instructions the module costs'
	@echo '  bench                how fast libstf and ssctr profile are, compared with other tools'
	@echo 'Clean up:'
	@echo '  machine              download what the guests consist of (qemu/vm setup)'
	@echo '  clean                remove what was built, but not the cache'
	@echo '  machine-clean        remove the cache, which has what the guests consist of'

.PHONY: all demo check test test-long test-all truth seeds test-debug clean help FORCE
.DELETE_ON_ERROR:
