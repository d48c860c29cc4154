#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What plugin.sh does in the guest, into the folder that is its argument.
mkdir "$1" && cd "$1" || exit
plugins=/t/plugins

perf record -q -o perf.data -e cycles/branch_type=any,period=500000/u -e raw_syscalls:sys_enter \
	-- busybox sha256sum /bin/busybox || exit
perf script -i perf.data -F brstack | grep -c 0x

script() {
	plugin=$1
	shift
	# shellcheck disable=SC2046
	perf script -i perf.data --dlfilter "$plugins/ssctr-$plugin.so" $(printf ' --dlarg %s' "$@")
}
script profile -b /usr/bin/busybox -f bolt,profgen -o guest &&
	script stf -o guest.stf &&
	script brstackinsn --symfs / >guest.insns || exit

mkdir traceevent
cp $plugins/plugin_ssctr.so traceevent
perf record -q -a -o traced.data -e 'ssctr:*' -- \
	perf record -q -b -e cycles:u -c 500000 -o /dev/null -- busybox sha256sum /usr/bin/perf &&
	TRACEEVENT_PLUGIN_DIR=$PWD/traceevent perf script -i traced.data -F event,trace >tracepoints
