# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# vm run: boots, runs one command, brings back what it printed, its files and
# its exit status. QEMU writes what comes out of the guest's virtio-serial
# ports into files, which take any amount at any time; tail passes them on.

. "$here/lib/machine.sh"

usage_run() {
	cat <<-END
		usage: qemu/vm run [OPTION]... [--] COMMAND [ARGUMENT]...

		Boot the machine, load the module, and run COMMAND as root in /root, without
		standard input. The output and the exit status are those of COMMAND. Example:
		    qemu/vm run --get perf.data -- perf record -o perf.data -b -e cycles:u ls

	END
	usage_options
	cat <<-END
		    --module-may-fail     run COMMAND even if the module does not load
		    --get GUESTPATH[:HOSTPATH]
		                          copy a file or folder out of the machine after COMMAND
		                          (default: to the current folder)
		    --dmesg FILE          write the kernel's log to FILE
		    --timeout S           stop COMMAND after S seconds (default: $timeout). If the machine took
		                          longer than $quick_boot s to boot, or $quick_start s to go on where an
		                          earlier one had booted, COMMAND gets more time, in
		                          proportion. Time in which other programs kept the guest
		                          from running does not count.

		The exit status is 125 if the machine failed, and not COMMAND: the kernel
		panicked, warned or hung, the module did not load, a file could not be copied,
		or the time was over.
	END
}

# failed REASON: the machine failed, whatever the command said. The firmware's
# own lines are shown only when nothing follows them. The first complaint is the cause of
# what follows it, often long after: of 16 harts each says where it is when one stalls.
failed() {
	local lines
	say "$*"
	sed -n '/cut here\|INFO: \|BUG: /,$p' "$tmp/console" | head -n 40 | tr -d '\r' >"$tmp/warning"
	if [ -s "$tmp/warning" ]; then
		say 'the first complaint of its kernel:'
		cat "$tmp/warning" >&2
	fi
	lines=$(sed '1,/^Boot HART MEDELEG/d' "$tmp/console" | tail -n 40)
	[ "$lines" ] || lines=$(tail -n 40 "$tmp/console")
	if [ "$lines" ]; then
		say "the console's last lines:"
		printf '%s\n' "$lines" | tr -d '\r' >&2
	fi
	exit 125
}

# end_run: on every exit, so that nothing stays behind.
end_run() {
	trap '' HUP INT PIPE TERM
	if [ "$qemu_pid" ]; then
		kill "$qemu_pid" 2>/dev/null
		wait "$qemu_pid"
	fi
	[ -z "$follow_pids" ] || kill $follow_pids $clock_pid 2>/dev/null
	rm -rf "$tmp"
}

# follow FILE: copies what QEMU writes there, until QEMU ends. When nobody
# reads our output any more, the run ends too.
follow() {
	local pid
	tail -c +1 -s 0.1 -f --pid="$qemu_pid" "$1" &
	pid=$!
	trap 'kill $pid; exit' TERM
	wait $pid || kill -s PIPE $$
}

# watch_clock: ends QEMU when the time is over, and leaves the reason in $tmp/late. Time
# for which other programs had the processors does not count.
watch_clock() {
	local start='' limit=$boot_limit others=0 quick=$quick_boot
	[ -z "$booted" ] || quick=$quick_start
	until is_late; do
		sleep 1
		[ -d "/proc/$qemu_pid" ] || return
		[ -z "$start" ] && [ -s "$tmp/control" ] || continue
		start=$(seconds)
		limit=$((start + timeout))
		[ "$start" -le $quick ] ||
			limit=$((start + timeout * start / quick))
	done
	{
		if [ "$start" ]; then
			printf '%s' "not done $((limit - start)) s after a start of $start s: " \
				"the time was over (--timeout $timeout)"
		else
			printf '%s' "the guest did not boot within $limit s"
		fi
		[ "$others" = 0 ] ||
			printf '%s' ", without $others s in which other programs ran"
	} >"$tmp/late"
	kill "$qemu_pid" 2>/dev/null
	sleep 5
	kill -KILL "$qemu_pid" 2>/dev/null
}

# report KEY: prints the value that the guest reported.
report() {
	sed -n "s/^$1 //p" "$tmp/control"
}

# why_no_status: prints why the guest did not come to its end.
why_no_status() {
	local panic
	panic=$(grep -a -m 1 'Kernel panic' "$tmp/console" | tr -d '\r')
	if [ "$panic" ]; then
		echo "the guest's kernel panicked: ${panic#*Kernel panic - }"
	elif [ -s "$tmp/late" ]; then
		cat "$tmp/late"
	elif [ "$1" != 0 ]; then
		echo "QEMU failed ($1): $(tail -n 1 "$tmp/qemu")"
	else
		echo 'the guest stopped before the command ended'
	fi
}

