#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ssctr record beside stock perf, with the module loaded: recorder.sh [few], as root.
# few: without those tests whose like is there.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
few=${1-}
tests=$PWD
dir=$(mktemp -d)
cd "$dir" || exit
# perf report of 7.2 asks the program addr2line, and dies where there is none.
printf '[addr2line]\nstyle = libdw\n' >config
export PERF_CONFIG=$dir/config
program='busybox sha256sum /usr/bin/perf'

# records ARGUMENT...: to $data. By a rate an emulated hart of a busy machine takes few
# samples (ktap.sh), hence a period wherever the rate is not the subject.
records() {
	ssctr record -o "$data" "$@" 2>said
	status=$?
	cat said
	[ $status = 0 ] && [ "$(awk '/ samples in / { print $1 }' said)" -ge "${least:-20}" ]
}
# Stacks of 256 take long to print: the first hundred samples tell.
full_stacks() {
	perf script -i "$data" -F brstack 2>/dev/null | head -n 100 |
		awk -v share="${1:-0.99}" -v least="${least:-20}" '
		NF { full++ }
		END { print full + 0, "of", NR; exit !(NR >= least && full >= NR * share) }'
}
fills_stacks() { records "$@" && full_stacks; }
# shellcheck disable=SC2086
by_default() { least=1 fills_stacks -- $program; }
t a_command_is_recorded by_default
# shellcheck disable=SC2086
t user_code_is_recorded fills_stacks -j any,u -e cycles:u -c 500000 -- $program

# Branches of the kernel have no names without it, also those of an event of user code.
kernel_is_known() {
	rm -f out
	# shellcheck disable=SC2086
	records -j "$1" -e cycles:u -c 500000 -- $program &&
		perf script -i "$data" --show-mmap-events >out 2>err || return
	grep -m 1 'MMAP.*\[kernel.kallsyms\]' out
}
t the_kernel_of_branches_from_user_code_is_told kernel_is_known any,k
the_kernel_is_not_told() { ! kernel_is_known any,u && [ -s out ]; }
t without_the_kernel_s_branches_it_is_not the_kernel_is_not_told

names_stay_in_their_line() {
	name=$(printf 'a\033[31m\nb')
	ssctr record -o "$name" -- busybox true 2>said
	cat said
	[ -s "$name" ] && rm "$name" && grep ' MB to a?\[31m?b$' said
}
t a_name_cannot_write_on_the_terminal names_stay_in_their_line

report_reads() {
	perf report -i "$data" --stdio --sort symbol_from,symbol_to >out 2>err || return
	cat err
	head -n 20 out
	[ "$(grep -c '%' out)" -ge 3 ]
}
t perf_report_reads_it report_reads
script_reads() {
	perf script -i "$data" --show-mmap-events -F comm,pid,tid,cpu,time,event,ip,sym,dso \
		>out 2>err || return
	cat err
	head -n 5 out
	grep -q 'MMAP2.*<[0-9a-f]\{40\}>.*busybox' out && grep -q 'cycles:u' out
}
t perf_script_reads_it script_reads
header_reads() {
	perf report -i "$data" --header-only >out 2>err || return
	cat out
	grep "^# os release : $(uname -r)" out && grep '^# cmdline : .*ssctr record' out &&
		grep 'contains samples with branch stack' out && grep "branches=$(caps)" out
}
t perf_reads_the_header header_reads

# shares FILE: "SHARE EDGE", of those branches that take at least a hundredth.
shares() {
	ssctr report -i "$1" --by edges -n 200 2>/dev/null | awk '
		$2 ~ /^[0-9.]+%$/ { share = $2 + 0; $1 = $2 = ""; if (share >= 1) print share, $0 }'
}
# hot_of A B: the branches with a twentieth of A are among those of B.
hot_of() {
	awk 'NR == FNR { share = $1; $1 = ""; known[$0] = share; next }
		{ share = $1; $1 = ""
		  if (share >= 5) { nr++; if (!($0 in known)) { print "only one has", share, $0; bad = 1 } } }
		END { print nr + 0, "hot branches"; exit bad || nr < 2 }' "$2" "$1"
}
same_edges() {
	cp "$data" ours && t_record theirs -j any,u -e cycles:u || return
	shares ours >a
	shares theirs >b
	head -n 5 a b
	hot_of a b && hot_of b a
}
unless_few its_hot_branches_are_those_of_perf same_edges

