#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Stock perf, served by the loaded module. Run as root.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh

t module_is_loaded loaded ssctr
t log_says_what_the_harts_have log_says 'branch records on .* deep'
caps_say_the_depth() { log_says "CPUs, $(caps) deep"; }
t caps_say_how_deep_a_stack_can_be caps_say_the_depth
# As its users run it.
records_plainly() (
	t_brief=
	records_branches
)
t perf_record_b_fills_the_stacks records_plainly
t perf_record_any_u_fills_the_stacks records_branches -j any,u -e cycles:u
unless_few perf_record_any_k_fills_the_stacks records_branches -j any,k
unless_few perf_record_any_u_k_fills_the_stacks records_branches -j any,u,k
# Other tasks may have made no branch yet when they are sampled. What stops a CPU's event
# in an emulated hart is not made good by a switch, so it is asked to interrupt less often,
# and works for longer.
of_all_cpus() {
	perf record -q -o "$data" -a -c 500000 -j any,u -e cycles:u -- sh -c \
		'set -- /bin/busybox /bin/busybox /bin/busybox; exec busybox sha256sum "$@" "$@" "$@"' &&
		stacks_are_full 0.9 --comm busybox
}
t perf_record_of_all_cpus_fills_the_stacks of_all_cpus
# The recording says that its event does not count the kernel (exclude_kernel), so that its samples
# there are used.
seems_of_user_code() {
	at=$(($(od -An -t u8 -j 24 -N 8 "$data") + 40))
	flags=$(($(od -An -t u1 -j $at -N 1 "$data") | 1 << 5))
	# shellcheck disable=SC2059 # a byte
	printf "\\$(printf %o $flags)" | dd of="$data" bs=1 seek=$at conv=notrunc 2>/dev/null
}
# Many samples come while the kernel replaces a program by another one. What they show is
# looked for in the new one, where the old one's addresses are not mapped.
in_exec() {
	perf record -q -o "$data" -m 8M -c 500000 -j any,u -e cycles -- sh -c \
		'for i in $(seq 30); do /usr/bin/env /usr/bin/env true; done' || return
	seems_of_user_code || return
	ssctr stf --allow-partial -i "$data" -o exec.stf 2>exec.txt
	cat exec.txt
	rm -f exec.stf
	grep ' samples taken in a mode that was not recorded' exec.txt && ! grep 'nothing mapped' exec.txt
}
t a_sample_in_the_midst_of_exec_shows_nothing_of_before in_exec
# Of eight times the work, as a machine beside four loops took eleven samples of two hundred. They
# have no stacks, so they cost little.
plainly() (
	t_work="$t_work $t_work $t_work $t_work"
	t_work="$t_work $t_work"
	t_record "$data"
)
t perf_record_without_b_works_beside_the_module plainly
unless_few perf_record_call_graph_lbr_takes_samples t_record "$data" --call-graph lbr
rm -f "$data"
plan
