#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program of a million branches, recorded with a period below the number of
# records and logged by QEMU at once: its trace is one path from end to end, but for
# what perf lost, and what it lost is all that is missing: joined.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
rounds=30 branches=1000000
[ -z "${2-}" ] || rounds=5 branches=150000
out=build/joined-$kernel

rm -rf "$out"
mkdir -p "$out" || exit
# perf comes first, or with a small buffer loses samples. 251 is a prime: where the
# program repeats itself, samples are not taken at the same places again.
# shellcheck disable=SC2016
counted '
	record() {
		name=$1 window=$2 rounds=$3
		shift 3
		echo "$window" >"$name.window"
		perf record -q -j any,u,hw_index -e instructions:u -c 251 "$@" -o "$name.data" -- \
			/t/traced "7$window" /t/trace_work sort "$rounds" &&
			/t/traced "3$window" /bin/true
	}
	record whole a $1 -m 16M -r 1 && record lossy b 10 -m 512K || exit

	# A child of a shell, in turns with another one and with who is not recorded. Before
	# it becomes the program it is the shell, and that is a path of its own.
	while :; do :; done &
	echo c >shell.window
	perf record -q -j any,u,hw_index -e instructions:u -c 251 -m 16M -r 1 -o shell.data -- sh -c "
		/t/traced 7c /t/trace_work sort 10 &
		echo \$! >shell.pid
		/t/trace_work sort 10
		wait" && kill $! && /t/traced "3c" /bin/true || exit
	perf script -i shell.data --show-task-events -F pid,time |
		sed -n "s/^ *$(cat shell.pid) *\([0-9.]*\): PERF_RECORD_COMM exec: trace_work.*/\1/p" \
		>shell.since
' $rounds || exit
root || exit

nothing_was_lost() { ! grep lost "$out/whole.txt"; }
samples_were_lost() { grep lost "$out/lossy.txt"; }
is_long() { [ "$(count whole transfers)" -ge $branches ]; }
is_one_path() { [ "$(count "$1" joined)" = $(($(count "$1" 'samples used') - 1)) ]; }

# Each function is called as often in the timeline as its first instruction runs in the
# trace, where the one that a sample interrupted stands twice.
timeline_has_the_calls() {
	build/bin/ssctr timeline -i "$out/data/whole.data" --symfs "$out/root" \
		-o "$out/whole.json" || return
	qemu/on-host riscv64-linux-gnu-nm --defined-only build/selftests/trace_work \
		>"$out/symbols" || return
	build/bin/ssctr dump "$out/whole.zstf" >"$out/whole.dump" || return
	sed -n 's/.*"ph":"X".*"name":"\([^"]*\)".*/\1/p' "$out/whole.json" >"$out/calls"
	awk '
		FILENAME ~ /symbols$/ { sub(/^0+/, "", $1); at[$1] = at[$1] " " $3; next }
		FILENAME ~ /dump$/ { if ($2 != last && $2 in at) runs[$2]++; last = $2; next }
		$0 != ".plt" { calls[$0]++ }
		END {
			for (pc in runs) {
				n = split(at[pc], names, " ")
				for (i = 1; i <= n; i++)
					ran[names[i]] += runs[pc]
			}
			for (name in calls) {
				nr++
				if (calls[name] != ran[name]) {
					print name, calls[name], "calls, but it ran", ran[name]
					bad++
				}
			}
			print nr, "functions,", bad + 0, "of them otherwise"
			# The path begins in one, and ends in the middle.
			exit nr < 20 || bad > 2
		}' "$out/symbols" "$out/whole.dump" "$out/calls"
}

for name in whole lossy shell; do
	case $name in
	shell) t shell_is_converted converts $name \
		--pid "$(cat "$out/data/shell.pid")" --time "$(cat "$out/data/shell.since")," ;;
	*) t "${name}_is_converted" converts $name ;;
	esac
	t "${name}_has_no_fault_that_check_finds" check $name
done
t whole_is_of_${branches}_branches is_long
t nothing_of_whole_was_lost nothing_was_lost
t whole_is_one_path is_one_path whole
t the_timeline_of_whole_has_its_calls timeline_has_the_calls
t samples_of_lossy_were_lost samples_were_lost
t a_child_of_a_shell_is_one_path is_one_path shell
plan
status=$?
judge whole $((branches / 100)) joined || status=1
judge lossy 1000 joined || status=1
judge shell 1000 joined || status=1
[ $status != 0 ] || rm -rf "$out"
exit $status
