#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module comes and goes in a running system. Run as root where it is loaded; it
# is loaded again in the end.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

own_handlers_are_refused() {
	needs_neighbour || return
	fails_with 'Operation not supported' insmod "$neighbour" act=handler
}
t own_overflow_handlers_are_refused own_handlers_are_refused

in_use() { [ "$(cat /sys/module/ssctr/refcnt)" != 0 ]; }
unload_while_recording() {
	mkfifo "$data.end" || return
	perf record -q $t_brief -b -o "$data" -- cat "$data.end" &
	wait_for in_use || return
	fails_with 'in use' rmmod ssctr
	refused=$?
	: >"$data.end"
	rm "$data.end"
	wait $! && loaded ssctr && return $refused
}
t unloading_during_a_recording_is_refused unload_while_recording

# Children clone the attributes, and another wrapper may look at them.
attributes_come_back() {
	needs_neighbour || return
	insmod "$neighbour" && ./open && ./life && records_branches &&
		[ "$(cat /sys/module/ssctr_test/parameters/changed)" = 0 ]
	status=$?
	rmmod ssctr_test && return $status
}
t attributes_come_back_as_they_were attributes_come_back

wrapped_on_top() {
	needs_neighbour || return
	insmod "$neighbour" && fails_with 'in use' rmmod ssctr &&
		records_branches && rmmod ssctr_test && rmmod ssctr
}
t unloading_under_another_wrapper_is_refused wrapped_on_top
loaded ssctr && rmmod ssctr

t caps_are_gone_with_the_module fails caps

perf_refuses_b() { fails perf record -q -b -o "$data" -- true; }
t without_the_module_perf_refuses perf_refuses_b

wrapped_before() {
	needs_neighbour || return
	insmod "$neighbour" && fails insmod "$ko" &&
		log_says 'already wrapped by .*ssctr_test' && rmmod ssctr_test
}
t a_wrapped_pmu_is_refused_with_the_wrappers_name wrapped_before

absurd_depth() { fails insmod "$ko" depth=3 && log_says 'depth=3'; }
t an_absurd_depth_is_refused absurd_depth

deepest() { perf script -i "$data" -F brstack | awk 'NF > max { max = NF } END { print max + 0 }'; }
small_depth() {
	insmod "$ko" depth=40 && log_says '32 deep' && [ "$(caps)" = 32 ] &&
		records_branches &&
		[ "$(deepest)" = 32 ] && rmmod ssctr
}
unless_few a_depth_limit_is_kept small_depth

# What runs to make room for more tasks is a task itself. A slow machine has more switches
# in the time of a recording, with and without room.
switches_of() { awk '$1 == "ctxt" { print $2 }' /proc/stat; }
# switches_while_recording PARAMETER...: sets `switches`.
switches_while_recording() {
	insmod "$ko" "$@" || return
	records_branches -j any,k && before=$(switches_of) &&
		perf record -q $t_brief -o "$data" -a -j any,k -- sleep 2 &&
		switches=$(($(switches_of) - before))
	status=$?
	rmmod ssctr
	return $status
}
no_room() {
	switches_while_recording && usual=$switches && switches_while_recording tasks=0 || return
	echo "$usual switches with room, $switches without"
	[ $switches -lt $((2 * usual + 1000)) ]
}
unless_few without_room_for_tasks_nobody_tries_to_make_some no_room

state=/sys/kernel/debug/ssctr/state
drops() { awk '/^cpu / { for (i = 1; $i != "drops"; i++); next } i { n += $i } END { print n + 0 }' "$state"; }
kept() { sed -n 's/^tasks //p' "$state"; }

# All of them make records, on each CPU, until some of them found no room. One that has
# ended may just have left its room.
some_kept() {
	kept=$(kept)
	echo "$kept tasks have records, $(drops) drops"
	[ "$kept" -gt 2 ] || { [ "$kept" -ge 1 ] && [ "$(drops)" -ge 20 ]; }
}
few_tasks() {
	insmod "$ko" tasks=2 || return
	perf record -q $t_brief -a -b -e cycles:u -o "$data" -- sh -c '
		for _ in 1 2 3 4 5 6; do
			while :; do :; done &
			pids="$pids $!"
		done
		echo "kill $pids" >"$1"
		wait' sh "$data.end" &
	recorder=$!
	wait_for [ -s "$data.end" ] && wait_for some_kept
	status=$?
	eval "$(cat "$data.end")"
	wait $recorder
	rm "$data.end"
	rmmod ssctr
	[ $status = 0 ] && [ "$kept" -le 2 ]
}
t no_more_tasks_than_asked_for_have_records few_tasks

