#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Windows of programs that ssctr record records and QEMU logs at once: each is a part of
# what the program executed, and where, and how much, is as the table says. And what it
# costs to record them, in windows and between: windows.sh KERNEL [some]
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/windows-$kernel

# NAME WINDOW OPTIONS -- PROGRAM
recordings='
sort a 200k/500k --windows-seed 1 -- /t/trace_work sort 95
kinds b 200k/500k --windows-seed 2 --windows-places systematic -- /t/trace_work kinds 95
awk c 200k/500k --windows-seed 3 -- /usr/bin/gawk "BEGIN { for (i = 0; i < 13000; i++) s = s i; print length(s) }"
'
least=50 rounds=1800 every=50M
if [ -n "${2-}" ]; then
	recordings='
sort a 50k/250k --windows-seed 1 -- /t/trace_work sort 10
'
	least=10 rounds=800 every=50M
fi

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2034
put='--put build/riscv64/bin/ssctr:/usr/bin/ssctr --mem 3G'
# The traces are made there, because the recordings are large. What is not logged is timed:
# a program alone, and with windows.
# shellcheck disable=SC2016
counted '
	echo "$1" | while read -r name window line; do
		[ "$name" ] || continue
		echo "$window" >"$name.window"
		eval "set -- ${line##*-- }"
		ssctr record -o data --windows ${line%% -- *} \
			-- /t/traced "7$window" "$@" </dev/null >"$name.out" 2>"$name.said" &&
			/t/traced "3$window" /bin/true &&
			ssctr stf -i data -o "$name.zstf" 2>"$name.txt" || exit
		rm data
	done || exit
	run() {
		begin=$(date +%s%N)
		"$@" >/dev/null 2>said || exit
		took=$(($(date +%s%N) - begin))
	}
	program="/t/trace_work sort $2"
	# What else the guest does comes on top: of several runs, the least counts.
	least() {
		name=$1
		shift
		least=
		for round in 1 2 3; do
			rm -f cost.data
			run "$@"
			[ "$least" ] && [ "$least" -le $took ] || least=$took
		done
		echo "$name $least"
	}
	run $program
	least alone $program >costs
	least nothing true >>costs
	least start ssctr record --windows 200k/$3 -o cost.data -- true >>costs
	for round in 1 2 3; do
		rm -f cost.data
		run ssctr record --windows 200k/$3 --windows-seed 1 -o cost.data -- $program
		echo "windows $took" >>costs
		cat said
		# From the sample at its place to the last one, a window takes so long.
		perf script -i cost.data -F time,period 2>/dev/null | awk "
			{ sub(/:/, \"\", \$1); dense = \$2 < 1000 }
			dense { if (!nr++ || !inside) begin = last; end = \$1; samples++; counted += \$2 }
			inside && !dense { sum += end - begin; windows++ }
			{ inside = dense; last = \$1 }
			END {
				if (inside) { sum += end - begin; windows++ }
				printf \"inside %.0f\nnr %d\nsamples %d\ncounted %d\n\",
					sum * 1e9, windows, samples, counted
			}" >>costs
	done
	ssctr stf -i cost.data -o cost.zstf 2>cost.txt
	rm -f cost.data

	# What runs already. On a hart, ssctr record itself runs, too.
	/t/trace_work sort 100000 &
	busy=$!
	ssctr record --windows 20k/5M --duration 0.2 -o data -p $busy 2>process.said &&
		ssctr stf -i data -o process.zstf 2>process.txt
	ssctr record --windows 5k/5M --depth 16 --duration 0.2 -o data -p $busy 2>shallow.said &&
		ssctr stf -i data -o shallow.zstf 2>shallow.txt
	ssctr record --windows 10k/5M --duration 0.2 -o data -C 0 2>hart.said &&
		ssctr stf -i data -o hart.zstf 2>hart.txt
	kill $busy
	rm -f data
	exit 0
' "$recordings" "$rounds" "$every" || exit

# All that runs on the hart. One of the programs begins before the recording, and the other
# after it. QEMU counts instructions only while its harts take turns, and then does not tell
# plug-ins which of them it is: so there is one.
if [ -z "${2-}" ]; then
	one=$out
	out=$one/harts
	mkdir -p "$out"
	# shellcheck disable=SC2016
	counted '
		logged() { exec /t/traced "7$1" /t/trace_work "$2" 60 >/dev/null; }
		logged m sort &
		first=$!
		until [ "$(cat /proc/$first/comm)" = trace_work ]; do sleep 0.01; done
		kill -STOP $first
		mkfifo go
		(read -r _ <go && logged n kinds) &
		second=$!
		ssctr record -a -m 2048 --windows 5k/1M --windows-seed 4 -o data -- sh -c "
			kill -CONT $first
			echo >go
			while [ -d /proc/$first ] || [ -d /proc/$second ]; do sleep 0.05; done
		" 2>harts.said &
		recorder=$!
		wait $first $second $recorder &&
			perf record -q --no-buildid-mmap --buildid-all -o perf.data true &&
			ssctr stf --code ~/.debug -i data -o harts.zstf 2>harts.txt || exit
		echo $first $second >harts.pids
		rm data perf.data
	' || exit
	mv "$out"/data/harts.* "$one/data" || exit
	out=$one
fi

made() { cat "$out/data/$1.said" "$out/data/$1.txt" && [ -s "$out/data/$1.windows" ]; }
# Branches do not tell what was read and written, nor all about a trap.
is_valid() { build/bin/ssctr check -x MEM_MISSING -x EVENT_FIELDS "$out/data/$1.zstf"; }
# A reader needs nothing but the table to take one.
is_cut() {
	start=$(awk '$1 " " $2 == "window 3" { print $3 }' "$out/data/$1.windows")
	length=$(awk '$1 " " $2 == "window 3" { print $4 }' "$out/data/$1.windows")
	build/bin/ssctr cut -s "$start" -n "$length" -o "$out/$1.cut.zstf" "$out/data/$1.zstf" &&
		build/bin/ssctr info "$out/$1.cut.zstf" >"$out/$1.cut" &&
		build/bin/ssctr dump --limit 1 "$out/$1.cut.zstf" >>"$out/$1.cut" || return
	cat "$out/$1.cut"
	grep "^instructions  *$length," "$out/$1.cut" && grep '"ssctr window 3: ' "$out/$1.cut" &&
		grep '^gaps  *0 ' "$out/$1.cut"
}
names=$(echo "$recordings" | sed 's/ .*//')
for name in $names; do
	t "${name}_is_made" made "$name"
	t "${name}_has_no_fault_that_check_finds" is_valid "$name"
	t "a_window_of_${name}_is_cut" is_cut "$name"
done

# has_windows NAME LEAST: so many complete ones, of one thread.
has_windows() {
	made "$1" && is_valid "$1" && cat "$out/data/$1.windows" &&
		[ "$(grep -c '^recorded ' "$out/data/$1.windows")" -ge "$2" ] &&
		[ "$(awk '$1 == "recorded" { print $9 }' "$out/data/$1.windows" | sort -u | wc -l)" = 1 ]
}
t a_process_that_runs_has_windows has_windows process 20
t a_hart_has_windows has_windows hart 10
# They are not only those of code that branches seldom.
is_shallow() {
	has_windows shallow 20 &&
		awk '$1 == "left-out" && $2 > 1 { failed = 1 } END { exit failed }' \
			"$out/data/shallow.windows"
}
t samples_of_a_smaller_depth_overlap is_shallow

# That the recorder itself starts and ends is the cost of neither.
costs_little() {
	awk '
		{ now[$1] = $2 }
		# The last line of a recording, of which the one with the least between windows counts.
		$1 == "counted" && (!least || now["windows"] - now["inside"] < least) {
			least = now["windows"] - now["inside"]
			for (name in now) of[name] = now[name]
		}
		END {
			# Instructions of the program, and what they took.
			outside = of["alone"] - of["counted"]
			took = least - of["start"] + of["nothing"]
			share = took / outside - 1
			printf "%d instructions; %d windows with %d samples: in windows, an instruction takes %.0f times as many; between them, %.2f %% more\n",
				of["alone"], of["nr"], of["samples"], of["inside"] / of["counted"], 100 * share
			exit !(of["nr"] >= 2 && share <= 0.01)
		}' "$out/data/costs" >"$out/said"
	status=$?
	tr "\n" " " <"$out/data/costs"
	cat "$out/said"
	return $status
}
t between_windows_a_program_is_one_percent_slower_at_most costs_little
sed 's/^/# /' "$out/said"
plan
status=$?
for name in $names; do
	window=$(od -An -tu1 "$out/data/$name.window" | awk '{ print $1 }')
	build/tests/judge/windows_check "$out/log" "$window" "$out/data/$name.zstf" \
		"$out/data/$name.windows" $least 95 || status=1
done
if [ -z "${2-}" ]; then
	read -r first second <"$out/data/harts.pids"
	cat "$out/data/harts.said" "$out/data/harts.txt"
	build/tests/judge/windows_check "$out/harts/log" "$(printf '%d,%d' "'m" "'n")" \
		"$out/data/harts.zstf" "$out/data/harts.windows" 20 90 "$first" "$second" || status=1
fi
[ $status != 0 ] || rm -rf "$out"
exit $status
