#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make demo` end to end, on this machine: demo.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
out=build/demo

runs() { qemu/demo --kernel "$kernel" && [ -s $out/perf.data ] && [ -s $out/trace.zstf ] && [ -s $out/report.txt ]; }
t demo_leaves_recording_trace_and_report runs

# The column "from -> to" of ten edges, with a name on both sides.
names_edges() {
	cat $out/report.txt
	[ "$(grep -cE '^ +[0-9]+ +[0-9.]+% .* [^ ]+\+0x[0-9a-f]+ -> [^ ]+\+0x[0-9a-f]+' $out/report.txt)" = 10 ]
}
t report_names_the_ten_hottest_edges names_edges

samples() { sed -n "s/^ *\([0-9]*\) samples $1.*/\1/p" $out/report.txt; }
# How many samples there are is the emulated counter's, on a machine as busy as this one.
paths_are_whole() {
	used=$(samples used)
	unbroken=$(samples 'without a break')
	echo "$unbroken of $used samples without a break"
	[ "$used" -ge 20 ] && [ $((unbroken * 100)) -ge $((used * 97)) ]
}
t at_least_97_of_100_paths_are_unbroken paths_are_whole

plan
status=$?
build/tests/judge/trace_check $out/trace.zstf $out/maps.txt \
	"$(qemu/vm path guest --kernel "$kernel")" 10000 || status=1
exit $status
