# SPDX-License-Identifier: GPL-2.0-only
# Tests that run in the guest, against the module: static riscv64 programs,
# shell scripts, and a module that plays the bad neighbour.

GUEST_CC := riscv64-linux-gnu-gcc-14
GUEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE \
	-static -Itools/tests -Iselftests
SELFTESTS := branch isolation
SELFTEST_LIB := selftests/sampler.c selftests/work.c tools/tests/test.c

# The program whose recordings are held against what the machine executed.
$B/selftests/truth: selftests/truth.c selftests/truth_shapes.c selftests/truth.h \
		selftests/truth_shapes.h selftests/sampler.c selftests/sampler.h \
		tools/tests/test.c tools/tests/test.h qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c,$^)

$B/selftests/cost: selftests/cost.c selftests/sampler.c selftests/sampler.h \
		qemu/plugin/mark.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -Iqemu/plugin -o $@ $(filter %.c,$^)

$B/selftests/%: selftests/%.c $(SELFTEST_LIB) $(wildcard selftests/*.h) \
		tools/tests/test.h | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host $(GUEST_CC) $(GUEST_CFLAGS) -o $@ $< $(SELFTEST_LIB)

.PHONY: selftests $(KERNELS:%=neighbour-%)
selftests: $(SELFTESTS:%=$B/selftests/%) $(KERNELS:%=neighbour-%)
$(KERNELS:%=neighbour-%): neighbour-%: machine
	$(Q)qemu/kbuild $* selftests/kmod $B/selftests/kmod

LINT_LOGS := $B/logs/lint.tap
$(LINT_LOGS): machine FORCE
	@tools/tests/suite run $@ selftests/lint.sh $(KERNELS)

# Everything below boots a guest. `release` is the kernel's, for the shell.
in_guest = release=$$(qemu/vm path release --kernel $1) && \
	tools/tests/suite run $@ qemu/vm run --kernel $1 --timeout 400 \
	--put selftests:/t --put $B/selftests:/t \
	--put $B/driver/$$release/ssctr.ko:/t/ssctr.ko

GUEST_LOGS := $(KERNELS:%=$B/logs/guest-%.tap)
$(GUEST_LOGS): $B/logs/guest-%.tap: driver-% selftests FORCE
	@$(call in_guest,$*) -- /t/all.sh /t/ssctr.ko /t/kmod/$$release/ssctr_test.ko

# perf's own tests, with the perf of the same sources. They print all that they
# record, which takes long with deep stacks.
PERF_LOGS := $(KERNELS:%=$B/logs/perf-%.tap)
$(PERF_LOGS): $B/logs/perf-%.tap: driver-% FORCE
	@perf=$$(qemu/vm perf $*) && $(call in_guest,$*) --put $$perf:/perf \
		--timeout 900 --module-args depth=32 -- /t/perf.sh /perf test_brstack record_lbr

# A machine in which hart 1 has no Ssctr: its firmware grants no access to it.
# Another that boots by UEFI with ACPI, where only the probe can tell.
HARTS_LOGS := $(KERNELS:%=$B/logs/harts-%.tap)
$(HARTS_LOGS): $B/logs/harts-%.tap: driver-% selftests FORCE
	@$(call in_guest,$*) --plain-hart 1 --cpu $(PLAIN_CPU) -- /t/some-harts.sh
PLAIN_CPU := rv64,smcsrind=on,sscsrind=on,v=off,smctr=on,ssctr=on,sscofpmf=on,smstateen=on

ACPI_LOGS := $(KERNELS:%=$B/logs/acpi-%.tap)
$(ACPI_LOGS): $B/logs/acpi-%.tap: driver-% selftests FORCE
	@$(call in_guest,$*) --acpi -- /t/acpi.sh

# The self-tests on kernels that look for faults, built first if need be.
DEBUG_KERNELS := $(KERNELS:%=%-debug) $(KERNELS:%=%-kcsan)
DEBUG_LOGS := $(DEBUG_KERNELS:%=$B/logs/debug-%.tap)
$(DEBUG_LOGS): $B/logs/debug-%.tap: selftests FORCE
	@qemu/vm kernel $* >/dev/null
	@qemu/kbuild $* driver $B/driver $(KBUILD_ARGS)
	@qemu/kbuild $* selftests/kmod $B/selftests/kmod
	@$(call in_guest,$*) --module $B/driver/$$release/ssctr.ko --mem 4G \
		--timeout 3600 --dmesg $B/logs/debug-$*.dmesg -- /t/debug.sh \
		$(lastword $(subst -, ,$*)) /t/ssctr.ko /t/kmod/$$release/ssctr_test.ko

# Machines that cannot record: refuse NAME, VM OPTIONS, KERNEL, REASON[, no-samples]
REFUSE_LOGS :=
define refuse
REFUSE_LOGS += $B/logs/refuse-$1-$3.tap
$B/logs/refuse-$1-$3.tap: driver-$3 selftests FORCE
	@$$(call in_guest,$3) --no-module $2 -- /t/refuse.sh /t/ssctr.ko '$4' $5
endef
CPU := rv64,smcsrind=on,sscsrind=on,v=off
define refusals
$(eval $(call refuse,firmware,--firmware 1.6 --cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=on$(comma)smstateen=on,$1,firmware does not grant access,))
$(eval $(call refuse,extension,--cpu $(CPU)$(comma)sscofpmf=on,$1,no hart has Ssctr,))
$(eval $(call refuse,overflow,--cpu $(CPU)$(comma)smctr=on$(comma)ssctr=on$(comma)sscofpmf=off,$1,no counter-overflow interrupt,no-samples))
$(eval $(call refuse,pmu,--append initcall_blacklist=pmu_sbi_devinit$(comma)riscv_pmu_legacy_devinit,$1,no PMU named cpu,no-samples))
endef
comma := ,
$(foreach kernel,$(KERNELS),$(call refusals,$(kernel)))

# TRUTH_SAMPLES=N for more or fewer than 10000.
TRUTH_LOGS := $(KERNELS:%=$B/logs/truth-%.tap)
$(TRUTH_LOGS): $B/logs/truth-%.tap: driver-% $B/selftests/truth \
		$B/plugin/transfers.so $B/tests/judge/truth_check FORCE
	@tools/tests/suite run $@ selftests/truth.sh $* '$(ON_HOST)'

# What the module costs, counted: tables for docs/driver-cost.md.
.PHONY: bench-driver $(KERNELS:%=bench-driver-%)
bench-driver: $(KERNELS:%=bench-driver-%)
$(KERNELS:%=bench-driver-%): bench-driver-%: driver-% $B/selftests/cost $B/plugin/cost.so
	@selftests/cost.sh $*
