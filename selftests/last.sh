#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ssctr last of programs that die in ten ways, with debug information and without, in a
# guest that QEMU logs at once: the path is one that was executed, and it ends with the
# instruction that was the thread's last: last.sh KERNEL [few]
# few: three of the ways, with debug information.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/last-$kernel
ways='null stack abort assert illegal outside call munmap thread child'
programs='crash crash-plain'
[ -z "${2-}" ] || ways='null call child' programs=crash
put="--put build/riscv64/bin/ssctr:/usr/bin/ssctr --put build/selftests/crash:/t/crash
	--put build/selftests/crash-plain:/t/crash-plain --put selftests/crash.c:/t/selftests/crash.c"

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2016
counted '
	modprobe -r ssctr
	ssctr last true 2>without.said && exit 1
	modprobe ssctr bpf=1 || exit
	echo 0 >/proc/sys/net/core/bpf_jit_enable
	ssctr last true 2>interpreted.said
	echo 1 >/proc/sys/net/core/bpf_jit_enable

	# way WINDOW PROGRAM WAY: a child has a window of its own, the same in capitals.
	way() {
		name=$3${2#crash}
		child=$(echo "$1" | tr a-z A-Z)
		echo "$1$child" >"$name.window"
		ssctr last -o "$name.data" --json -- /t/traced "7$1" "/t/$2" "$3" "$child" \
			>"$name.json" 2>"$name.said"
		echo $? >"$name.status"
		/t/traced "3$1" /bin/true
		/t/traced "3$child" /bin/true
	}
	set -- a b c d e f g h i j k l m n o p q r s t
	for way in '"$ways"'; do
		for program in '"$programs"'; do
			way "$1" "$program" "$way"
			shift
		done
	done

	show() {
		name=$1
		shift
		ssctr last "$@" >"$name.said" 2>&1
		echo $? >>"$name.said"
	}
	(cd /t && show null /t/crash null && mv null.said /tmp/data)
	show exit /t/crash exit
	(cd /t && show named -o "$(printf "a\\033b")" /t/crash exit && mv named.said /tmp/data)
	show well true
	show ends /t/crash ends
	show exec -n 0 /t/crash exec
	show killed -n 0 /t/crash killed
	show errno --errno ENOENT -n 0 --depth 2 /t/crash errno
	show at --at parse -n 0 --depth 2 /t/crash errno
	show returns --returns parse -n 0 --depth 2 /t/crash errno
	show value --returns parse=0 -n 0 --depth 2 /t/crash errno
	show through --returns parse --depth 0 /t/crash errno
	show through-kernel --kernel --returns parse --depth 0 /t/crash errno
	show unwinds --at unwind /t/crash unwind
	show dies --returns unwind /t/crash unwind
	show kernel --kernel --errno ENOENT /t/crash errno
	show both --kernel --at parse -n 0 --depth 2 /t/crash errno
	show entered --at kernel:do_sys_openat2 --depth 2 /t/crash errno
	show returned --returns kernel:do_sys_openat2=-2 --depth 2 /t/crash errno
	show none --at nosuch /t/crash errno
	show shell sh -c "/t/crash null; exit 3"
	# What a signal would leave behind is where the command finds it.
	mkdir own
	TMPDIR=$PWD/own show name sh -c "! ls -d own/* /tmp/ssctr* | grep ."
	ulimit -n 24
	show few /t/crash null
	ulimit -n 1024
	(sleep 60 & echo $! >pid; wait) &
	sleep 1
	(sleep 2; kill -USR1 "$(cat pid)") &
	show pid -p "$(cat pid)"
' || exit
said() {
	cat "$out/data/$1.said"
	grep -qF "$2" "$out/data/$1.said"
}
ends_with() { [ "$(tail -n 1 "$out/data/$1.said")" = "$2" ]; }

t without_the_module_it_says_how_to_load_it said without 'modprobe ssctr bpf=1'
compiler_is_named() {
	# Older kernels run the program as it is.
	[ ! -s "$out/data/interpreted.said" ] || said interpreted 'bpf_jit_enable=1' ||
		said interpreted 'no process was killed'
}
t without_the_compiler_of_the_kernel_it_says_so compiler_is_named

# The transfers before the point, and the instruction at it, are the log's.
was_executed() {
	window=$(od -An -tu1 "$out/data/$1.window" | tr -s ' ' , | sed 's/^,//; s/,10$//')
	build/tests/judge/last_check "$out/log" "$window" "$out/data/$1.data"
}
has_status() { [ "$(cat "$out/data/$1.status")" = "$2" ] || ! cat "$out/data/$1.status"; }
for way in $ways; do
	case $way in
	abort | assert) status=134 ;;
	illegal) status=132 ;;
	outside) status=143 ;;
	child) status=0 ;;
	*) status=139 ;;
	esac
	for program in $programs; do
		name=$way${program#crash}
		t "$name.it_is_what_was_executed_last" was_executed "$name"
		t "$name.the_exit_status_is_the_command_s" has_status "$name" $status
	done
done

t a_path_is_shown_with_calls_and_lines said null 'null_pointer+0xa (crash.c:37): 2 instructions, calls'
t the_line_that_faulted_is_shown said null 'return *p;'
t an_exit_status_is_a_point said exit 'exited with status 3'
t a_program_that_ends_well_has_no_point said well 'no process was killed'
t its_status_is_0 ends_with well 0
t threads_that_end_with_their_program_are_not_killed said ends 'no process was killed'
t a_program_that_takes_the_place_of_threads_dies_by_its_own_signal \
	said exec 'killed by SIGSEGV'
t threads_that_are_killed_are_killed_by_sigkill said killed 'killed by SIGKILL'
nr_of() { [ "$(grep -c "$2" "$out/data/$1.said")" = "$3" ] || ! cat "$out/data/$1.said"; }
t a_system_call_that_fails_is_a_point nr_of errno 'the system call openat failed with ENOENT' 2
t a_function_that_is_called_is_a_point nr_of at ': parse was called' 2
t a_function_that_returns_a_negative_number_is_a_point nr_of returns 'parse returned -1' 1
t a_function_that_returns_what_is_asked_for_is_a_point nr_of value 'parse returned 0' 1
# parse returns 0 before. Probes lead its entries and returns into a page of the kernel.
goes_on() {
	cat "$out/data/$1.said"
	! grep -qF '[uprobes]' "$out/data/$1.said" &&
		grep -A 1 "$2" "$out/data/$1.said" | grep -q "$3"
}
t a_return_with_a_probe_leads_to_its_caller \
	goes_on through '^ *parse.*returns$' '^ *open_nothing.*: [2-9] instructions, calls$'
t an_entry_with_a_probe_is_that_of_the_program \
	goes_on through-kernel '^ *open_nothing.*calls$' '^ *parse (.*: [2-9] instructions, calls$'
t a_program_unwinds_its_stack_beside_a_probe_at_a_call ends_with unwinds 0
t a_program_that_a_probe_at_a_return_kills_is_not_blamed \
	said dies 'killed by SIGSEGV, which a probe at a return caused, and not the program'
t the_remedy_is_told said dies 'or use --at'
t the_kernel_s_branches_are_shown_if_asked_for said kernel 'do_sys_openat2'
t so_it_is_with_the_branches_of_the_kernel nr_of both ': parse was called' 2
# Not on 6.12, which has no such probes.
is_named() { said "$1" ': do_sys_openat2 '"$2" || said "$1" 'no probe can be placed'; }
t a_function_of_the_kernel_is_named_where_it_is_called is_named entered 'was called'
t a_function_of_the_kernel_is_named_where_it_returns is_named returned 'returned -2'
t a_function_that_is_not_there_is_told said none "has no function 'nosuch'"
t what_was_killed_comes_before_a_shell_s_status said shell 'killed by SIGSEGV'
t a_recording_s_name_is_no_command_to_the_terminal said named 'the recording is in a?b'
t a_recording_that_is_not_kept_has_no_name ends_with name 0
t a_limit_of_files_is_no_matter said few 'killed by SIGSEGV'
t a_process_that_runs_is_followed said pid 'killed by SIGUSR1'
plan
status=$?
[ $status != 0 ] || rm -rf "$out"
exit $status
