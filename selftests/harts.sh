#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Harts go and come, or lose their registers, while they are recorded, and others
# use the same registers. Run as root where the module is loaded.
cd "$(dirname "$0")" || exit

# Stay on the first CPU, from the first instruction on. Stock kernels ask for TLB flushes
# of all harts that a process ever ran on, also of one that has just gone: mm_cpumask()
# forgets it later. The firmware refuses all of the call ("failed (error [-22])" in the
# log), and the process may find a page that is not its own any more. If the hart goes
# while the firmware carries out the call, the flush waits for it for ever: both harts
# spin in the firmware then, with interrupts off, and the console is silent.
[ "${SSCTR_ON_FIRST-}" ] || SSCTR_ON_FIRST=1 exec taskset -c 0 "./${0##*/}" "$@"

. ./ktap.sh
. ./guest.sh

stop_deadline_servers

# All CPUs but the first, as far as they can go.
others=$(for f in /sys/devices/system/cpu/cpu[1-9]*/online; do
	[ ! -w "$f" ] || echo "$f"
done)

# records_on CPU: the work there has samples, for which a busy machine needs more of it.
records_on() {
	for times in 1 8 64; do
		perf record -q $t_brief -a -C "$1" -c 100000 -j any,u -e cycles:u -o "$data" -- \
			taskset -c "$1" sh -c 'for _ in $(seq "$1"); do
				busybox sha256sum /bin/busybox
			done' sh "$times" >/dev/null || return
		stacks_are_full 0.9 --comm busybox && return
	done
	return 1
}
# Each CPU on which there was work has records of it.
each_cpu_records() {
	for file in /sys/devices/system/cpu/cpu0/online $others; do
		cpu=${file%/online}
		cpu=${cpu##*cpu}
		# What QEMU would swallow of a CPU's event (t_perf) it does of a task's.
		taskset -c "$cpu" perf record -q $t_brief -c 500000 -e cycles:u -o "$data" -- \
			sh -c 'sleep 0; exec busybox sha256sum /bin/busybox' >/dev/null || return
		records_on "$cpu" || {
			echo "CPU $cpu has no records"
			cat /sys/kernel/debug/ssctr/state
			return 1
		}
	done
}
unless_few each_cpu_records_before each_cpu_records

# Not all kernels tell a task's children, but all tell its parent.
roams() {
	for comm in $(grep -ls '^busybox$' /proc/[0-9]*/comm); do
		! grep -qs "^PPid:[[:space:]]*$roams\$" "${comm%comm}status" || {
			roamer=${comm%comm}
			return 0
		}
	done
	return 1
}
# A second: a few samples, also where an emulated counter has passed its overflow at times.
has_roamed() { awk '{ exit $14 + $15 < 100 }' "${roamer}stat"; }
off_and_on() {
	[ "$others" ] || t_skip 'it takes two harts that can go' || return
	before=$(splats)
	rm -f "$data.started"
	# Few samples, as hundreds of rounds are to fit into memory. Not by a low rate:
	# perf starts such an event anew at each tick of the kernel, and an emulated
	# counter passes its overflow in between, before its timer comes.
	perf record -q $t_brief -a -b -c 20000000 -o "$data" -- sh -c 'touch "$1"; exec sleep 100000' \
		sh "$data.started" &
	recorder=$!
	wait_for [ -e "$data.started" ] || return
	# One that runs on harts that go, and is recorded. Nothing that it does flushes a TLB.
	# Beside the hammers it would take a minute to start.
	perf record -q -b -c 20000000 -o "$data.roams" -- \
		taskset -c "0-$(($(nproc --all) - 1))" busybox sha256sum /dev/zero &
	roams=$!
	hammers="$hammers $roams"
	wait_for roams || return
	start_hammers
	for i in $(seq "$rounds"); do
		echo "round $i at $(cut -d' ' -f1 /proc/uptime)"
		[ "$i" != $((rounds / 2)) ] || half=$(unreclaimable)
		for file in $others; do
			echo 0 >"$file" || return
		done
		for file in $others; do
			echo 1 >"$file" || return
		done
	done
	wait_for has_roamed || return
	stop_hammers
	# It must have been there all the time.
	kill -INT $recorder || return
	wait $recorder
	wait_for leaves_below $((half + 8192 + rounds * 4))
	status=$?
	samples=$(perf script -i "$data" -F ip | grep -c .)
	roaming=$(perf script -i "$data.roams" -F ip | grep -c .)
	echo "$samples samples, $roaming of the roaming one, from $half to $(unreclaimable) KiB"
	rm -f "$data.started" "$data.roams"
	[ "$(splats)" = "$before" ] && [ "$samples" -gt 0 ] && [ "$roaming" -gt 0 ] && return $status
}
t rounds_of_cpus_off_and_on_during_a_recording_leave_no_splat_and_no_memory off_and_on
[ -z "$hammers" ] || stop_hammers
t each_cpu_records_after_it_came_back each_cpu_records

# The same under ssctr collect, whose turns begin and end all the time.
collects() {
	[ "$others" ] || t_skip 'it takes two harts that can go' || return
	rm -rf "$data.counts"
	while :; do busybox sha256sum /bin/busybox; done >/dev/null &
	load=$!
	ssctr collect -d "$data.counts" --budget 100% --period 2s --turn 0.5s 2>"$data.log" &
	collector=$!
	while_collects grep 'collects into' "$data.log"
	for _ in $(seq 5); do
		echo 0 >"${others%%/online*}/online"
		sleep 0.5
		echo 1 >"${others%%/online*}/online"
		sleep 0.5
	done
	while_collects has_files $(($(nr_files) + 2)) && kill $collector && wait $collector
	status=$?
	[ $status = 0 ] || where_it_is $collector
	kill $load
	cat "$data.log"
	[ $status = 0 ] && [ "$(log_counts 'cannot record')" = "$(log_counts 'records again')" ]
	status=$?
	rm -rf "$data.counts" "$data.log"
	return $status
}
# while_collects COMMAND...: wait for it, but not for a collector that has ended, and not so
# often that a busy machine has nothing else to do.
while_collects() {
	for _ in $(seq 600); do
		"$@" && return
		kill -0 $collector || return
		sleep 1
	done
	echo "not so after a long time: $*"
	return 1
}
nr_files() { find "$data.counts" -name '*.counts' | grep -c .; }
has_files() { [ "$(nr_files)" -ge "$1" ]; }
log_counts() { grep -c "$1" "$data.log"; }
t cpus_may_go_and_come_while_ssctr_collects collects

# Who reads the error does not look for the fault in the module.
refused() { sed -n 's/^refused //p' /sys/kernel/debug/ssctr/state; }
gone() {
	[ "$others" ] || t_skip 'it takes two harts that can go' || return
	file=${others%%/online*}
	before=$(refused)
	echo 0 >"$file/online" || return
	./gone "${file##*cpu}"
	status=$?
	echo 1 >"$file/online" && [ $status = 0 ] && [ "$(refused)" = "$before" ]
}
t an_event_of_a_cpu_that_is_gone_is_refused_as_any_is gone

# perf serves such a CPU already, or still.
between() {
	needs_neighbour || return
	[ "$others" ] || t_skip 'it takes two harts that can go' || return
	insmod "$neighbour" act=between || return
	file=${others%%/online*}
	echo 0 >"$file/online" && echo 1 >"$file/online"
	status=$?
	grep . /sys/module/ssctr_test/parameters/opened /sys/module/ssctr_test/parameters/refused
	[ "$(cat /sys/module/ssctr_test/parameters/opened)" = 2 ] || status=1
	rmmod ssctr_test && return $status
}
t an_event_of_a_cpu_that_comes_or_goes_is_not_refused between

come_back_bare() {
	needs_neighbour || return
	[ "$others" ] || t_skip 'it takes two harts that can go' || return
	insmod "$neighbour" act=online || return
	status=0
	for file in $others; do
		echo 0 >"$file" && echo 1 >"$file" || status=1
	done
	rmmod ssctr_test && [ "$status" = 0 ] && each_cpu_records
}
t harts_that_come_back_without_their_registers_record come_back_bare

lose_registers() { fails_with 'canceled' insmod "$neighbour" act=idle; }

# What an idle state leaves in the buffer is nobody's, and recording goes on: a program
# that runs meanwhile is recorded, and so is one that comes later, known by its name.
idle() {
	needs_neighbour || return
	rm -rf "$data.bin"
	mkdir "$data.bin" && ln -s /bin/busybox "$data.bin/sha256sum" || return
	perf record -q $t_brief -a -c 500000 -j any,u -e cycles:u -o "$data" -- sh -c '
		while :; do busybox sha256sum /bin/busybox; done &
		for _ in $(seq 10); do
			! insmod "$1" act=idle 2>/dev/null || exit
		done
		kill $!
		"$2" /usr/bin/perf' sh "$neighbour" "$data.bin/sha256sum" >/dev/null
	rm -r "$data.bin"
	perf script -i "$data" -F brstack | grep -q 5e5e5e5e && return 1
	stacks_are_full 0.9 --comm sha256sum
}
t an_idle_state_that_loses_registers_leaves_nothing_and_stops_nothing idle

idle_between() {
	needs_neighbour || return
	lose_registers && records_branches &&
		! perf script -i "$data" -F brstack | grep -q 5e5e5e5e
}
unless_few after_an_idle_state_it_records idle_between

siselect() {
	needs_neighbour || return
	insmod "$neighbour" act=select || return
	./switch && records_branches -b && records_branches -a -b &&
		moved=$(cat /sys/module/ssctr_test/parameters/moved)
	rmmod ssctr_test && echo "moved on $moved harts" && [ "$moved" = 0 ]
}
t siselect_is_left_as_it_was_found siselect
rm -f "$data"
plan