busybox sha256sum /dev/zero &
busy=$!
# records_long ARGUMENT...: for as long as a busy machine needs for samples enough.
records_long() {
	for seconds in 2 8 32 128; do
		records "$@" --duration $seconds && return
	done
	return 1
}
a_process() {
	records_long -p $busy -j any,u -e cycles:u -c 1000000 && full_stacks &&
		shares "$data" >a && head -n 3 a &&
		perf script -i "$data" -F pid,dso,ip 2>/dev/null | head -n 50 |
		awk -v pid=$busy '$1 == pid { n++ } /busybox/ { named++ } END { exit !(n == NR && named >= n / 2) }'
}
t a_process_that_runs_is_recorded a_process
whole_system() {
	records_long -a -j any,u -e cycles:u -c 1000000 && full_stacks 0.5 &&
		! grep 'switched off' said
}
t the_system_is_recorded whole_system
one_hart() {
	records_long -C 0 -c 5000000 &&
		[ "$(perf script -i "$data" -F cpu | sort -u | tr -d ' ')" = '[000]' ]
}
unless_few one_hart_is_recorded one_hart
# As if it were installed: a build id is found by the name that the mapping has.
modules_have_one_name() {
	dep=/lib/modules/$(uname -r)/modules.dep
	mkdir -p "${dep%/*}" && touch "$dep" && cp "$dep" modules.dep &&
		echo 'updates/ssctr.ko.xz:' >>"$dep" || return
	records_long -C 0 -c 5000000
	cp modules.dep "$dep"
	name=${dep%/*}/updates/ssctr.ko.xz
	perf buildid-list -i "$data" | grep " $name" &&
		perf script -i "$data" --show-mmap-events | grep "MMAP.* $name"
}
unless_few a_module_has_one_name modules_have_one_name
# Its code is then found by --code, where perf or the kernel's package left it.
vdso_id() { perf buildid-list -i "$1" | grep '\[vdso\]$'; }
vdso_is_known() {
	records_long -C 0 -c 5000000 &&
		perf record -q --no-buildid-mmap --buildid-all -o perf.data true || return
	vdso_id "$data" >ours && vdso_id perf.data >perfs && cat ours && diff ours perfs
}
unless_few the_vdso_has_the_build_id_that_perf_finds vdso_is_known
# perf does not record the build id, and on this machine its release tells the vdso.
vdso_has_names() {
	ssctr report -i "$data" --by functions -n 1000 >shown 2>said
	grep -F '[vdso]' shown
	grep -q ' __vdso_clock_gettime (\[vdso\])$' shown && ! grep -q ' \[vdso\]$' shown
}
names_the_vdso() {
	set -- -e instructions:u -c 200003 -- perl -e 'time for 1..100000'
	records "$@" && vdso_has_names && perf record -q -b -o "$data" "$@" && vdso_has_names &&
		perf report -i "$data" --no-branch-stack --stdio -s sym 2>err |
		grep '__vdso_clock_gettime$'
}
t functions_of_the_vdso_have_names_where_it_was_recorded names_the_vdso
# It waits for samples, and no more for events to be opened: waits PID.
waits() { grep -qs poll "/proc/$1/wchan"; }
# ended_by SIGNAL STATUS: and the recording is complete.
ended_by() {
	rm -f ended
	ssctr record -q -o ended -p $busy &
	recorder=$!
	until waits $recorder || ! kill -0 $recorder; do
		sleep 0.1
	done
	kill -s "$1" $recorder
	wait $recorder
	[ $? = "$2" ] && perf report -i ended --header-only >out 2>&1 && grep 'cmdline' out
}
t ctrl_c_completes_it ended_by INT 130
unless_few a_sigterm_completes_it ended_by TERM 143
# Nobody can complete it then. What was written is read, under the name that it has.
killed() {
	ssctr record -q -o killed -m 1 -p $busy &
	recorder=$!
	until [ "$(cat killed.part-$recorder.0 2>/dev/null | wc -c)" -gt 300000 ]; do
		sleep 0.1
	done
	kill -s KILL $recorder
	wait $recorder
	ssctr report -i killed.part-$recorder.0 --by edges >out 2>said || return
	head -n 5 out
	cat said
	[ ! -e killed ] && grep ' bytes of a recording whose end is missing' said && grep -m 1 '%' out
}
t what_a_killed_recorder_leaves_is_read killed

# Where many programs start, small buffers lose records of both kinds. Fewer samples do not
# bring back names.
losses_apart() {
	sh -c 'while :; do /bin/true; done' &
	starter=$!
	records -m 1 -c 200000 -p $starter -- sleep 3
	status=$?
	kill $starter
	wait $starter
	ssctr report -i "$data" --by edges >out 2>read || return
	cat read
	[ $status = 0 ] || return
	for kind in 'events' 'records of mappings, processes and threads'; do
		lost=$(awk -v kind=" $kind lost" 'index($0, kind) { print $1 }' said)
		[ "$lost" -ge 1 ] && grep "^ *$lost $kind lost while recording" read || return
	done
}
unless_few lost_samples_and_lost_mappings_are_told_apart losses_apart

# killed_in_a_pipe RECORDER ARGUMENT...: what came before it was killed becomes a trace.
# The end is in the middle of a record, whenever the kill comes: records have multiples of
# eight bytes.
killed_in_a_pipe() {
	rm -f fifo pipe.zstf
	mkfifo fifo
	"$@" >fifo &
	recorder=$!
	(
		head -c 300001
		kill -s KILL $recorder
	) <fifo | ssctr stf -i - --allow-partial -o pipe.zstf 2>said || return
	cat said
	grep ' bytes of a recording whose end is missing' said &&
		grep 'its writer was killed before it wrote the counts' said &&
		ssctr check -x MEM_MISSING -x EVENT_FIELDS pipe.zstf
}
t a_recorder_killed_in_a_pipe_leaves_a_trace \
	killed_in_a_pipe ssctr record -q -o - -m 1 -p $busy
unless_few a_perf_killed_in_a_pipe_leaves_a_trace \
	killed_in_a_pipe perf record -q -b -e cycles:u -c 20000 -o - -p $busy

# on_screen TEXT ARGUMENT...: ssctr top shows it, q ends it with the terminal as before, and
# it says how much the samples are of all: the recorder was let count to the end.
on_screen() {
	text=$1
	shift
	TERM=xterm "$tests/terminal" "$text" q ssctr top -d 1 "$@" >screen
	status=$?
	sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' screen | tail -n 40 | grep -v '^.$'
	sed -n '/\x1b\[?1049l/,$p' screen | sed '1s/.*\[?1049l//' >behind
	[ $status = 0 ] && ! grep "$(printf '\033')" behind &&
		grep 'samples of .*, which cover [0-9.]* % of its count' behind &&
		! grep killed behind
}
t top_shows_a_process on_screen busybox -p $busy -e cycles:u -c 1000000
unless_few top_shows_the_system on_screen busybox -c 1000000
kill $busy
wait $busy 2>/dev/null
# shellcheck disable=SC2086
unless_few top_shows_a_command on_screen busybox -e cycles:u -c 1000000 -- $program
# Its end is shown, and what it printed is not.
# shellcheck disable=SC2086
t top_tells_that_a_command_ended on_screen ' ended' -- $program
t top_says_what_cannot_be_recorded fails_with "no event 'nonsense'" \
	"$tests/terminal" "see \`" '' ssctr top -e nonsense true

# It is timeout's child.
waits_below() {
	# The line has no end.
	read -r pid <"/proc/$1/task/$1/children"
	waits "$pid"
}
with_its_target() {
	sleep 1000 &
	target=$!
	timeout 600 ssctr record -q -o ending -p $target &
	recorder=$!
	until waits_below $recorder || ! kill -0 $recorder; do
		sleep 0.1
	done
	kill $target
	wait $recorder
}
t it_ends_with_its_target with_its_target
statuses() {
	ssctr record -q -o "$data" -- sh -c 'exit 7'
	[ $? = 7 ] || return
	ssctr record -q -o "$data" -- sh -c 'kill -9 $$'
	[ $? = 137 ]
}
t the_commands_status_is_its_own statuses
# ignoring SIGNAL WORDS: it has the status of a command that says these words first.
ignoring() {
	env --ignore-signal="$1" ssctr record -q -o "$data" -- sh -c "$2; exit 7"
	[ $? = 7 ]
}
# shellcheck disable=SC2016
t an_ignored_hangup_does_not_end_a_recording ignoring HUP 'kill -s HUP $PPID'
t the_command_s_end_is_seen_also_if_it_is_ignored ignoring CHLD :

for_a_trace() {
	records --for stf -e cycles:u -c 100000 -- ls -lR /usr/bin && ssctr stf -i "$data" -o t.stf &&
		ssctr check -x MEM_MISSING -x EVENT_FIELDS t.stf &&
		perf script -i "$data" -F event,trace 2>/dev/null | grep -m 1 sys_enter
}
unless_few a_trace_comes_with_what_stands_beside for_a_trace
# Two processes take turns on a hart, and the kernel swaps what it counted for them. Each
# event has its own counts all the same: those beside the branches, one for each sample.
counts_stay() {
	[ "$(nproc)" -ge 2 ] || t_skip 'it takes two harts' || return
	rm -f to from
	mkfifo to from
	# shellcheck disable=SC2016
	ssctr record -q --for stf -c 5000000 -o "$data" -- taskset -c 1 sh -c '
		while read -r n; do echo "$n"; done <to >from &
		exec 3>to 4<from
		for i in $(seq 30); do
			echo "$i" >&3
			read -r n <&4
		done
		exec 3>&-
		wait' || return
	perf script -i "$data" -F event 2>/dev/null | sed 's/: *$//' >sampled
	perf script -i "$data" -D 2>/dev/null |
		awk '$2 == 0 && /PERF_RECORD_READ/ { print $(NF - 1), $NF }' >counted
	awk 'FNR == NR { samples[$1]++; next }
		!/^cycles/ { counts[$1] += $2 }
		END {
			for (event in counts) {
				print event, counts[event], "counted,", samples[event] + 0, "samples"
				differ += counts[event] != samples[event]
			}
			exit differ || samples["raw_syscalls:sys_enter"] < 120
		}' sampled counted
}
t each_event_has_its_own_counts_where_processes_take_turns counts_stay
# What the program prints must not come into the pipe.
by_a_pipe() {
	# shellcheck disable=SC2086
	ssctr record -q --for stf -c 500000 -o - -- $program | ssctr stf -i - -o p.stf && ssctr info p.stf
}
t a_pipe_makes_a_trace_without_a_file by_a_pipe
perf_reads_a_pipe() {
	# shellcheck disable=SC2086
	ssctr record -q -c 500000 -o - -- sh -c "$program >/dev/null" |
		perf script -i - -F comm,ip,brstack 2>err | head -n 50 >out
	cat err
	[ "$(grep -c 0x out)" -ge 20 ]
}
unless_few perf_script_reads_a_pipe perf_reads_a_pipe
# pairs: of lines with a count and two places of the kernel, how often control went from
# which function to which, by the addresses of these: a function may have two names, and
# perf 6.12 names no module's.
pairs() {
	awk 'FNR == NR { if (NF == 3 && !($3 in at)) at[$3] = $1; next }
		{
			sub(/\+0x.*/, "", $2)
			sub(/\+0x.*/, "", $3)
			if ($2 in at && $3 in at)
				n[at[$2] " " at[$3]] += $1
		}
		END { for (pair in n) print n[pair], pair }' /proc/kallsyms - | sort -k 2
}
names_the_kernel() {
	perf record -q -o kernel.data -b -a -e cycles:k -c 20000003 -- \
		sh -c "ls -lR /usr/share >/dev/null; $program" >/dev/null &&
		ssctr report -i kernel.data --raw --by edges -n 1000000 >out || return
	awk '$5 == "->" { print $1, $4, $6 }' out | pairs >ours
	perf script -i kernel.data -F brstacksym 2>/dev/null | tr -s ' ' '\n' |
		awk -F/ 'NF > 3 { print 1, $1, $2 }' | pairs >theirs
	awk 'FNR == 1 { file++ }
		file == 1 { n[$2, $3] = $1; ours += $1; next }
		{ same += n[$2, $3] < $1 ? n[$2, $3] : $1; theirs += $1 }
		END {
			print same, "the same of", ours, "and perf\047s", theirs
			exit !(same > 1000 && same >= 0.99 * ours && same >= 0.99 * theirs)
		}' ours theirs && head -n 20 out &&
		ssctr report -i kernel.data --by functions | grep -m 1 '(\[kernel\])$'
}
unless_few the_kernel_has_the_names_that_perf_gives_it names_the_kernel
# Another machine has the list of symbols, and of another kernel none.
names_by_a_list() {
	cp /proc/kallsyms symbols && mkdir -p empty &&
		ssctr report -i kernel.data --symfs empty --kallsyms symbols --by functions >listed 2>err &&
		ssctr report -i kernel.data --by functions >known 2>/dev/null || return
	cat err
	! grep 'not named' err && cmp listed known || return
	HOME=/nowhere ssctr report -i kernel.data --symfs empty --by functions 2>&1 >/dev/null |
		grep 'not named: .*--kallsyms'
}
unless_few the_kernel_has_its_names_on_another_machine names_by_a_list
for_a_profile() {
	# shellcheck disable=SC2086
	records --for profile -c 500000 -- $program &&
		ssctr profile -i "$data" -b /usr/bin/busybox -f profgen -o p.prof && [ -s p.prof ]
}
t a_profile_is_made_of_it for_a_profile

