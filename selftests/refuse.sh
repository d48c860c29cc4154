#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a machine that cannot record, the module refuses with its reason, and perf
# goes on without it. Run in a guest with such a machine, the module not loaded:
#   refuse.sh SSCTR.ko 'TEXT OF THE REASON' [no-samples]
# With `no-samples`, counting is all that perf can do there.
cd "$(dirname "$0")" || exit
. ./ktap.sh
ko=$1
reason=$2
kind=${3-}
data=$(mktemp)

refused() {
	insmod "$ko" && return 1
	dmesg | grep 'ssctr: '
	[ "$(dmesg | grep -c 'ssctr: refused:')" = 1 ] &&
		dmesg | grep 'ssctr: refused:' | grep -q "$reason" &&
		! grep -q '^ssctr ' /proc/modules
}
t "the module is refused: $reason" refused

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

perf_refuses_b() { ! perf record -q -b -o "$data" -- true; }
t perf_with_b_is_refused perf_refuses_b
rm -f "$data"
plan
