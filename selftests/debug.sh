#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All self-tests on a kernel that looks for faults (qemu/vm kernel), and then what
# it has found. Run as root with ssctr loaded:
#   debug.sh FLAVOUR
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
flavour=$1
debugfs=/sys/kernel/debug
# A run takes ten times as long here as elsewhere.
echo 0 >/proc/sys/kernel/hung_task_timeout_secs
export SSCTR_DEBUG=1
[ "$flavour" != kcsan ] || echo on >$debugfs/kcsan

./all.sh
tests=$?

# Each with its stack.
silent() {
	! dmesg | grep -E -A 60 'BUG:|WARNING:|KASAN|INFO: |UBSAN|ODEBUG|Oops|kmemleak: [0-9]|suspicious|Call Trace'
}

# The races of the kernel's own are not looked for here.
no_race_of_ours() {
	dmesg | awk '
		/BUG: KCSAN/ { report = ""; ours = 0; inside = 1 }
		inside { report = report $0 "\n"; if (/ssctr/) ours = 1 }
		inside && /=====/ { if (ours) { printf "%s", report; found++ } inside = 0 }
		END { exit found > 0 }'
}

# Whoever finds none has to be able to.
finds_a_race() {
	echo on >$debugfs/kcsan
	fails_with canceled insmod "$neighbour" act=race || return
	echo off >$debugfs/kcsan
	dmesg | grep 'BUG: KCSAN: data-race in .*race \[ssctr_test\]'
}

# Two scans: what only looked lost while it moved is found by the second. With oops=N the
# module has hooks that no other test sets here.
nothing_is_lost() {
	loaded=$(grep -c '^ssctr ' /proc/modules)
	[ "$loaded" = 0 ] || rmmod ssctr || return
	insmod "$ko" oops=16 && rmmod ssctr || return
	for scan in 1 2; do
		sleep 6
		echo scan >$debugfs/kmemleak || return
	done
	cat $debugfs/kmemleak
	[ ! -s $debugfs/kmemleak ] && [ -z "$(cat $debugfs/kmemleak)" ]
}

case $flavour in
debug)
	t the_kernel_is_one_that_looks test -e $debugfs/kmemleak
	t nothing_is_lost nothing_is_lost
	t no_fault_was_seen silent
	;;
kcsan)
	echo off >$debugfs/kcsan
	cat $debugfs/kcsan
	t no_race_of_the_module_was_seen no_race_of_ours
	t a_race_that_is_there_is_seen finds_a_race
	;;
esac
plan || tests=1
exit $tests
