#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A kernel that oopses, and then panics, says which of its branches came before:
# oops.sh KERNEL [few]
# few: without the machine that has to boot anew.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
few=${2-}
out=build/oops-$kernel
release=$(qemu/vm path release --kernel "$kernel")

rm -rf "$out"
mkdir -p "$out" || exit
# The console has its last lines alone, of which the report of the panic is to be.
qemu/vm run --kernel "$kernel" --timeout 300 --no-module --put selftests:/t \
	--put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
	--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
	. /t/ktap.sh
	report() { dmesg -c | sed "s/^\[ *[0-9.]*\] //; s/^/$1: /"; }
	sysctl -q kernel.panic_on_oops=0
	dmesg -C
	insmod /t/ssctr.ko oops=257; report refused
	sysctl -q kernel.ftrace_enabled=0
	insmod /t/ssctr.ko oops=256; report untraced
	rmmod ssctr
	sysctl -q kernel.ftrace_enabled=1
	insmod /t/ssctr.ko oops=256 || exit
	dmesg -C
	insmod /t/ssctr_test.ko act=null; report null
	rmmod ssctr_test
	rmmod ssctr && insmod /t/ssctr.ko depth=16 oops=16
	dmesg -C
	insmod /t/ssctr_test.ko act=null; report small
	rmmod ssctr_test
	rmmod ssctr && insmod /t/ssctr.ko oops=256 || exit
	dmesg -C
	insmod /t/ssctr_test.ko act=warn; report warn
	rmmod ssctr && insmod /t/ssctr.ko oops=20
	dmesg -C
	insmod /t/ssctr_test.ko act=null; report few
	rmmod ssctr_test
	rmmod ssctr && insmod /t/ssctr.ko oops=256
	dmesg -C
	insmod /t/ssctr_test.ko act=untyped; report untyped
	rmmod ssctr_test
	dmesg -C
	insmod /t/ssctr_test.ko act=moved; report moved
	rmmod ssctr_test
	dmesg -C
	insmod /t/ssctr_test.ko act=oops; report oops
	t_record /tmp/data -b -e cycles:u >/dev/null && echo "user: recorded"
	t_record /tmp/data -b >/dev/null && echo "all: recorded"
	t_record /tmp/data >/dev/null && echo "plain: recorded"
	rmmod ssctr && insmod /t/ssctr.ko oops=20
	echo 1 >/sys/module/ssctr_test/parameters/give_up' >"$out/guest" 2>"$out/console"

# words REPORT: what the module said then.
words() { sed -n "s/^$1: ssctr: //p" "$out/guest"; }

# has TEXT LINE: the line is in the text.
has() {
	echo "$1" | grep -qF -- "$2" && return
	echo "$1"
	echo "does not have: $2"
	return 1
}

# The kernel says where it was, too.
it_is_where_the_kernel_was() {
	epc=$(sed -n 's/^oops: epc : \([^ ]*\) .*/\1/p' "$out/guest" | head -n 1)
	has "$(words oops)" "  $epc [ssctr_test] -> handle_exception" &&
		has "$(words oops | grep -F "$epc")" '(exception)'
}
t the_faulting_instruction_is_among_the_branches it_is_where_the_kernel_was

# The loop runs five times, and so branches back four times or five.
what_was_before() {
	before=$(words oops | sed '/^  fall+.*(exception)/q' | tail -n 5)
	has "$before" ' -> stumble+0x0/' && has "$before" ' -> fall+0x0/' || return
	echo "$before"
	echo "$before" | grep -Eq '^  fall\+.* -> fall\+.*, [45] times\)$'
}
t the_calls_and_the_loop_before_it_are_there what_was_before

# count: how many branches these lines are.
count() {
	sed -n 's/^  .* -> .*(.*, \([0-9]*\) times)$/\1/p; s/^  .* -> .*([^,]*)$/1/p' |
		awk '{ n += $1 } END { print n }'
}

