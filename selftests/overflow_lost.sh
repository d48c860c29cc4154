#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Does QEMU still lose an overflow (docs/qemu-overflow.md)? overflow_lost.sh PROGRAM
cd "$(dirname "$0")/.." || exit
. selftests/ktap.sh
program=$1
wanted='sample: interrupt after 1 period
count
sample: no interrupt
sample: interrupt after 1 period'

# If it does not any more, limit_count_period() in driver/ctr_pmu.c and that page can go.
loses_one() {
	said=$(qemu/on-host timeout 60 qemu-system-riscv64 -M virt -cpu rv64,sscofpmf=on \
		-icount shift=0 -nographic -monitor none -serial stdio -bios "$program" </dev/null)
	echo "$said"
	[ "$said" = "$wanted" ]
}
t an_overflow_is_lost_after_an_event_that_counts loses_one
plan
