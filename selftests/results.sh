# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# What the documentation's blocks must have come to: words.sh runs what stands in the
# comment behind a block with these, in the block's folder. $said is what it printed.
PATH=$PWD/build/bin:$PATH

# has FILE PATTERN...: each of them, as grep takes it.
has() {
	file=$1
	shift
	for pattern; do
		grep -q -e "$pattern" "$file" && continue
		echo "${file##*/} has no '$pattern'"
		return 1
	done
}
says() { has "$said" "$@"; }

# value KEY: its first figure in the JSON that comes in.
value() { grep -o "\"$1\":[^,}]*" | sed 's/.*://; q'; }
# least KEY FIGURE [KEY FIGURE]...: of the JSON in $json.
least() {
	while [ $# -gt 0 ]; do
		figure=$(echo "$json" | value "$1")
		echo "$1: $figure, at least $2 is wanted"
		echo "$figure $2" | awk '{ exit !($1 ~ /^[0-9.]+$/ && $1 + 0 >= $2 + 0) }' || return
		shift 2
	done
}
# recording FILE KEY FIGURE...: as ssctr report --json tells of it, as samples, coverage.
recording() {
	json=$(ssctr report --json --by edges "$1") || return
	shift
	least "$@"
}
# trace FILE KEY FIGURE...: as ssctr info --json tells of it, as instructions, coverage.
trace() {
	json=$(ssctr info --json "$1") || return
	shift
	least "$@"
}
