#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Block counts from 20,000 samples, held against what QEMU counted in the same run,
# of three programs, and what GCC makes of such a profile: blocks.sh KERNEL
# BLOCKS_LEAST is how much they have to overlap, in percent.
#
# The machine's time is that of its instructions (--icount), so that samples fall
# evenly on these, and a second run says the same.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
least=${BLOCKS_LEAST:-95}
out=$top/build/blocks-$kernel
bzip2=$(qemu/vm pgo)/bzip2 || exit
source=selftests/profile_work.c
gccs='14 15 16'

newer=$(qemu/vm gcc) || exit

# gcc VERSION ARGUMENT...
gcc() {
	version=$1
	shift
	case $version in
	14) set -- qemu/on-host riscv64-linux-gnu-gcc-14 "$@" ;;
	*) set -- qemu/on-host --root "$newer" "riscv64-linux-gnu-gcc-$version" "$@" ;;
	esac
	"$@" -O2 -g -Wall -Werror
}

# The same blocks, whether there is a profile or not.
work() {
	gcc "$@" -fno-inline -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf
}

rm -rf "$out"
mkdir -p "$out" || exit

builds() {
	set --
	for file in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		set -- "$@" "$bzip2/$file.c"
	done
	gcc 14 -w -static -D_FILE_OFFSET_BITS=64 -o "$out/bzip2" "$@" &&
		gcc 14 -static -o "$out/work" $source || return
	for version in $gccs; do
		work "$version" -static -o "$out/work-$version" $source &&
			work "$version" -c -fprofile-generate -o "$out/counted-$version.o" \
				$source &&
			gcc "$version" -static --coverage -o "$out/counted-$version" \
				"$out/counted-$version.o" || return
	done
	cp build/selftests/trace_work "$out/sort" &&
		cat "$bzip2"/*.c "$bzip2"/*.xml >"$out/input"
}
t programs_are_built builds

# `cycles` counts instructions there. An odd period does not run in step with loops.
records() {
	set --
	for version in $gccs; do
		set -- "$@" --put "$out/work-$version:/t/work-$version" \
			--put "$out/counted-$version:/t/counted-$version"
	done
	# shellcheck disable=SC2016,SC2086
	qemu/vm run --kernel "$kernel" --icount --timeout 540 \
		--plugin "build/plugin/counts.so,out=$out/counts" \
		--put build/selftests/traced:/t/traced --put "$out/input:/t/input" \
		--put "$out/bzip2:/t/bzip2" --put "$out/work:/t/work" \
		--put "$out/sort:/t/sort" "$@" --get "/tmp/out:$out/rec" -- sh -c '
		mkdir /tmp/out && cd /tmp/out || exit
		record() {
			window=$1
			shift
			n=$(perf stat -x, -e cycles:u "$@" 2>&1 >/dev/null | cut -d , -f 1)
			perf record -q -m 8M -b -e cycles:u -c $((n / 20200 | 1)) \
				-o $window.data /t/traced 7$window "$@" >$window.says
		}
		record b /t/bzip2 -c /t/input && record w /t/work 1000 &&
			record s /t/sort sort 400 || exit
		for version; do
			record "${version#1}" "/t/work-$version" 1000 &&
				GCOV_PREFIX=/tmp/out/gcda "/t/counted-$version" 1000 |
				cmp - w.says || exit
		done' sh $gccs
}
t they_are_recorded_and_counted_in_the_guest records

# overlaps PROGRAM WINDOW
overlaps() {
	build/bin/ssctr profile -i "$out/rec/$2.data" -b "$out/$1" -f profgen \
		-o "$out/$1.profgen" 2>"$out/$1.txt" || {
		cat "$out/$1.txt"
		return 1
	}
	grep ' samples$' "$out/$1.txt"
	[ "$(awk '/ samples$/ { print $1 }' "$out/$1.txt")" -ge 15000 ] &&
		build/tests/judge/block_check "$out/$1" "$out/counts.$2" \
			"$out/$1.profgen" "$least"
}
# What they print is what one wants to know.
for program in bzip2:b work:w sort:s; do
	t "block_counts_of_${program%:*}_overlap_to_${least}_percent" \
		overlaps "${program%:*}" "${program#*:}"
	# shellcheck disable=SC2154
	sed "s/^/# ${program%:*}: /" "$t_log"
done

# What GCC has for each block, of a profile from samples and of one from a program that
# counted itself: the dumps of both are taken where the blocks are the same.
gcc_has_them_right() {
	version=$1 format=2
	[ "$version" -lt 16 ] || format=3
	build/bin/ssctr profile -i "$out/rec/${version#1}.data" \
		-b "$out/work-$version" -f gcov --gcov-version $format -o "$out/$version.gcov" &&
		cp "$out/rec/gcda$out/counted-$version.gcda" "$out/" || return
	for profile in auto-profile="$out/$version.gcov" profile-use; do
		work "$version" -S -f"$profile" -o "$out/counted-$version.s" \
			-fdump-tree-fixup_cfg3-details-blocks="$out/$version-${profile%=*}" \
			$source || return
	done
	awk -v least="$2" '
		FNR == 1 { dump++ }
		/^;; Function / { name = $3 }
		/^;;   basic block [0-9]+, .*count/ {
			block = name " " $4 + 0
			sub(/.*count /, "")
			count[dump, block] = $0 + 0
			all[dump] += $0
			blocks[block]
		}
		END {
			for (block in blocks) {
				a = count[1, block] / all[1]
				b = count[2, block] / all[2]
				sum += a < b ? a : b
				nr++
			}
			printf "overlap of %d blocks %.1f %%\n", nr, 100 * sum
			exit nr < 60 || 100 * sum < least
		}' "$out/$version"-*profile*
}
# A line may be in several blocks, as a loop's condition is, and GCC takes its count for
# each, to be put right by what comes in and goes out: GCC 16 less than those before it.
for version in $gccs; do
	[ "$version" -lt 16 ] && share=90 || share=80
	t "gcc_${version}_has_the_counts_on_the_right_blocks" gcc_has_them_right \
		"$version" "$share"
	# shellcheck disable=SC2154
	sed -n '/^overlap/s/^/# /p' "$t_log"
done
plan
