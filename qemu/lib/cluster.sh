# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm cluster: what makes a cluster of the guest: a root folder with Slurm, Open MPI and
# OpenSSH, without what the guest has already. Fetched only when asked for; the packages
# do not stay.

# Not in the file packages: they are no part of the machine.
cluster_packages='
	munge openmpi-bin openssh-client openssh-server slurm-client slurmctld slurmd
	systemd-standalone-sysusers
'

usage_cluster() {
	cat <<-END
		usage: qemu/vm cluster

		Print a root folder for the guest, with Slurm, Open MPI and OpenSSH. If it is
		missing, download it: 18 MB, or 49 MB unpacked. It has only what the guest lacks.
		Copy it over the guest's own files:
		    root=\$(qemu/vm cluster)
		    qemu/vm run --put "\$root/usr:/usr" --put "\$root/etc:/etc" -- COMMAND
	END
}

# get_cluster: makes cluster complete.
get_cluster() {
	local key name list=$cache/lists/cluster
	key=$(key_of guest-6.12):$(hash_of lib/cluster.sh)
	begin_beside cluster "$key" || return 0
	# shellcheck disable=SC2086
	resolve guest $cluster_packages >"$list.all" || exit
	list_new "$list" guest-6.12
	fetch_beside guest cluster 'the cluster'
	say 'unpacking the cluster'
	rm -rf "$cache/cluster.part"
	unpack "$cache/cluster.part" cluster --exclude='./usr/share/doc' \
		--exclude='./usr/share/man' --exclude='./usr/share/locale' \
		--exclude='./usr/share/lintian'
	# What maintainer scripts would have linked.
	for name in slurmctld slurmd slurmstepd; do
		ln -s $name-wlm "$cache/cluster.part/usr/sbin/$name" || exit 125
	done
	ln -s mpirun.openmpi "$cache/cluster.part/usr/bin/mpirun" || exit 125
	end_beside cluster "$key"
}

print_cluster() {
	case ${1-} in
	-h | --help)
		usage
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_cluster
	echo "$cache/cluster"
}
