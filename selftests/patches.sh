#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a machine of several harts keeps open (hold_code() in qemu/guest/init) is all that
# recordings of branches patch the kernel for. Run as root where the module is loaded.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

tracing=/sys/kernel/tracing
patch=arch_jump_label_transform_queue
# It would keep a probe in sched_switch of its own.
echo 0 >$tracing/options/record-cmd
echo "p:patch $patch" >$tracing/kprobe_events || exit
# The kernel patches its code for others as well: the callers tell that it is for perf or the
# module, whose functions have no other mark here.
echo stacktrace >$tracing/events/kprobes/patch/trigger || exit
echo 1 >$tracing/events/kprobes/patch/enable
callers() { grep -E '^ => (perf_|ctr_|update_later)' $tracing/trace; }
patches() { callers | wc -l; }

another_is_seen() {
	before=$(patches)
	perf stat -e sched:sched_waking -o "$data" -- true
	[ "$(patches)" -gt "$before" ]
}
t a_patch_for_another_tracepoint_is_seen another_is_seen

recordings() {
	before=$(patches)
	records_branches -b && records_branches -a -b &&
		wait_for grep -qx 'hooked 0' /sys/kernel/debug/ssctr/state
	status=$?
	callers
	[ $status = 0 ] && [ "$(patches)" = "$before" ]
}
t recordings_that_come_and_go_patch_nothing recordings
rm -f "$data"
plan
