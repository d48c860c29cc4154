#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ssctr collect as a service without a manager, on a machine that works and changes under
# it: collect.sh [few], as root with the module loaded; `program` is what it finds.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
few=${1-}
tests=$PWD
ko=$(realpath "$ko")
dir=$(mktemp -d)
cd "$dir" || exit

# The load: a program that is started again and again.
start_load() {
	(while "$tests/program" 300 >/dev/null; do sleep 0.5; done) &
	load=$!
}
stop_load() {
	kill "$load"
	wait "$load" 2>/dev/null
}

# start ARGUMENT...: in counts, in the background, with a new log. Turns and files are much
# more frequent than by default, so that the test is short.
start() {
	: >log
	ssctr collect -d counts --budget 100% --period 2s --turn 0.5s "$@" 2>>log &
	pid=$!
	wait_for is_there && has_said 'collects into'
}
is_there() { ! kill -0 "$pid" || has_said 'collects into'; }
has_said() { grep -q -- "$1" log; }
# ends SIGNAL: and its exit status is 0.
ends() {
	kill -s "$1" "$pid" && wait "$pid"
}
files() { ls counts/*.counts 2>/dev/null; }
# An emulated hart that is busy takes long to start a process: the shell counts.
nr_files() {
	set -- counts/*.counts
	[ -e "$1" ] && echo $# || echo 0
}
has_files() { [ "$(nr_files)" -ge "$1" ]; }

one_turn() {
	ssctr collect -d once --once --turn 0.5s 2>&1 || return
	ls -lR once
	[ "$(find once -name '*.counts' | wc -l)" = 1 ] && [ -z "$(ls once/turn)" ] &&
		[ "$(stat -c %a once/turn)" = 700 ]
}
start_load
t one_turn_makes_a_file one_turn

# One program runs in a PID namespace, and one outside.
in_a_container() {
	"$tests/program" 100000 >/dev/null &
	outside=$!
	# shellcheck disable=SC2016
	unshare --pid --fork sh -c '
		"$1" 100000 >/dev/null &
		ssctr collect -d inside --once --turn 1s
		kill $!' sh "$tests/program" 2>said
	kill $outside
	cat said
	nr=$(sed -n 's/.*\.counts: \([0-9]*\) samples in .*/\1/p' said)
	[ "$(grep -c 'start it with --pid=host' said)" = 1 ] &&
		ssctr info --json inside/*.counts | grep -o "\"samples\":$nr,"
}
t what_runs_outside_of_a_container_is_told_and_not_counted in_a_container

periods() {
	start -e cycles:u && wait_for has_files 2 && sed -n 's/^VmHWM://p' /proc/$pid/status >memory &&
		ends TERM
	status=$?
	cat log
	files
	[ $status = 0 ] && [ ! -e "$(find counts -name '*.part*')" ] && [ -z "$(ls counts/turn)" ]
}
t each_period_makes_a_file periods

little_memory() {
	cat memory
	[ "$(awk '{ print $1 }' memory)" -le 30720 ]
}
t it_takes_30_MB_of_memory_at_most little_memory

the_functions() {
	# shellcheck disable=SC2046 # a name a word
	ssctr merge -o all.counts $(files) && ssctr report -i all.counts --by functions -n 100 >out || return
	head -n 30 out
	grep ' main (' out && grep ' heap_down' out
}
t the_files_have_the_hot_functions the_functions
a_profile() {
	ssctr profile -i all.counts -b "$tests/program" -f llvm -o prof && grep '^main:' prof
}
t a_profile_is_made_of_them a_profile

# lost by kill -9: the period, and nothing else.
killed() {
	before=$(files)
	start && sleep 2 && kill -s KILL $pid
	wait $pid
	start || return
	cat log
	has_said 'did not end by itself' && wait_for has_files $(($(echo "$before" | wc -l) + 1)) &&
		ends TERM && files >after &&
		[ "$(sort -u after | wc -l)" = "$(wc -l <after)" ] &&
		echo "$before" | while read -r file; do [ -e "$file" ] || exit; done
}
t after_a_kill_it_goes_on killed

# A turn begins and ends.
a_turn() { wait_for records && wait_for fails records; }
records() { [ "$(ls counts/turn)" ]; }
reload() {
	nr=$(nr_files)
	# A turn comes a hundredth of the period after the last one; the period does not end
	# while anything is waited for.
	start --period 12m || return
	a_turn && kill -s HUP $pid && wait_for has_files $((nr + 1)) && a_turn &&
		ends TERM && has_files $((nr + 2))
}
t sighup_writes_the_file_and_goes_on_and_sigterm_the_last_one reload

unloaded() {
	start && wait_for rmmod ssctr && wait_for has_said 'cannot record' && sleep 3 &&
		insmod "$ko" && wait_for has_said 'records again' &&
		wait_for has_files $(($(nr_files) + 1)) && ends TERM
	status=$?
	cat log
	[ $status = 0 ] && [ "$(grep -c 'cannot record' log)" = 1 ] &&
		grep 'ssctr doctor' log
}
t a_module_that_goes_and_comes_back_is_waited_for unloaded

full_disk() {
	mkdir -p counts-small && mount -t tmpfs -o size=1m,mode=755 none counts-small || return
	# One page of 256 is left.
	head -c 1044480 /dev/zero >counts-small/filler
	: >log
	RUNTIME_DIRECTORY=$dir ssctr collect -d counts-small --budget 100% --period 2s \
		--turn 0.5s 2>>log &
	pid=$!
	wait_for has_said 'No space left on device' && rm counts-small/filler
	ends TERM
	status=$?
	cat log
	ls -l counts-small
	[ $status = 0 ] && [ "$(find counts-small -name '*.counts' | wc -l)" = 1 ] &&
		[ "$(grep -c 'No space left' log)" = 1 ] && [ -z "$(find counts-small -name '*.part*')" ]
	status=$?
	umount counts-small
	return $status
}
t what_a_full_disk_does_not_take_is_kept full_disk

# The recording of a turn needs more room than there is. Nothing else is told as the reason
# while it lasts. Later, a period of 2 s may be too short for a turn on a slow machine.
full_turns() {
	mkdir -p counts-tiny && mount -t tmpfs -o size=64k,mode=755 none counts-tiny || return
	: >log
	ssctr collect -d counts-tiny --budget 100% --period 2s --turn 0.5s 2>>log &
	pid=$!
	wait_for has_said 'cannot record: counts-tiny/turn: No space left on device' &&
		mount -o remount,size=8m counts-tiny &&
		wait_for has_said 'records again; nothing was recorded for' &&
		wait_for has_said 'samples in .* turns'
	status=$?
	ends TERM || status=1
	cat log
	[ $status = 0 ] && ! sed '/records again/q' log | grep 'no turn in this period'
	status=$?
	umount counts-tiny
	return $status
}
t a_turn_that_has_no_room_on_the_disk_is_told full_turns

only_one() {
	start || return
	fails_with 'another ssctr collect uses this folder' ssctr collect -d counts
	status=$?
	ends TERM && return $status
}
t a_second_one_is_refused only_one

# With --pprof and --otlp: each file is also in the folder, and the receiver got it. When
# the receiver is away, it gets it later, also if the service was killed in between. An
# interpreter would take longer to start here than all of this takes.
mkdir -p web/cgi-bin
cat >web/cgi-bin/take <<-'END'
	#!/bin/sh
	cd ../..
	answer=200
	[ "$(wc -l <got)" -ge "$(cat busy)" ] || answer=503
	echo "$REQUEST_METHOD $(wc -c) bytes, answer=$answer" >>got
	printf 'Status: %s\r\n\r\n' $answer
END
chmod +x web/cgi-bin/take
# receive BUSY: so many requests get an answer that means to try again.
receive() {
	busybox ip link set lo up
	echo "$1" >busy
	: >got
	busybox httpd -f -p 127.0.0.1:8080 -h web &
	receiver=$!
}
url=http://127.0.0.1:8080/cgi-bin/take
has_got() { [ "$(grep -c 'answer=200$' got)" -ge "$1" ]; }
waiting() { ls counts/export/*.gz 2>/dev/null; }
exported() { has_got "$nr" && fails waiting; }
# A service whose period does not end meanwhile exports the $nr files that are there.
hands_over() { start --otlp $url --period 1h "$@" && wait_for exported && ends TERM; }
exports() {
	rm -rf counts
	receive 2
	start --pprof profiles --otlp $url && wait_for has_files 1 && wait_for has_got 1 && ends TERM
	status=$?
	cat log
	nr=$(nr_files)
	# At its end it waits 20 s for a receiver. If that is slower, the next one goes on.
	if [ $status = 0 ] && ! exported; then
		has_said 'cannot export' && hands_over --pprof profiles
		status=$?
		cat log
	fi
	cat got
	kill "$receiver"
	ls -lR counts/export profiles
	[ $status = 0 ] && [ "$(find profiles -name '*.pb.gz' | wc -l)" -ge "$nr" ] &&
		[ "$(grep -c 'answer=503$' got)" -ge 2 ]
}
t finished_files_are_exported exports
exports_later() {
	rm -rf counts profiles
	start --otlp $url && wait_for waiting && kill -s KILL $pid
	status=$?
	wait $pid
	cat log
	# Nothing is told before a minute of patience, but at the end.
	[ $status = 0 ] && start --otlp $url && ends TERM
	status=$?
	cat log
	nr=$(nr_files)
	[ $status = 0 ] && has_said 'cannot export (otlp)' && waiting && receive 0 &&
		hands_over
	status=$?
	cat log got
	kill "$receiver"
	return $status
}
unless_few what_a_receiver_missed_comes_later exports_later

# Without root, and without branch records: one line, and no service.
refused() {
	level=$(cat /proc/sys/kernel/perf_event_paranoid)
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	mkdir -p theirs && chmod 755 . && chown 65534 theirs
	setpriv --reuid 65534 --regid 65534 --clear-groups ssctr collect -d theirs 2>said
	status=$?
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	cat said
	[ $status = 1 ] && grep 'perf_event_paranoid is 2' said && [ "$(wc -l <said)" = 1 ]
}
t a_user_who_may_not_is_told_so refused
t a_missing_event_is_told fails_with "no event 'nonsense'" ssctr collect -d none -e nonsense
stop_load

# On an idle machine it looks after 1, 2, 4, 8, ... seconds, and records nothing. On a busy one
# there is a turn each second or two. What starts it is work as well, and more of it where the
# host is slow: then it takes longer until the machine is idle.
idle() {
	start --period 100s && sleep 5 || return
	for _ in $(seq 10); do
		before=$(wakeups)
		sleep 30
		nr=$(($(wakeups) - before))
		echo "$nr wakeups in 30 s"
		[ $nr -le 5 ] && break
	done
	ends TERM
	cat log
	[ $nr -le 5 ]
}
wakeups() { sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$pid/status"; }
unless_few an_idle_machine_is_left_alone idle

# shellcheck disable=SC2154 # of guest.sh
cd / && rm -rf "$dir" "$data"
plan
