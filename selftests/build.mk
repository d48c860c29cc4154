# SPDX-License-Identifier: GPL-2.0-only
# Tests that run in the guest, against the module: the kernel's self-tests, built
# by their own Makefile, and a module that plays the bad neighbour.

KSELFTEST = $$(qemu/vm source 6.12)/tools/testing/selftests

.PHONY: selftests selftest-programs $(KERNELS:%=neighbour-%)
selftests: selftest-programs $(KERNELS:%=neighbour-%)
selftest-programs: machine
	@mkdir -p $B/selftests
	$(Q)kselftest=$(KSELFTEST) && unset MAKEFLAGS && qemu/on-host make -s -C selftests \
		KSELFTEST="$$kselftest" OUTPUT="$(abspath $B/selftests)" \
		ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- \
		USERCFLAGS=-Werror USERLDFLAGS=-static all
$(KERNELS:%=neighbour-%): neighbour-%: machine
	$(Q)qemu/kbuild $* selftests/kmod $B/selftests/kmod

# The program whose recordings are held against what the machine executed.
GUEST_CC := riscv64-linux-gnu-gcc-14
GUEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE \
	-static -Itools/tests -Iselftests
$B/selftests/truth: selftests/truth.c selftests/truth_shapes.c selftests/truth.h \
		selftests/truth_shapes.h selftests/sampler.c selftests/sampler.h \
		tools/tests/test.c tools/tests/test.h qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c,$^)

$B/selftests/cost: selftests/cost.c selftests/sampler.c selftests/sampler.h \
		qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c,$^)

LINT_LOGS := $B/logs/lint.tap
$(LINT_LOGS): $(KERNELS:%=driver-%) tools-riscv64 FORCE
	@tools/tests/suite run $@ selftests/lint.sh $B '$(MODULE_WARNINGS)' $(KERNELS)

# The model of the rule: what takes seconds, and all of it.
RULE_LOGS := $B/logs/rule.tap
$(RULE_LOGS): selftests/rule.sh driver/ctr_rule.pml FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< core
RULE_ALL_LOGS := $B/logs/rule-all.tap
$(RULE_ALL_LOGS): selftests/rule.sh driver/ctr_rule.pml FORCE
	@tools/tests/suite run $@ $(ON_CHECK) $< all

# Everything below boots a guest. `release` is the kernel's, for the shell. The time only ends
# a guest that hangs: it is some times what the slowest one took on a host that was busy.
in_guest = release=$$(qemu/vm path release --kernel $1) && \
	tools/tests/suite run $@ qemu/vm run --kernel $1 --timeout 1800 \
	--put selftests:/t --put $B/selftests:/t \
	--put $B/riscv64/bin/ssctr:/usr/bin/ssctr --put packaging/ssctr.service:/t/ \
	--put $B/driver/$$release/ssctr.ko:/t/ssctr.ko \
	--put $B/driver/$$release/ssctr_snapshot.ko:/t/ssctr_snapshot.ko \
	--put $B/selftests/kmod/$$release/ssctr_test.ko:/t/ssctr_test.ko

# How much of what they repeat. Kernels that look for faults take ten times as long.
FEW := SSCTR_RECORDS=5000 SSCTR_ROUNDS=2 SSCTR_OPENS=100
AMOUNTS := $(FEW) SSCTR_RELOADS=1 SSCTR_FEW=y
test-long test-all: AMOUNTS := SSCTR_RECORDS=20000 SSCTR_ROUNDS=5 SSCTR_OPENS=300
# Some are run with one kernel each.
LEFT_OUT_6.12 := bpf.sh callstack filter harts.sh record.sh storm turns
LEFT_OUT_7.x := before fields load.sh overflow state.sh switch
test-long test-all: LEFT_OUT_6.12 :=
test-long test-all: LEFT_OUT_7.x :=
# Of what is tried in many forms, some.
SOME := few
test-long test-all truth: SOME :=

# Machines that can record, guest-KERNEL-HARTS.
define guest
$B/logs/guest-$1-$2.tap: driver-$1 selftests tools-riscv64 FORCE
	@$$(call in_guest,$1) --smp $2 -- env $$(AMOUNTS) /t/all.sh $$(LEFT_OUT_$1)
