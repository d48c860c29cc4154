#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own tests of what BPF programs are given, which bpf-kernel.mk builds. Run as
# root where the module is loaded; ssctr_snapshot.ko lies beside it:  bpf-kernel.sh FOLDER
# FOLDER has test_progs and bpf_testmod.ko.
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./guest.sh
folder=$1
stub=${SSCTR_SNAPSHOT_KO:-$(find_module ssctr_snapshot)}

# fexit, which one of them uses, there is for compiled programs alone.
serve() {
	echo 1 >/proc/sys/net/core/bpf_jit_enable &&
		rmmod ssctr && insmod "$stub" && insmod "$ko" bpf=1
}
t programs_are_served serve

before=$(splats)
(cd "$folder" && ./test_progs -v) >"$data" 2>&1

# A test that was skipped did not pass.
passed() {
	cat "$data"
	grep -qE "^#[0-9/]+ +$1:OK" "$data"
}
for name in get_branch_snapshot perf_branches/perf_branches_hw \
	perf_branches/perf_branches_no_hw; do
	t "$name" passed $name
done
all_ran() {
	grep '^Summary: ' "$data"
	grep -qx 'Summary: 2/2 PASSED, 0 SKIPPED, 0 FAILED' "$data"
}
t nothing_else_failed all_ran
no_splat() { [ "$(splats)" = "$before" ]; }
t no_warning_in_the_kernels_log no_splat
rm -f "$data"
plan
