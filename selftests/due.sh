#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Is each sample there that is due, and if not, does everything say how many are? Programs
# are recorded with perf record and ssctr record in a guest whose clock counts
# instructions, where each sample comes exactly after its period, and in one with four
# harts, where the emulated counter leaves most of them out: due.sh KERNEL [few]
# few: with one of the four periods for each program, and with two programs on four harts.
#
# The witnesses are perf stat, and perf script of this machine.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
few=${2-}
out=build/due-$kernel
symfs=$(qemu/vm path guest --kernel "$kernel")
perf="qemu/on-host $(qemu/vm host-perf "$kernel")/perf" || exit

rm -rf "$out"
mkdir -p "$out" || exit

# What both guests do: NAME.data of each, and a line of `list` that begins with NAME and
# the period.
# shellcheck disable=SC2016
both="few=$few"'
	# Of the period that is number n, counted over all programs.
	is_left_out() {
		case $few$n in few1 | few8 | few10) false ;; few*) true ;; *) false ;; esac
	}
	# A sample with its interrupt takes some ten thousand instructions: the kernel would
	# throttle the shortest of these periods now and then.
	# The rate can be set while the kernel watches how long samples take.
	cd /proc/sys/kernel || exit
	echo 99 >perf_cpu_time_max_percent && echo 1000000 >perf_event_max_sample_rate &&
		echo 0 >perf_cpu_time_max_percent && cd /tmp/data || exit
	# program WORK SIZE: sets $command.
	program() {
		case $1 in
		sum)
			head -c $((100000 * $2)) /usr/bin/perf >/tmp/text
			command="busybox sha256sum /tmp/text"
			;;
		shell)
			head -c $((60000 * $2)) /usr/bin/perf >/tmp/text
			echo "busybox md5sum /tmp/text; busybox sha1sum /tmp/text; :" >/tmp/script
			command="sh /tmp/script"
			;;
		forks) command="/t/trace_work forks $((2 * $2)) a" ;;
		threads) command="/t/trace_work threads $2" ;;
		*) command="/t/trace_work $1 $((12 * $2))" ;;
		esac
	}
	count() { perf stat -x , -e instructions:u -- $command 2>&1 >/dev/null | cut -d , -f 1; }
	# record NAME TOOL [ARGUMENT]...: the command.
	record() {
		name=$1 tool=$2
		shift 2
		$tool record -q -j any,u -e instructions:u "$@" -o "$name.data" -- $command \
			>/dev/null 2>"$name.err" || ! cat "$name.err"
	}
'
guest() {
	qemu/vm run --kernel "$kernel" --timeout 600 "$@"
}

