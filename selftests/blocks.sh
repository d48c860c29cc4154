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
languages='c cc'

newer=$(qemu/vm gcc) && league=$(qemu/vm league) || exit

# gcc LANGUAGE VERSION ARGUMENT...: of C, or of C++ (cc).
gcc() {
	language=$1 version=$2 root=$newer
	shift 2
	[ "$version" -gt 14 ] || root=$league/root
	case $language in
	c) set -- "riscv64-linux-gnu-gcc-$version" "$@" ;;
	cc) set -- "riscv64-linux-gnu-g++-$version" -std=c++20 "$@" ;;
	esac
	qemu/on-host --root "$root" "$@" -O2 -g -Wall -Werror
}

# The same blocks, whether there is a profile or not: GCC 16 makes virtual calls direct by a
# profile from samples.
work() {
	gcc "$@" -fno-inline -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf \
		-fno-devirtualize-speculatively
}

rm -rf "$out"
mkdir -p "$out" || exit

builds() {
	set --
	for file in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		set -- "$@" "$bzip2/$file.c"
	done
	gcc c 14 -w -static -D_FILE_OFFSET_BITS=64 -o "$out/bzip2" "$@" &&
		gcc c 14 -static -o "$out/work" $source || return
	for language in $languages; do
		for version in $gccs; do
			name=$language-$version of=selftests/profile_work.$language
			work $language "$version" -static -o "$out/$name" $of &&
				work $language "$version" -c -fprofile-generate \
					-o "$out/counted-$name.o" $of &&
				gcc $language "$version" -static --coverage \
					-o "$out/counted-$name" "$out/counted-$name.o" || return
		done
	done
	cp build/selftests/trace_work "$out/sort" &&
		cat "$bzip2"/*.c "$bzip2"/*.xml >"$out/input"
}
t programs_are_built builds

# `cycles` counts instructions there. An odd period does not run in step with loops.
records() {
	set -- names=
	for language in $languages; do
		for version in $gccs; do
			name=$language-$version names="$names $language-$version"
			set -- "$@" --put "$out/$name:/t/$name" \
				--put "$out/counted-$name:/t/counted-$name"
		done
	done
	shift
	# shellcheck disable=SC2016,SC2086
	qemu/vm run --kernel "$kernel" --icount --timeout 540 \
		--plugin "build/plugin/counts.so,out=$out/counts" \
		--put build/selftests/traced:/t/traced --put "$out/input:/t/input" \
		--put "$out/bzip2:/t/bzip2" --put "$out/work:/t/work" \
		--put "$out/sort:/t/sort" "$@" --get "/tmp/out:$out/rec" -- sh -c '
		mkdir /tmp/out && cd /tmp/out || exit
		# record NAME PROGRAM...
		record() {
			name=$1
			shift
			n=$(perf stat -x, -e cycles:u "$@" 2>&1 >/dev/null | cut -d , -f 1)
			perf record -q -m 8M -b -e cycles:u -c $((n / 20200 | 1)) \
				-o $name.data "$@" >$name.says
		}
		# count WINDOW PROGRAM...: and count what ran.
		count() {
			window=$1
			shift
			record $window /t/traced 7$window "$@"
		}
		count b /t/bzip2 -c /t/input && count w /t/work 1000 &&
			count s /t/sort sort 400 || exit
		for name; do
			record "$name" "/t/$name" 300 &&
				GCOV_PREFIX=/tmp/out/gcda "/t/counted-$name" 300 |
				cmp - "$name.says" || exit
		done' sh $names
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
	name=$1-$2 language=$1 version=$2 format=2
	[ "$version" -lt 16 ] || format=3
	build/bin/ssctr profile -i "$out/rec/$name.data" -b "$out/$name" \
		-f gcov --gcov-version $format -o "$out/$name.gcov" &&
		cp "$out/rec/gcda$out/counted-$name.gcda" "$out/" || return
	for profile in auto-profile="$out/$name.gcov" profile-use; do
		work "$language" "$version" -S -f"$profile" -o "$out/counted-$name.s" \
			-fdump-tree-fixup_cfg3-details-blocks="$out/$name-${profile%=*}" \
			"selftests/profile_work.$language" || return
	done
	# What has no count of a profile has a guess. Where GCC made other blocks of a function, their
	# numbers do not tell which are the same.
	awk -v least="$3" '
		FNR == 1 { dump++ }
		/^;; Function / {
			name = $0
			sub(/, funcdef_no.*/, "", name)
			sub(/.*\(/, "", name)
		}
		/^;;   basic block [0-9]+,/ {
			nr_blocks[dump, name]++
			block = name " " $4 + 0
			if (!/count/ || /estimated locally/)
				next
			sub(/.*count /, "")
			count[dump, block] = $0 + 0
			all[dump] += $0
			names[block] = name
		}
		END {
			for (block in names) {
				name = names[block]
				if (nr_blocks[1, name] != nr_blocks[2, name]) {
					delete names[block]
					continue
				}
				same[1] += count[1, block]
				same[2] += count[2, block]
			}
			for (block in names) {
				a = count[1, block] / same[1]
				b = count[2, block] / same[2]
				sum += a < b ? a : b
				nr++
			}
			part = same[2] / all[2]
			printf "overlap of %d blocks %.1f %%, which have %.1f %% of the counts\n",
				nr, 100 * sum, 100 * part
			exit nr < 60 || part < .9 || 100 * sum < least
		}' "$out/$name"-*profile*
}
# A line may be in several blocks, as a loop's condition is, and GCC takes its count for
# each, to be put right by what comes in and goes out: GCC 16 less than those before it.
# In the program of C++, `for (x : v)` is such a line. And what GCC computes for both ways of an `if`
# before it branches has the lines of these ways.
for language in $languages; do
	for version in $gccs; do
		case $version-$language in
		16-*) share=80 ;;
		*-cc) share=85 ;;
		*) share=90 ;;
		esac
		t "gcc_${version}_has_the_counts_of_${language}_on_the_right_blocks" \
			gcc_has_them_right "$language" "$version" "$share"
		# shellcheck disable=SC2154
		sed -n '/^overlap/s/^/# /p' "$t_log"
	done
done
plan
