#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a machine that cannot record, the module refuses with its reason, and perf
# goes on without it. Run in a guest with such a machine, the module not loaded:
#   refuse.sh SSCTR.ko 'TEXT OF THE REASON' CHECK [no-samples]
# CHECK is what `ssctr doctor` finds missing. With `no-samples`, counting is all that
# perf can do there.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./doctor.sh
ko=$1
reason=$2
check=$3
kind=${4-}
data=$(mktemp)

# Without a hart that records nothing is known of its firmware.
finds() {
	firmware=
	[ "$check" != harts ] || firmware='firmware=?'
	# shellcheck disable=SC2086
	doctor_finds "$check=NO" $firmware 'module=NO' 'depth=?' 'filters=?' 'record=NO' &&
		doctor_says "$check" '-> use ' && doctor_says record "; see $check"
}
t "the doctor finds it before: $check" finds

# Only where the device tree has no Ssctr there is nothing to try.
tried_at_boot() {
	if [ "$check" = harts ] && [ ! -d /sys/firmware/acpi ]; then ! unit_loads; else unit_loads; fi
}
t the_unit_tries_where_a_hart_may_record tried_at_boot

refused() {
	insmod "$ko" && return 1
	# What the kernel says of any module that is not its own is no word of this one.
	said=$(dmesg | grep 'ssctr: ' | grep -v 'ssctr: \(module verification\|loading out\)')
	echo "$said"
	[ "$(echo "$said" | wc -l)" = 1 ] && echo "$said" | grep -q "ssctr: refused:.*$reason" &&
		! grep -q '^ssctr ' /proc/modules
}
t "the module is refused: $reason" refused

told() { finds && doctor_says module 'it refused: ' && doctor_says module "$reason"; }
t the_doctor_tells_what_the_module_said told
t the_doctor_says_so_as_json doctor_json false

kernel_lives() {
	[ "$(dmesg | grep -cE 'WARNING:|BUG:|Oops|Call Trace|Unable to handle')" = 0 ]
}
t the_kernel_lives kernel_lives

perf_works() {
	if [ "$kind" = no-samples ]; then
		perf stat -e page-faults true
	else
		t_record "$data"
	fi
}
t perf_without_b_works perf_works

# In the words that the doctor foretold.
perf_refuses_b() {
	words="PMU Hardware or event type doesn't support branch stack sampling"
	doctor_finds 'record=NO' >/dev/null
	doctor_says record "\"$words\"" || return
	said=$(LC_ALL=C perf record -q -b -o "$data" -- true 2>&1) && return 1
	echo "$said"
	case $said in *"$words"*) ;; *) return 1 ;; esac
}
t perf_with_b_is_refused perf_refuses_b
rm -f "$data"
plan