# Three programs, four periods, both tools; of the system and of the program alone, right
# after an event that counted and not.
# shellcheck disable=SC2016
guest --icount --put build/riscv64/bin/ssctr:/usr/bin/ssctr \
	--put build/selftests/trace_work:/t/trace_work --put build/selftests/swaps:/t/swaps \
	--get "/tmp/data:$out/data" -- \
	sh -c "mkdir /tmp/data && cd /tmp/data || exit
	$both"'
	n=0
	for work in sum sort shell; do
		for at in 1000:1 10007:3 20011:6 100003:25; do
			n=$((n + 1))
			! is_left_out || continue
			period=${at%:*}
			program $work ${at#*:}
			due=$(count)
			# Whatever that left behind.
			perf record -q -e instructions:u -c 1000 -o none -- true || exit
			for tool in perf ssctr; do
				name=$tool-$work-$period
				all=
				[ $(((n + (n - 1) / 4) % 2)) = 0 ] || all=-a
				[ $(((n / 2 + (n - 1) / 4) % 2)) = 0 ] || [ "$(count)" ] || exit
				record $name $tool -c $period $all || exit
				echo "$name $period $due $all" >>list
			done
		done
	done
	# Without branches, and of one CPU.
	program sum 25
	due=$(count)
	for all in "" -a "-C 0"; do
		name=plain$(echo $all | tr -d " ")
		perf record -q -e instructions:u -c 100003 $all -o $name.data -- $command >/dev/null || exit
		echo "$name 100003 $due $all" >>list
	done
	# An event counts the same while and after it was recorded.
	echo "$due $(count)" >counts
	# What it says is judged outside.
	/t/swaps >swaps || :
' || exit

# Four harts, whose counters run faster than their timers. The programs' files are here.
# shellcheck disable=SC2016
guest --smp 4 --put build/riscv64/bin/ssctr:/usr/bin/ssctr \
	--put build/selftests/trace_work:/t/trace_work --get "/tmp/data:$out/harts" -- \
	sh -c "mkdir /tmp/data && cd /tmp/data || exit
	$both"'
	n=0 works="sort forks threads"
	[ ! "$few" ] || n=4 works="forks threads"
	for work in $works; do
		for period in 200003 500009 1000003 2000003; do
			n=$((n + 1))
			! is_left_out || continue
			all=
			[ $(((n + (n - 1) / 4) % 3)) != 0 ] || all=-a
			program $work 4
			for tool in perf ssctr; do
				record $tool-$work-$period $tool -c $period $all || exit
				echo "$tool-$work-$period" >>list
			done
		done
	done
	program sort 12
	record perf-s perf -s -c 500009 && echo perf-s >>list
' || exit

# shellcheck disable=SC2016
of_the_program='
	BEGIN { FS = "[ \t]+" }
	/ (busybox|trace_work|sh) / { n++ }
	/LOST/ { sub(/.*lost /, ""); lost += $1 }
	END { print n + 0, lost + 0 }'
# is_due DATA PERIOD COUNT: a process may end amid a period, and be left amid one. Sets n.
is_due() {
	$perf script -i "$1" -F comm,event --show-lost-events 2>/dev/null |
		awk "$of_the_program" >"$out/samples"
	read -r n lost <"$out/samples"
	echo "$n samples, $lost lost, $(($3 / $2)) due"
	[ "$(($3 / $2))" -ge 250 ] && [ $((n + lost + 3)) -ge $(($3 * 99 / 100 / $2)) ] &&
		[ $((n - 3)) -le $(($3 * 101 / 100 / $2)) ]
}

# share DATA: what lies between the samples, by the kernel's counts, as perf shows them.
# Those without a time are of events as they were opened.
share() {
	$perf script -i "$1" -D 2>/dev/null | awk '
		$2 == 0 && /PERF_RECORD_READ/ { count += $NF }
		/PERF_RECORD_SAMPLE/ { sub(/.* period: /, ""); between += $1 }
		END {
			if (!count) print "not known"
			else print between < count ? between / count : 1
		}'
}
# near STATED TRUTH: within a point.
near() {
	echo "$1 is stated, $2 is so"
	[ "$1 $2" = "null not known" ] || echo "$1 $2" | awk '
		$1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ {
			apart = $1 - $2
			found = apart <= 0.01 && apart >= -0.01
		}
		END { exit !found }'
}

# The first figure that JSON has under this key.
value() { grep -o "\"$1\":[^,}]*" | sed 's/.*://; q'; }
# noted FILE: what the summary there says lies between the samples, as JSON would.
noted() {
	if grep -q 'samples of .* is not known' "$1"; then
		echo null
	else
		sed -n 's/.* samples of .*, which cover \([0-9.]*\) % of its count of .*/\1/p' "$1" |
			awk '{ print $1 / 100 }'
	fi
}
# reads SUBCOMMAND DATA OPTION...: what it says goes to $out/said.
reads() {
	with=$1 data=$2
	shift 2
	build/bin/ssctr "$with" -i "$data" --code build/selftests/trace_work \
		--code build/riscv64/bin --symfs "$symfs" "$@" 2>"$out/said"
}
reports() {
	near "$(reads report "$1" --by edges --json | value coverage)" "$2" &&
		near "$(noted "$out/said")" "$2"
}
# The trace holds less than what lies between the samples, and never says more.
traces() {
	reads stf "$1" --allow-partial -o "$out/trace.zstf"
	cat "$out/said"
	near "$(noted "$out/said")" "$2" || return
	held=$(build/bin/ssctr info --json "$out/trace.zstf" | value coverage)
	echo "$held is in the trace"
	[ "$held $2" = "null not known" ] || awk "BEGIN { exit !($held <= $2 + 0.01) }"
}
profiles() {
	reads profile "$1" --allow-partial -b build/selftests/trace_work -o "$out/profile"
	cat "$out/said"
	near "$(noted "$out/said")" "$2"
}

while read -r name period due all; do
	data=$out/data/$name.data
	t "${name}${all:+_of_all}_has_what_is_due" is_due "$data" "$period" "$due"
	read -r n _ <"$out/samples"
	# What perf stat counted says it of the program alone.
	case $name$all in
	plain*) continue ;;
	*-a) share=$(share "$data") ;;
	perf*) share="not known" ;;
	*) share=$(awk "BEGIN { print $n * $period / $due }") ;;
	esac
	t "${name}_says_what_is_there" reports "$data" "$share"
done <"$out/data/list"
counts_stay() { cat "$out/data/counts" && awk '{ exit $1 != $2 }' "$out/data/counts"; }
t counts_stay_as_they_are counts_stay
swaps() { cat "$out/data/swaps" && grep -q '^ok 1' "$out/data/swaps"; }
t threads_whose_kinds_of_events_differ_are_swapped swaps

missing=0
while read -r name; do
	data=$out/harts/$name.data
	share=$(share "$data")
	echo "# $name of 4 harts: $share"
	# perf's samples may all be missing: then there is nothing to convert.
	if [ "$share" = "not known" ] && ! reads report "$data" >/dev/null; then
		t "${name}_of_4_harts_has_no_samples" grep 'no .*sample' "$out/said"
		continue
	fi
	case $share in 0.[0-8]*) missing=$((missing + 1)) ;; esac
	for output in reports traces profiles; do
		t "${name}_of_4_harts_${output}_what_is_there" $output "$data" "$share"
	done
done <"$out/harts/list"
# Else nothing was tried.
least=8
[ ! "$few" ] || least=2
some_are_missing() { echo "$missing recordings lack samples" && [ "$missing" -ge $least ]; }
t some_samples_of_4_harts_are_missing some_are_missing
plan
status=$?
[ $status != 0 ] || rm -rf "$out"
exit $status
