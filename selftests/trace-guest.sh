#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of programs whose execution is logged by QEMU meanwhile, for trace.sh;
# runs in the guest: trace-guest.sh FOLDER. The log's window of each is in NAME.window,
# a letter.
mkdir "$1" && cd "$1" || exit
# Stacks of more than perf's usual 127 entries, to see all that the hart has.
echo 256 >/proc/sys/kernel/perf_event_max_stack
windows=abcdefghijklmnopqrstuvwxyz

# log NAME COMMAND [ARGUMENT]...: $window in COMMAND's arguments is the log's window.
log() {
	name=$1
	shift
	window=${windows%"${windows#?}"}
	windows=${windows#?}
	echo "$window" >"$name.window"
	"$@"
}

user() {
	perf record -q -m 8M --no-buildid-mmap --buildid-all -b -e cycles:u -c 20000 -k mono -o "$name.data" -- \
		/t/traced "7$window" "$@" >"$name.out" 2>&1 || {
		cat "$name.out"
		return 1
	}
	/t/traced "3$window" /bin/true
}

log static user /t/trace_work sort 40 || exit
log signals user /t/trace_work signals 2 || exit
log threads user /t/trace_work threads 1 || exit
log jit user /t/trace_work jit 40 || exit
cp /tmp/jit-*.dump . || exit
log throws user /t/trace_throw || exit
# shellcheck disable=SC2016
log perl user /usr/bin/perl -e \
	'for (1 .. 3000) { $h{$_ % 700 . "x"} .= $_ } print scalar(sort keys %h), "\n"' || exit
# The page of the kernel's in each process is in no file.
rm -rf /root/.debug/*kallsyms*
mv /root/.debug debug || exit

kernel() {
	rm -f control ack
	mkfifo control ack &&
		perf record -q -m 8M --kcore -j any,u,k -e cycles \
			-c 50000 -o kernel.data -D -1 --control fifo:control,ack -- \
			/t/trace_work kernel 100 "$window"
}
log kernel kernel

# The module's own code is what runs where tasks come and go.
# shellcheck disable=SC2016
perf record -q -m 8M -j any,k -e cycles:k -c 5003 -o module.data -- \
	sh -c 'for _ in $(seq 30); do busybox true; done'
