#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# BPF programs get branch records. Run as root where the module is loaded; it is loaded
# again in the end. SSCTR_SNAPSHOT_KO is the module that serves snapshots, which stays.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
stub=${SSCTR_SNAPSHOT_KO:-$(find_module ssctr_snapshot)}

loaded ssctr && rmmod ssctr
wants_its_partner() {
	loaded ssctr_snapshot && t_skip 'ssctr_snapshot was loaded before, and stays'
	# Without a name of modprobe, the kernel loads no module of itself.
	modprobe=$(cat /proc/sys/kernel/modprobe)
	echo >/proc/sys/kernel/modprobe
	fails insmod "$ko" bpf=1 && log_says 'refused: bpf=1 wants the module'
	status=$?
	echo "$modprobe" >/proc/sys/kernel/modprobe
	return $status
}
t programs_want_the_module_that_stays wants_its_partner

serve() {
	loaded ssctr_snapshot || insmod "$stub" || return
	insmod "$ko" bpf=1
}
t programs_are_served_if_asked_for serve
stays() { fails rmmod ssctr_snapshot && loaded ssctr_snapshot; }
t what_programs_call_stays stays

# Compiled, the call of the helper is a part of the program; interpreted, it goes by the
# kernel's own function, and the interpreter's branches fill a kernel's recording.
before=$(splats)
jit=/proc/sys/net/core/bpf_jit_enable
compiled=$(cat $jit)
programs() {
	echo "$1" >$jit
	SSCTR_KO=$ko ./bpf ${2:+-v "$2"}
	status=$?
	echo "$compiled" >$jit
	return $status
}
t compiled_programs_get_branch_records programs 1
unless_few interpreted_programs_get_branch_records programs 0 user

# The programs of `ssctr last` are loaded before. The kernel lists where they are.
listed() { awk '$4 == "[bpf]" && $3 ~ /^bpf_prog_/ { print $1, $3 }' /proc/kallsyms | sort; }
told() {
	perf report -D -i "$1" 2>/dev/null |
		sed -n 's/.*PERF_RECORD_KSYMBOL addr \([0-9a-f]*\) .* name \(bpf_prog_[^ ]*\).*/\1 \2/p' | sort
}
loaded_programs_have_names() {
	kallsyms=/proc/sys/net/core/bpf_jit_kallsyms
	lists=$(cat $kallsyms)
	echo 1 >$jit
	echo 1 >$kallsyms
	rm -f runs
	ssctr last -o last.data sh -c ': >runs; exec sleep 60' 2>last.said &
	last=$!
	until [ -e runs ] || ! kill -0 $last; do sleep 0.1; done
	ssctr record -a -e instructions:k -c 10000000 -o loaded.data true
	listed >listed
	kill $last
	wait $last
	echo "$lists" >$kallsyms
	echo "$compiled" >$jit
	told loaded.data >told
	cat last.said listed
	[ -s listed ] && diff listed told && rm -f last.data loaded.data
}
t ssctr_record_tells_of_programs_that_were_loaded_before loaded_programs_have_names
no_splat() { [ "$(splats)" = "$before" ]; }
t no_warning_in_the_kernels_log no_splat

ends_without() { rmmod ssctr && insmod "$ko"; }
t the_module_goes_and_comes_without_programs ends_without
plan