as_many_as_it_says() {
	said=$(words oops | sed -n 's/^the last \([0-9]*\) branches on CPU .*/\1/p')
	lines=$(words oops | count)
	echo "$said said, $lines printed"
	[ "$said" = "$lines" ] && [ "$said" -gt 30 ]
}
t there_are_as_many_as_it_says as_many_as_it_says

said_once() { [ "$(words oops | grep -c 'the last .* branches on CPU')" = 1 ]; }
t an_oops_is_told_once said_once

# A call through NULL: the kernel was at no code, and not in user code.
null_is_no_user_code() {
	has "$(words null)" ' [ssctr_test] -> 0x0 (call)' &&
		has "$(words null)" '  0x0 -> handle_exception' || return
	text=$(build/bin/ssctr last --console "$out/guest" -n 0 2>"$out/messages" | sed -n '1,/^It stopped/p')
	has "$text" 'ssctr_null[' && has "$text" 'It stopped at 0x0' && has "$text" ': calls'
}
t a_call_of_no_function_leads_to_null null_is_no_user_code

# On a hart that does not say types it may be user code.
no_address_of_users() {
	words untyped | grep -v ' -> handle_exception+'
	has "$(words untyped)" ' -> user code (transfer)' && ! words untyped | grep -q 5e5e5e5e
}
t a_record_without_a_type_tells_no_address_of_users no_address_of_users

# It was where the exception was, not where the kernel reports it.
its_own_branches() {
	has "$(grep '^moved: CPU: ' "$out/guest")" 'CPU: 1 ' &&
		has "$(words moved)" 'branches on CPU 0, the newest last' &&
		words moved | grep -q '^  die_elsewhere+.* -> handle_exception+0x0/.*(exception)$'
}
t a_task_that_moved_before_its_report_is_told_by_its_own_branches its_own_branches

warning_is_not_told() {
	has "$(cat "$out/guest")" 'warn: WARNING: ' && [ -z "$(words warn)" ]
}
t a_warning_is_not_told warning_is_not_told

# How the kernel handles the exception takes nothing of what was asked for.
as_many_before_it() {
	before=$(words few | sed '/^  0x0 -> .*(exception)/q' | count)
	all=$(words few | count)
	echo "$before before, $all printed"
	[ "$before" = 20 ] && [ "$all" -gt 20 ]
}
t as_many_as_asked_for_end_with_the_exception as_many_before_it

# The probe that copies the buffer fills it.
small_buffer() {
	words small
	[ "$(words small | sed 's/CPU [0-9]*/CPU N/')" = \
		'no branch of the kernel was recorded on CPU N: the buffer had room for those of the report alone' ]
}
t a_small_buffer_has_no_branches_but_those_of_the_report small_buffer

for kind in user all plain; do
	t "perf_records_after_it: $kind" has "$(cat "$out/guest")" "$kind: recorded"
done

panic() { sed -n 's/^\[ *[0-9.]*\] ssctr: //p' "$out/console"; }
the_panic_is_told() {
	has "$(panic)" 'the last 20 branches on CPU' &&
		has "$(panic | tail -n 1)" '  give_up+' &&
		has "$(panic | tail -n 1)" 'panic+0x0/'
}
t a_panic_is_told_up_to_its_call the_panic_is_told

# ssctr makes a path of it, whose end is known by the source and by the kernel's own words.
decoded=$(build/bin/ssctr last --console "$out/guest" -n 1 \
	--code "build/selftests/kmod/$release" 2>"$out/messages")
line=$(grep -n 'WRITE_ONCE(\*at, rounds)' selftests/kmod/ssctr_test.c | cut -d : -f 1)
it_ends_at_the_fault() {
	has "$decoded" "It stopped at ${epc%/*}, ssctr_test.c:$line (ssctr_test)" &&
		has "$decoded" '  WRITE_ONCE(*at, rounds);' &&
		has "$decoded" 'insmod[' && has "$decoded" ']'" on CPU $cpu: Unable to handle kernel"
}
epc=$(sed -n 's/^oops: epc : \([^ ]*\) .*/\1/p' "$out/guest" | head -n 1)
cpu=$(words oops | sed -n 's/^the last .* branches on CPU \([0-9]*\),.*/\1/p')
t ssctr_decodes_the_faulting_instruction_and_its_line it_ends_at_the_fault