endef
$(foreach kernel,$(KERNELS),$(foreach harts,1 2 4 16,$(eval $(call guest,$(kernel),$(harts)))))
MANY_LOGS := $(KERNELS:%=$B/logs/guest-%-16.tap)
GUEST_LOGS := $(foreach harts,2 4 1,$(KERNELS:%=$B/logs/guest-%-$(harts).tap))

# Each sample that is due is there, or what lacks is told.
DUE_LOGS := $(KERNELS:%=$B/logs/due-%.tap)
$(DUE_LOGS): $B/logs/due-%.tap: driver-% selftests tools tools-riscv64 $B/selftests/trace_work FORCE
	@tools/tests/suite run $@ selftests/due.sh $* $(SOME)

# ssctr record, beside perf.
RECORDER_LOGS := $(KERNELS:%=$B/logs/recorder-%.tap)
$(RECORDER_LOGS): $B/logs/recorder-%.tap: driver-% selftests tools-riscv64 FORCE
	@$(call in_guest,$*) --smp 2 -- /t/recorder.sh $(SOME)

# ssctr collect, while the machine changes under it.
COLLECT_LOGS := $(KERNELS:%=$B/logs/collect-%.tap)
$(COLLECT_LOGS): $B/logs/collect-%.tap: driver-% selftests tools-riscv64 $B/selftests/program FORCE
	@$(call in_guest,$*) --smp 2 --put $B/selftests/program:/t/program -- /t/collect.sh $(SOME)

# perf's own tests, with the perf of the same sources. They print all that they
# record, which takes long with deep stacks.
PERF_LOGS := $(KERNELS:%=$B/logs/perf-%.tap)
$(PERF_LOGS): $B/logs/perf-%.tap: driver-% tools-riscv64 FORCE
	@perf=$$(qemu/vm perf $*) && $(call in_guest,$*) --put $$perf:/perf \
		--icount --module-args depth=32 -- /t/perf.sh /perf test_brstack record_lbr

# The kernel's own tests of what BPF programs are given, of the same sources. One looks
# at the first sample on CPU 0 alone, whosever that is, and one allows few branches between
# a function and its program: both want a machine on which little else happens.
.PHONY: $(KERNELS:%=bpf-kernel-%)
$(KERNELS:%=bpf-kernel-%): bpf-kernel-%: machine
	$(Q)root=$$(qemu/vm checkers) && source=$$(qemu/vm source $*) && unset MAKEFLAGS && \
		qemu/on-host --root "$$root" make -s -j2 -f selftests/bpf-kernel.mk SOURCE="$$source" \
		HEADERS="$$(qemu/vm path headers --kernel $*)" \
		GUEST="$$(qemu/vm path guest --kernel $*)" \
		OUT="$(abspath $B)/bpf-kernel/$$(qemu/vm path release --kernel $*)"

BPF_LOGS := $(KERNELS:%=$B/logs/bpf-%.tap)
$(BPF_LOGS): $B/logs/bpf-%.tap: driver-% bpf-kernel-% selftests tools-riscv64 FORCE
	@$(call in_guest,$*) --icount \
		--put $B/bpf-kernel/$$release/test_progs:/bpf/test_progs \
		--put $B/bpf-kernel/$$release/bpf_testmod.ko:/bpf/bpf_testmod.ko \
		-- /t/bpf-kernel.sh /bpf

# A machine that boots by UEFI with ACPI, where only the probe can tell.
ACPI_LOGS := $(KERNELS:%=$B/logs/acpi-%.tap)
$(ACPI_LOGS): $B/logs/acpi-%.tap: driver-% selftests tools-riscv64 FORCE
	@$(call in_guest,$*) --acpi -- /t/acpi.sh

# A kernel of one's own, built first if need be, and the modules for it.
for_own_kernel = qemu/vm kernel $1 >/dev/null && \
	qemu/kbuild $1 driver $B/driver $(KBUILD_ARGS) && \
	qemu/kbuild $1 selftests/kmod $B/selftests/kmod

