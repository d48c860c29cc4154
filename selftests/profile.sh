#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# From a recording in a guest to programs that are built by its profile, on this
# machine: profile.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
ssctr="build/bin/ssctr"
out=build/profile-$kernel
source=selftests/profile_work.c

clang() {
	qemu/on-host clang --target=riscv64-linux-gnu -O2 -g -Wall -Werror \
		-fdebug-info-for-profiling -funique-internal-linkage-names "$@"
}
gcc() {
	qemu/on-host riscv64-linux-gnu-gcc-14 -O2 -g -Wall -Werror "$@"
}

# What clang is to number the blocks by: probes, whose addresses relaxation would move,
# and flow-sensitive discriminators.
probe='-fpseudo-probe-for-profiling -mno-relax'
fs='-mllvm -enable-fs-discriminator=true'

rm -rf "$out"
mkdir -p "$out" || exit

# clang_builds PROGRAM OPTION...
clang_builds() {
	name=$1
	shift
	clang -c -o "$out/$name.o" "$@" $source && gcc -o "$out/$name" "$out/$name.o"
}

builds() {
	# shellcheck disable=SC2086
	clang_builds clang && clang_builds probe $probe && clang_builds fs $fs &&
		clang_builds both $probe $fs &&
		clang_builds relaxed -fpseudo-probe-for-profiling &&
		gcc -no-pie -o "$out/gcc" $source
}
t programs_are_built_by_clang_and_gcc builds

# By a clock of instructions all samples are there that are due. The text is for
# llvm-profgen, whose perf may be too old for the recording; what perf 6.12 wrote
# twice, with the same time, stands in it once.
records() {
	# shellcheck disable=SC2016
	qemu/vm run --kernel "$kernel" --timeout 300 --icount --put "$out/clang:/t/clang" \
		--put "$out/probe:/t/probe" --put "$out/fs:/t/fs" --put "$out/both:/t/both" \
		--put "$out/relaxed:/t/relaxed" --put "$out/gcc:/t/gcc" \
		--get "/tmp/out:$out/rec" -- sh -c '
		mkdir /tmp/out && cd /t &&
		for p in clang gcc probe fs both relaxed; do
			perf record -q -b -e cycles:u -c 500000 -o /tmp/out/$p.data \
				./$p 200 >/tmp/out/$p.says &&
				perf script -i /tmp/out/$p.data -F tid,time,ip,brstack \
					--show-mmap-events 2>/dev/null >/tmp/out/$p.timed &&
				awk "!seen[\$0]++ { sub(/^ *[0-9]+ +[0-9.]+: */, \"\"); print }" \
					/tmp/out/$p.timed >/tmp/out/$p.script &&
				[ "$(grep -c 0x /tmp/out/$p.script)" -ge 100 ] || exit
		done
	'
}
t they_are_recorded_in_the_guest records

profiles() {
	$ssctr profile -i "$out/rec/$1.data" -b "$out/$1" -f "$2" -o "$out/$1.$3" &&
		[ -s "$out/$1.$3" ]
}
t clang_s_program_has_a_text_profile profiles clang llvm llvm
t clang_s_program_has_an_extbinary_profile profiles clang llvm-ext llvm-ext
t gcc_s_program_has_a_profile profiles gcc gcov gcov

checkers=$(qemu/vm checkers) || exit
# llvm TOOL ARGUMENT...: 19 is the oldest whose llvm-profgen takes such a recording.
llvm() {
	tool=$1
	shift
	qemu/on-host --root "$checkers" "/usr/lib/llvm-19/bin/llvm-$tool" "$@"
}

# It leaves out the PLT, and what all other calls from outside lead to is the same.
same_counts() {
	$ssctr profile --raw -i "$out/rec/$1.data" -b "$out/$1" -f profgen -o "$out/$1.ours" &&
		llvm profgen --skip-symbolization --binary="$out/$1" \
			--perfscript="$out/rec/$1.script" -o "$out/$1.theirs" || return
	grep : "$out/$1.theirs" | sort >"$out/theirs"
	grep : "$out/$1.ours" | sort >"$out/ours"
	comm -23 "$out/theirs" "$out/ours" >"$out/missing"
	cat "$out/missing"
	[ -s "$out/theirs" ] && [ ! -s "$out/missing" ]
}
t clang_s_counts_are_llvm_profgen_s same_counts clang
t gcc_s_counts_are_llvm_profgen_s same_counts gcc

