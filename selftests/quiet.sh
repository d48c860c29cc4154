#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the kernel said of all that was done before, the last of the tests.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

quiet() {
	[ "$(splats)" = 0 ] || {
		kernel_log | grep -E -A 30 "$splat"
		return 1
	}
}
t the_kernel_does_not_complain quiet
plan