# The self-tests on kernels that look for faults.
DEBUG_KERNELS := $(KERNELS:%=%-debug) $(KERNELS:%=%-kcsan)
DEBUG_LOGS := $(DEBUG_KERNELS:%=$B/logs/debug-%.tap)
# The kernel that comes next, which may change in any way: in no tier. It is compared with
# plain-7.x, which has the same configuration.
PLAIN_LOGS := $(KERNELS:%=$B/logs/plain-%.tap) $B/logs/plain-next.tap
$(PLAIN_LOGS): $B/logs/plain-%.tap: selftests tools-riscv64 FORCE
	@$(call for_own_kernel,$*-plain)
	@$(call in_guest,$*-plain) --module $B/driver/$$release/ssctr.ko --smp 2 \
		--dmesg $B/logs/plain-$*.dmesg -- env $(FEW) SSCTR_RELOADS=1 /t/all.sh
NEXT_LOGS := $B/logs/plain-next.tap $B/logs/debug-next-debug.tap
.PHONY: test-next
test-next: $(NEXT_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
$(DEBUG_LOGS) $B/logs/debug-next-debug.tap: $B/logs/debug-%.tap: selftests tools-riscv64 FORCE
	@$(call for_own_kernel,$*)
	@$(call in_guest,$*) --module $B/driver/$$release/ssctr.ko --mem 4G \
		--timeout 14400 --dmesg $B/logs/debug-$*.dmesg -- env $(FEW) SSCTR_RELOADS=100 \
		/t/debug.sh $(lastword $(subst -, ,$*))

# The module without what Kconfig lets be left out.
VARIANTS_LOGS := $(KERNELS:%=$B/logs/variants-%.tap)
$(VARIANTS_LOGS): $B/logs/variants-%.tap: driver-% FORCE
	@tools/tests/suite run $@ selftests/variants.sh $*

# A host of KVM and its guest.
KVM_LOGS := $(KERNELS:%=$B/logs/kvm-%.tap)
$(KVM_LOGS): $B/logs/kvm-%.tap: driver-% selftests FORCE
	@tools/tests/suite run $@ selftests/kvm.sh $* $(SOME)

# KVM with the patches that let a Linux guest record.
$B/selftests/kvm_linux: selftests/kvm_linux.c | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -o $@ $<

KVM_LINUX_LOGS := $B/logs/kvm-linux-7.x.tap
$(KVM_LINUX_LOGS): driver-7.x selftests neighbour-7.x $B/selftests/kvm_linux $B/selftests/truth \
		$B/selftests/trace_work $B/plugin/transfers.so $B/tests/judge/truth_check \
		$B/tests/judge/truth_samples FORCE
	@tools/tests/suite run $@ selftests/kvm-linux.sh $B/kvm-linux

# Machines that cannot record: refuse NAME, VM OPTIONS, KERNEL, REASON, what the doctor
# finds missing [no-samples]
REFUSE_LOGS :=
define refuse
REFUSE_LOGS += $B/logs/refuse-$1-$3.tap
$B/logs/refuse-$1-$3.tap: driver-$3 selftests tools-riscv64 FORCE
	@$$(call in_guest,$3) --no-module $2 -- /t/refuse.sh /t/ssctr.ko '$4' $5
endef
CPU := rv64,smcsrind=on,sscsrind=on,v=off
define refusals
$(eval $(call refuse,firmware,--firmware 1.6 --cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=on$(comma)smstateen=on,$1,firmware does not grant access,firmware))
$(eval $(call refuse,extension,--cpu $(CPU)$(comma)sscofpmf=on,$1,no hart has Ssctr,harts))
$(eval $(call refuse,acpi,--acpi --cpu $(CPU)$(comma)sscofpmf=on,$1,either it has no Ssctr,harts))
$(eval $(call refuse,overflow,--cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=off,$1,no counter-overflow interrupt,overflow no-samples))
$(eval $(call refuse,pmu,--append initcall_blacklist=pmu_sbi_devinit$(comma)riscv_pmu_legacy_devinit,$1,no PMU named cpu,pmu no-samples))
endef
comma := ,
$(foreach kernel,$(KERNELS),$(call refusals,$(kernel)))
# Linux 7.x opens the event, and nothing counts it.
$(eval $(call refuse,counters,--cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=on$(comma)pmu-mask=0,6.12,counts neither cycles nor instructions,overflow no-samples))

# TRUTH_SAMPLES=N for another number of samples.
TRUTH_LOGS := $(KERNELS:%=$B/logs/truth-%.tap)
$(TRUTH_LOGS): $B/logs/truth-%.tap: driver-% $B/selftests/truth \
		$B/plugin/transfers.so $B/tests/judge/truth_check FORCE
	@tools/tests/suite run $@ selftests/truth.sh $* $(SOME)

# What QEMU does that harts do not, in programs for the bare machine.
BARE := $(addprefix $B/selftests/,overflow_lost stale_code)
$(BARE): $B/selftests/%: selftests/%.c | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host riscv64-linux-gnu-gcc-14 -std=gnu11 -O2 -Wall -Wextra -Werror \
		-ffreestanding -fno-stack-protector -nostdlib -static -no-pie -fno-pie \
		-mcmodel=medany -Wl,--build-id=none,-Ttext=0x80000000 -o $@ $<

VM_LOGS += $B/logs/emulator.tap
$B/logs/emulator.tap: $(BARE) FORCE
	@tools/tests/suite run $@ selftests/emulator.sh $B/selftests

VM_LOGS += $B/logs/patches-7.x.tap
$B/logs/patches-7.x.tap: driver-7.x selftests tools-riscv64 FORCE
	@$(call in_guest,7.x) --smp 2 -- /t/patches.sh

# What the module reads of the kernel's memory, as QEMU counts it.
$B/selftests/unread: selftests/unread.c selftests/sampler.c selftests/sampler.h \
		tools/tests/test.c tools/tests/test.h qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c,$^)

UNREAD_LOGS := $(KERNELS:%=$B/logs/unread-%.tap)
TRUTH_LOGS += $(UNREAD_LOGS)
$(UNREAD_LOGS): $B/logs/unread-%.tap: driver-% neighbour-% $B/selftests/unread \
		$B/plugin/reads.so FORCE
	@tools/tests/suite run $@ selftests/unread.sh $*

# The same for traces: programs that are executed, recorded and converted.
$B/selftests/traced: selftests/traced.S | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) -nostdlib -static -o $@ $<

$B/selftests/trace_work: selftests/trace_work.c selftests/zoo.S qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c %.S,$^)

# The machine has clang alone for C++, and of its library what programs load.
$B/selftests/trace_throw: selftests/trace_throw.cc | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host clang++ --target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d \
		-O2 -g -Wall -Wextra -Werror -fPIE -c -o $@.o $<
	$(Q)qemu/on-host $(GUEST_CC) -pie -o $@ $@.o -l:libstdc++.so.6

# Traced programs, and what holds their traces against the emulator's log.
JUDGED := $B/selftests/traced $B/selftests/trace_work $B/selftests/trace_throw \
	$B/plugin/transfers.so $B/tests/judge/path_check

TRACE_LOGS := $(KERNELS:%=$B/logs/trace-%.tap)
TRUTH_LOGS += $(TRACE_LOGS)
$(TRACE_LOGS): $B/logs/trace-%.tap: driver-% tools $(JUDGED) FORCE
	@tools/tests/suite run $@ selftests/trace.sh $*

# Programs that die.
$B/selftests/crash: selftests/crash.c qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(filter-out -static,$(GUEST_CFLAGS)) -Iqemu/plugin -O1 -o $@ $< -pthread
$B/selftests/crash-plain: $B/selftests/crash
	$(Q)qemu/on-host riscv64-linux-gnu-objcopy --strip-all $< $@
LAST_LOGS := $(KERNELS:%=$B/logs/last-%.tap)
TRUTH_LOGS += $(LAST_LOGS)
$(LAST_LOGS): $B/logs/last-%.tap: driver-% tools tools-riscv64 $(JUDGED) $B/tests/judge/last_check \
		$B/selftests/crash $B/selftests/crash-plain FORCE
	@tools/tests/suite run $@ selftests/last.sh $* $(SOME)

