#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the module shows to those who look for a fault, and that it is out of the
# kernel's way when nobody records. Run as root where it is loaded.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

state=/sys/kernel/debug/ssctr/state
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || tracing=/sys/kernel/debug/tracing
number() { sed -n "s/^$1 //p" $state; }
# The sum over all CPUs of a column.
total() {
	awk -v name="$1" '
		/^cpu / { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
		column { sum += $column }
		END { print sum + 0; exit !column }' $state
}
is() { [ "$(number "$1")" = "$2" ]; }

a_line_for_each_cpu() { [ "$(grep -c '^[0-9]' $state)" = "$(nproc)" ]; }
t there_is_a_line_for_each_cpu a_line_for_each_cpu

t without_events_nothing_is_hooked wait_for is hooked 0

hooked_meanwhile() { perf record -q $t_brief -b -o "$data" -- cat $state | grep -x 'hooked 1'; }
t during_a_recording_it_is_hooked hooked_meanwhile

counts_grow() {
	samples=$(total samples) && entries=$(total entries) && records_branches &&
		[ "$(total samples)" -gt "$samples" ] &&
		[ "$(total entries)" -gt "$entries" ]
}
t counts_grow_with_samples counts_grow

forgets() { wait_for is hooked 0 && is tasks 0 && [ "$(total events)" = 0 ]; }
t after_the_last_event_all_is_forgotten forgets

# Its leader's lock keeps the probes from being there at once: they come later, and what
# works until then has no records.
sibling_first() {
	wait_for is hooked 0 || return
	perf record -q $t_brief -o "$data" \
		-e '{instructions:u,cycles/branch_type=any,period=50000/u}' -- \
		sh -c '
			for _ in $(seq 200); do
				! grep -qx "hooked 1" "$1" || break
				busybox sha256sum /bin/busybox
			done
			busybox sha256sum /bin/busybox
			cat "$1"' sh $state |
		grep -x 'hooked 1' || return
	perf script -i "$data" -F event,brstack | grep -m 1 'cycles.*0x' >/dev/null && return
	perf script -i "$data" -F event,brstack | head
	return 1
}
t an_event_that_comes_first_beside_a_plain_leader_is_served sibling_first

refusal_counts() {
	refused=$(number refused)
	fails perf record -q -j in_tx -o "$data" -- true &&
		[ "$(number refused)" -gt "$refused" ]
}
t refusals_are_counted refusal_counts

# perf takes turns only among the events of one task, or of one CPU.
unfit_counts() {
	unfit=$(total unfit) &&
		perf record -q $t_brief -a -b -e cycles:u -c 100000000 -o "$data" -- sh -c '
			perf record -q --call-graph lbr -e cycles:u -c 200000 -o "$1" -- \
				busybox sha256sum /bin/busybox >/dev/null' sh "$data.calls"
	samples=$(perf script -i "$data.calls" -F event 2>/dev/null | grep -c :)
	rm -f "$data.calls"
	echo "$samples samples, $(($(total unfit) - unfit)) attempts"
	[ "$samples" = 0 ] && [ "$(total unfit)" -gt "$unfit" ]
}
t events_that_do_not_fit_are_counted unfit_counts

traces() {
	[ -d $tracing/events/ssctr ] || t_skip 'the kernel has no tracing' || return
	echo >$tracing/trace
	echo 1 >$tracing/events/ssctr/enable
	"$@" >/dev/null
	echo 0 >$tracing/events/ssctr/enable
}
traced() {
	for name; do
		grep "$name:" $tracing/trace | head -n 2 | grep . || return
	done
}
switches() {
	perf record -q $t_brief -j any,u -e cycles:u -o "$data" -- \
		taskset -c 0 perf bench sched pipe -l 2000
}
trace_recording() {
	traces switches && traced ssctr_save ssctr_restore ssctr_snapshot
}
t a_recording_is_traced trace_recording

trace_refusal() {
	traces fails perf record -q -j in_tx -o "$data" -- true && traced ssctr_refuse
}
t a_refusal_is_traced trace_refusal
rm -f "$data"
plan
