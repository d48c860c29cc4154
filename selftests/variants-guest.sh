#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each module without an option, and that without all, loads and records, and shows what
# is not left out: variants-guest.sh OPTION...
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

# What there is with an option.
shows() {
	case $1 in
	SSCTR_TRACEPOINTS) [ -d /sys/kernel/tracing/events/ssctr ] ;;
	SSCTR_DEBUGFS) [ -e /sys/kernel/debug/ssctr/state ] ;;
	*) return 2 ;;
	esac
}

# shows_the_rest LEFT-OUT OPTION...
shows_the_rest() {
	left_out=$1
	shift
	for option; do
		shows "$option"
		case $? in
		0) [ "$left_out" != all ] && [ "$left_out" != "$option" ] ;;
		1) [ "$left_out" = all ] || [ "$left_out" = "$option" ] ;;
		*) false ;;
		esac || {
			echo "$option"
			return 1
		}
	done
}

records() { t_perf "$data" -b -e cycles:u && stacks_are_full 0.9; }

for name in "$@" all; do
	t "without_${name}_it_loads" insmod "without-$name.ko"
	t "without_${name}_it_shows_the_rest" shows_the_rest "$name" "$@"
	t "without_${name}_it_records" records
	t "without_${name}_it_unloads" rmmod ssctr
done
kernel_is_content() { [ "$(splats)" = 0 ]; }
t the_kernel_does_not_complain kernel_is_content
rm -f "$data"
plan
