#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A system in which only some harts have Ssctr. Run as root where the module is
# loaded on such a one.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

# The first CPU that records, and the first that does not.
with= without=
for folder in /sys/devices/system/cpu/cpu[0-9]*; do
	cpu=${folder##*cpu}
	if perf record -q -b -e cycles:u -C "$cpu" -o "$data" -- true; then
		with=${with:-$cpu}
	else
		without=${without:-$cpu}
	fi
done >/dev/null 2>&1

some_record() {
	log_says "branch records on [0-9]* of $(nproc) CPUs"
	echo "with: $with, without: $without"
	[ "$with" ] && [ "$without" ]
}
t some_harts_record_and_some_do_not some_record

refused() {
	fails_with 'branch' perf record -b -e cycles:u -C "$without" -o "$data" -- true
}
t an_event_of_a_cpu_without_records_is_refused refused

samples_of() { perf script -i "$data" -F brstack | awk "$@"; }

served() {
	for _ in 1 2 3 4; do
		perf record -q -b --per-thread -e cycles:u -o "$data" -- \
			taskset -c "$1" busybox sha256sum /usr/bin/perf >/dev/null || return
		[ "$(samples_of 'END { print NR }')" -lt 20 ] || return 0
	done
	return 1
}
full_with() { served "$with" && stacks_are_full 0.9; }
t a_task_is_served_where_there_are_records full_with

# Not refused: the task may go elsewhere. Its samples show nothing.
empty_without() {
	served "$without" && samples_of 'NF { full++ } END { exit full > 2 }'
}
t a_task_has_empty_stacks_where_there_are_none empty_without

to_and_fro() {
	before=$(splats)
	perf record -q -b --per-thread -e cycles:u -o "$data" -- sh -c '
		busybox sha256sum /usr/bin/perf &
		for _ in $(seq 20); do
			taskset -pc '"$with"' $!
			busybox usleep 20000
			taskset -pc '"$without"' $!
			busybox usleep 20000
		done
		wait' >/dev/null 2>&1
	[ "$(splats)" = "$before" ]
}
t a_task_that_goes_to_and_fro_does_no_harm to_and_fro
rm -f "$data"
plan
