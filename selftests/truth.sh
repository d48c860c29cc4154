#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings in a guest whose executed transfers are logged by QEMU, and the judge
# over both, on this machine: truth.sh KERNEL [few]
# few: 4000 samples of user code in place of 10000. TRUTH_SAMPLES says another number,
# TRUTH_VM adds options of `qemu/vm run`, as "--smp 4 --module-args depth=16". Without it,
# the harts of one kernel record the kernel between the events, which no sample may show.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
kernel=$1
samples=10000
[ -z "${2-}" ] || samples=4000
samples=${TRUTH_SAMPLES:-$samples}
part=$((samples / 10))
out=build/truth-$kernel
vm=
[ "$kernel" != 6.12 ] || vm='--module-args oops=64'

rm -rf "$out"
mkdir -p "$out" || exit
# Stacks of more than perf's usual 127 entries, to see all that the hart has.
# shellcheck disable=SC2016,SC2086
qemu/vm run --kernel "$kernel" --timeout 500 ${TRUTH_VM-$vm} \
	--plugin build/plugin/transfers.so,log="$out/log" \
	--put build/selftests/truth:/t/truth --get "/tmp/samples:$out/samples" -- sh -c '
	echo 256 >/proc/sys/kernel/perf_event_max_stack
	mkdir /tmp/samples
	TRUTH_DIR=/tmp/samples TRUTH_SAMPLES=$1 /t/truth
' sh "$samples" || exit
set --
for name in any any_call cond ind_jump_any_ret call_stack turns_a turns_b moves \
	user_kernel kernel beside_cond beside_any_call beside_kernel beside_user; do
	# Some want two harts.
	[ ! -e "$out/samples/$name" ] || set -- "$@" "$out/samples/$name"
done
build/tests/judge/truth_check "$out/log" "$samples,$part" "$@"
status=$?
[ $status != 0 ] || rm -rf "$out"
exit $status
