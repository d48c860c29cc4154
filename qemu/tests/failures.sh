#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC1091,SC2154
# A machine that fails is never taken for a command that succeeded, and never
# leaves anything running.

. "$(dirname "$0")/lib.sh"
echo 'KTAP version 1'
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"

# What the command said has left the guest when its port has sent it.
run_vm run --no-module -- sh -c 'echo before
	until grep -q "bytes_sent: 7$" /sys/kernel/debug/virtio-ports/*; do sleep 0.1; done
	echo c >/proc/sysrq-trigger'
check 'a panic is 125' is "$status" 125
check 'a panic is named' has "the guest's kernel panicked: .*sysrq"
check 'a panic shows the console' has 'Call Trace:'
check 'a panic without a complaint before it shows none' lacks 'first complaint'
check 'output before a panic comes through' is "$(cat "$dir/out")" before

# As the kernel marks them.
run_vm run --no-module -- sh -c '
	echo "<3>rcu: INFO: of a test" >/dev/kmsg
	echo "<4>------------[ cut here ]------------" >/dev/kmsg
	echo "<4>WARNING: of a test" >/dev/kmsg
	for i in $(seq 50); do echo "<4>line $i" >/dev/kmsg; done
	echo c >/proc/sysrq-trigger'
check 'a complaint before a panic is shown' has 'INFO: of a test'
check 'a warning before a panic is shown' has 'WARNING: of a test'

# On a host on which QEMU, which setpriv starts, needs 6 s more.
mkdir "$dir/slow"
printf '#!/bin/sh\nsleep 6\nexec %s "$@"\n' "$(command -v setpriv)" >"$dir/slow/setpriv"
chmod 755 "$dir/slow/setpriv"
PATH=$dir/slow:$PATH run_vm run --no-module --timeout 2 -- sh -c 'echo before; sleep 1000'
check 'a hang is 125' is "$status" 125
check 'a hang is named' has 'not done .* the time was over (--timeout 2)'
took=$(sed -n 's/.* after a start of \([0-9]*\) s: .*/\1/p' "$dir/err")
check 'a host that is slow gives a guest more time' \
	has "not done $((2 * ${took:-0} / 4)) s after a start of"
check 'output before a hang comes through' is "$(cat "$dir/out")" before

# On one processor, beside four programs that begin when the guest has booted. The command
# ends by the clock, after four times the limit. So more load, or a slower host, leaves it
# less to do and not less time: it has a seventh of the processor at most. The command
# changes the hart all the time, and so none of QEMU's threads waits for all of the time.
: >"$dir/busy"
# shellcheck disable=SC2016
(
	until grep -q before "$dir/busy" 2>/dev/null; do
		[ -e "$dir/busy" ] || exit
		sleep 0.2
	done
	for i in 1 2 3 4; do
		timeout 600 taskset -c 0 sh -c 'while [ -e "$1" ]; do
			i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done
		done' busy "$dir/busy" &
	done
	wait
) &
# shellcheck disable=SC2016
taskset -c 0 nice -n 2 "$vm" run --no-module --timeout 6 -- sh -c 'echo before
	read -r now _ </proc/uptime
	end=$((${now%.*} + 24))
	hart=0
	while [ "${now%.*}" -lt $end ]; do
		hart=$((1 - hart))
		taskset -cp $hart $$ >/dev/null
		read -r now _ </proc/uptime
	done' >"$dir/busy" 2>"$dir/err"
status=$?
rm "$dir/busy"
wait
check 'time of other programs does not count' is "$status" 0

# Bit 9 is what a warning of the kernel sets.
run_vm run --no-module -- sh -c 'echo 512 >/proc/sys/kernel/tainted'
check 'a warning is 125' is "$status" 125
check 'a warning is named' has 'gave a warning'

run_vm run --no-module -- busybox poweroff -f
check 'a power-off in the middle is 125' is "$status" 125
check 'a power-off in the middle is named' has 'stopped before'

echo 'not a module' >"$dir/bad.ko"
run_vm run --module "$dir/bad.ko" -- echo ran
check 'a module that does not load is 125' is "$status" 125
check 'the reason is shown' has 'Invalid ELF header'
check 'the command does not run' test ! -s "$dir/out"

run_vm run --module "$dir/bad.ko" --module-may-fail -- sh -c 'echo ran; exit 7'
check '--module-may-fail runs the command' is "$status $(cat "$dir/out")" \
	'7 ran'

run_vm run --no-module --cpu nonsense -- true
check 'a QEMU that does not start is 125' is "$status" 125
check "QEMU's message is shown" has 'QEMU failed.*nonsense'
run_vm run --no-module --qemu-arg -nonsense -- true
check 'an option that QEMU does not know is told in one line' is \
	"$(grep -c 'QEMU failed.*nonsense' "$dir/err") $(wc -l <"$dir/err")" '1 1'

# Prints the command lines of the machine's processes: they have the scratch
# folder in them.
machines() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' <"$file" 2>&-
		echo
	done 2>&- | grep -E "^[^ ]*(setpriv|ld-linux)[^ ]* .*$TMPDIR"
}

# started PID: waits until the guest's command has spoken, or the machine has ended.
started() {
	until [ -s "$dir/out" ] || ! kill -0 "$1" 2>&-; do
		sleep 0.1
	done
}

# nothing_runs: those that the kernel ends are gone some time later.
nothing_runs() {
	local i=0
	while [ "$(machines)" ] && [ $i -lt 6000 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	[ -z "$(machines)" ]
}

for signal in TERM INT KILL; do
	: >"$dir/out"
	# A background command of a plain sh ignores INT.
	env --default-signal=INT "$vm" run --no-module -- \
		sh -c 'echo started; sleep 1000' >"$dir/out" 2>"$dir/err" &
	pid=$!
	started $pid
	check "the machine runs before $signal" test "$(machines)"
	kill -s $signal $pid
	wait $pid 2>/dev/null
	check "nothing runs after $signal" nothing_runs
	[ $signal = KILL ] && continue
	check "no file stays after $signal" test -z "$(ls -A "$TMPDIR")"
done
rm -rf "$TMPDIR"
mkdir "$TMPDIR"

"$vm" run --no-module --timeout 60 -- \
	sh -c 'echo first; sleep 1000' 2>"$dir/err" | head -n 1 >"$dir/out"
check 'the machine ends when nobody reads its output' is "$(cat "$dir/err")" ''
check 'what was read is whole' is "$(cat "$dir/out")" first
check 'no file stays behind' test -z "$(ls -A "$TMPDIR")"
finish