# From the end: the loop, which was entered by a call of a function that was called.
it_shows_the_way() {
	path=$(echo "$decoded" | grep -A 20 -E '^ *stumble( \(ssctr_test\.c[^)]*\))?: calls')
	echo "$decoded" | tail -n 20
	echo "$path" | sed 's/^  *//; s/+0x[0-9a-f]*//; s/ (.*)//; s/[0-9]* instructions*, //' | head -n 6 | tr '\n' ';' |
		grep -Eq '^stumble: calls;fall: (jumps|branches);[45] times:;[|] fall: (jumps|branches);(fall: (jumps|branches);)?fall: oops'
}
t ssctr_decodes_the_calls_and_the_loop_before_it it_shows_the_way

all_are_accounted_for() {
	before=$(echo "$decoded" | sed -n 's/^The last \([0-9]*\) branches before it.*/\1/p')
	after=$(echo "$decoded" | sed -n 's/^The kernel handled the exception in \([0-9]*\) more.*/\1/p')
	echo "$said said, $before before the exception, $after after it"
	[ $((before + 1 + after)) = "$said" ]
}
said=$(words oops | sed -n 's/^the last \([0-9]*\) branches on CPU .*/\1/p')
t ssctr_shows_or_counts_all_branches all_are_accounted_for

panic_is_decoded() {
	text=$(build/bin/ssctr last --console "$out/console")
	has "$text" 'Kernel panic - not syncing: ssctr_test gives up' &&
		has "$text" 'The last 20 branches before it, the newest last:' &&
		has "$text" 'It stopped at give_up+'
}
t ssctr_decodes_a_panic panic_is_decoded

