# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists what can be made.

VERSION := 0.1
B := build
Q := $(if $(V),,@)
KERNELS := 6.12 7.x

all: tools

include tools/build.mk
include driver/build.mk
include selftests/build.mk

# Everything that qemu/ brings: fetched once, kept in the cache.
machine:
	@qemu/vm setup

# The tests that need no guest.
check: $(HOST_LOGS)
	@tools/tests/suite sum $(HOST_LOGS)

# All tests, in the guests too.
test: $(HOST_LOGS) $(GUEST_LOGS) $(REFUSE_LOGS)
	@tools/tests/suite sum $^

clean:
	rm -rf $B

help:
	@echo 'all        the ssctr command and libstf'
	@echo 'driver     the module, for both stock kernels'
	@echo 'test       all tests, in guests with both kernels'
	@echo 'check      the tests that need no guest'

.PHONY: all machine check test clean help FORCE
.DELETE_ON_ERROR:
