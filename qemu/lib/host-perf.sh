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

# list_host_perf LINE: writes the list host-perf-LINE.
list_host_perf() {
	local line=$1 version
	version=$(sed -n 's/^linux-perf:riscv64=//p' "$cache/lists/guest-$line")
	[ "$version" ] || die 'the cache is damaged: run setup'
	resolve host "linux-perf=$version" >"$cache/lists/host-perf.part" || exit
	grep -vxF -f "$cache/lists/host" "$cache/lists/host-perf.part" \
		>"$cache/lists/host-perf-$line"
	rm "$cache/lists/host-perf.part"
}

# unpack_host_perf LINE: in host-perf-LINE.part.
unpack_host_perf() {
	local root=$cache/host-perf-$1.part
	rm -rf "$root"
	unpack "$root" "host-perf-$1" --wildcards --no-anchored --exclude=share \
		--exclude='python3*' --exclude=perl --exclude=etc --exclude=var
	[ -x "$root/usr/bin/perf" ] || die 'there is no perf in linux-perf'
	cat >"$root/perf" <<-'END'
		#!/bin/sh
		root=$(dirname "$0")
		export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu"
		exec "$root/usr/bin/perf" "$@"
	END
	chmod +x "$root/perf"
}

# get_host_perf LINE: makes host-perf-LINE complete.
get_host_perf() {
	local line=$1 list=$cache/lists/host-perf-$1 key
	key=$(key_of "guest-$line" host):$(hash_of lib/host-perf.sh)
	stamped "host-perf-$line" "$key" && return
	check_host
	exec 9>"$cache/lock"
	flock 9
	stamped "host-perf-$line" "$key" && return
	# Old lists name packages that are gone.
	[ -z "$(find "$cache/stamps/lists" -mmin +720)" ] || find_sources
	list_host_perf "$line"
	files_of host "$list"
	missing_files "$list.files"
	download host "perf of $line" "$list.files.missing"
	unpack_host_perf "$line"
	rm -f "$list" "$list.files" "$list.files.missing"
	finish "host-perf-$line" "$key"
	exec 9>&-
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
