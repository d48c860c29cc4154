# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the shell tests of a loaded module share. $ko and $neighbour are the module
# and the self-tests' own one: $SSCTR_KO and $SSCTR_TEST_KO, or where a build of
# this tree leaves them, or where they are installed.

find_module() {
	for f in "./$1.ko" "../build/driver/$(uname -r)/$1.ko" \
		"../build/selftests/kmod/$(uname -r)/$1.ko"; do
		[ -r "$f" ] && echo "$f" && return
	done
	modinfo -n "$1" 2>/dev/null
}
ko=${SSCTR_KO:-$(find_module ssctr)}
neighbour=${SSCTR_TEST_KO:-$(find_module ssctr_test)}
rounds=${SSCTR_ROUNDS:-10}
# Set: without what the self-tests in C, or others of these, show as well.
few=${SSCTR_FEW-}
data=$(mktemp)

# wait_for COMMAND...: until it succeeds; ten minutes are for a machine that is busy.
wait_for() {
	for _ in $(seq 6000); do
		"$@" && return
		sleep 0.1
	done
	echo "not so after a long time: $*"
	return 1
}

# where_it_is PID: what it waits for, or does all the time.
where_it_is() {
	for _ in 1 2 3; do
		cut -d' ' -f3,14-17 "/proc/$1/stat" # its state and its times
		for f in wchan syscall stack; do
			echo "$f: $(cat "/proc/$1/$f")"
		done
		sleep 1
	done
	head -3 /proc/uptime /proc/stat
}

loaded() { grep -q "^$1 " /proc/modules; }
splat='WARNING:|BUG:|Oops|Call Trace|Unable to handle|ssctr.*deprecated'
# The kernel's log without the reports of a kernel that looks for races: debug.sh looks
# at those.
kernel_log() {
	dmesg | awk '
		/BUG: KCSAN/ { inside = 1 }
		!inside { print }
		/=====/ { inside = 0 }'
}
splats() { kernel_log | grep -cE "$splat"; }
# log_says TEXT: in the kernel's log, since these tests loaded a module last.
insmod() {
	echo 'selftests: insmod' >/dev/kmsg
	command insmod "$@"
}
log_says() {
	kernel_log | awk -v said="ssctr: .*$1" '
		/selftests: insmod/ { found = 0 }
		$0 ~ said { found = 1 }
		END { exit !found }'
}
fails() { ! "$@"; }
fails_with() {
	want=$1
	shift
	said=$("$@" 2>&1) && return 1
	echo "$said"
	case $said in *"$want"*) ;; *) return 1 ;; esac
}
needs_neighbour() { [ "$neighbour" ] || t_skip 'there is no ssctr_test.ko'; }

# Before harts go: 6.12 stops the deadline server of a hart that goes, whether it runs or not.
# If it does not, the kernel may find less bandwidth than it takes away, and warn
# (task_non_contending() in sched_cpu_dying()). Newer kernels look first.
stop_deadline_servers() {
	case $(uname -r) in
	6.*) ;;
	*) return 0 ;;
	esac
	for file in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -w "$file" ] || echo 0 >"$file"
	done
}

# stacks_are_full [SHARE [ARGUMENT]...]: of the first samples that perf script shows
# with the arguments, at least 99 of 100, or the share given, have records. One may be
# of the program before its first branch.
stacks_are_full() {
	share=${1:-0.99}
	[ $# = 0 ] || shift
	perf script -i "$data" -F brstack "$@" 2>/dev/null | head -n 100 | awk -v share="$share" '
		NF { full++ }
		END { print full + 0, "of", NR; exit !(NR >= 5 && full + 1 >= NR * share) }'
}
records_branches() { t_perf "$data" "${@:--b}" && stacks_are_full; }
caps() { cat /sys/bus/event_source/devices/cpu/caps/branches; }

# What the kernel holds and cannot give back, in KiB.
unreclaimable() { sed -n 's/^SUnreclaim: *\([0-9]*\).*/\1/p' /proc/meminfo; }
# leaves_below KIB: in a while, as RCU frees what was given back.
leaves_below() { [ "$(unreclaimable)" -lt "$1" ]; }

# As many programs as there are CPUs that open and close events for ever, but no more than
# four: with 16 there is never a moment without an event, in which the module could go.
hammers=
start_hammers() {
	nr_hammers=$(nproc --all)
	[ "$nr_hammers" -le 4 ] || nr_hammers=4
	for _ in $(seq "$nr_hammers"); do
		./hammer &
		hammers="$hammers $!"
	done
}
stop_hammers() {
	kill $hammers 2>/dev/null
	wait $hammers 2>/dev/null
	hammers=
}