# Without root: user code alone, whatever was asked for.
of_a_user() {
	level=$(cat /proc/sys/kernel/perf_event_paranoid)
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	mkdir -p user && chmod 777 . user
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		ssctr record -o user/data -- sh -c "$program" 2>said
	status=$?
	setpriv --reuid 65534 --regid 65534 --clear-groups ssctr record -a -o user/all 2>>said
	refused=$?
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	cat said
	[ $status = 0 ] && [ $refused = 1 ] && grep 'perf_event_paranoid is 2' said &&
		[ ! -e user/all ] && perf evlist -f -i user/data | grep cycles:u
}
t a_user_records_user_code of_a_user
# Debian's default: then no event is a user's, so that none is what it says to take.
of_nobody() {
	level=$(cat /proc/sys/kernel/perf_event_paranoid)
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	setpriv --reuid 65534 --regid 65534 --clear-groups ssctr record -o user/none true 2>said
	status=$?
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	cat said
	[ $status = 1 ] && grep 'perf_event_paranoid is 3: only root can use perf; run as root' said &&
		[ ! -e user/none ]
}
t a_user_who_may_record_nothing_is_told_so of_nobody
# on_a_disk SIZE ARGUMENT...: what fits on a disk of this size, and all that was said.
on_a_disk() {
	mkdir -p small && mount -t tmpfs -o "size=$1" none small || return
	shift
	ssctr record -o small/perf.data "$@" 2>said >printed
	status=$?
	ls small >left
	cp small/perf.data part.data
	umount small
	cat said printed left
}
full_from_the_start() {
	ssctr record -c 500000 -o /dev/full -- touch ran 2>said
	status=$?
	cat said
	[ $status = 1 ] && grep '/dev/full: No space left on device$' said && [ ! -e ran ]
}
t a_disk_full_from_the_start_is_an_error full_from_the_start
# dropped: the file says how many samples it lacks, and has others, also for perf.
dropped() {
	ssctr report -i part.data --by edges >out 2>err
	cat err
	[ "$(awk '/ samples dropped, / { print $1 }' said)" -ge 1 ] && [ "$(cat left)" = perf.data ] &&
		grep -m 1 '%' out && grep ' lost' err &&
		[ "$(perf script -i part.data -F ip | wc -l)" -ge 10 ]
}
# It goes on until it is said that nothing more is written, and runs once more then.
until_full='for i in $(seq 50); do
	'$program'
	grep -q "ends here" said && break
