#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The reference model against QEMU's records, for each filter that perf can set: what
# a program executed, by QEMU's own log, gives `ssctr model` the records of each
# sample that was taken meanwhile, entry by entry: model.sh KERNEL [few]
# few: of the filters of two kinds, those with returns.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
few=${2-}
out=build/model-$kernel
depth=256

# Each kind, two of them, all.
one='any_call any_ret ind_call cond ind_jmp call'
filters="any $one"
rest=$one
for a in $one; do
	rest=${rest#"$a"}
	rest=${rest# }
	for b in $rest; do
		case $few,$a,$b in
		few,*any_ret*) ;;
		few,*) continue ;;
		esac
		filters="$filters $a,$b"
	done
done
filters="$filters $(echo "$one" | tr ' ' ',') stack"

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2016,SC2086
counted '
	windows=abcdefghijklmnopqrstuvwxyz
	for filter; do
		window=${windows%"${windows#?}"}
		windows=${windows#?}
		echo "$window" >"$filter.window"
		case $filter in
		# perf 7.2 crashes by -j stack.
		stack) set -- --call-graph lbr ;;
		*) set -- -j "$filter,u,save_type" ;;
		esac
		perf record -q -m 4M -e instructions:u -c 5003 "$@" -o "$filter.data" -- \
			/t/traced "7$window" /t/trace_work kinds 2 &&
			/t/traced "3$window" /bin/true || exit
	done
' $filters || exit

# sctrctl FILTER: the fields that select these transfers, by the specification's
# table of types. Not-taken branches have to be asked for.
sctrctl() {
	case $1 in
	any) echo U && return ;;
	stack) echo U+RASEMU && return ;;
	esac
	inhibits=' EXC INTR TRET TKBR INDCALL DIRCALL INDJMP DIRJMP CORSWAP RET INDLJMP DIRLJMP '
	for kind in $(echo "$1" | tr , ' '); do
		case $kind in
		any_call) types='EXC INTR INDCALL DIRCALL CORSWAP' ;;
		any_ret) types='TRET CORSWAP RET' ;;
		ind_call) types='INDCALL CORSWAP' ;;
		cond) types=TKBR ;;
		ind_jmp) types='INDJMP INDLJMP' ;;
		call) types=DIRCALL ;;
		*) return 1 ;;
		esac
		for type in $types; do
			case $inhibits in
			*" $type "*) inhibits="${inhibits%%" $type "*} ${inhibits#*" $type "}" ;;
			esac
		done
	done
	echo "U$(for type in $inhibits; do printf '+%sINH' "$type"; done)"
}

# Lines of an ip and, newest first, FROM/TO/TYPE. A call stack comes without types.
form() {
	sed 's|/-/-/-/[0-9]*||g; s|/- | |g; s/^ *//; s/  */ /g; s/ $//' |
		case $1 in
		stack) sed 's|\(/0x[^ /]*\)/[^ ]*|\1|g' ;;
		*) cat ;;
		esac
}

# modelled FILTER SCTRCTL
modelled() {
	build/bin/ssctr model "$out/$1.csv" --set "sctrctl=$2" --depth $depth \
		--samples --brstack >"$out/$1.raw" && form "$1" <"$out/$1.raw"
}

# What perf was shown. A sample that was taken in the kernel is of no interrupt here.
recorded() {
	build/tests/judge/perfdata_dump "$out/data/$1.data" >"$out/$1.raw" || return
	sed 's/^[^:]*: //; /^f/d' <"$out/$1.raw" | form "$1"
}

is_equal() {
	window=$(printf %d "'$(cat "$out/data/$1.window")")
	build/tests/judge/log_csv "$out/log" "$window" >"$out/$1.csv" &&
		modelled "$1" "$(sctrctl "$1")" >"$out/$1.model" &&
		recorded "$1" >"$out/$1.hart" || return
	entries=$(wc -w <"$out/$1.hart")
	[ "$entries" -ge 1000 ] || ! echo "$entries entries" || return
	cmp "$out/$1.model" "$out/$1.hart"
}

# The same samples, and registers that are not theirs.
is_told() {
	other=any_ret,cond,call
	case $1 in
	any) other=stack ;;
	esac
	modelled "$1" "$(sctrctl $other)" >"$out/$1.other" || return
	! cmp -s "$out/$1.other" "$out/$1.hart"
}

for filter in $filters; do
	name=$(echo "$filter" | tr , _)
	t "records_of_${name}_are_the_model_s" is_equal "$filter"
	t "records_of_${name}_are_told_from_others" is_told "$filter"
done
cat "$out"/*.hart | awk '{ n += NF - 1 } END { print "# " NR " samples, " n " entries" }'
plan
[ $t_failed != 0 ] || rm -rf "$out"
