# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
# What the machine's tests share: KTAP output, a scratch folder, and $vm.

here=$(cd "$(dirname "$0")" && pwd -P)
vm=${here%/*}/vm
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0
failures=0

# check NAME COMMAND [ARGUMENT]...: a test that passes when COMMAND does.
check() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@"; then
		echo "ok $tests $name"
	else
		failures=$((failures + 1))
		# What is said of a test stands before its line.
		[ ! -s "$dir/err" ] || sed 's/^/# /' "$dir/err"
		echo "not ok $tests $name"
	fi
}

is() {
	[ "$1" = "$2" ] || {
		printf '# %s, not %s\n' "$1" "$2"
		return 1
	}
}

has() {
	grep -q -e "$1" "$dir/err"
}

lacks() {
	! has "$1"
}

# Runs vm; its output is in $dir/out and $dir/err then, its status in $status.
run_vm() {
	"$vm" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}

finish() {
	echo "1..$tests"
	[ $failures = 0 ]
	exit
}
