#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs that are executed in a guest, recorded by perf and logged by QEMU at once;
# their traces, and the judge over both, on this machine: trace.sh KERNEL [WRAPPER]
# TRUTH_VM adds options of `qemu/vm run`. WRAPPER runs the programs that were built
# for elsewhere.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
wrapper=${2-}
out=build/trace-$kernel
programs=build/selftests

rm -rf "$out"
mkdir -p "$out/root/t" "$out/root/tmp" || exit
# shellcheck disable=SC2086
qemu/vm run --kernel "$kernel" --timeout 900 ${TRUTH_VM-} \
	--plugin build/plugin/transfers.so,log="$out/log" \
	--put $programs/traced:/t/traced --put $programs/trace_work:/t/trace_work \
	--put $programs/trace_throw:/t/trace_throw \
	--put selftests/trace-guest.sh:/t/trace-guest.sh \
	--get "/tmp/data:$out/data" -- /t/trace-guest.sh /tmp/data || exit

# The guest's root folder, and what only this run had.
for name in "$(qemu/vm path guest --kernel "$kernel")"/*; do
	[ -e "$out/root/${name##*/}" ] || ln -s "$name" "$out/root"
done
cp $programs/trace_work $programs/trace_throw "$out/root/t" &&
	cp "$out"/data/jit-*.dump "$out/root/tmp" || exit

# count NAME WORDS: what the summary has of that.
count() { awk -v words="$2" 'index($0, words) { n += $1 } END { print n + 0 }' "$out/$1.txt"; }

converts() {
	build/bin/ssctr stf -i "$out/data/$1.data" --symfs "$out/root" \
		--buildid-dir "$out/data/debug" -o "$out/$1.zstf" 2>"$out/$1.txt"
	status=$?
	cat "$out/$1.txt"
	return $status
}

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

# Branches do not tell what was read and written, nor all about a trap.
check() { build/bin/ssctr check -x MEM_MISSING -x EVENT_FIELDS "$out/$1.zstf"; }

# judge NAME SAMPLES
judge() {
	name=$1 samples=$2
	window=$(printf %d "'$(cat "$out/data/$name.window")")
	breaks=$(($(count "$name" 'breaks:') + $(count "$name" 'in a mode that was not')))
	$wrapper build/tests/judge/path_check "$out/log" "$window" "$out/$name.zstf" \
		"$samples" $breaks
}

user='static signals threads jit throws perl'
for name in $user kernel; do
	t "${name}_is_converted" converts "$name"
	t "${name}_has_no_fault_that_check_finds" check "$name"
done
# shellcheck disable=SC2086
t paths_in_user_code_break_in_1_of_100_samples_at_most unbroken $user
plan
{
	judge static 50
	judge signals 300
	judge threads 50
	judge jit 50
	judge throws 50
	judge perl 100
	judge kernel 100
} | tee "$out/verdict"
grep -q '^not ok' "$out/verdict" || [ $t_failed != 0 ] || rm -rf "$out"
