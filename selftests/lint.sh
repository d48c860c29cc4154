#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module builds for both stock kernels without a word from gcc (W=1) or
# sparse, and the tree has nothing that does not belong there: lint.sh KERNEL...
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh

# 7.x has lost the script by which kbuild looks at sparse, hence not C=2; and in
# its MODULE_ macros a __builtin_strlen() that sparse does not fold.
noise='checker-valid.sh: No such file|is not available or not up to date|ctr_(main|snapshot).c:[0-9]*:1: error: bad constant expression'

silent() {
	out=build/lint/$1
	rm -rf "$out"
	qemu/kbuild "$1" driver "$out" W=1 KBUILD_CHECKSRC=2 CHECK="$top/qemu/sparse" 2>&1 |
		grep -vE "$noise" >"$out.log"
	cat "$out.log"
	[ ! -s "$out.log" ] && ls "$out"/*/ssctr.ko
}

# What a run or a tool leaves behind gets into a commit easily, and then to every user.
strays() {
	find . \( -path ./build -o -path ./.git -o -path ./tools/fuzz/seeds \) -prune -o \
		-type f ! -name '*.o' ! -name '*.ko' \
		\( -name '-*' -print -o -exec grep -LI '' {} + \) >build/lint/strays
	cat build/lint/strays
	[ ! -s build/lint/strays ]
}

mkdir -p build/lint
t all_files_are_text_and_have_ordinary_names strays
for kernel; do
	t "gcc_and_sparse_say_nothing_about_the_module_for_$kernel" silent "$kernel"
done
plan