done
'$program'
'
full_disk() {
	on_a_disk 300k -c 500000 -- sh -c "$until_full exit $1"
	[ $status = "$2" ] && grep '/usr/bin/perf' printed &&
		[ "$(grep -c 'perf.data: No space left on device: the recording ends here, and the command goes on' said)" = 1 ]
}
t a_command_goes_on_when_the_disk_is_full full_disk 5 5
t what_a_full_disk_has_says_what_it_lacks dropped
unless_few a_full_disk_has_its_own_status full_disk 0 3
a_process_on_a_full_disk() {
	busybox sha256sum /dev/zero &
	busy=$!
	on_a_disk 300k -c 500000 -p $busy
	kill $busy
	wait $busy 2>/dev/null
	[ $status = 3 ] && grep 'No space left on device: the recording ends here$' said
}
t a_recording_of_a_process_ends_when_the_disk_is_full a_process_on_a_full_disk
no_reader() {
	{
		ssctr record -c 500000 -o - -- sh -c "$until_full exit $1" 2>said
		echo $? >status
	} | head -c 300000 >part
	cat said
	[ "$(cat status)" = "$2" ] && grep '/usr/bin/perf' said &&
		[ "$(grep -c 'standard output: Broken pipe: the recording ends here, and the command goes on' said)" = 1 ]
}
t a_command_goes_on_when_nobody_reads_the_pipe no_reader 5 5
unless_few a_pipe_that_nobody_reads_has_its_own_status no_reader 0 3
cpu_goes() {
	online=/sys/devices/system/cpu/cpu1/online
	[ -w $online ] || t_skip 'it takes two harts' || return
	stop_deadline_servers
	# What ran on a hart that goes may not be trusted afterwards (harts.sh).
	# shellcheck disable=SC2016
	taskset -c 0 ssctr record -o "$data" -a -c 5000000 -j any,u -e cycles:u -- \
		sh -c 'sleep 1; echo 0 >"$1"; sleep 2; echo 1 >"$1"' sh $online 2>said
	status=$?
	cat said
	[ $status = 0 ] && grep '1 CPUs were switched off' said && lacks_cpus
}
# lacks_cpus: the recording itself says that its count is not whole.
lacks_cpus() {
	ssctr report -i "$data" -n 1 >shown 2>&1
	cat shown
	grep -x 'coverage not known' shown &&
		grep 'coverage is not known: CPUs were switched off or on' shown
}
t a_cpu_that_is_switched_off_is_told cpu_goes
# cpu_comes OPTION...: of a hart that goes again, only the kernel's message tells.
cpu_comes() {
	online=/sys/devices/system/cpu/cpu1/online
	[ -w $online ] || t_skip 'it takes two harts' || return
	stop_deadline_servers
	echo 0 >$online || return
	# shellcheck disable=SC2016
	taskset -c 0 ssctr record "$@" -q -o "$data" -c 1000000 -e instructions:u -- \
		sh -c 'echo 1 >"$1"; awk "BEGIN { while (i < 300000) i++ }"; echo 0 >"$1"' \
		sh $online 2>said
	status=$?
	echo 1 >$online
	cat said
	[ $status = 0 ] && grep '1 CPUs came online' said && ! grep -v ' CPUs ' said &&
		lacks_cpus
}
unless_few a_cpu_that_comes_online_is_told cpu_comes -a
t a_cpu_that_comes_online_is_told_of_a_command cpu_comes
# has_status STATUS COMMAND: which cannot be executed.
has_status() {
	ssctr record -o none "$2" 2>said
	status=$?
	cat said
	[ $status = "$1" ] && [ "$(wc -l <said)" = 1 ] && [ ! -e none ]
}
t a_command_that_is_not_there_has_a_shell_s_status has_status 127 ./nosuch
t a_command_that_is_no_program_has_another_one has_status 126 /etc
t a_filter_that_the_hart_lacks_is_refused fails_with 'ssctr doctor' ssctr record -j in_tx true

