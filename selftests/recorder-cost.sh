#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ssctr record and perf record of the same program, on a machine whose clock counts
# instructions: neither loses what the other keeps, both find the same branches, and
# what each costs is told: recorder-cost.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/recorder-cost-$kernel

rm -rf "$out"
mkdir -p "$out" || exit
# Each after a run that nobody counts, which finds the files in memory.
# shellcheck disable=SC2016
qemu/vm run --kernel "$kernel" --timeout 400 --icount \
	--put build/riscv64/bin/ssctr:/usr/bin/ssctr \
	--put build/selftests/trace_work:/t/trace_work --get "/tmp/data:$out/data" -- sh -c '
	mkdir /tmp/data && cd /tmp/data || exit
	run() {
		name=$1
		shift
		"$@" >/dev/null 2>&1
		begin=$(date +%s%N)
		"$@" >/dev/null 2>"$name.err" || exit
		echo "$name $(($(date +%s%N) - begin))" >>costs
	}
	program="/t/trace_work sort 400"
	run perf perf record -q -j any,u -e instructions:u -c 40000 -o perf.data -- $program
	run ssctr ssctr record -j any,u -e instructions:u -c 40000 -o ssctr.data -- $program
	run perf-short perf record -q -o short.data -j any,u -e instructions:u -c 40000 -- true
	run ssctr-short ssctr record -q -o short.data -j any,u -e instructions:u -c 40000 -- true
	rm -f short.data* *.old
' || exit
root || exit

reports() {
	for name in perf ssctr; do
		build/bin/ssctr report -i "$out/data/$name.data" --by edges -n 200 \
			--symfs "$out/root" >"$out/$name.txt" 2>&1 || return
	done
	cat "$out/data/ssctr.err"
}
t both_are_read reports
lost() { count "$1" 'events lost'; }
# Where a program ends a sample more or less is taken.
samples() { awk '/ transfers of .* samples$/ { print $(NF - 1) }' "$out/$1.txt"; }
keeps_as_much() {
	for name in perf ssctr; do
		echo "$name: $(samples $name) samples, $(lost $name) lost"
	done
	[ "$(lost ssctr)" -le "$(lost perf)" ] && [ "$(samples ssctr)" -ge 1000 ] &&
		[ $(($(samples ssctr) * 100)) -ge $(($(samples perf) * 99)) ]
}
t nothing_is_lost_that_perf_keeps keeps_as_much

shares() {
	awk '$2 ~ /^[0-9.]+%$/ { share = $2 + 0; $1 = $2 = ""; if (share >= 0.5) print share, $0 }' "$out/$1.txt"
}
same_edges() {
	shares perf >"$out/a"
	shares ssctr >"$out/b"
	awk 'NR == FNR { share = $1; $1 = ""; known[$0] = share; next }
		{ share = $1; $1 = ""; far = share - known[$0]
		  if (share >= 1) { nr++; if (far > 0.5 || far < -0.5) { print share, known[$0], $0; bad = 1 } } }
		END { print nr + 0, "branches of one percent and more"; exit bad || nr < 3 }' "$out/a" "$out/b"
}
t each_hot_branch_has_the_share_that_perf_gives_it same_edges

# annotates KERNEL: Debian's perf of it, with the compiler's tools.
annotates() {
	perf=$(qemu/vm host-perf "$1") || return
	qemu/on-host "$perf/perf" annotate -f --stdio -i "$out/data/ssctr.data" --symfs "$out/root" \
		--objdump riscv64-linux-gnu-objdump >"$out/annotated" 2>&1
	head -n 30 "$out/annotated"
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+ .*[0-9a-f]+:' "$out/annotated")" -ge 5 ]
}
for of in 6.12 7.x; do
	t "perf_annotate_of_${of}_reads_it" annotates $of
done

cost() { awk -v name="$1" '$1 == name { print $2 }' "$out/data/costs"; }
costs_no_more() {
	for name in perf ssctr; do
		echo "$name record: $(cost $name) instructions with the program," \
			"$(cost $name-short) with one that does nothing"
	done | tee "$out/said"
	[ "$(cost ssctr)" -le "$(cost perf)" ] &&
		[ $(($(cost ssctr) - $(cost ssctr-short))) -le $((($(cost perf) - $(cost perf-short)) * 21 / 20)) ]
}
t it_costs_no_more_instructions costs_no_more
sed 's/^/# /' "$out/said"
plan
[ $t_failed != 0 ] || rm -rf "$out"
