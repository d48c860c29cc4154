# SPDX-License-Identifier: GPL-2.0-only
# The machine, and its own tests.

# Everything that qemu/ brings: fetched once, kept in the cache.
.PHONY: machine
machine:
	@qemu/vm setup

VM_LOGS := $(patsubst %,$B/logs/vm-%.tap,setup run failures)
$(VM_LOGS): $B/logs/vm-%.tap: machine FORCE
	@tools/tests/suite run $@ qemu/tests/$*.sh