# An emulated hart counts one event of each kind: here that of ssctr itself, with a record.
counter_is_taken() {
	ssctr record -a -e cycles:u -c 100000000 -o other.data &
	other=$!
	until waits $other || ! kill -0 $other; do sleep 0.1; done
	ssctr record -o taken.data -e cycles:u -c 100000 -- $program >said 2>&1
	ssctr report taken.data >>said 2>&1
	ssctr doctor >>said 2>&1
	kill -INT $other
	wait $other
	cat said
	[ "$(grep -c 'counted nothing: no such code ran, or another event' said)" = 2 ] &&
		grep "no counter counts it; .*ssctr (process $other)" said &&
		ssctr doctor
}
t what_another_event_counts_is_told counter_is_taken

without_module() {
	rmmod ssctr || return
	fails_with 'ssctr doctor' ssctr record -o none true
	status=$?
	insmod "$ko" || return
	[ $status = 0 ] && [ ! -e none ]
}
cd - >/dev/null || exit
t without_the_module_it_says_where_to_look without_module

# Nothing undoes it, so it is the last.
locked_down() {
	cd "$dir" || return
	lockdown=/sys/kernel/security/lockdown
	[ -e $lockdown ] || mount -t securityfs none /sys/kernel/security || return
	echo confidentiality >$lockdown || return
	# shellcheck disable=SC2086
	least=1 records --for stf -c 5000000 -- $program &&
		[ "$(grep -c 'not recorded: tracepoints: ' said)" = 1 ] &&
		perf script -i "$data" -F event >out && grep -q cycles:u out &&
		fails_with "'sched:sched_switch': the kernel hides tracepoints" \
			ssctr record -o none -e cycles:u,sched:sched_switch true && [ ! -e none ]
}
t what_lockdown_hides_is_told locked_down
cd "$tests" || exit
rm -rf "$dir" "$data"
plan