# What has line 0 is in its profile, at offsets from 60000 on, and not in ours.
same_profile() {
	$ssctr profile --raw -i "$out/rec/clang.data" -b "$out/clang" -o "$out/raw" &&
		llvm profgen --format=text --binary="$out/clang" \
			--perfscript="$out/rec/clang.script" -o "$out/all" || return
	grep -v '^ *6[0-9]\{4\}: ' "$out/all" >"$out/lines"
	llvm profdata overlap --sample "$out/raw" "$out/lines" \
		>"$out/overlap" || return
	cat "$out/overlap"
	awk '/sample overlap:/ { found = $5 + 0 >= 99 } END { exit !found }' "$out/overlap"
}
t the_profile_overlaps_with_llvm_profgen_s_to_99_percent same_profile

# Function entry counts, and weights of the branches in the hottest function.
clang_takes() {
	clang -S -emit-llvm -fprofile-sample-use="$out/clang.$1" -o "$out/$1.ir" $source || return
	grep -q 'function_entry_count' "$out/$1.ir" &&
		[ "$(grep -c 'branch_weights' "$out/$1.ir")" -ge 20 ]
}
t clang_takes_the_text_without_a_warning clang_takes llvm
t clang_takes_extbinary_without_a_warning clang_takes llvm-ext
t both_are_the_same_to_clang cmp "$out/llvm.ir" "$out/llvm-ext.ir"

# theirs PROGRAM: what llvm-profgen makes of it, without what has line 0.
theirs() {
	llvm profgen --format=text --binary="$out/$1" --perfscript="$out/rec/$1.script" \
		-o "$out/$1.all" && grep -v '^ *6[0-9]\{4\}: ' "$out/$1.all" >"$out/$1.theirs"
}

# A profile by probes is the same to the byte: functions, totals, heads, checksums, what
# was inlined where, and counts. Clang leaves no probes at calls on RISC-V, so that these
# are in ours alone.
calls='^ +[0-9]+: [0-9]+ [^ ]'
same_probes() {
	$ssctr profile --raw -i "$out/rec/$1.data" -b "$out/$1" -o "$out/$1.raw" &&
		theirs "$1" && grep -vE "$calls" "$out/$1.raw" | cmp "$out/$1.theirs" - &&
		[ "$(grep -c CFGChecksum "$out/$1.raw")" -ge 10 ]
}
t probes_are_counted_as_llvm_profgen_counts_them same_probes probe
t probes_with_discriminators_are_counted_so_too same_probes both

same_extbinary() {
	$ssctr profile --raw -i "$out/rec/$1.data" -b "$out/$1" -f llvm-ext -o "$out/$1.ext" &&
		llvm profdata merge --sample --text -o "$out/$1.ext.text" "$out/$1.ext" &&
		llvm profdata merge --sample --text -o "$out/$1.raw.text" "$out/$1.raw" &&
		cmp "$out/$1.raw.text" "$out/$1.ext.text"
}
t probes_are_the_same_as_extbinary same_extbinary probe

# The calls of a function are the branches to it that llvm-profgen counts.
same_calls() {
	llvm profgen --skip-symbolization --use-offset=0 --binary="$out/probe" \
		--perfscript="$out/rec/probe.script" -o "$out/branches" || return
	at=$(qemu/on-host riscv64-linux-gnu-nm "$out/probe" | sed -n "s/^0*\([0-9a-f]*\) t $1.*/\1/p")
	theirs=$(awk -F '->|:' -v at="$at" '$2 == at { n += $3 } END { print n + 0 }' "$out/branches")
	ours=$(grep -oE " $1[^ ]*:[0-9]+" "$out/probe.raw" | awk -F : '
		{ if (NF == 2) n += $2 } END { print n + 0 }')
	echo "$1: branches $theirs, calls $ours"
	[ "$theirs" -ge 100 ] && [ "$theirs" = "$ours" ]
}
t direct_calls_are_counted same_calls _ZL6insert
t indirect_calls_are_counted same_calls _ZL4half

# A call counts at least as often as its targets. In functions that were inlined theirs
# does not; all else is the same to the byte.
same_lines() {
	$ssctr profile --raw -i "$out/rec/$1.data" -b "$out/$1" -o "$out/$1.raw" && theirs "$1" &&
		awk '/^ +[0-9.]+: [0-9]/ {
			calls = 0
			for (i = 3; i <= NF; i++) {
				n = split($i, part, ":")
				calls += part[n]
			}
			if ($2 < calls)
				sub(": [0-9]+", ": " calls)
		}
		{ print }' "$out/$1.theirs" >"$out/$1.calls" &&
		cmp "$out/$1.calls" "$out/$1.raw" && grep -qE '^ +[0-9]+\.[0-9]{4}' "$out/$1.raw"
}
t flow_sensitive_discriminators_are_llvm_profgen_s same_lines fs

