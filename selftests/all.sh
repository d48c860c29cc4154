#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# all.sh [NAME]...: all self-tests of a machine that can record, but for those of these
# names, as root with ssctr loaded, without make: each prints KTAP with a plan of its
# own. SSCTR_KO and SSCTR_TEST_KO are the modules.
cd "$(dirname "$0")" || exit
status=0

# On one hart, what takes two is left out and not skipped: it is no test then.
two='# SKIP it takes two harts'
run() {
	[ "$(nproc)" = 1 ] || {
		"$1"
		return
	}
	"$1" >/tmp/one-hart 2>&1
	ended=$?
	awk -v two="$two" '
		NR == FNR { left += index($0, two) > 0; next }
		/^1\.\./ { print "1.." substr($0, 4) - left; next }
		index($0, two) { print "# left out: " $0; next }
		{ print }' /tmp/one-hart /tmp/one-hart
	return $ended
}

for test in ./open ./filter ./fields ./before ./isolation ./switch ./turns ./callstack \
	./overflow ./count ./life ./cgroup ./storm ./record.sh ./state.sh ./load.sh ./bpf.sh ./harts.sh ./quiet.sh; do
	case " $* " in *" ${test#./} "*) continue ;; esac
	begin=$(date +%s)
	echo "# $test"
	run "$test" || status=1
	echo "# $test took $(($(date +%s) - begin)) s"
done
exit $status
