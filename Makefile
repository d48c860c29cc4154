# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists what can be made.

VERSION := 0.1
B := build
export SSCTR_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ssctr
Q := $(if $(V),,@)

all: tools

include tools/build.mk

# Host tests alone.
check: $(HOST_LOGS)
	@tools/tests/suite sum $(HOST_LOGS)

clean:
	rm -rf $B

help:
	@echo 'all        the ssctr command and libstf'
	@echo 'check      the tests that need no guest'

.PHONY: all check clean help FORCE
.DELETE_ON_ERROR:
