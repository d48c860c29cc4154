#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Estimates from 2 % of real programs, against all that QEMU's log says they executed:
# phases.sh KERNEL. Prints a line for each program and model (docs/phases.md).
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/phases-$kernel
interval=${PHASES_INTERVAL:-500}

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2016
counted '
	windows=abcdefghijklmnopqrstuvwxyz
	head -c 300000 /usr/lib/python3.*/argparse.py /usr/lib/python3.*/ast.py >text
	log() {
		name=$1
		shift
		window=${windows%"${windows#?}"}
		windows=${windows#?}
		echo "$window" >"$name.window"
		# The next process gets the page table of the last one, so that one is a shell.
		sh -c "\"\$@\"; exit \$?" sh /t/traced "7$window" "$@" >"$name.out" 2>&1 &&
			/t/traced "3$window" /bin/true
	}
	log perl /usr/bin/perl -ne "\$n{\$_}++ for split; END { print \"\$n{\$_} \$_\\n\" for sort keys %n }" text
	log gzip /usr/bin/busybox gzip -c text
	log sort /usr/bin/sort -r text
	log grep /bin/grep -E -c "(def|class) +[a-z_]*(arg|node).*[(:]" text
	log awk /usr/bin/awk "{ for (i = 1; i <= NF; i++) n[\$i]++ } END { for (w in n) print n[w], w }" text
	log work /t/trace_work sort 40
	true' || exit

judge_program() {
	window=$(printf %d "'$(cat "$out/data/$1.window")")
	build/tests/judge/log_csv "$out/log" "$window" >"$out/csv" &&
		build/bin/ssctr csv -i "$out/csv" -o "$out/$1.zstf" &&
		PHASES_NAME=$1 PHASES_INTERVAL=$interval PHASES_TRACE=$out/$1.zstf \
			build/tests/judge/phases_check >"$out/$1.txt"
	status=$?
	cat "$out/$1.txt"
	return $status
}
for name in perl gzip sort grep awk work; do
	t "$name" judge_program "$name"
done
rm -f "$out/csv"
sed -n '/windows/p' "$out"/*.txt
plan
