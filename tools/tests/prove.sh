#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The driver's pure rooms, proved by CBMC for every record, instruction and filter that
# there is: prove.sh [PROPERTY]
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The rooms, and what the properties hold them against: the model, the decoder.
sources='driver/ctr_cause.c driver/ctr_entry.c driver/ctr_filter.c driver/ctr_view.c
	tools/lib/ctr/model.c tools/lib/riscv/rv_insn.c tools/lib/riscv/rv_mem.c'
# What C leaves undefined, and in the rooms values that a conversion changes.
checks='--bounds-check --pointer-check --pointer-overflow-check --signed-overflow-check
	--undefined-shift-check --div-by-zero-check --conversion-check
	--unwind 33 --unwinding-assertions'

# compile ROOM
compile() {
	# shellcheck disable=SC2086
	goto-cc -D_GNU_SOURCE -Idriver -Itools/lib -o "$dir/$1" "tools/tests/prove/$1.c" \
		$sources
}

# What does not hold. The model and the decoder cut numbers on purpose.
# shellcheck disable=SC2016
failed='
/^[^[].* function / { file = $1 }
/^\[.*\] line / && !/: SUCCESS$/ && !(file ~ /^tools\/lib\// && / type conversion /)'

# proves ROOM PROPERTY: all assertions hold but the one that may not.
proves() {
	# shellcheck disable=SC2086
	cbmc --verbosity 4 --function "$2" --drop-unused-functions $checks "$dir/$1" \
		>"$dir/log" 2>&1 </dev/null
	status=$?
	if ! grep -q '^\*\* Results' "$dir/log"; then
		cat "$dir/log"
		return 1
	fi
	awk "$failed" "$dir/log" | tee "$dir/failed"
	grep -q 'the end is reached: FAILURE$' "$dir/failed" ||
		! echo 'no value reaches the end' || return
	[ $status = 10 ] && [ "$(wc -l <"$dir/failed")" = 1 ] &&
		grep -q '^\[prove_.*\.assertion\..*: SUCCESS$' "$dir/log"
}

for file in tools/tests/prove/*.c; do
	room=$(basename "$file" .c)
	t "${room}_compiles" compile "$room"
	sed -n 's/^PROVE(\([a-z0-9_]*\).*/\1/p' "$file" >"$dir/names"
	while read -r name; do
		case $name in
		*"${1-}"*) t "${room}_$name" proves "$room" "$name" ;;
		esac
	done <"$dir/names"
done
plan
