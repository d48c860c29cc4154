#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All situations of `cost`, in the guest: cost-guest.sh SSCTR.ko FOLDER
# Leaves in FOLDER a line for each, "NUMBER DEPTH SITUATION", and for each depth the
# kernel's and the module's symbols: the module is loaded to another place.
cd "$(dirname "$0")" || exit
module=$1
to=$2
mkdir -p "$to"
echo 256 >/proc/sys/kernel/perf_event_max_stack
number=0

load() {
	rmmod ssctr 2>/dev/null
	insmod "$module" depth="$1" || exit
	# Without the names that only the assembler needed.
	grep -E '^[0-9a-f]+ [tT] [^.$]' /proc/kallsyms | sort >"$to/symbols-$1"
	start=$(grep -m 1 '\[ssctr\]' "$to/symbols-$1" | cut -d ' ' -f 1)
	end=$(grep '\[ssctr\]' "$to/symbols-$1" | tail -n 1 | cut -d ' ' -f 1)
}

# Three times: the way through a hash table, say, differs from process to process.
measure() {
	number=$((number + 1))
	for _ in 1 2 3; do
		./cost "$2" "$number" "$start" "$end" || exit
	done
	echo "$number $1 $2" >>"$to/situations"
}

for depth in 16 32 64 256; do
	load $depth
	for situation in overflow turns-full; do
		measure $depth $situation
	done
done
for situation in turns heirs of-cpu turns-calls idle idle-calls others two-filters \
	fork-1 fork-128; do
	measure $depth $situation
done
# Until the last branch event is forgotten.
while grep -q 'hooked 1' /sys/kernel/debug/ssctr/state; do
	sleep 1
done
for situation in plain unused unused-idle; do
	measure $depth $situation
done
