#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module's life in a running system: it loads, serves stock perf, and goes.
# Run as root where ssctr is loaded:  life.sh SSCTR.ko SSCTR_TEST.ko
cd "$(dirname "$0")" || exit
. ./ktap.sh
ko=$1
neighbour=$2
data=$(mktemp)

loaded() { grep -q "^$1 " /proc/modules; }
splats() { dmesg | grep -cE 'WARNING:|BUG:|Oops|Call Trace|Unable to handle'; }
log_says() { dmesg | tail -n 30 | grep -q "ssctr: .*$1"; }
fails() { ! "$@"; }
fails_with() {
	want=$1
	shift
	said=$("$@" 2>&1) && return 1
	echo "$said"
	case $said in *"$want"*) ;; *) return 1 ;; esac
}


# Of the samples in the file, at least 99 of 100 have records.
stacks_are_full() {
	perf script -i "$data" -F brstack | awk '
		NF { full++ }
		END { print full + 0, "of", NR; exit !(NR >= 20 && full >= NR * 0.99) }'
}
deepest() { perf script -i "$data" -F brstack | awk 'NF > max { max = NF } END { print max + 0 }'; }

records_branches() { t_record "$data" "${@:--b}" && stacks_are_full; }

t module_is_loaded loaded ssctr
t log_says_what_the_harts_have log_says 'branch records on .* deep'
caps() { cat /sys/bus/event_source/devices/cpu/caps/branches; }
caps_say_the_depth() { log_says "CPUs, $(caps) deep"; }
t caps_say_how_deep_a_stack_can_be caps_say_the_depth
t perf_record_b_fills_the_stacks records_branches
t perf_record_any_u_fills_the_stacks records_branches -j any,u -e cycles:u
t perf_record_any_k_fills_the_stacks records_branches -j any,k
t perf_record_any_u_k_fills_the_stacks records_branches -j any,u,k
t perf_record_without_b_works_beside_the_module t_record "$data"
t perf_record_call_graph_lbr_takes_samples t_record "$data" --call-graph lbr
t own_overflow_handlers_are_refused \
	fails_with 'Operation not supported' insmod "$neighbour" act=handler

unload_while_recording() {
	perf record -q -b -o "$data" -- sleep 5 &
	# Each event holds the module.
	for i in $(seq 50); do
		[ "$(cat /sys/module/ssctr/refcnt)" = 0 ] || break
		sleep 0.2
	done
	fails_with 'in use' rmmod ssctr
	refused=$?
	wait $! && loaded ssctr && return $refused
}
t unloading_during_a_recording_is_refused unload_while_recording

wrapped_on_top() {
	insmod "$neighbour" && fails_with 'in use' rmmod ssctr &&
		records_branches && rmmod ssctr_test && rmmod ssctr
}
t unloading_under_another_wrapper_is_refused wrapped_on_top

t caps_are_gone_with_the_module fails caps

perf_refuses_b() { fails perf record -q -b -o "$data" -- true; }
t without_the_module_perf_refuses perf_refuses_b

wrapped_before() {
	insmod "$neighbour" && fails insmod "$ko" &&
		log_says 'already wrapped by .*ssctr_test' && rmmod ssctr_test
}
t a_wrapped_pmu_is_refused_with_the_wrappers_name wrapped_before

absurd_depth() { fails insmod "$ko" depth=3 && log_says 'depth=3'; }
t an_absurd_depth_is_refused absurd_depth

small_depth() {
	insmod "$ko" depth=40 && log_says '32 deep' && [ "$(caps)" = 32 ] &&
		records_branches &&
		[ "$(deepest)" = 32 ] && rmmod ssctr
}
t a_depth_limit_is_kept small_depth

rounds() {
	before=$(splats)
	for i in $(seq 20); do
		insmod "$ko" || return
		perf record -q -b -o "$data" -- busybox sha256sum /bin/busybox >/dev/null || return
		rmmod ssctr || return
	done
	[ "$(splats)" = "$before" ]
}
t twenty_rounds_of_load_record_unload_leave_no_splat rounds

rm -f "$data"
plan
