#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs that are executed in a guest, recorded by perf and logged by QEMU at once;
# their traces, and the judge over both, on this machine: trace.sh KERNEL
# The machine's time is that of its instructions, so that no sample is left out.
# TRUTH_VM adds options of `qemu/vm run`.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/trace-$kernel
programs=build/selftests

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2086
qemu/vm run --kernel "$kernel" --timeout 900 --icount ${TRUTH_VM-} \
	--plugin build/plugin/transfers.so,log="$out/log" \
	--put $programs/traced:/t/traced --put $programs/trace_work:/t/trace_work \
	--put $programs/trace_throw:/t/trace_throw \
	--put selftests/trace-guest.sh:/t/trace-guest.sh \
	--get "/tmp/data:$out/data" -- /t/trace-guest.sh /tmp/data || exit

root && cp "$out"/data/jit-*.dump "$out/root/tmp" || exit

# Paths in user code break where signals come and go, and nowhere else.
unbroken() {
	used=0 broken=0
	for name; do
		n=$(count "$name" 'samples used')
		used=$((used + n))
		broken=$((broken + n - $(count "$name" 'without a break')))
	done
	echo "$broken of $used samples broken"
	[ $((broken * 100)) -le $used ]
}

user='static signals threads jit throws perl'
for name in $user kernel; do
	t "${name}_is_converted" converts "$name"
	t "${name}_has_no_fault_that_check_finds" check "$name"
done
# shellcheck disable=SC2086
t paths_in_user_code_break_in_1_of_100_samples_at_most unbroken $user

# Of the module nothing but traps is left out
# where its sections and lines are taken for what they are.
module() {
	release=$(qemu/vm path release --kernel "$kernel")
	build/bin/ssctr profile -i "$out/data/module.data" \
		-b "build/driver/$release/ssctr.ko" -f llvm,gcov -o "$out/module" \
		2>"$out/module.txt"
	status=$?
	cat "$out/module.txt"
	all=$(count module 'from or to') lost=$(count module 'left out')
	[ $status = 0 ] && [ $((lost * 20)) -lt "$all" ] &&
		grep '^ctr_cpu_irq_handler_exit:' "$out/module.llvm"
}
t the_module_has_a_profile module
plan
status=$?
judge static 50 || status=1
judge signals 300 || status=1
judge threads 50 || status=1
judge jit 50 || status=1
judge throws 50 || status=1
judge perl 100 || status=1
judge kernel 100 || status=1
[ $status != 0 ] || rm -rf "$out"
exit $status
