#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A real program, made faster by what perf record -b saw of it, with clang and with
# GCC: pgo.sh KERNEL. docs/pgo.md does the same by hand.
#
# Beside it stands what instrumented programs gain, on the same input. Everything
# is measured by the plug-in `counts`, and the machine's time is that of its
# instructions (--icount), so that a second run says the same.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
kernel=$1
out=$top/build/pgo
ssctr=build/bin/ssctr
parts=$(qemu/vm pgo)
source=$parts/bzip2
files='blocksort huffman crctable randtable compress decompress bzlib bzip2'

# compile NAME FLAG...: build NAME by the compiler that it begins with, in a folder of
# its own, in which there may be counts of an instrumented run.
compile() {
	name=$1
	shift
	mkdir -p "$out/$name.o"
	set -- "$@" -O2 -g -w -D_FILE_OFFSET_BITS=64 -c
	for file in $files; do
		set -- "$@" "$source/$file.c"
	done
	last=
	case $name in
	clang*) set -- clang --target=riscv64-linux-gnu -fdebug-info-for-profiling "$@" ;;
	gcc*) set -- riscv64-linux-gnu-gcc-14 "$@" ;;
	esac
	case $name in
	clang-counted) last="-u__llvm_profile_runtime $parts/clang_rt.profile.a" ;;
	gcc-counted) last=--coverage ;;
	esac
	# shellcheck disable=SC2016
	qemu/on-host sh -c 'cd "$1" && program=$2 last=$3 && shift 3 && "$@" &&
		riscv64-linux-gnu-gcc-14 -static -o "$program" *.o $last' \
		sh "$out/$name.o" "$out/$name" "$last" "$@"
}

say() { echo "pgo: $*" >&2; }

# guest NAME SCRIPT PROGRAM...: what SCRIPT leaves in /tmp/out comes to NAME, with the
# plug-in's counts.
guest() {
	name=$1 script=$2
	shift 2
	mkdir -p "$out/$name"
	put=
	for program; do put="$put --put $out/$program:/t/$program"; done
	# shellcheck disable=SC2086
	qemu/vm run --kernel "$kernel" --icount --timeout 540 \
		--plugin "build/plugin/counts.so,out=$out/$name/counts" \
		--put build/selftests/traced:/t/traced --put "$out/input:/t/input" \
		$put --get "/tmp/out:$out/$name/out" -- sh -c "mkdir /tmp/out && cd /tmp/out
$script"
}

# insns|taken PROGRAM
insns() { awk '$1 == "instructions" { print $2 }' "$out/measured/counts.$(window "$1")"; }
taken() { awk '$1 == "taken" { print $2 }' "$out/measured/counts.$(window "$1")"; }
window() {
	case $1 in
	gcc) echo a ;; gcc-sampled) echo b ;; gcc-used) echo c ;;
	clang) echo d ;; clang-sampled) echo e ;; clang-used) echo f ;;
	esac
}

rm -rf "$out"
mkdir -p "$out"
cat "$source"/*.c "$source"/*.h "$source"/*.xml "$source"/*.html "$source"/*.txt >"$out/input"

say 'building bzip2, plain and instrumented'
compile gcc
compile gcc-counted -fprofile-generate
compile clang
compile clang-counted -fprofile-generate

say 'recording it in the guest'
# shellcheck disable=SC2016
guest recorded '
	for cc in gcc clang; do
		n=$(perf stat -x, -e cycles:u /t/$cc -c /t/input 2>&1 >$cc.bz2 | cut -d , -f 1) &&
		perf record -q -m 8M -b -e cycles:u -c $((n / 20200 | 1)) -o $cc.data \
			/t/$cc -c /t/input | cmp - $cc.bz2 || exit
		GCOV_PREFIX=/tmp/out/counted LLVM_PROFILE_FILE=clang.profraw \
			/t/$cc-counted -c /t/input | cmp - $cc.bz2 || exit
	done
	cmp gcc.bz2 clang.bz2' gcc gcc-counted clang clang-counted

say 'building it by what was recorded, and by what was counted'
at=$out/recorded/out
$ssctr profile -i "$at/gcc.data" -b "$out/gcc" -f gcov -o "$out/gcc.gcov"
compile gcc-sampled -fauto-profile="$out/gcc.gcov"
$ssctr profile -i "$at/clang.data" -b "$out/clang" -o "$out/clang.prof"
compile clang-sampled -fprofile-sample-use="$out/clang.prof" \
	-mllvm -sample-profile-use-profi
mkdir -p "$out/gcc-used.o"
cp "$at/counted$out/gcc-counted.o"/*.gcda "$out/gcc-used.o"
compile gcc-used -fprofile-use
qemu/on-host "$parts/llvm-profdata" merge -o "$out/clang.profdata" "$at/clang.profraw"
compile clang-used -fprofile-use="$out/clang.profdata"

say 'measuring'
programs='gcc gcc-sampled gcc-used clang clang-sampled clang-used'
script=
for program in $programs; do
	script="$script/t/traced 7$(window "$program") /t/$program -c /t/input >$program.bz2 || exit
"
done
# shellcheck disable=SC2086
guest measured "$script" $programs
for program in $programs; do
	cmp "$out/measured/out/$program.bz2" "$at/gcc.bz2"
done

# rows COMPILER: a table; the last columns are the share of the instrumented gain.
rows() {
	awk -v cc="$1" -v i0="$(insns "$1")" -v t0="$(taken "$1")" \
		-v is="$(insns "$1-sampled")" -v ts="$(taken "$1-sampled")" \
		-v iu="$(insns "$1-used")" -v tu="$(taken "$1-used")" '
	function row(name, i, t) {
		printf "| %s | %s | %.1f | %.1f %% | %.1f | %.1f %% |\n", cc, name,
			i / 1e6, 100 * (i - i0) / i0, t / 1e6, 100 * (t - t0) / t0
	}
	function share(a, b, c) { return a > c ? 100 * (a - b) / (a - c) : 0 }
	BEGIN {
		row("-O2", i0, t0)
		row("sampled", is, ts)
		row("instrumented", iu, tu)
		printf "| %s | sampled, of the gain of instrumented | | %.0f %% | | %.0f %% |\n",
			cc, share(i0, is, iu), share(t0, ts, tu)
		exit ts >= t0
	}'
}
status=0
{
	echo '| compiler | profile | M instructions | | M taken branches | |'
	echo '|---|---|---|---|---|---|'
	rows gcc || status=1
	rows clang || status=1
} >"$out/report.part"
mv "$out/report.part" "$out/report.md"
cat "$out/report.md"
[ $status = 0 ] || say 'a program takes more branches than before'
exit $status
