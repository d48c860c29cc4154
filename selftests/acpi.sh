#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a machine with ACPI the module cannot read which extensions a hart has. It
# finds Ssctr by trying. Run as root with ssctr loaded.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./doctor.sh
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

t the_unit_tries_what_only_the_module_can_tell unit_loads
t the_doctor_finds_nothing_missing doctor_finds
t the_doctor_says_so_as_json doctor_json true

# The tables are root's to read, and so is the module's state.
as_nobody() {
	LC_ALL=C busybox su nobody -c 'ssctr doctor' >"$data"
	status=$?
	cat "$data"
	[ $status = 1 ] && doctor_says harts 'the module has found harts with records' &&
		doctor_says filters '-> run ssctr doctor as root' &&
		doctor_says access 'perf_event_paranoid is 3' &&
		doctor_says record 'is limited"; see access'
}
t the_doctor_tells_a_user_what_he_lacks as_nobody

allowed() {
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	LC_ALL=C busybox su nobody -c 'ssctr doctor' >"$data"
	status=$?
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	cat "$data"
	[ $status = 0 ] && doctor_says record 'perf record -b records user code' &&
		! doctor_says record kernel
}
t the_doctor_tells_a_user_what_he_may allowed

kernel_lives() {
	! dmesg | grep -E 'WARNING:|BUG:|Oops|Call Trace|Unable to handle'
}
t the_kernel_lives kernel_lives
rm -f "$data"
plan
