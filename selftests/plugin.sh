#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The plug-ins in the perf of a kernel, in the guest and on this machine, beside the
# command: plugin.sh KERNEL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
kernel=$1
out=$top/build/plugin-$kernel
plugins=$top/build/perf-plugin
root=$(qemu/vm path guest --kernel "$kernel") || exit

rm -rf "$out"
mkdir -p "$out" || exit

records() {
	qemu/vm run --kernel "$kernel" --timeout 300 --icount --put selftests/plugin-guest.sh:/t/run \
		--put build/riscv64/perf-plugin:/t/plugins --get "/tmp/out:$out/rec" \
		-- sh /t/run /tmp/out
}
t they_load_into_the_guest_s_perf records
cd "$out/rec" || exit

# Debian's perf for this machine, and the files that it gives the names of.
perf=$("$top/qemu/vm" host-perf "$kernel") || exit
# script PLUGIN WORD...
script() {
	plugin=$1
	shift
	# shellcheck disable=SC2046
	"$top/qemu/on-host" "$perf/perf" script -f -i perf.data \
		--dlfilter "$plugins/ssctr-$plugin.so" $(printf ' --dlarg %s' "$@")
}

# The guest has the libraries too, whose lines have lengths where their code is known.
profile_is_the_command_s() {
	set -- -b "$root/usr/bin/busybox" --symfs "$root" -f bolt,profgen
	"$top/build/bin/ssctr" profile -i perf.data "$@" -o command &&
		script profile "$@" -o host || return
	for format in bolt profgen; do
		[ -s command.$format ] && cmp command.$format host.$format &&
			cmp command.$format guest.$format || return
	done
}
t the_profile_is_the_command_s profile_is_the_command_s

trace_is_the_command_s() {
	"$top/build/bin/ssctr" stf -i perf.data --symfs "$root" -o command.stf &&
		script stf --symfs "$root" -o host.stf &&
		cmp command.stf host.stf && cmp command.stf guest.stf || return
	"$top/build/bin/ssctr" info host.stf
	[ "$("$top/build/bin/ssctr" dump host.stf | wc -l)" -gt 10000 ]
}
t the_trace_is_the_command_s trace_is_the_command_s

# What perf lets through is what is taken.
choice_is_followed() {
	"$top/qemu/on-host" "$perf/perf" script -f -i perf.data --comm nobody \
		--dlfilter "$plugins/ssctr-stf.so" --dlarg -o --dlarg none.stf 2>said && return 1
	cat said
	[ ! -e none.stf ] && grep -q 'no samples that the options select' said
}
t perf_s_own_options_choose_samples choice_is_followed

# The guest has no LLVM: assembly is cut out, columns are put together.
plain() { sed -E 's/^(\t *[0-9a-f]+ +[0-9a-f]+) [^#]*/\1 /; s/ +/ /g; s/ $//' "$1"; }
instructions_are_shown() {
	script brstackinsn --symfs "$root" >host.insns || return
	head -n 20 host.insns
	plain host.insns >host.plain
	plain guest.insns >guest.plain
	cmp host.plain guest.plain && grep -q '# COND -> .*/usr/bin/busybox' host.plain &&
		[ "$(grep -c '# the sample' host.plain)" -ge 20 ]
}
t the_instructions_are_shown instructions_are_shown

# Overlapping samples are one path in the trace, and shown each by itself here.
as_many_as_the_trace() {
	shown=$(grep -c '^	[ 0-9a-f]* ' host.plain)
	traced=$("$top/build/bin/ssctr" dump host.stf | wc -l)
	echo "$shown shown, $traced in the trace"
	[ "$shown" -ge "$traced" ] && [ "$shown" -gt 10000 ]
}
t no_instruction_of_the_trace_is_missing as_many_as_the_trace

tracepoints_are_told() {
	head -n 20 tracepoints
	grep -q 'ssctr:ssctr_snapshot: *sample of pid [0-9]* with [0-9]* records' tracepoints
}
t tracepoints_are_told_in_words tracepoints_are_told
plan
