#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC1091
# The scripts for clusters, with what Slurm and mpirun tell a task, and a stand-in for
# ssctr. selftests/cluster.sh runs them by Slurm itself.
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
scripts=$PWD/packaging/cluster
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/tmp" "$dir/work"
export TMPDIR="$dir/tmp" PATH="$dir/bin:$scripts:$PATH"

# It runs what it is to record, unless the file broken is there. A recording is the word
# "recorded" and the options; of inputs it makes a file of all their lines.
cat >"$dir/bin/ssctr" <<'END'
#!/bin/sh
what=$1
shift
case $what in
record)
	options=
	while [ "$1" != -- ]; do
		[ "$1" != -o ] || out=$2
		options="$options $1"
		shift
	done
	shift
	[ ! -e ../broken ] || { echo 'no module: see ssctr doctor' >&2; exit 1; }
	"$@" </dev/null
	status=$?
	[ "$out" = - ] || [ -e ../full ] || echo "recorded$options" >"$out$(cat ../killed 2>/dev/null)"
	exit $status
	;;
merge)
	[ ! -e ../unwritable ] || exit 1
	while [ $# -gt 0 ]; do
		case $1 in
		-o) out=$2 && shift ;;
		--files-from) grep . "$2" >../files && xargs cat <../files >../merged && shift || exit 1 ;;
		--strict) ;;
		*) cat "$1" >../merged || exit 1 ;;
		esac
		shift
	done
	mv ../merged "$out"
	;;
esac
END
chmod +x "$dir/bin/ssctr"
cd "$dir/work" || exit

# makes FILE NAME=VALUE... -- COMMAND...: in an empty folder, and leaves nothing else.
makes() {
	want=$1
	shift
	rm -f ./*
	env "$@" >"$dir/out" 2>&1
	status=$?
	cat "$dir/out"
	ls -A . "$TMPDIR"
	[ "$(ls)" = "$want" ] && [ -z "$(ls -A "$TMPDIR")" ]
}
t a_step_has_job_step_and_task makes ssctr.12.0.3.5.counts \
	SLURM_JOB_ID=12 SLURM_STEP_ID=3 SLURM_PROCID=5 ssctr-task true
t an_array_has_one_job_and_numbers makes ssctr.12.7.batch.0.counts \
	SLURM_JOB_ID=19 SLURM_ARRAY_JOB_ID=12 SLURM_ARRAY_TASK_ID=7 SLURM_PROCID=0 ssctr-task true
t mpirun_has_ranks makes ssctr.mpi.0.prterun-a-1@1.2.counts \
	PMIX_NAMESPACE=prterun-a-1@1 OMPI_COMM_WORLD_RANK=2 ssctr-task true
t the_ranks_of_mpirun_in_a_job_differ makes ssctr.12.0.prterun-a-1@1.2.counts \
	SLURM_JOB_ID=12 SLURM_PROCID=0 PMIX_NAMESPACE=prterun-a-1@1 OMPI_COMM_WORLD_RANK=2 ssctr-task true

options() {
	makes ssctr.12.0.0.0.counts SLURM_JOB_ID=12 SLURM_STEP_ID=0 SSCTR_RECORD='-F 100' ssctr-task true &&
		cat ssctr.*.counts && grep 'recorded.* -F 100' ssctr.*.counts
}
t options_of_the_recording_are_taken options
status() {
	makes ssctr.mpi.0.batch.0.counts ssctr-task sh -c 'exit 7'
	[ $status = 7 ]
}
t the_status_is_the_programs status
arguments() {
	ssctr-task printf '<%s>' 'a b' '' '*' >"$dir/out" && cat "$dir/out" && [ "$(cat "$dir/out")" = '<a b><><*>' ]
}
t arguments_stay_as_they_are arguments

cannot_record() {
	touch ../broken
	makes '' ssctr-task sh -c 'echo it ran; exit 3'
	made=$?
	rm ../broken
	[ $made = 0 ] && [ $status = 3 ] && grep -q 'it ran' "$dir/out" && grep 'ssctr doctor' "$dir/out"
}
t without_records_the_program_runs cannot_record
nothing_recorded() {
	touch ../full
	makes '' SLURM_JOB_ID=12 SLURM_STEP_ID=0 ssctr-task true
	made=$?
	rm ../full
	[ $made = 0 ] && [ "$(cat "$dir/out")" = 'ssctr-task: no ssctr.12.0.0.0.counts' ]
}
t counts_that_are_missing_are_told nothing_recorded
not_there() {
	touch ../full
	makes '' ssctr-task ./nosuch
	made=$?
	rm ../full
	[ $made = 0 ] && [ $status = 127 ] && ! grep "$TMPDIR" "$dir/out"
}
t a_program_that_is_not_there_has_a_shell_s_status not_there
# A disk may be full, or a quota used up.
cannot_merge() {
	touch ../unwritable
	ssctr-task true >"$dir/out" 2>&1
	status=$?
	cat "$dir/out"
	rm ../unwritable
	kept=$(sed -n 's/ssctr-task: the recording stays in \(.*\) on .*/\1/p' "$dir/out")
	[ $status = 0 ] && grep recorded "$kept/recording" && rm -r "$kept"
}
t a_recording_stays_if_its_counts_cannot_be_written cannot_merge
part_of_a_recording() {
	echo .part-7.0 >../killed
	makes ssctr.mpi.0.batch.0.counts ssctr-task true
	made=$?
	rm ../killed
	return $made
}
t a_recording_without_an_end_counts part_of_a_recording
# Slurm terminates all processes. Here the program ends a little later than the signal comes.
terminated() {
	rm -f ./* ../go
	ssctr-task sh -c 'touch ../started; until [ -e ../go ]; do sleep 0.1; done' &
	task=$!
	until [ -e ../started ]; do sleep 0.1; done
	kill -s TERM $task
	touch ../go
	wait $task
	ls && [ -s ssctr.mpi.0.batch.0.counts ]
}
t a_task_that_is_terminated_counts terminated

# merge_task TASK FIRST LAST COUNT: one of an array's tasks.
merge_task() {
	SLURM_ARRAY_JOB_ID=12 SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=$2 \
		SLURM_ARRAY_TASK_MAX=$3 SLURM_ARRAY_TASK_COUNT=$4 ssctr-merge-array list
}
# Every line of the list is in one share, and no share is empty.
shares() {
	for tasks in 1 2 3 5 8; do
		rm -f ./*
		for file in 1 2 3 4 5 6 7; do
			echo "$file" >"$file.data"
		done
		ls -- *.data >list
		task=$1
		while [ $task -lt $(($1 + tasks)) ]; do
			merge_task $task "$1" $(($1 + tasks - 1)) $tasks || return
			task=$((task + 1))
		done
		head ssctr.*
		[ "$(echo ssctr.12.*.counts | wc -w)" = $((tasks < 7 ? tasks : 7)) ] &&
			[ "$(cat ssctr.12.*.counts | sort | tr -d '\n')" = 1234567 ] || return
	done
}
t an_array_merges_each_file_once shares 0
t an_array_may_begin_at_another_number shares 1
tasks_with_gaps() {
	rm -f ./*
	echo 1 >1.data && echo 1.data >list
	! merge_task 0 0 14 8 2>"$dir/said" && cat "$dir/said" && grep 'without gaps' "$dir/said"
}
t an_array_with_gaps_is_told tasks_with_gaps
empty_list() {
	: >list
	! merge_task 0 0 3 4 && rm list && ! merge_task 1 0 3 4
}
t an_array_without_files_fails empty_list
plan
