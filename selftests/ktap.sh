# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# KTAP for shell tests: `t NAME COMMAND...` is one test, passed if COMMAND
# succeeds, skipped if it ends with 4 and a last line that says why; what it
# printed is shown when it fails. `plan` comes last.

t_nr=0
t_failed=0
t_log=$(mktemp)
echo 'KTAP version 1'

t() {
	t_name=$1
	shift
	t_nr=$((t_nr + 1))
	t_begin=$(date +%s)
	"$@" >"$t_log" 2>&1
	t_status=$?
	t_took=$(($(date +%s) - t_begin))
	[ $t_took -lt 5 ] || echo "# the next took $t_took s"
	case $t_status in
	0) echo "ok $t_nr $t_name" ;;
	4) echo "ok $t_nr $t_name # SKIP $(tail -n 1 "$t_log")" ;;
	*)
		awk '{ print "# " $0 }' "$t_log" | tail -n 40
		echo "not ok $t_nr $t_name"
		t_failed=$((t_failed + 1))
		;;
	esac
}

# unless_few NAME COMMAND...: t, but where $few is set.
unless_few() { [ "${few-}" ] || t "$@"; }

t_skip() {
	echo "$*"
	return 4
}

# t_perf FILE ARGUMENT...: stock perf on a real program, of which it takes two hundred
# samples or more, also where a busy machine's emulated counter has half of those that
# are due: the first of them may come before the program's first branch. Stacks of 256
# take long to write and to print, hence not many more; and at a rate an emulated hart of
# a busy machine takes few, as each tick starts them anew.
#
# Where events counted without the module, QEMU swallows the next event's first overflow
# (docs/driver.md). The event is started anew when its task is switched to, which the
# program makes certain.
#
# For programs of BPF perf would read all names of the kernel once more, which takes an
# emulated hart as long as all the rest.
t_brief=--no-bpf-event
t_work=/bin/busybox # the files that the program reads
t_perf() {
	t_data=$1
	shift
	# shellcheck disable=SC2086 # a name a word
	perf record -q $t_brief -c 200000 -o "$t_data" "$@" -- \
		sh -c 'sleep 0; exec busybox sha256sum "$@"' sh $t_work
}

# t_record FILE ARGUMENT...: the same, and it has samples.
t_record() {
	t_perf "$@" || return
	t_samples=$(perf script -i "$1" -F event | grep -c :)
	echo "$t_samples samples"
	[ "$t_samples" -ge 20 ]
}

plan() {
	echo "1..$t_nr"
	rm -f "$t_log"
	[ $t_failed = 0 ]
}