# The kernel looks where a breakpoint is, and says so, before it dies, for it is as in an NMI.
qemu/vm run --kernel "$kernel" --timeout 60 --module "build/driver/$release/ssctr.ko" \
	--module-args 'oops=64 tasks=40' \
	--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
	head /sys/module/ssctr/parameters/* && insmod /t/ssctr_test.ko act=bug' \
	>"$out/parameters" 2>"$out/bug"
gives_parameters() { [ "$(grep -xE '64|40' "$out/parameters" | xargs)" = '64 40' ]; }
t the_virtual_machine_gives_the_module_all_its_parameters gives_parameters
bug_is_told() {
	before=$(sed -n 's/^\[ *[0-9.]*\] ssctr: //p' "$out/bug" | sed '/^  give_in+.*(exception)/q' |
		tail -n 4)
	echo "$before"
	has "$before" ' -> turn+0x0/' && has "$before" ' times)' &&
		has "$before" ' -> give_in+' && has "$before" ' -> handle_exception+0x0/'
}
t a_bug_is_told_with_what_was_before bug_is_told

# The kernel takes a trap on the stack of those that have none left for one more overflow, if
# that stack's address has a certain bit, as that of this CPU has.
qemu/vm run --kernel "$kernel" --smp 2 --timeout 60 --no-module \
	--put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
	--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
	insmod /t/ssctr.ko oops=64 && taskset 2 insmod /t/ssctr_test.ko act=overflow' \
	>/dev/null 2>"$out/overflow"
t a_stack_overflow_panics has "$(cat "$out/overflow")" 'panicked: not syncing: Kernel stack overflow'
overflow() { sed -n 's/^\[ *[0-9.]*\] ssctr: //p' "$out/overflow"; }
overflow_is_told() {
	has "$(overflow | tail -n 1)" ' -> handle_bad_stack+0x0/' || return
	has "$(overflow)" '  descend+' &&
		overflow | tail -n 6 | grep -q '^  .* -> handle_exception+0x0/.*(exception)$'
}
t a_stack_overflow_is_told_up_to_its_exception overflow_is_told

# The sum of these bytes, with which a packet of the debugger's protocol ends.
sum_of() {
	printf %s "$1" | od -An -v -t u1 |
		awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n % 256 }'
}

# A hart that comes out of an idle state without access to its records, as firmware may leave
# it. Meanwhile the emulator's debugger takes the access away from the first hart: of mstateen0,
# whose number there is 66 more than that of the CSR, bit 54, or the bit by which the entries are
# reached, 60. It stops the machine when it comes, which c ends, and at the first byte that it
# reads, which D ends. It does not wait for the idle state: an exception comes first, of which the
# module wants to take the records.
# loses_access NAME VALUE: of mstateen0 from there on, its lowest byte first.
loses_access() {
	rm -f "$out/gdb.in" "$out/gdb.out"
	mkfifo "$out/gdb.in" "$out/gdb.out"
	cat "$out/gdb.out" >"$out/debugger" &
	reader=$!
	{
		printf '+$c#63'
		until grep -q '^dozes' "$out/$1" || ! kill -0 $reader; do sleep 0.1; done
		printf '+.+$P34e=%s#%02x+$D#44' "$2" "$(sum_of "P34e=$2")"
	} >"$out/gdb.in" 2>/dev/null &
	: >"$out/$1"
	qemu/vm run --kernel "$kernel" --smp 2 --timeout 60 --no-module \
		--cpu rv64,h=off,smctr=on,ssctr=on,smcsrind=on,sscsrind=on,sscofpmf=on,smstateen=on,v=off \
		--qemu-arg -chardev --qemu-arg "pipe,id=debugger,path=$top/$out/gdb" \
		--qemu-arg -gdb --qemu-arg chardev:debugger --put selftests/ktap.sh:/t/ \
		--put "build/driver/$release/ssctr.ko:/t/ssctr.ko" \
		--put "build/selftests/kmod/$release/ssctr_test.ko:/t/ssctr_test.ko" -- sh -c '
		. /t/ktap.sh
		state=/sys/kernel/debug/ssctr/state
		cd /sys/kernel/tracing
		insmod /t/ssctr.ko oops=64
		echo "p:mended fixup_exception at=+0(\$arg1):symbol" >kprobe_events
		echo 1 >events/kprobes/mended/enable
		insmod /t/ssctr_test.ko act=doze
		echo 0 >events/kprobes/mended/enable
		grep mended: trace
		echo dozes
		for _ in $(seq 600); do
			insmod /t/ssctr_test.ko act=stray 2>/dev/null
			insmod /t/ssctr_test.ko act=doze 2>/dev/null
			! grep "^0 0 " $state || break
			sleep 0.1
		done
		grep "^[01] " $state
		taskset -p 2 $$ >/dev/null
		t_record /tmp/data -C 1 -b >/dev/null && echo recorded' >"$out/$1" 2>"$out/$1.messages"
	kill $reader 2>/dev/null
}
lost_is_noticed() {
	loses_access "$@"
	tail -n 5 "$out/$1.messages"
	has "$(cat "$out/$1")" '0 0 ' && has "$(cat "$out/$1")" '1 256 ' &&
		has "$(cat "$out/$1")" recorded
}
unless_few a_hart_that_lost_its_records_in_an_idle_state_records_none \
	lost_is_noticed lost ffffffffffffbfff
unless_few a_hart_that_lost_the_way_to_them_records_none lost_is_noticed way ffffffffffffffef

# This one has no H extension, and so no vsctrctl.
nothing_is_mended() { ! grep 'mended: .*\[ssctr\]' "$out/lost" && grep dozes "$out/lost"; }
unless_few a_hart_without_guests_takes_no_trap_after_an_idle_state nothing_is_mended

t a_kernel_that_traces_nothing_is_named has "$(words untraced)" \
	'oops=256: no branches of stack overflows, and of panics without an exception'
t more_than_a_buffer_holds_is_refused has "$(words refused)" 'refused: oops=257'

plan
