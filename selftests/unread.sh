#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Does the module read what user code jumps to? unread.sh KERNEL
# QEMU counts the reads.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
release=$(qemu/vm path release --kernel "$kernel")
out=build/unread-$kernel

rm -rf "$out"
mkdir -p "$out" || exit
# jump FILE: QEMU writes there how often it was read.
jump() {
	qemu/vm run --kernel "$kernel" --timeout 300 --plugin "build/plugin/reads.so,out=$1" \
		--put build/selftests/unread:/t/unread \
		--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
		insmod /t/ssctr_test.ko act=unread && /t/unread'
}
t no_type_depends_on_what_user_code_jumps_to jump "$out/reads"

# reads LINE TIMES: what this line is of was read so often.
reads() {
	cat "$out/reads"
	[ "$(awk -v line="$1" 'NR == line { print $2 }' "$out/reads")" = "$2" ]
}
nr=0
for place in constants memory registers; do
	nr=$((nr + 1))
	t "a_jump_to_the_kernel_s_${place}_reads_nothing_there" reads $nr 0
	t "a_read_of_the_kernel_s_${place}_is_counted" reads $((nr + 3)) 1
done

full() {
	local status=0
	jump /dev/full 2>"$out/err" || status=$?
	cat "$out/err"
	[ $status = 125 ] && grep -q 'QEMU failed: reads: cannot write its file' "$out/err"
}
t counts_that_cannot_be_written_fail_the_run full
plan
[ $t_failed != 0 ] || rm -rf "$out"
