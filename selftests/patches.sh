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
echo 1 >$tracing/events/kprobes/patch/enable
patches() { grep -c ": patch:" $tracing/trace; }

another_is_seen() {
	before=$(patches)
	echo 1 >$tracing/events/sched/sched_waking/enable
	echo 0 >$tracing/events/sched/sched_waking/enable
	[ "$(patches)" -gt "$before" ]
}
t a_patch_of_another_tracepoint_is_seen another_is_seen

recordings() {
	before=$(patches)
	records_branches -b && records_branches -a -b &&
		wait_for grep -qx 'hooked 0' /sys/kernel/debug/ssctr/state &&
		[ "$(patches)" = "$before" ]
}
t recordings_that_come_and_go_patch_nothing recordings
rm -f "$data"
plan