# The addresses are wrong, and llvm-profgen does not say so.
relaxed_probes_are_refused() {
	$ssctr profile -i "$out/rec/relaxed.data" -b "$out/relaxed" -o "$out/refused" \
		2>"$out/refused.says"
	[ $? = 3 ] && [ ! -e "$out/refused" ] && grep -q 'mno-relax' "$out/refused.says"
}
t probes_that_the_linker_has_moved_are_refused relaxed_probes_are_refused

# takes PROGRAM FORMAT OPTION...: into clang's intermediate code. That checksums are the
# compiler's own is for it to say.
takes() {
	name=$1 format=$2
	shift 2
	profiles "$name" "$format" "$format" || return
	clang -S -emit-llvm -mllvm -report-profile-staleness "$@" $source \
		-fprofile-sample-use="$out/$name.$format" -o "$out/$name.$format.ir" \
		2>"$out/says"
	cat "$out/says"
	! grep -E 'warning|error' "$out/says" &&
		grep -q 'function_entry_count' "$out/$name.$format.ir" &&
		[ "$(grep -c 'branch_weights' "$out/$name.$format.ir")" -ge 20 ]
}
# shellcheck disable=SC2086
probes_are_taken() {
	takes probe "$1" $probe &&
		grep -E '^\(0/[1-9][0-9]*\) of functions. profile are invalid' "$out/says"
}
t clang_takes_probes_with_all_checksums probes_are_taken llvm
t clang_takes_them_as_extbinary probes_are_taken llvm-ext
t both_say_the_same_to_clang cmp "$out/probe.llvm.ir" "$out/probe.llvm-ext.ir"

# shellcheck disable=SC2086
promotes() {
	clang -c $probe -fprofile-sample-use="$out/probe.llvm" -Rpass=pgo-icall-prom \
		-o "$out/promoted.o" $source 2>"$out/says"
	cat "$out/says"
	grep -q 'Promote indirect call to _ZL4half' "$out/says" &&
		grep -q 'Promote indirect call to _ZL6triple' "$out/says"
}
t clang_promotes_indirect_calls_by_probes promotes

# Text has no place to say what the discriminators are.
# shellcheck disable=SC2086
flow_sensitive_is_taken() {
	takes fs llvm $fs -mllvm -profile-isfs && takes fs llvm-ext $fs &&
		clang -S $fs -fprofile-sample-use="$out/fs.llvm-ext" -o "$out/fs.ext.s" $source &&
		clang -S $fs -fprofile-sample-use="$out/fs.llvm" -mllvm -profile-isfs \
			-o "$out/fs.text.s" $source &&
		cmp "$out/fs.ext.s" "$out/fs.text.s"
}
t clang_takes_flow_sensitive_discriminators flow_sensitive_is_taken

gcc_takes() {
	gcc -S -fauto-profile="$out/gcc.gcov" -fdump-ipa-afdo-blocks -dumpdir "$out/" \
		-o "$out/gcc.s" $source || return
	grep -m5 'auto FDO' "$out"/*.afdo && grep -m1 'Indirect call counter all' "$out"/*.afdo
}
t gcc_takes_its_profile_without_a_warning gcc_takes

# The programs that are built by the profiles say the same as before.
same_output() {
	# shellcheck disable=SC2086
	clang_builds clang2 -fprofile-sample-use="$out/clang.llvm" &&
		clang_builds probe2 $probe -fprofile-sample-use="$out/probe.llvm" &&
		gcc -fauto-profile="$out/gcc.gcov" -o "$out/gcc2" $source || return
	qemu/vm run --kernel "$kernel" --no-module --put "$out/clang2:/t/clang2" \
		--put "$out/probe2:/t/probe2" --put "$out/gcc2:/t/gcc2" \
		--get "/tmp/out:$out/rec2" -- sh -c '
		mkdir /tmp/out && cd /t && ./clang2 200 >/tmp/out/clang.says &&
		./probe2 200 >/tmp/out/probe.says && ./gcc2 200 >/tmp/out/gcc.says' &&
		cmp "$out/rec/probe.says" "$out/rec2/probe.says" &&
		cmp "$out/rec/clang.says" "$out/rec2/clang.says" &&
		cmp "$out/rec/gcc.says" "$out/rec2/gcc.says"
}
t programs_built_by_their_profiles_do_the_same same_output
plan
