#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sparse has no word about the module for each kernel, which make has built without one from
# gcc, and the tree has nothing that does not belong there: lint.sh BUILD WARNINGS KERNEL...
# WARNINGS are what kbuild was told then, so that it compiles nothing anew.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
build=$1 warnings=$2
shift 2

# 7.x has lost the script by which kbuild looks at sparse, hence not C=2; and in
# its MODULE_ macros a __builtin_strlen() that sparse does not fold.
noise='checker-valid.sh: No such file|is not available or not up to date|ctr_(main|snapshot).c:[0-9]*:1: error: bad constant expression'

silent() {
	log=build/lint/$1.log
	# shellcheck disable=SC2086
	qemu/kbuild "$1" driver "$build/driver" $warnings KBUILD_CHECKSRC=2 \
		CHECK="$top/qemu/sparse" >"$log.all" 2>&1
	status=$?
	grep -vE "$noise" "$log.all" >"$log"
	cat "$log"
	[ $status = 0 ] && [ ! -s "$log" ]
}

# What a run or a tool leaves behind gets into a commit easily, and then to every user.
strays() {
	find . \( -path ./build -o -path ./.git -o -path ./tools/fuzz/seeds \) -prune -o \
		-type f ! -name '*.o' ! -name '*.ko' \
		\( -name '-*' -print -o -exec grep -LI '' {} + \) >build/lint/strays
	cat build/lint/strays
	[ ! -s build/lint/strays ]
}

# DKMS tries the kernels that the module is for, and no others.
dkms_tries() {
	pattern=$(sed -n 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' driver/dkms.conf)
	for release in 6.12.0 6.12.117+deb13-riscv64 6.20-rc1 7.0-rc3 7.2.11+deb13-riscv64 10.1; do
		echo "$release" | grep -Eq "$pattern" || { echo "$release is not tried"; return 1; }
	done
	for release in 5.15.0 6.1.0-40-riscv64 6.6.12 6.9.12+bpo-riscv64 6.11.10 6.120-0; do
		! echo "$release" | grep -Eq "$pattern" || { echo "$release is tried"; return 1; }
	done
}

# ccache would bring an object with another one, of an older tree, where it does not see that
# a file comes into it.
has_its_program() {
	python3 -c 'import sys
command, program = (open(name, "rb").read() for name in sys.argv[1:])
sys.exit(program not in command)' "$build/riscv64/bin/ssctr" "$build/riscv64/points.bpf.o"
}

# As debhelper packs it.
tells_no_folder() {
	qemu/on-host riscv64-linux-gnu-strip -o build/lint/ssctr "$build/riscv64/bin/ssctr" &&
		! grep -aoF "$top" build/lint/ssctr
}

mkdir -p build/lint
t ssctr_last_has_the_program_that_was_built has_its_program
t ssctr_without_debug_information_does_not_tell_where_it_was_built tells_no_folder
t dkms_tries_the_kernels_that_the_module_is_for dkms_tries
t all_files_are_text_and_have_ordinary_names strays
for kernel; do
	t "sparse_says_nothing_about_the_module_for_$kernel" silent "$kernel"
done
plan