# A kernel that dies, and what it says of its branches.
OOPS_LOGS := $(KERNELS:%=$B/logs/oops-%.tap)
$(OOPS_LOGS): $B/logs/oops-%.tap: driver-% neighbour-% tools FORCE
	@tools/tests/suite run $@ selftests/oops.sh $* $(SOME)
TRUTH_LOGS += $(OOPS_LOGS)

# Two that count instructions. The kernel does not matter to what they test.
COUNTED_KERNEL := $(lastword $(KERNELS))
MODEL_LOGS := $B/logs/model-$(COUNTED_KERNEL).tap
TRUTH_LOGS += $(MODEL_LOGS)
$(MODEL_LOGS): $B/logs/model-%.tap: driver-% tools $B/selftests/traced \
		$B/selftests/trace_work $B/plugin/transfers.so \
		$B/tests/judge/log_csv $B/tests/judge/perfdata_dump FORCE
	@tools/tests/suite run $@ selftests/model.sh $* $(SOME)

# ssctr record and perf record, by what they cost and lose.
RECORDER_COST_LOGS := $B/logs/recorder-cost-$(COUNTED_KERNEL).tap
TRUTH_LOGS += $(RECORDER_COST_LOGS)
$(RECORDER_COST_LOGS): $B/logs/recorder-cost-%.tap: driver-% tools tools-riscv64 \
		$B/selftests/trace_work $B/selftests/trace_throw FORCE
	@tools/tests/suite run $@ selftests/recorder-cost.sh $*

# What ssctr collect costs.
COLLECT_COST_LOGS := $B/logs/collect-cost-$(COUNTED_KERNEL).tap
$(COLLECT_COST_LOGS): $B/logs/collect-cost-%.tap: driver-% tools-riscv64 $B/selftests/program FORCE
	@tools/tests/suite run $@ selftests/collect-cost.sh $*

# Samples that overlap, joined to one path.
JOINED_LOGS := $B/logs/joined-$(COUNTED_KERNEL).tap
TRUTH_LOGS += $(JOINED_LOGS)
$(JOINED_LOGS): $B/logs/joined-%.tap: driver-% tools $(JUDGED) FORCE
	@tools/tests/suite run $@ selftests/joined.sh $* $(SOME)

# Windows of a run.
WINDOWS_LOGS := $B/logs/windows-$(COUNTED_KERNEL).tap
TRUTH_LOGS += $(WINDOWS_LOGS)
$(WINDOWS_LOGS): $B/logs/windows-%.tap: driver-% tools tools-riscv64 $(JUDGED) \
		$B/tests/judge/windows_check FORCE
	@tools/tests/suite run $@ selftests/windows.sh $* $(SOME)

# The share of what ran that traces say they hold.
COVERAGE_LOGS := $(KERNELS:%=$B/logs/coverage-%.tap)
TRUTH_LOGS += $(COVERAGE_LOGS)
$(COVERAGE_LOGS): $B/logs/coverage-%.tap: driver-% tools tools-riscv64 $(JUDGED) FORCE
	@tools/tests/suite run $@ selftests/coverage.sh $*

# Page faults and signals between the branches.
TRAPS_LOGS := $(KERNELS:%=$B/logs/traps-%.tap)
TRUTH_LOGS += $(TRAPS_LOGS)
$(TRAPS_LOGS): $B/logs/traps-%.tap: driver-% tools tools-riscv64 $(JUDGED) FORCE
	@tools/tests/suite run $@ selftests/traps.sh $* $(SOME)

# What devices do to memory, held against the kernel's own words.
MASTERS_LOGS := $(KERNELS:%=$B/logs/masters-%.tap)
TRUTH_LOGS += $(MASTERS_LOGS)
$(MASTERS_LOGS): $B/logs/masters-%.tap: driver-% tools FORCE
	@tools/tests/suite run $@ selftests/masters.sh $*

# From a recording to programs that compilers build by its profile.
PROFILE_LOGS := $B/logs/profile-$(firstword $(KERNELS)).tap
$(PROFILE_LOGS): $B/logs/profile-%.tap: driver-% $B/bin/ssctr FORCE
	@tools/tests/suite run $@ selftests/profile.sh $*

