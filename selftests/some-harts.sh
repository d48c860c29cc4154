#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a machine in which hart 0 has Ssctr and hart 1 has not: tasks are recorded
# where that is possible, and nobody comes to harm. Run as root with ssctr loaded.
cd "$(dirname "$0")" || exit
. ./ktap.sh
data=$(mktemp)

says_so() {
	dmesg | grep 'ssctr: '
	dmesg | grep -q 'ssctr: branch records on 1 of 2 CPUs'
}
t the_log_says_how_many_can_record says_so

# stacks CONDITION: an awk condition on `full` and `all`, the samples with records
# and all samples of the file; `of1` are those with records taken on hart 1.
stacks() {
	perf script -i "$data" -F cpu,brstack | awk '
		{ all++; if (NF > 1) { full++; if ($1 ~ /1/) of1++ } }
		END { print full + 0, "of", all + 0, "samples with records,", of1 + 0,
			"of them on hart 1"
		      exit !(all >= 20 && of1 == 0 && ('"$1"')) }'
}

# on HART ARGUMENT...: perf record of a program that stays on one hart.
on() {
	hart=$1
	shift
	for try in 1 2 3 4; do
		taskset -c "$hart" perf record -q --sample-cpu -o "$data" "$@" -- \
			busybox sha256sum /usr/bin/perf || return
		stacks 1 >/dev/null && return
	done
	echo 'too few samples'
	return 1
}

here() { on 0 -b -e cycles:u && stacks 'full >= all * 0.99'; }
t a_task_on_the_hart_that_has_it_is_recorded here

there() { on 1 -b -e cycles:u && stacks 'full == 0'; }
t a_task_on_the_hart_without_has_empty_stacks there

plain() { on 1 -e cycles:u && [ "$(perf script -i "$data" -F ip | grep -c .)" -ge 20 ]; }
t plain_sampling_works_on_the_hart_without plain

kernel_too() { on 1 -b && stacks 'full == 0'; }
t kernel_code_on_the_hart_without_has_empty_stacks kernel_too

its_cpu() { perf record -q -b -C 0 --sample-cpu -o "$data" -- taskset -c 0 busybox sha256sum /usr/bin/perf && stacks 'full > 0'; }
t the_cpu_that_has_it_can_be_recorded its_cpu

other_cpu() {
	said=$(perf record -q -b -C 1 -o "$data" -- true 2>&1) && return 1
	echo "$said"
	case $said in *"branch stack"*) ;; *) return 1 ;; esac
}
t the_cpu_without_is_refused other_cpu

# A program that is moved from hart to hart all the time.
moves() {
	perf record -q -b --sample-cpu -e cycles:u -o "$data" -- sh -c '
		(for i in 1 2 3 4 5 6 7 8; do
			for hart in 0 1; do
				taskset -pc $hart $$ >/dev/null
				sleep 0.1
			done
		done) &
		while kill -0 $! 2>/dev/null; do
			i=0
			while [ $i -lt 500 ]; do i=$((i + 1)); done
		done' &&
		stacks 'full > 0 && full < all'
}
t a_task_that_moves_is_recorded_where_it_can_be moves

rounds() {
	for i in 1 2 3 4 5; do
		echo 0 >/sys/devices/system/cpu/cpu1/online || return
		on 0 -b -e cycles:u && stacks 'full >= all * 0.99' || return
		echo 1 >/sys/devices/system/cpu/cpu1/online || return
	done
}
t the_hart_without_can_come_and_go rounds

kernel_lives() {
	! dmesg | grep -E 'WARNING:|BUG:|Oops|Call Trace|Unable to handle'
}
t the_kernel_lives kernel_lives
rm -f "$data"
plan
