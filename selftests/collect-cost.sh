#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What ssctr collect costs, on a machine whose clock counts instructions: a program with
# and without it, and a machine that is idle: collect-cost.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
out=build/collect-cost-$kernel

rm -rf "$out"
mkdir -p "$out" || exit
# With ten times the default budget and many short turns, so that a short run tells how
# right the estimate is. The first turn reads what the next ones know, and is not counted.
# The program runs for so many seconds.
# shellcheck disable=SC2016
qemu/vm run --kernel "$kernel" --timeout 1200 --icount \
	--put build/riscv64/bin/ssctr:/usr/bin/ssctr \
	--put build/selftests/program:/t/program --get "/tmp/data:$out/data" -- sh -c '
	mkdir /tmp/data && cd /tmp/data || exit
	now() { date +%s%N; }
	begin=$(now)
	/t/program 500 >/dev/null
	rounds=$((500 * $1 * 1000000000 / ($(now) - begin)))
	work() {
		begin=$(now)
		/t/program $rounds >/dev/null
		echo "$1 $(($(now) - begin))"
	}
	work alone >>said
	ssctr collect -d counts --budget 5% --period 2m --turn 0.2s 2>>log &
	pid=$!
	/t/program 1000000 >/dev/null &
	load=$!
	until [ "$(ls counts/turn 2>/dev/null)" ]; do sleep 0.2; done
	until [ -z "$(ls counts/turn)" ]; do sleep 0.2; done
	kill $load
	kill -HUP $pid
	sleep 0.2
	work with >>said
	kill -HUP $pid
	sleep 100
	echo "before $(cat /proc/$pid/schedstat)" >>said
	sleep 600
	echo "after $(cat /proc/$pid/schedstat)" >>said
	sed -n "s/^VmHWM:/memory /p" /proc/$pid/status >>said
	kill $pid
	wait $pid
	ls -l counts >files
	# First a program that works at times, in each turn, then one that works all the time.
	ssctr collect -d shares --budget 50% --period 5s --turn 0.5s --samples 3000 \
		-e cycles:u 2>>shares.log &
	pid=$!
	user() {
		sed -n "2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p" times | awk "{ print 60 * \$1 + \$2 }"
	}
	(for i in $(seq 60); do busybox sha256sum /bin/busybox >/dev/null; sleep 0.5; done; times >times; echo "rarely $(user)") >>said
	(/t/program $((rounds / 3)) >/dev/null; times >times; echo "always $(user)") >>said
	kill $pid
	wait $pid
	ssctr merge -o shares.counts shares/*.counts && ssctr info --json shares.counts >shares.json
' sh "${SSCTR_SECONDS:-60}" || exit

value() { awk -v name="$1" -v column="${2:-2}" '$1 == name { print $column }' "$out/data/said"; }
claimed() { sed -n '3s/.* cost \([0-9.]*\) %.*/\1/p' "$out/data/log"; }
under_load() {
	cat "$out/data/log"
	awk -v alone="$(value alone)" -v with="$(value with)" -v claimed="$(claimed)" 'BEGIN {
		real = 100 * (with - alone) / with
		printf "%.3f %% of %.1f billion instructions; it says %.3f %%\n",
			real, with / 1e9, claimed
		exit !(real > 0 && real <= 5 && real <= 1.1 * claimed) }'
}
t under_load_it_costs_what_it_says under_load
under_load | tail -n 1 | sed 's/^/# /'
# In 600 s a look a minute, and none for the ends of its five periods, which have nothing.
while_idle() {
	echo "$(($(value after 2) - $(value before 2))) instructions and" \
		"$(($(value after 4) - $(value before 4))) wakeups in 600 s"
	[ $(($(value after 2) - $(value before 2))) -le 3000000 ] &&
		[ $(($(value after 4) - $(value before 4))) -le 12 ]
}
t an_idle_machine_is_looked_at_once_a_minute while_idle
while_idle | sed 's/^/# /'
# By the processor time that the kernel gave to each.
share_of() { # PATTERN
	grep -o '"name":"[^"]*'"$1"'"[^}]*"share":[0-9.]*' "$out/data/shares.json" | sed 's/.*://'
}
shares() {
	cat "$out/data/shares.log"
	awk -v rarely="$(value rarely)" -v always="$(value always)" \
		-v lazy="$(share_of busybox)" -v busy="$(share_of program)" 'BEGIN {
		printf "%.2f s and %.2f s of user code; shares of %.4f and %.4f\n", rarely, always, lazy, busy
		if (!(lazy > 0 && rarely > 1 && always > rarely)) exit 1
		of = lazy / busy / (rarely / always)
		exit !(of > 0.8 && of < 1.25) }'
}
t hours_with_little_work_count_little shares
shares | tail -n 1 | sed 's/^/# /'
little_memory() { [ "$(value memory)" -le 30720 ]; }
t it_takes_30_MB_of_memory_at_most little_memory
echo "# $(value memory) KiB of memory"
small_files() {
	cat "$out/data/files"
	[ "$(awk '/counts$/ { n++; if ($5 > 1000000) bad = 1 } END { print bad ? 0 : n }' "$out/data/files")" -ge 1 ]
}
t the_files_are_small small_files
grep 'counts$' "$out/data/files" | sed 's/^/# /'
plan