# Real programs by their profiles, each trained on one input and judged on another,
# beside what rivals gain: PROGRAMS='lua gzip', COMPILERS='clang-19 gcc-14' and
# DEPTHS='16 32' choose. PGO_KERNEL=7.x records with the other kernel. pgo: one of them.
PGO_KERNEL := $(firstword $(KERNELS))
LEAGUE := $(basename $(notdir $(wildcard selftests/league/*.sh)))
PROGRAMS := $(LEAGUE)
.PHONY: league pgo $(LEAGUE:%=league-%)
league: $(PROGRAMS:%=league-%)
	@selftests/league.sh table $(PROGRAMS)
pgo: league-bzip2
	@selftests/league.sh table bzip2
$(LEAGUE:%=league-%): league-%: driver-$(PGO_KERNEL) $B/bin/ssctr $B/plugin/counts.so \
		$B/selftests/traced $B/tests/judge/exact_profile
	@selftests/league.sh run $(PGO_KERNEL) $*

# The same by what `ssctr collect` counted on three machines.
FLEET := bzip2 lua
.PHONY: fleet $(LEAGUE:%=fleet-%)
fleet: $(FLEET:%=fleet-%)
	@selftests/league.sh table $(FLEET)
$(LEAGUE:%=fleet-%): fleet-%: $(KERNELS:%=driver-%) $B/bin/ssctr tools-riscv64 \
		$B/plugin/counts.so $B/selftests/traced $B/selftests/trace_work
	@selftests/league.sh fleet $*

# A kernel by its own branches. Long: it builds three.
$B/selftests/kernel_work: selftests/kernel_work.c qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $<

.PHONY: kernel-pgo
kernel-pgo: machine selftests $B/bin/ssctr $B/plugin/counts.so $B/selftests/kernel_work \
		$B/tests/judge/block_check tools-riscv64
	@selftests/kernel-pgo.sh $(COUNTED_KERNEL)

# Counts from samples, held against what QEMU counted.
.PHONY: blocks
blocks: driver-$(PGO_KERNEL) $B/bin/ssctr $B/plugin/counts.so $B/selftests/traced \
		$B/selftests/trace_work $B/tests/judge/block_check
	@selftests/blocks.sh $(PGO_KERNEL)

# Estimates from windows of real programs, held against all that these executed.
.PHONY: estimates
estimates: driver-$(COUNTED_KERNEL) $B/bin/ssctr $B/plugin/transfers.so $B/selftests/traced \
		$B/selftests/trace_work $B/tests/judge/log_csv $B/tests/judge/phases_check
	@selftests/phases.sh $(COUNTED_KERNEL)

# What the module costs, counted: tables for docs/driver-cost.md.
.PHONY: bench-driver $(KERNELS:%=bench-driver-%)
bench-driver: $(KERNELS:%=bench-driver-%)
$(KERNELS:%=bench-driver-%): bench-driver-%: driver-% $B/selftests/cost $B/plugin/cost.so
	@selftests/cost.sh $*

# The commands of the documentation that are for a machine with the module. One of them
# takes a sample each hundred instructions, of a program that is short.
$B/selftests/program: selftests/profile_work.c | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -DROUNDS=20 -o $@ $<

WORDS_LOGS := $B/logs/words-$(COUNTED_KERNEL).tap $B/logs/words-machine.tap
$B/logs/words-$(COUNTED_KERNEL).tap: $B/logs/words-%.tap: driver-% selftests tools-riscv64 $B/selftests/program FORCE
	@$(call in_guest,$*) --icount --put $B/selftests/program:/words/program --put docs:/docs \
		--put README.md:/docs/ -- sh -c '/t/words.sh guest /words /docs/*.md /docs/man/*.[145]'

# Those that boot a machine, in a folder that has what this tree has.
$B/logs/words-machine.tap: $(KERNELS:%=driver-%) tools words-tree
	@tools/tests/suite run $@ selftests/words.sh machine $B/words-tree README.md docs/*.md
# Those of CONTRIBUTING.md. The one log that they make is not to be made twice at a time.
WORDS_LOGS += $B/logs/words-tree.tap
$B/logs/words-tree.tap: $B/logs/acpi-6.12.tap $B/tests/cmd-doctor $(KERNELS:%=driver-%) words-tree
	@tools/tests/suite run $@ selftests/words.sh machine $B/words-tree CONTRIBUTING.md
.PHONY: words-tree
words-tree:
	@rm -rf $B/words-tree
	@mkdir -p $B/words-tree
	@ln -s $(addprefix $(CURDIR)/,$(filter-out $B,$(wildcard *))) $(abspath $B) $B/words-tree/

# A cluster in the guest, whose nodes share its harts.
CLUSTER_LOGS := $B/logs/cluster-$(COUNTED_KERNEL).tap
.PHONY: test-cluster
test-cluster: $(CLUSTER_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
$(CLUSTER_LOGS): $B/logs/cluster-%.tap: driver-% neighbour-% selftests tools-riscv64 $B/selftests/program FORCE
	@root=$$(qemu/vm cluster) && $(call in_guest,$*) --put $$root/usr:/usr --put $$root/etc:/etc \
		--put packaging/cluster:/usr/bin --put $B/selftests/program:/words/program \
		--put docs/cluster.md:/docs/ -- /t/cluster.sh /words /docs/cluster.md

# A machine with two harts, of which one does not say that it has Ssctr, so that
# the firmware grants it no access either.
MIXED_LOGS := $(KERNELS:%=$B/logs/mixed-%.tap)
$(MIXED_LOGS): $B/logs/mixed-%.tap: driver-% selftests tools-riscv64 FORCE
	@$(call in_guest,$*) --smp 2 --cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=on$(comma)smstateen=on \
		--plain-hart 1 -- env $(AMOUNTS) /t/mixed.sh

# The README's commands on a Debian with systemd, and the module in a kernel's tree. Long.
USER_LOGS := $B/logs/user.tap
.PHONY: test-user test-tree
test-user: $(USER_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
$(USER_LOGS): machine FORCE
	@LIBPERF_SOURCE=$$(qemu/vm source 6.12) && export LIBPERF_SOURCE && \
		$(ON_CHECK) packaging/deb $B/deb riscv64
	@tools/tests/suite run $@ selftests/user.sh $B/user selftests/profile_work.c
TREE_LOGS := $B/logs/tree-$(COUNTED_KERNEL).tap
test-tree: $(TREE_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
$(TREE_LOGS): $B/logs/tree-%.tap: machine FORCE
	@tools/tests/suite run $@ selftests/tree.sh $* $B/tree-$*

# DKMS in the guest, with a compiler of its own. Long, and 8 GiB.
DKMS_LOGS := $(KERNELS:%=$B/logs/dkms-%.tap)
.PHONY: test-dkms
test-dkms: $(DKMS_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
$(DKMS_LOGS): $B/logs/dkms-%.tap: machine tools-riscv64 FORCE
	@rm -rf $B/dkms
	@$(MAKE) -s install-dkms DESTDIR=$B/dkms PREFIX=/usr
	@root=$$(qemu/vm builder $*) && tools/tests/suite run $@ qemu/vm run --kernel $* \
		--no-module --mem 8G --timeout 3600 --put selftests:/t \
		--put $B/riscv64/bin/ssctr:/usr/bin/ssctr --put $$root:/builder \
		--put $B/dkms/usr/src:/builder/usr/src -- /t/dkms.sh /builder $(VERSION)

# The README's commands on Debians with nothing but make and apt, as root.
BARE_RELEASES := bookworm trixie
BARE_LOGS := $(BARE_RELEASES:%=$B/logs/bare-%.tap)
$(BARE_LOGS): $B/logs/bare-%.tap: FORCE
	@tools/tests/suite run $@ selftests/bare.sh $* demo check

# All tests there. Very long.
BARE_TEST_LOGS := $(BARE_RELEASES:%=$B/logs/bare-test-%.tap)
$(BARE_TEST_LOGS): $B/logs/bare-test-%.tap: FORCE
	@tools/tests/suite run $@ selftests/bare.sh $* test

.PHONY: test-bare
test-bare: $(BARE_LOGS) $(BARE_TEST_LOGS)
	@tools/tests/suite sum $(BEGIN) $^
