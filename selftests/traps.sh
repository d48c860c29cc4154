#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Page faults and signals, which leave no record where user code alone is recorded:
# programs that are executed in a guest, recorded and logged by QEMU at once. Each fault
# that a trace tells is where it was, with its address, and nothing is shown that a
# signal came before: traps.sh KERNEL [few]
# few: one recording of those that differ by how they were made, and shorter ones.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
few=${2-}
# How long programs run, in rounds of theirs, and how many signals they have at least.
nr_faults=2 rounds=90 signals=250
[ -z "$few" ] || nr_faults=1 rounds=50 signals=60
out=build/traps-$kernel
put='--put build/riscv64/bin/ssctr:/usr/bin/ssctr'

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2016
counted "few=$few rounds=$rounds nr_faults=$nr_faults"'
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	faults="page-faults/period=1/ -d"
	# user NAME WINDOW WORK ROUNDS OPTION...
	user() {
		name=$1 window=$2 work=$3 rounds=$4
		shift 4
		echo "$window" >"$name.window"
		perf record -q --no-buildid-mmap --buildid-all -m 16M -r 1 \
			-e "instructions/branch_type='\''any,u,hw_index'\'',period=100/u" "$@" -o "$name.data" -- \
			/t/traced "7$window" /t/trace_work "$work" "$rounds" >"$name.out" &&
			/t/traced "3$window" /bin/true
	}
	# shellcheck disable=SC2086
	user faults a faults $nr_faults -e $faults --user-regs || exit
	user bare b faults 1 -e $faults || exit
	user both d storm 20 -e $faults --user-regs || exit
	user nest g nest $rounds || exit
	user unaware j anew 20 || exit
	if [ ! "$few" ]; then
		user storm c storm 150 || exit
		user anew h anew 90 -e signal:signal_deliver --user-regs || exit
		user nowhere i anew 90 -e signal:signal_deliver || exit

		echo e >ours.window
		ssctr record --for stf -e instructions:u -c 100 -m 4096 -o ours.data -- \
			/t/traced 7e /t/trace_work faults 1 && /t/traced 3e /bin/true || exit
	fi

	echo k >signals.window
	ssctr record --for stf -e instructions:u -c 100 -m 4096 -o signals.data -- \
		/t/traced 7k /t/trace_work anew $rounds >signals.out && /t/traced 3k /bin/true || exit

	echo f >kernel.window
	mkfifo control ack
	perf record -q -m 8M --kcore -e "cycles/branch_type='\''any,u,k'\''/" -c 20000 \
		-e $faults --user-regs -o kernel.data -D -1 --control fifo:control,ack -- \
		/t/trace_work faults 4 f
' || exit
root || exit
recordings='faults bare both nest unaware signals kernel'
[ "$few" ] || recordings="$recordings storm anew nowhere ours"
# those NAME...: the ones of these that were made.
those() {
	for name; do
		case " $recordings " in *" $name "*) echo "$name" ;; esac
	done
}

# had NAME FIELD LEAST: the program printed such a number.
had() {
	cat "$out/data/$1.out"
	[ "$(cut -d ' ' -f "$2" "$out/data/$1.out")" -ge "$3" ]
}
says() { [ "$(count "$1" "$2")" -ge "$3" ]; }

for name in $recordings; do
	t "${name}_is_converted" converts "$name"
	t "${name}_has_no_fault_that_check_finds" check "$name"
done
for name in $(those storm nest); do
	t "${name}_had_$((2 * signals))_signals" had "$name" 1 $((2 * signals))
done
[ "$few" ] || t a_hundred_handlers_jumped_away had storm 3 100
t $((signals / 5))_handlers_of_nest_jumped_away had nest 3 $((signals / 5))
t $((signals * 2 / 5))_handlers_of_nest_began_in_others had nest 5 $((signals * 2 / 5))
for name in $(those anew nowhere signals); do
	t "${name}_had_${signals}_signals" had "$name" 1 $signals
	t "$((signals / 5))_handlers_of_${name}_began_in_others" had "$name" 5 $((signals / 5))
	t "the_signals_of_${name}_are_told" says "$name" 'signals that started a handler' $signals
done
t without_signals_what_is_not_noticed_is_told \
	says unaware 'returns of signal handlers, in a recording without signals' 10
t without_registers_faults_are_told_to_be_open says bare 'not certain when' 100
plan
status=$?
for name in $recordings; do
	case $name in
	faults) judge faults 1000 joined faults=95 ;;
	ours) judge ours 1000 joined faults=95 ;;
	bare) judge bare 1000 joined faults=20 ;;
	both) judge both 100 joined faults=30 ;;
	kernel) judge kernel 100 addresses=95 ;;
	unaware) ;;
	*) judge "$name" 1000 joined ;;
	esac || status=1
done
[ $status != 0 ] || rm -rf "$out"
exit $status
