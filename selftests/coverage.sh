#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs that ssctr record records and QEMU logs at once, with periods below and above
# what a stack holds: each trace says what share of the executed instructions it holds,
# and the log says whether that is so: coverage.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
. selftests/traces.sh
kernel=$1
out=build/coverage-$kernel

# NAME WINDOWS OPTIONS -- PROGRAM. The first window is the program's, the others are
# those of the processes that it starts.
recordings='
sort-101 a -c 101 -- /t/trace_work sort 3
sort-251 b -c 251 -- /t/trace_work sort 6
sort-503 c -c 503 -- /t/trace_work sort 10
sort-997 d -c 997 -- /t/trace_work sort 15
sort-2003 e -c 2003 -- /t/trace_work sort 30
sort-5003 f -c 5003 -- /t/trace_work sort 60
sort-20011 g -c 20011 -- /t/trace_work sort 150
kinds-251 h -c 251 -- /t/trace_work kinds 3
kinds-1009 i -c 1009 -- /t/trace_work kinds 6
threads-1009 j -c 1009 -- /t/trace_work threads 1
signals-1009 k -c 1009 --depth 64 -- /t/trace_work signals 1
throws-2003 l -c 2003 -- /t/trace_throw
awk-751 m -c 751 -- /usr/bin/gawk "BEGIN { for (i = 0; i < 2000; i++) s = s i; print s }"
ls-2003 n -c 2003 -- /bin/ls -lR /etc
forks-251 opqr -c 251 -- /t/trace_work forks 2 p
forks-997 stuv -c 997 -- /t/trace_work forks 6 t
forks-5003 wxyz -c 5003 -- /t/trace_work forks 15 x
lossy-251 A -c 251 -m 16 -- /t/trace_work sort 10
shallow-251 B -c 251 --depth 32 -- /t/trace_work sort 6
shallow-2003 C -c 2003 --depth 128 -- /t/trace_work sort 30
'
# One path each; and those that are converted once more, sample by sample.
whole='sort-101 sort-251'
apart='sort-251 sort-997 forks-251'

rm -rf "$out"
mkdir -p "$out" || exit
# shellcheck disable=SC2016,SC2034
put='--put build/riscv64/bin/ssctr:/usr/bin/ssctr --put build/selftests/trace_throw:/t/trace_throw'
# shellcheck disable=SC2016
counted '
	echo "$1" | while read -r name windows line; do
		[ "$name" ] || continue
		echo "$windows" >"$name.window"
		first=${windows%"${windows#?}"}
		eval "set -- ${line##*-- }"
		ssctr record -q -m 4096 -j any,u,hw_index -e instructions:u ${line%% -- *} \
			-o "$name.data" -- /t/traced "7$first" "$@" </dev/null >"$name.out" &&
			/t/traced "3$first" /bin/true || exit
	done
' "$recordings" || exit
root || exit

# stated NAME: the coverage that the trace states.
stated() { build/bin/ssctr info --json "$out/$1.zstf" | sed 's/.*"coverage":\([^,]*\),.*/\1/'; }
# held NAME: what the judge found.
held() { sed -n 's/.* executed instructions are in the trace: //p' "$out/$1.judge"; }
tells_what_it_holds() {
	cat "$out/$1.judge"
	stated=$(stated "$1") held=$(held "$1")
	echo "$1: $stated is stated, $held is held"
	echo "$stated $held" | awk '
		$1 ~ /^[0-9.]+$/ && $2 > 0 { apart = $1 - $2; found = apart < 0.01 && apart > -0.01 }
		END { exit !found }'
}
# is_true NAME [joined]
is_true() {
	name=$1
	shift
	judge "$name" 20 "$@" >"$out/$name.judge"
}

names=$(echo "$recordings" | sed 's/ .*//')
for name in $names; do
	t "${name}_is_converted" converts "$name"
	case " $whole " in
	*" $name "*) is_true "$name" joined ;;
	*) is_true "$name" ;;
	esac
	t "${name}_tells_what_it_holds" tells_what_it_holds "$name"
done
for of in $apart; do
	name=$of-apart
	cp "$out/data/$of.window" "$out/data/$name.window"
	ln -s "$of.data" "$out/data/$name.data"
	t "${name}_is_converted" converts "$name" --stitch never
	is_true "$name"
	t "${name}_tells_what_it_holds" tells_what_it_holds "$name"
done
# Of each thread, too, if the kernel counts it, which 6.12 does not. The threads were
# started in the order of their windows.
tells_its_part() { [ "$(stated "$1")" = null ] || tells_what_it_holds "$1"; }
parts=forks-997
t "${parts}_is_converted_by_thread" converts $parts --split thread
windows=$(cat "$out/data/$parts.window")
for path in $(find "$out" -maxdepth 1 -name "$parts.tid*.zstf" | sort -V); do
	name=$(basename "$path" .zstf)
	echo "${windows%"${windows#?}"}" >"$out/data/$name.window"
	windows=${windows#?}
	cp "$out/$parts.txt" "$out/$name.txt"
	is_true "$name"
	t "${name}_tells_what_it_holds" tells_its_part "$name"
done
t "${parts}_has_a_trace_of_each_thread" [ -z "$windows" ]
plan
status=$?
cat "$out"/*.judge
! grep -q '^not ok' "$out"/*.judge || status=1
[ $status != 0 ] || rm -rf "$out"
exit $status