# Taint flags that speak of a fault. A module of one's own sets 12 and 13.
check_taint() {
	local taint
	taint=$(report taint)
	[ $((taint >> 7 & 1)) = 0 ] || failed "the guest's kernel had an oops"
	[ $((taint >> 5 & 1)) = 0 ] || failed "the guest's kernel had a bad page"
	[ $((taint >> 14 & 1)) = 0 ] ||
		failed "the guest's kernel had a soft lockup"
	[ $((taint >> 9 & 1)) = 0 ] && return
	failed "the guest's kernel gave a warning"
}

# No output may get lost without a word, not even when the disk is full.
check_sizes() {
	local name sent
	for name in out err files log; do
		sent=$(report "sent-$name")
		[ "$sent" = "$(wc -c <"$tmp/$name")" ] ||
			failed "output got lost: is ${TMPDIR:-/tmp} full?"
	done
}

# place_file FROM TO: copies a file or folder under its final name only when it
# is whole; a folder's contents go into a folder that is there already, and a file's into a
# device or pipe. A symbolic link leads to what is written.
place_file() {
	local to=$2
	if [ -d "$1" ] && [ -d "$to" ]; then
		cp -R "$1/." "$to/"
		return
	fi
	if [ -e "$to" ] && [ ! -f "$to" ] && [ ! -d "$to" ]; then
		cat "$1" >"$to"
		return
	fi
	if [ -L "$to" ]; then
		# A name may end in line ends, which $() would take.
		to=$(readlink -fn "$to" && echo /) || return
		to=${to%/}
	fi
	cp -R "$1" "$to.part.$$" && mv -T "$to.part.$$" "$to" && return
	rm -rf "$to.part.$$"
	return 1
}

# bring_file N: brings what get_from_N is to get_to_N.
bring_file() {
	local from to lost
	eval "from=\$get_from_$1 to=\$get_to_$1"
	lost=$(report "lost $1")
	if [ "$lost" ]; then
		say "--get: $from is not whole: $lost"
		# Half a file would look like all of it.
		[ ! -d "$tmp/get/$1" ] || place_file "$tmp/get/$1" "$to"
		return 1
	fi
	if [ ! -e "$tmp/get/$1" ] && [ ! -L "$tmp/get/$1" ]; then
		say "--get: the guest has no $from"
		return 1
	fi
	place_file "$tmp/get/$1" "$to" && return
	say "--get: cannot write $to"
	return 1
}

# Brings the files of --get to their places. Returns 1 unless all are there.
place_files() {
	local i=0 rc=0
	# There is one archive for each of them, one after another.
	mkdir "$tmp/get"
	[ ! -s "$tmp/files" ] || tar -C "$tmp/get" -xif "$tmp/files" --no-same-owner || {
		say "--get: cannot unpack the files: is ${TMPDIR:-/tmp} full?"
		return 1
	}
	while [ $i -lt $gets ]; do
		bring_file $i || rc=1
		i=$((i + 1))
	done
	return $rc
}

# run_machine: starts QEMU and waits for its end. Sets $ended, its exit status.
run_machine() {
	started=$(date +%s)
	(begin -serial "file:$tmp/console") </dev/null >"$tmp/qemu" 2>&1 &
	qemu_pid=$!
	watch_clock >/dev/null 2>&1 &
	clock_pid=$!
	follow "$tmp/out" &
	follow_pids=$!
	follow "$tmp/err" >&2 &
	follow_pids="$follow_pids $!"
	wait "$qemu_pid"
	ended=$?
	qemu_pid=
	kill $clock_pid 2>/dev/null
	wait $follow_pids
	follow_pids=
}

# run COMMAND [ARGUMENT]...: does not return.
run() {
	local status
	[ $# -gt 0 ] || die 'no command to run (--help)'
	check_options
	new_folder
	qemu_pid='' follow_pids='' clock_pid=''
	trap end_run EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 141' PIPE
	trap 'exit 143' TERM

	: >"$tmp/console"
	make_ready run "$@"
	run_machine
	# A saved machine that cannot be read costs a boot.
	if [ "$booted" ] && grep -q 'load of migration failed' "$tmp/qemu"; then
		forget_booted
		make_initrd || exit
		run_machine
	fi

	status=$(report status)
	! grep -aq 'Initramfs unpacking failed' "$tmp/console" && ! grep -q '^full' "$tmp/control" ||
		failed "the guest has no room for its files: give it more memory (--mem $memory)"
	[ "$status" ] || failed "$(why_no_status $ended)"
	# A plug-in that cannot write its file ends QEMU so, when the guest has ended.
	[ "$ended" != 1 ] || failed "QEMU failed: $(tail -n 1 "$tmp/qemu")"
	[ -z "$log_file" ] || cp "$tmp/log" "$log_file" || exit 125
	check_sizes
	check_taint
	if grep -q '^unplaced' "$tmp/control"; then
		say '--put: the guest could not put all files in their places'
		exit 125
	fi
	if grep -q '^refused' "$tmp/control"; then
		say 'a module did not load; the kernel says:'
		tail -n 10 "$tmp/log" >&2
		exit 125
	fi
	place_files || [ "$status" != 0 ] || status=125
	exit "$status"
}
