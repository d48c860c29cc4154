# SPDX-License-Identifier: GPL-2.0-only
# The machine, its plug-ins, and its own tests.

# Everything that qemu/ brings: fetched once, kept in the cache.
.PHONY: machine machine-clean
machine:
	@qemu/vm setup
machine-clean:
	@qemu/vm clean

# QEMU runs from the machine's host folder, and so do its plug-ins.
$B/plugin/%.so: qemu/plugin/%.c qemu/plugin/hart.c tools/lib/riscv/rv_insn.c \
		$(wildcard qemu/plugin/*.h) | machine
	@mkdir -p $(@D)
	$(Q)qemu/on-host gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -shared -fPIC \
		-fvisibility=hidden -Itools/lib -o $@ $(filter %.c,$^)

VM_LOGS := $(patsubst %,$B/logs/vm-%.tap,setup run failures)
$(VM_LOGS): $B/logs/vm-%.tap: machine FORCE
	@tools/tests/suite run $@ qemu/tests/$*.sh $(SOME)
