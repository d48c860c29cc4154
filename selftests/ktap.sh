# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# KTAP for shell tests: `t NAME COMMAND...` is one test, passed if COMMAND
# succeeds; what it printed is shown when it does not. `plan` comes last.

t_nr=0
t_failed=0
t_log=$(mktemp)

t() {
	t_name=$1
	shift
	t_nr=$((t_nr + 1))
	if "$@" >"$t_log" 2>&1; then
		echo "ok $t_nr $t_name"
	else
		sed 's/^/# /' "$t_log" | tail -n 40
		echo "not ok $t_nr $t_name"
		t_failed=$((t_failed + 1))
	fi
}

plan() {
	echo "1..$t_nr"
	rm -f "$t_log"
	[ $t_failed = 0 ]
}
