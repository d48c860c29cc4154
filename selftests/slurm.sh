# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A cluster on this machine, with what `qemu/vm cluster` has: Slurm's controller, and
# nodes that are daemons of their own. For root, in a guest. The machine is the folder that
# all nodes share, too. Jobs are those of the user `user`, who may record.

# as_user COMMAND...
as_user() {
	HOME=/home/user setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}

# until_true COMMAND...: waits. The limit is that of the guest.
until_true() {
	until "$@" >/dev/null 2>&1; do
		sleep 0.5
	done
}

# Names and addresses: programs ask for an address that is not the loopback's.
slurm_network() {
	busybox ip link set lo up && busybox ip addr add 10.0.0.1/8 dev lo || return
	echo 'hosts: files' >/etc/nsswitch.conf
	printf '127.0.0.1 localhost\n10.0.0.1 %s %s\n' "$(uname -n)" "$*" >/etc/hosts
}

slurm_users() {
	printf '%s\n' 'user:x:1000:1000::/home/user:/bin/sh' \
		'sshd:x:100:65534::/run/sshd:/bin/false' >>/etc/passwd
	echo 'user:x:1000:' >>/etc/group
	mkdir -p /home/user && chown 1000:1000 /home/user
	echo 2 >/proc/sys/kernel/perf_event_paranoid
}

slurm_munge() {
	mkdir -p /etc/munge /run/munge /var/log/munge /var/lib/munge
	head -c 128 /dev/urandom >/etc/munge/munge.key
	chmod 400 /etc/munge/munge.key
	chmod 700 /etc/munge /var/log/munge /var/lib/munge
	# It warns that it runs as root.
	munged --force
}

# The kernel has no cgroups that a service manager would have made. A task that is
# requeued waits until credentials of its first run have expired, which is two minutes by
# default.
slurm_conf() {
	mkdir -p /etc/slurm /var/spool
	echo 'CgroupPlugin=disabled' >/etc/slurm/cgroup.conf
	cat >/etc/slurm/slurm.conf <<-END
		ClusterName=test
		SlurmctldHost=$(uname -n)
		SlurmUser=root
		AuthInfo=cred_expire=60
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerType=sched/builtin
		StateSaveLocation=/var/spool/slurmctld
		SlurmctldPidFile=/run/slurmctld.pid
		SlurmctldLogFile=/var/log/slurmctld.log
		SlurmdPidFile=/run/slurmd.%n.pid
		SlurmdSpoolDir=/var/spool/slurmd.%n
		SlurmdLogFile=/var/log/slurmd.%n.log
		SlurmdParameters=config_overrides
		SlurmdTimeout=30
		ReturnToService=2
	END
	slurm_port=17000
	for slurm_node; do
		slurm_port=$((slurm_port + 1))
		echo "NodeName=$slurm_node NodeHostname=$(uname -n) NodeAddr=10.0.0.1" \
			"Port=$slurm_port CPUs=1 State=UNKNOWN"
	done >>/etc/slurm/slurm.conf
	echo 'PartitionName=all Nodes=ALL Default=YES State=UP' >>/etc/slurm/slurm.conf
}

slurm_ready() { [ "$(sinfo -h -N -o %T | grep -c '^idle$')" = "$1" ]; }

# slurm_start NODE...: returns when all nodes are idle.
slurm_start() {
	slurm_network "$@" && slurm_users && slurm_munge && slurm_conf "$@" && slurmctld || return
	for slurm_node; do
		slurmd -N "$slurm_node" || return
	done
	until_true slurm_ready $#
}

# tree PID: the process and all below it.
tree() {
	echo "$1"
	for slurm_child in $(pgrep -P "$1"); do
		tree "$slurm_child"
	done
}

# slurm_kill NODE: as if its power failed: the daemon, the steps that are its own, and their
# tasks. What watches a process ends before the process, so that nobody tells the controller.
slurm_kill() {
	slurm_dead=$(cat "/run/slurmd.$1.pid")
	for slurm_step in $(pgrep slurmstepd); do
		! find "/proc/$slurm_step/fd" -lname "*slurmd.$1*" 2>/dev/null | grep -q . ||
			slurm_dead="$slurm_dead $(tree "$slurm_step")"
	done
	# shellcheck disable=SC2086
	kill -s KILL $slurm_dead
}
