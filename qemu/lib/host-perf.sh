# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm host-perf: Debian's perf of a kernel line, of the same version as in the guest,
# for this machine. What the host root folder has already is not unpacked again.

usage_host_perf() {
	cat <<-END
		usage: qemu/vm host-perf LINE

		Prints the folder with Debian's perf of LINE ($kernel_lines) for this machine, to
		read recordings of the guest. Fetches it when it is not there yet: 25 MB. Run
		it as  qemu/on-host FOLDER/perf.
	END
}

# unpack_host_perf LINE: in host-perf-LINE.part.
unpack_host_perf() {
	local root=$cache/host-perf-$1.part
	rm -rf "$root"
	unpack "$root" "host-perf-$1" --wildcards --no-anchored --exclude=share \
		--exclude='python3*' --exclude=perl --exclude=etc --exclude=var
	[ -x "$root/usr/bin/perf" ] || die 'there is no perf in linux-perf'
	cat >"$root/perf" <<-'END' && chmod +x "$root/perf" || die "cannot write $root/perf"
		#!/bin/sh
		root=$(dirname "$0")
		export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu"
		exec "$root/usr/bin/perf" "$@"
	END
}

# get_host_perf LINE: makes host-perf-LINE complete.
get_host_perf() {
	local line=$1 name=host-perf-$1 key version
	key=$(key_of "guest-$line" host):$(hash_of lib/host-perf.sh)
	begin_beside "$name" "$key" || return 0
	version=$(perf_version "$line") || exit
	list_beside "$name" "linux-perf=$version"
	fetch_beside host "$name" "perf of $line"
	unpack_host_perf "$line"
	end_beside "$name" "$key"
}

print_host_perf() {
	local line
	case ${1-} in
	-h | --help)
		usage_host_perf
		return
		;;
	'') die "which perf? Take one of $kernel_lines" ;;
	esac
	line=$(kernel_line "$1") || exit
	is_complete || setup
	get_host_perf "$line"
	echo "$cache/host-perf-$line"
}
