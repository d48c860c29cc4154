# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154
# What tests of traces have in common. The recordings are in $out/data, each with the
# letter of its window in the log of the plug-in `transfers`, $out/log.

# counted SCRIPT [ARGUMENT]...: SCRIPT runs in the guest, in the folder that becomes
# $out/data, and what it executes there by traced is logged. As the clock counts
# instructions, each sample comes exactly after its period. $put adds options of
# `qemu/vm run`.
counted() {
	script=$1
	shift
	# shellcheck disable=SC2086
	qemu/vm run --kernel "$kernel" --timeout 300 --icount \
		--plugin build/plugin/transfers.so,log="$out/log" \
		--put build/selftests/traced:/t/traced \
		--put build/selftests/trace_work:/t/trace_work ${put-} \
		--get "/tmp/data:$out/data" -- sh -c "
		mkdir /tmp/data && cd /tmp/data || exit
		echo 256 >/proc/sys/kernel/perf_event_max_stack
		$script" sh "$@"
}

# root: $out/root, the guest's root folder with what only this run had.
root() {
	mkdir -p "$out/root/t" "$out/root/tmp" || return
	for name in "$(qemu/vm path guest --kernel "$kernel")"/*; do
		[ -e "$out/root/${name##*/}" ] || ln -s "$name" "$out/root"
	done
	cp build/selftests/trace_work build/selftests/trace_throw "$out/root/t"
}

# count NAME WORDS: what the summary has of that.
count() { awk -v words="$2" 'index($0, words) { n += $1 } END { print n + 0 }' "$out/$1.txt"; }

# converts NAME [OPTION]...
converts() {
	name=$1
	shift
	# perf's cache, where the guest gave it.
	[ ! -d "$out/data/debug" ] || set -- --code "$out/data/debug" "$@"
	build/bin/ssctr stf -i "$out/data/$name.data" --symfs "$out/root" \
		-o "$out/$name.zstf" "$@" 2>"$out/$name.txt"
	status=$?
	cat "$out/$name.txt"
	return $status
}

# Branches do not tell what was read and written, nor all about a trap.
check() { build/bin/ssctr check -x MEM_MISSING -x EVENT_FIELDS "$out/$1.zstf"; }

# judge NAME SAMPLES [joined] [faults=N] [addresses=N]
judge() {
	name=$1 samples=$2
	shift 2
	window=$(od -An -tu1 "$out/data/$name.window" | tr -s ' ' , | sed 's/^,//; s/,10$//')
	breaks=$(($(count "$name" 'breaks:') + $(count "$name" 'in a mode that was not')))
	build/tests/judge/path_check "$out/log" "$window" "$out/$name.zstf" \
		"$samples" $breaks "$@"
}
