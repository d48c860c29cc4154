#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A system in which only some harts have Ssctr. Run as root where the module is
# loaded on such a one.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
. ./doctor.sh

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

# shown_on CPU CONDITION: what was done on other CPUs on the way does not count.
shown_on() {
	perf script -i "$data" -F cpu,brstack | awk -v cpu="$1" '
		substr($1, 2) + 0 == cpu { all++; full += NF > 1 }
		END { print full + 0, "of", all + 0; exit !(all >= 10 && '"$2"') }'
}
full_on() { shown_on "$1" 'full >= all * 0.9'; }
empty_on() { shown_on "$1" 'full == 0'; }

# By a rate an emulated hart of a busy machine takes few samples (ktap.sh): hence -c.
served() {
	perf record -q -b --per-thread --sample-cpu -e cycles:u -c 500000 -o "$data" -- \
		taskset -c "$1" busybox sha256sum /usr/bin/perf >/dev/null
}
full_with() { served "$with" && full_on "$with"; }
t a_task_is_served_where_there_are_records full_with

# Not refused: the task may go elsewhere. Its samples show nothing.
empty_without() { served "$without" && empty_on "$without"; }
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
unless_few a_task_that_goes_to_and_fro_does_no_harm to_and_fro

# perf opens a program's event once for each CPU, also for those without records.
served_by() {
	cpu=$1
	shift
	taskset -c "$cpu" perf record -q --sample-cpu -c 500000 -o "$data" "$@" -- \
		busybox sha256sum /usr/bin/perf >/dev/null &&
		[ "$(perf script -i "$data" -F event | grep -c :)" -ge 20 ]
}
full_program() { served_by "$with" -b -e cycles:u && full_on "$with"; }
unless_few a_program_is_recorded_as_on_any_system full_program
empty_program() { served_by "$without" -b -e cycles:u && empty_on "$without"; }
unless_few a_program_has_empty_stacks_where_there_are_no_records empty_program

# perf asks for hw_idx with stacks of calls, and can read no sample that lacks it.
calls() { served_by "$without" --call-graph lbr -e cycles:u && empty_on "$without"; }
unless_few samples_without_records_can_be_read_by_those_who_want_stacks_of_calls calls

plain() { served_by "$without" -e cycles:u; }
unless_few plain_sampling_is_served_without_records plain

come_and_go() {
	for _ in 1 2 3; do
		echo 0 >"/sys/devices/system/cpu/cpu$without/online" || return
		perf record -q -b -C "$with" -o "$data" -- true || return
		echo 1 >"/sys/devices/system/cpu/cpu$without/online" || return
	done
	[ "$(splats)" = 0 ]
}
t a_hart_without_records_can_come_and_go come_and_go

told() {
	doctor_finds harts=note && doctor_says harts "empty stacks on CPU $without" &&
		doctor_says depth "none on CPU $without" && ! doctor_says record '-a'
}
t the_doctor_tells_the_harts_apart told
refused_whole() {
	fails_with 'one of the CPUs, does not record branches' \
		ssctr collect -d "$(mktemp -d)" --once && doctor_says harts 'ssctr collect needs'
}
t what_records_all_harts_says_where_to_look refused_whole
unless_few the_unit_loads_where_one_hart_records unit_loads
rm -f "$data"
plan
