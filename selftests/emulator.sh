#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Does QEMU still do what harts do not? emulator.sh FOLDER, in which the programs for the
# bare machine are.
cd "$(dirname "$0")/.." || exit
. selftests/ktap.sh
programs=$1

# bare NAME ARGUMENT...: runs the program; it says $wanted, and nothing else.
bare() {
	program=$programs/$1
	shift
	said=$(qemu/on-host timeout 600 qemu-system-riscv64 -M virt "$@" -nographic \
		-monitor none -serial stdio -bios "$program" </dev/null)
	echo "$said"
	[ "$said" = "$wanted" ]
}

# The same of a race, which two threads lose only while both have a processor.
sometime() {
	[ "$(nproc)" != 1 ] || {
		t_skip 'there is one processor'
		return
	}
	for _ in $(seq 60); do
		! bare "$@" || return 0
	done
	return 1
}

# docs/qemu-overflow.md: without it, limit_count_period() in driver/ctr_pmu.c can go.
wanted='sample: interrupt after 1 period
count
sample: no interrupt
sample: interrupt after 1 period'
t an_overflow_is_lost_after_an_event_that_counts \
	bare overflow_lost -cpu rv64,sscofpmf=on -icount shift=0

# docs/qemu-patching.md: without it, hold_code() in qemu/guest/init can go.
wanted='old code'
t a_hart_goes_on_with_code_that_another_has_patched \
	sometime stale_code -smp 2 -accel tcg,thread=multi
wanted='new code'
t harts_of_one_thread_do_not bare stale_code -smp 2 -accel tcg,thread=single
plan