# Whoever forks with an event that is never on takes what others need, up to the limit. When
# one makes room for itself, two may go at once: there is at most one place left.
full() { [ "$(kept)" -ge 11 ]; }
# Of two tasks without room, nearly two records are dropped in each round.
all_is_kept() {
	before=$(drops)
	perf record -q $t_brief -b -e cycles:u -o "$data" "$@" -- taskset -c 0 perf bench sched pipe -l 2000 \
		>/dev/null
	echo "$(($(drops) - before)) drops"
	[ $(($(drops) - before)) -lt 200 ]
}
# Room is made when somebody has been without, and in a while.
soon_all_is_kept() {
	for _ in $(seq 20); do
		all_is_kept "$@" && return
	done
	return 1
}
# beside_idle ARGUMENT...: such a recording that comes then finds room.
beside_idle() {
	perf record -q $t_brief -D -1 -b -e cycles:u -o "$data.idle" -- sh -c '
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1000 & done
		wait' &
	recorder=$!
	wait_for full && soon_all_is_kept "$@"
	status=$?
	kill $recorder
	wait $recorder
	rm -f "$data.idle"
	return $status
}
idle_tasks() {
	insmod "$ko" tasks=12 || return
	beside_idle && beside_idle -a
	status=$?
	rmmod ssctr
	return $status
}
t tasks_without_records_make_room_for_others idle_tasks

# So does who has ended, although its parent does not ask for it and so it is still there.
zombies() { grep -l '^State:[[:space:]]*Z' /proc/[0-9]*/status 2>/dev/null | wc -l; }
all_ended() { [ "$(zombies)" -ge 20 ]; }
dead_tasks() {
	insmod "$ko" tasks=12 || return
	perf record -q $t_brief -b -e cycles:u -o "$data.dead" -- sh -c '
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do : & done
		exec sleep 1000' &
	recorder=$!
	wait_for all_ended && soon_all_is_kept
	status=$?
	kill $recorder
	wait $recorder
	rm -f "$data.dead"
	rmmod ssctr
	return $status
}
t tasks_that_have_ended_make_room_for_others dead_tasks

# kernel.perf_event_max_stack may be 0.
no_records() {
	insmod "$ko" || return
	most=$(cat /proc/sys/kernel/perf_event_max_stack)
	echo 0 >/proc/sys/kernel/perf_event_max_stack &&
		t_record "$data" -b && [ "$(deepest)" = 0 ]
	status=$?
	echo "$most" >/proc/sys/kernel/perf_event_max_stack
	rmmod ssctr
	return $status
}
t samples_have_no_records_where_none_are_allowed no_records

go() {
	insmod "$ko" || return
	t_perf "$data" -b >/dev/null || return
	rmmod ssctr
}
load_record_unload() {
	before=$(splats)
	for i in $(seq "$rounds"); do
		echo "round $i"
		go || return
	done
	[ "$(splats)" = "$before" ]
}
t rounds_of_load_record_unload_leave_no_splat load_record_unload

# While programs open and close events all the time: it goes when it can.
under_load() {
	before=$(splats)
	refused=0
	start_hammers
	for i in $(seq "$rounds"); do
		echo "round $i, refused $refused times"
		[ "$i" != $((rounds / 2)) ] || half=$(unreclaimable)
		insmod "$ko" || return
		until rmmod ssctr 2>/dev/null; do
			refused=$((refused + 1))
		done
	done
	stop_hammers
	wait_for leaves_below $((half + 8192 + rounds * 4))
	status=$?
	echo "refused $refused times, from $half to $(unreclaimable) KiB"
	[ "$(splats)" = "$before" ] && return $status
}
t rounds_of_load_and_unload_under_load_leave_no_splat_and_no_memory under_load
[ -z "$hammers" ] || stop_hammers

# Whoever opens an event may sleep in the kernel's function below the module's.
lingers=/sys/module/ssctr_test/parameters/lingers
lingering() { [ "$(cat $lingers)" = 1 ]; }
going() { [ "$(cat /sys/module/ssctr/initstate)" = going ]; }
unload_under_a_sleeper() {
	needs_neighbour || return
	insmod "$ko" || return
	insmod "$neighbour" act=linger || {
		rmmod ssctr
		return 1
	}
	perf stat -e cycles -o "$data" -- true &
	sleeper=$!
	wait_for lingering || return
	rmmod ssctr &
	remover=$!
	wait_for going
	# It does not take as long where nobody is waited for.
	sleep 3
	going
	waits=$?
	echo -1 >$lingers
	wait $remover
	removed=$?
	wait $sleeper
	rmmod ssctr_test && [ $waits = 0 ] && [ $removed = 0 ] && ! loaded ssctr
}
t unloading_waits_for_who_sleeps_inside unload_under_a_sleeper

again() { insmod "$ko" && records_branches; }
t after_all_this_it_records again
rm -f "$data"
plan
