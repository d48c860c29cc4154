#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of programs whose execution is logged by QEMU meanwhile, for trace.sh;
# runs in the guest: trace-guest.sh FOLDER. The log's window of each is in NAME.window,
# a letter.
mkdir "$1" && cd "$1" || exit
# Stacks of more than perf's usual 127 entries, to see all that the hart has.
echo 256 >/proc/sys/kernel/perf_event_max_stack
windows=abcdefghijklmnopqrstuvwxyz

# Emulated counters lose their overflow interrupt at times, with or without the
# module: then once more.
has_samples() {
	[ "$(find "$1" -name '*data' -type f -size "+$2k")" ] || ! echo "$1: few samples"
}

# try NAME KIB COMMAND [ARGUMENT]...: until there is so much; $window in COMMAND's
# arguments is the log's window.
try() {
	name=$1 least=$2
	shift 2
	for try in 1 2 3 4; do
		window=${windows%"${windows#?}"}
		windows=${windows#?}
		echo "$window" >"$name.window"
		"$@" || return
		! has_samples "$name.data" "$least" || return 0
		rm -rf "$name.data"
	done
	return 1
}

user() {
	perf record -q -m 8M --no-buildid-mmap --buildid-all -b -e cycles:u -c 20000 -k mono -o "$name.data" -- \
		/t/traced "7$window" "$@" >"$name.out" 2>&1 || {
		cat "$name.out"
		return 1
	}
	/t/traced "3$window" /bin/true
}

try static 500 user /t/trace_work sort 40 || exit
try signals 1000 user /t/trace_work signals 2 || exit
try threads 500 user /t/trace_work threads 1 || exit
try jit 500 user /t/trace_work jit 40 || exit
cp /tmp/jit-*.dump . || exit
try throws 500 user /t/trace_throw || exit
# shellcheck disable=SC2016
try perl 500 user /usr/bin/perl -e \
	'for (1 .. 3000) { $h{$_ % 700 . "x"} .= $_ } print scalar(sort keys %h), "\n"' || exit
# The page of the kernel's in each process is in no file.
rm -rf /root/.debug/*kallsyms*
mv /root/.debug debug || exit

# Kernel code of one hart, perf itself on the other.
kernel() {
	rm -f control ack
	mkfifo control ack &&
		taskset -c 1 perf record -q -m 8M --kcore -j any,u,k -e cycles \
			-c 50000 -o kernel.data -D -1 --control fifo:control,ack -- \
			taskset -c 0 /t/trace_work kernel 100 "$window"
}
try kernel 1000 kernel
