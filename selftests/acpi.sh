#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a machine with ACPI the module cannot read which extensions a hart has. It
# finds Ssctr by trying. Run as root with ssctr loaded.
cd "$(dirname "$0")" || exit
. ./ktap.sh
data=$(mktemp)

t the_machine_has_acpi test -e /sys/firmware/acpi/tables/RHCT

finds_it() {
	dmesg | grep 'ssctr: '
	dmesg | grep -q "ssctr: branch records on $(nproc) of $(nproc) CPUs"
}
t every_hart_is_found_to_record finds_it

records() {
	t_record "$data" -b -e cycles:u &&
		perf script -i "$data" -F brstack | awk '
			NF { full++ }
			END { print full + 0, "of", NR; exit !(full >= NR * 0.99) }'
}
t perf_record_b_fills_the_stacks records

kernel_lives() {
	! dmesg | grep -E 'WARNING:|BUG:|Oops|Call Trace|Unable to handle'
}
t the_kernel_lives kernel_lives
rm -f "$data"
plan
