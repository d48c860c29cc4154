#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The model of whose records these are, driver/ctr_rule.pml: all states are searched, and
# each part of the rule that is left out is found: rule.sh core|all
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
. selftests/ktap.sh

model=$top/driver/ctr_rule.pml
amount=${1:-core}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Steps in a row. Each takes 56 bytes at once.
depth=1000000
[ "$amount" != all ] || depth=20000000

# The model reads its settings from the environment.
build() {
	(cd "$dir" && spin -a "$model" && cc -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=11000 -o pan pan.c)
}

# search SETTING...: all that there is.
search() {
	(cd "$dir" && env "$@" ./pan -m$depth >pan.log 2>&1)
}

# complete SETTING...: the search ended by itself, went nowhere too deep, and found no error.
complete() {
	search "$@"
	grep -E 'states, stored|errors:|elapsed|total actual|pan:1:|error:|Warning' \
		"$dir/pan.log" | tee "$dir/said"
	grep -q 'errors: 0$' "$dir/said" && grep -q 'states, stored' "$dir/said" &&
		! grep -Eq 'max search depth too small|not completed|out of memory|reached -DMEMLIM' \
			"$dir/pan.log"
}

# found FAULT SETTING...: one of the model's assertions fails.
found() {
	number=$(awk -v name="$1" '$1 == "#define" && tolower($2) == name { print $3 }' "$model")
	[ "$number" ] || { echo "$1 is no fault of the model"; return 1; }
	shift
	search "$@" "fault=$number"
	grep 'pan:1: assertion violated' "$dir/pan.log"
}

# configuration TIER NAME SETTINGS FAULT...: what is found there
configuration() {
	tier=$1
	name=$2
	settings=$3
	[ "$tier" = core ] || [ "$amount" = all ] || return
	# shellcheck disable=SC2086
	t "the_rule_holds.$name" complete $settings
	[ ! -s "$dir/said" ] || sed 's/^/# /' "$dir/said"
	shift 3
	for fault; do
		# shellcheck disable=SC2086
		t "fault_found.$fault" found "$fault" $settings
	done
}

t spin_makes_a_search_of_the_model build
configuration core switches 'task_filter=1 equal=1 shrinks=1' \
	what_a_task_left_is_not_emptied \
	the_count_of_switches_is_noted_in_the_event \
	a_store_is_freed_while_somebody_has_found_it \
	a_store_that_is_held_is_removed \
	nothing_is_expected_of_who_comes \
	each_event_begins_with_its_task \
	an_heirs_event_begins_with_its_first_task
configuration core forks 'task_filter=1 equal=1 forks=1 fills=1' \
	a_child_is_told_by_what_is_its_parents \
	exec_forgets_the_buffer_alone \
	a_buffer_that_ran_over_does_not_cut
configuration core begins 'task_filter=1 begins=1' \
	an_event_takes_no_new_moment \
	an_event_begins_before_the_buffer_is_put_away \
	an_event_does_not_know_that_it_was_off \
	spans_of_two_moments_are_one \
	what_nobody_wanted_is_shown \
	removing_an_event_stops_recording
configuration core ends 'task_filter=1 ends=1' \
	the_end_of_recording_puts_nothing \
	stores_are_got_after_the_end \
	recording_begins_at_an_old_moment \
	recording_begins_before_it_is_known_who_runs
configuration core kernel 'task_filter=3 cpu_filter=1' \
	an_interrupt_does_not_thaw \
	the_rest_of_a_switch_is_recorded \
	nobody_thaws_for_who_arrives
configuration core late 'cpu_filter=3 others=1' \
	who_arrives_late_is_not_cut \
	whoever_enables_the_pmu_lets_a_task_arrive
configuration core late_users 'task_filter=3 cpu_filter=1 others=1' \
	who_drops_the_freeze_does_not_thaw \
	who_drops_the_freeze_lets_nobody_arrive
# Users' records, and then an event of a CPU that wants the kernel's, too. This has more
# states than can be searched; each part of it is searched below.
t fault_found.who_begins_to_make_records_is_taken_for_nobody \
	found who_begins_to_make_records_is_taken_for_nobody \
	task_filter=1 cpu_filter=3 others=1 begins=1
configuration core guests 'task_filter=1 guests=1' \
	a_guest_reads_the_records_of_its_host \
	what_a_guest_left_is_not_emptied \
	what_a_guest_froze_stays_frozen \
	an_overflow_shows_what_a_guest_left
configuration core kernel_guests 'task_filter=3 guests=1'
configuration core cpu_guests 'cpu_filter=3 guests=1'
configuration core kept 'task_filter=3 guests=1 keeps=1' \
	what_was_kept_is_shown
configuration core kept_for_others 'task_filter=1 guests=1 keeps=1 others=1' \
	a_guest_reads_what_was_kept
# Recording ends while a guest runs.
for fault in recording_begins_in_what_a_guest_froze what_a_guest_had_at_the_end_stays_lent \
	a_store_that_is_taken_late_goes_on; do
	t "fault_found.$fault" found "$fault" task_filter=1 guests=1 ends=1
done
configuration all guests_end 'task_filter=1 guests=1 ends=1'
configuration all kept_ends 'task_filter=1 guests=1 keeps=1 ends=1'
configuration all kept_begins 'task_filter=1 guests=1 keeps=1 begins=1'
configuration all guests_begin 'task_filter=1 guests=1 begins=1'
configuration all cpus 'cpu_filter=1 forks=1 shrinks=1' \
	who_is_gone_keeps_a_store
configuration all harts 'task_filter=1 cpu_filter=1 harts=1' \
	what_ran_unrecorded_is_not_noticed \
	a_cpu_comes_back_as_if_recording \
	a_hart_is_not_set_up_after_idle
configuration all kernel_begins 'task_filter=3 begins=1'
configuration all equal_begins 'task_filter=1 equal=1 begins=1' \
	where_nothing_is_no_new_moment_is_taken
configuration all cpu_begins 'cpu_filter=1 begins=1'
configuration all equal_ends 'task_filter=1 equal=1 ends=1 shrinks=1'
configuration all kernel_forks 'task_filter=3 equal=1 forks=1 fills=1'
configuration all kernel_harts 'task_filter=3 shrinks=1 harts=1'
configuration all kernel_of_cpus 'task_filter=1 cpu_filter=3 shrinks=1 harts=1'
configuration all kernel_of_cpus_begins 'cpu_filter=3 begins=1'
configuration all late_begins 'cpu_filter=3 others=1 begins=1'
configuration all late_ends 'cpu_filter=3 others=1 ends=1'

# Each fault of the model is looked for.
all_are_there() {
	awk '$1 == "#define" && $2 ~ /_/ && $3 ~ /^[0-9]+$/ && NF == 3 { print tolower($2) }' "$model" |
		while read -r fault; do
			grep -q "$fault" selftests/rule.sh || { echo "$fault"; exit 1; }
		done
}
t each_fault_of_the_model_is_looked_for all_are_there
plan
