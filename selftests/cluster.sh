#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC1091,SC2154
# Jobs of Slurm that record, on a real controller with four nodes, and the commands of
# docs/cluster.md. Run as root in a guest that has what `qemu/vm cluster` has, the scripts
# of packaging/cluster in the path, and in WORDS what a reader has: cluster.sh WORDS PAGE
cd "$(dirname "$0")" || exit
. ./ktap.sh
. ./slurm.sh
tests=$PWD
words=$1
page=$2
t slurm_runs_on_four_nodes slurm_start node1 node2 node3 node4

# new_folder NAME: a folder of the user's, with the program.
new_folder() {
	mkdir -p "/home/user/$1" && cd "/home/user/$1" && cp "$words/program" . && chown -R 1000:1000 .
}

# samples FILE: how many a counts file or a recording has.
samples() { ssctr info "$1" | sed -n 's/^samples *\([0-9]*\),.*/\1/p'; }

each_task_is_counted() {
	new_folder tasks && SSCTR_RECORD='-c 20011' as_user srun -n 4 ssctr-task ./program || return
	ls
	[ "$(echo ssctr.*.0.0.[0-3].counts | wc -w)" = 4 ] || return
	for file in ssctr.*.counts; do
		[ "$(samples "$file")" -gt 20 ] || return
	done
	ls /tmp
	! ls -d /tmp/ssctr.*
}
t each_task_of_a_step_is_counted each_task_is_counted
status_is_its_own() {
	as_user srun ssctr-task sh -c 'exit 7'
	[ $? = 7 ]
}
t the_status_of_a_task_is_that_of_its_program status_is_its_own

# counted_when_cancelled FILE OPTION...: as at a time limit, SIGTERM to all, and SIGKILL half
# a minute later. The counts have the name of the job and FILE.
counted_when_cancelled() {
	rm -rf /home/user/cancelled
	new_folder cancelled && file=$1 && shift && job=$(as_user sbatch --parsable "$@") || return
	until_true pgrep -f 'sha256sum /dev/zero'
	sleep 5
	scancel "$job"
	until_true slurm_ready 4
	ls
	cat slurm-*.out
	[ "$(samples "ssctr.$job.$file.counts")" -gt 0 ]
}
t a_step_that_is_cancelled_is_counted counted_when_cancelled 0.0.0 \
	--wrap 'srun ssctr-task busybox sha256sum /dev/zero'
t a_batch_job_that_is_cancelled_is_counted counted_when_cancelled 0.batch.0 \
	"$(command -v ssctr-task)" busybox sha256sum /dev/zero

# The module is gone: a node like the others that never had it.
without_the_module() {
	new_folder without && rmmod ssctr || return
	as_user srun -n 2 ssctr-task sh -c 'echo it ran' >out 2>&1
	status=$?
	insmod /t/ssctr.ko
	cat out
	[ $status = 0 ] && [ "$(grep -c 'it ran' out)" = 2 ] && grep 'ssctr doctor' out &&
		! ls ssctr.*.counts
}
t a_node_that_cannot_record_runs_the_program without_the_module
# The program ends when it was told.
full_scratch() {
	new_folder full && mkdir small && mount -t tmpfs -o size=300k,mode=777 none small || return
	TMPDIR=$PWD/small as_user srun ssctr-task sh -c \
		'until grep -q "No space left" out; do :; done' >out 2>&1
	status=$?
	ls -A small >left
	umount small
	cat out left
	[ $status = 3 ] && grep 'the recording ends here, and the command goes on' out &&
		[ ! -s left ] && ssctr info -i ssctr.*.counts
}
t a_full_scratch_disk_is_told full_scratch

# --- a job array that merges given recordings, with and without a node that dies ---

recordings() {
	new_folder array || return
	for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		as_user ssctr record -q -e cycles:u -c $((5000 + 100 * n)) -o "$n.data" -- ./program >/dev/null || return
	done
	ls -- *.data >list
	[ "$(wc -l <list)" = 16 ]
}
t recordings_for_an_array_are_made recordings

# array NAME: submits it, and its reduction to NAME.counts.
array() {
	job=$(as_user sbatch --parsable --array=0-7 "$(command -v ssctr-merge-array)" list) &&
		reduce=$(as_user sbatch --parsable --dependency="afterok:$job" \
			--wrap "ssctr merge --strict -o $1.counts ssctr.$job.*.counts")
}
state() { scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z]*\).*/\1/p' | sort -u; }
ended() {
	case $(state "$reduce") in COMPLETED | FAILED | CANCELLED) ;; *) return 1 ;; esac
}
reduced() {
	until_true ended
	cat slurm-*.out
	ls
	[ -s "$1.counts" ]
}
undisturbed() { array whole && reduced whole; }
t an_array_is_reduced_to_one_file undisturbed

# Stands before ssctr in the path of the array: task 0 stops in the middle of its merge, when
# it runs for the first time.
stopping() {
	mkdir bin
	cat >bin/ssctr <<-'END'
		#!/bin/sh
		exec 3<&0
		/usr/bin/ssctr "$@" <&3 &
		if [ "$SLURM_ARRAY_TASK_ID" = 0 ] && [ -z "${SLURM_RESTART_COUNT-}" ]; then
			sleep 0.2
			kill -s STOP $!
			touch stopped
			sleep infinity
		fi
		wait $!
	END
	chmod +x bin/ssctr
}
node_of_task_0() { squeue -h -o %N -t RUNNING -j "${job}_0" | grep .; }
restarted() {
	[ "$(node_of_task_0)" != "$node" ] &&
		grep "requeue job JobId=${job}_0.* due to failure of node $node" /var/log/slurmctld.log
}
killed() {
	stopping || return
	path=$PATH
	PATH=$PWD/bin:$PATH
	array killed
	PATH=$path
	until_true [ -e stopped ]
	node=$(node_of_task_0) && slurm_kill "$node" || return
	until_true restarted
	restarted
	reduced killed && slurmd -N "$node"
}
t a_task_whose_node_dies_is_requeued killed
same() { cmp whole.counts killed.counts && ssctr info killed.counts; }
t the_reduced_file_has_the_same_bytes same

cd "$words" || exit
[ "$t_failed" = 0 ] || tail -n 20 /var/log/slurm*.log
plan

# What is in the page, with a daemon for ssh on each node's address.
until_true slurm_ready 4
mkdir -p /run/sshd /root/.ssh /home/user/.ssh
touch /etc/ssh/sshd_config
ssh-keygen -q -A
ssh-keygen -q -t ed25519 -N '' -f /home/user/.ssh/id_ed25519
cp /home/user/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
printf 'StrictHostKeyChecking no\nLogLevel ERROR\n' >/home/user/.ssh/config
chmod 700 /root/.ssh /home/user/.ssh
chown -R 1000:1000 /home/user
"$(command -v sshd)" -o UsePAM=no
export SSCTR_RECORD='-e cycles:u -c 20011'
cd /home/user && as_user "$tests/words.sh" cluster "$words" "$page"
