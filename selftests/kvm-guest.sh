#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests of kvm.sh on one machine with the H extension, as root with ssctr loaded
# and kvm not.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

# The module learns of KVM while it records already.
comes_late() {
	perf record -q -b -a -c 10000000 -o "$data" -- \
		sh -c 'modprobe kvm && ./kvm -t a_guest_reads_no_record_of_its_host'
}
t kvm_that_comes_during_a_recording_is_noticed comes_late

# shown_no_guest: the recording of all CPUs has records, none of them of a guest.
shown_no_guest() {
	perf script -i "$data" -F brstack 2>/dev/null | awk '
		NF { full++ }
		/0x123456/ { guests++ }
		END { print full + 0, "of", NR, "with records,", guests + 0, "with a guest";
			exit !(full >= 50 && !guests) }'
}
by_perf() {
	perf record -q -b -a -c 100000 -o "$data" -- \
		./kvm -t a_guest_reads_no_record_of_its_host && shown_no_guest
}
t a_recording_of_all_cpus_shows_no_guest by_perf

# A hart that came back says that guests are to be recorded.
stays_off() {
	fails_with canceled insmod "$neighbour" act=idle &&
		./kvm -t a_host_is_shown_nothing_of_its_guest
}
t a_hart_that_lost_its_registers_records_no_guest stays_off

before=$(splats)
./kvm
status=$?

# 6.12's does so on harts with AIA.
warns_when_it_goes() {
	case $(uname -r) in
	6.12.*) grep -q _ssaia /proc/cpuinfo ;;
	*) false ;;
	esac
}
goes_and_comes() {
	! warns_when_it_goes ||
		t_skip "6.12's kvm warns when it goes from harts with AIA" || return
	perf record -q -b -a -c 10000000 -o "$data" -- rmmod kvm || return
	modprobe kvm && ./kvm -t a_guest_reads_no_record_of_its_host
}
t kvm_goes_and_comes goes_and_comes
kept() { rmmod ssctr && insmod "$ko" oops=64 && ./kvm -t a_guest_reads_no_record_of_its_host; }
t records_kept_for_an_oops_are_no_guest_s kept
no_splat() { [ "$(splats)" = "$before" ]; }
t no_warning_in_the_kernels_log no_splat
rm -f "$data"
plan && exit $status
