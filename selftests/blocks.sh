#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Block counts from 20,000 samples, held against what QEMU counted in the same run,
# of three programs: blocks.sh KERNEL [WRAPPER]
# BLOCKS_LEAST is how much they have to overlap, in percent. WRAPPER runs the programs
# that were built for elsewhere.
#
# The machine's time is that of its instructions (-icount), so that samples fall
# evenly on these, and a second run says the same.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
wrapper=${2-}
least=${BLOCKS_LEAST:-95}
out=$top/build/blocks-$kernel
source=$(qemu/vm pgo)/bzip2 || exit

gcc() {
	name=$1
	shift
	qemu/on-host riscv64-linux-gnu-gcc-14 -O2 -g -w -static \
		-D_FILE_OFFSET_BITS=64 -o "$out/$name" "$@"
}

rm -rf "$out"
mkdir -p "$out" || exit

builds() {
	set --
	for file in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		set -- "$@" "$source/$file.c"
	done
	gcc bzip2 "$@" && gcc work selftests/profile_work.c &&
		gcc work-counted --coverage selftests/profile_work.c &&
		cp build/selftests/trace_work "$out/sort" &&
		cat "$source"/*.c "$source"/*.xml >"$out/input"
}
t three_programs_are_built builds

# `cycles` counts instructions there. An odd period does not run in step with loops.
records() {
	# shellcheck disable=SC2016
	qemu/vm run --kernel "$kernel" --smp 1 --timeout 540 \
		--qemu-arg -icount --qemu-arg shift=0,sleep=off \
		--plugin "build/plugin/counts.so,out=$out/counts" \
		--put build/selftests/traced:/t/traced --put "$out/input:/t/input" \
		--put "$out/bzip2:/t/bzip2" --put "$out/work:/t/work" \
		--put "$out/work-counted:/t/work-counted" \
		--put "$out/sort:/t/sort" --get "/tmp/out:$out/rec" -- sh -c '
		mkdir /tmp/out && cd /tmp/out || exit
		record() {
			window=$1
			shift
			n=$(perf stat -x, -e cycles:u "$@" 2>&1 >/dev/null | cut -d , -f 1)
			perf record -q -m 8M -b -e cycles:u -c $((n / 20200 | 1)) \
				-o $window.data /t/traced 7$window "$@" >$window.says
		}
		record b /t/bzip2 -c /t/input && record w /t/work 1000 &&
			record s /t/sort sort 400 &&
			GCOV_PREFIX=/tmp/out/gcda /t/work-counted 1000 | cmp - w.says
	'
}
t they_are_recorded_and_counted_in_the_guest records

# overlaps PROGRAM WINDOW
overlaps() {
	build/bin/ssctr profile --even -i "$out/rec/$2.data" -b "$out/$1" -f profgen \
		-o "$out/$1.profgen" 2>"$out/$1.txt" || {
		cat "$out/$1.txt"
		return 1
	}
	grep ' samples$' "$out/$1.txt"
	[ "$(awk '/ samples$/ { print $1 }' "$out/$1.txt")" -ge 15000 ] &&
		$wrapper build/tests/judge/block_check "$out/$1" "$out/counts.$2" \
			"$out/$1.profgen" "$least"
}
# What they print is what one wants to know.
for program in bzip2:b work:w sort:s; do
	t "block_counts_of_${program%:*}_overlap_to_${least}_percent" \
		overlaps "${program%:*}" "${program#*:}"
	# shellcheck disable=SC2154
	sed "s/^/# ${program%:*}: /" "$t_log"
done

# GCC's own dump of the blocks has the counts of the source lines at which they start,
# and gcov those that were counted in the same work. Where GCC has copied a block it
# splits its count, and of a function that it has inlined some blocks start at lines of
# the caller, so that the two need not be equal.
gcc_has_them_right() {
	build/bin/ssctr profile --even -i "$out/rec/w.data" -b "$out/work" -f gcov \
		-o "$out/work.gcov" &&
		qemu/on-host riscv64-linux-gnu-gcc-14 -O2 -g -w -S \
			-fauto-profile="$out/work.gcov" \
			-fdump-ipa-afdo-details-blocks-lineno -dumpdir "$out/" \
			-o "$out/work.s" selftests/profile_work.c &&
		cp "$out/rec/gcda$out"/*.gcda "$out/" || return
	qemu/on-host riscv64-linux-gnu-gcov-14 -t "$out"/work-counted-*.gcda \
		>"$out/work.lines" || return
	awk -v least="$1" '
		FNR == NR {
			split($0, field, ":")
			if (field[3] == "Source")
				ours = /profile_work/
			else if (ours && field[1] ~ /[0-9]/)
				counted[field[2] + 0] = field[1] + 0
			next
		}
		/^;;   basic block .*count [0-9]+ \(auto FDO/ {
			count = $0
			sub(/.*count /, "", count)
		}
		/^;;   starting at line/ && count != "" {
			if ($5 in counted && count + 0 > shown[$5])
				shown[$5] = count + 0
			count = ""
		}
		END {
			for (line in shown) {
				all_shown += shown[line]
				all_counted += counted[line]
			}
			for (line in shown) {
				a = shown[line] / all_shown
				b = counted[line] / all_counted
				sum += a < b ? a : b
				lines++
			}
			printf "overlap of %d lines %.1f %%\n", lines, 100 * sum
			exit lines < 20 || 100 * sum < least
		}' "$out/work.lines" "$out"/*afdo
}
t gcc_has_the_counts_on_the_right_lines gcc_has_them_right 75
# shellcheck disable=SC2154
sed 's/^/# /' "$t_log"
plan
