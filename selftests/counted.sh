#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A recording right after `perf stat` begins at once, and has each sample that is due.
# Run as root with ssctr loaded, on a machine whose counters count instructions: qemu/vm
# run --icount.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

program='busybox sha256sum /bin/busybox'
period=100000

# shellcheck disable=SC2086
count() { perf stat -x , -e instructions:u -- $program 2>&1 >/dev/null | cut -d , -f 1; }

# each_is_there ARGUMENT...: of perf record. The counter starts before the program does
# and stops after it, which is less than a period.
each_is_there() {
	due=$(($(count) / period))
	# shellcheck disable=SC2086
	perf record -q -m 4M -e instructions:u -c $period -o "$data" "$@" -- $program || return
	samples=$(perf script -i "$data" -F event | grep -c :)
	echo "$samples samples, $due due"
	[ "$due" -ge 100 ] && [ "$samples" -ge "$due" ] && [ "$samples" -le $((due + due / 20)) ]
}
for _ in 1 2; do
	t each_sample_of_a_program_is_there each_is_there
	t each_sample_of_a_program_has_branches each_is_there -b
	t each_sample_of_the_system_is_there each_is_there -a
	t each_sample_of_the_system_has_branches each_is_there -a -j any,u
	t each_sample_of_a_cpu_is_there each_is_there -C 0
done

# An event's count does not depend on what is recorded.
counts_stay() {
	before=$(count) && records_branches && after=$(count)
	echo "$before before, $after after"
	[ "$before" = "$after" ]
}
t counts_stay_as_they_are counts_stay
rm -f "$data"
plan
