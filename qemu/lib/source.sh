# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm source: the sources of a stock kernel, from Debian's linux-source package:
# for its self-tests and tools (perf), and to build a kernel of one's own for
# this machine. Fetched only when asked for; the package does not stay.

usage_source() {
	cat <<-END
		usage: qemu/vm source LINE|next

		Print the folder with the sources of the stock kernel of LINE ($kernel_lines),
		or of the kernel that comes next, which is the newest in Debian's experimental.
		If they are missing, download them: 160 MB, or 450 MB unpacked. Sources for other
		architectures, and for devices that the machine does not have, are left out.
		Several builds use this folder, so build in another one (O=FOLDER).
	END
}

# Folders of which only what the configuration and the makefiles need is taken.
source_bare='
	Documentation arch/alpha arch/arc arch/arm arch/arm64 arch/csky
	arch/hexagon arch/loongarch arch/m68k arch/microblaze arch/mips arch/nios2
	arch/openrisc arch/parisc arch/powerpc arch/s390 arch/sh arch/sparc arch/um
	arch/x86 arch/xtensa drivers/accel drivers/comedi drivers/crypto drivers/gpu
	drivers/hwmon drivers/iio drivers/infiniband drivers/md drivers/media
	drivers/mtd drivers/net/ethernet drivers/net/wireless drivers/platform
	drivers/scsi drivers/staging drivers/usb fs/btrfs fs/smb fs/xfs samples sound
'

# find_next: sets $next to the newest package of kernel sources in Debian's experimental, as
# NAME=VERSION. What was found is good for half a day.
find_next() {
	local mirror name list=$cache/apt/next.list
	if [ ! -s "$list" ] || [ "$(find "$list" -mmin +720)" ]; then
		! sources_are_old || find_sources
		mirror=$(sed -n 's/^deb \[.*\] \([^ ]*\) .*/\1/p; q' "$cache/apt/host.list")
		apt_conf next next amd64
		if ! update_suite next "$mirror" experimental; then
			rm -f "$list"
			die "cannot read Debian's experimental: $(cat "$cache/apt/why")"
		fi
	fi
	name=$(apt next cache pkgnames linux-source- | grep -xE 'linux-source-[0-9.]+' |
		sort -V | tail -n 1)
	[ "$name" ] || die "Debian's experimental has no kernel now"
	next=$name=$(apt next cache madison "$name" | awk '{ print $3; exit }')
}

# list_source LINE: writes the list source-LINE: the package of the kernel's own
# release, else the newest of the same series.
list_source() {
	local line=$1 upstream package version
	if [ "$line" = next ]; then
		printf '%s\n' "$next" >"$cache/lists/source-next"
		return
	fi
	upstream=$(sed 's/[-+].*//' "$cache/kernel-$line/release")
	package=linux-source-${upstream%.*}
	version=$(apt host cache madison "$package" | awk '{ print $3 }' |
		sort -uV | awk -v v="$upstream-" '
			index($0, v) == 1 { same = $0 }
			{ newest = $0 }
			END { print same ? same : newest }')
	[ "$version" ] || die "Debian $release has no package $package"
	printf '%s\n' "$package=$version" >"$cache/lists/source-$line"
}

# unpack_source LINE: the downloaded package's sources, in source-LINE.part.
unpack_source() {
	local root=$cache/source-$1.part deb top name ending
	read -r deb _ <"$cache/lists/source-$1.files"
	top=${deb%%_*}
	deb=$cache/debs/$deb
	set -- --anchored
	for name in $source_bare; do
		for ending in c h S dts dtsi rst yaml svg txt; do
			set -- "$@" --exclude="$top/$name/*.$ending"
		done
	done
	rm -rf "$root"
	mkdir -p "$root"
	if ! { dpkg-deb --fsys-tarfile "$deb" |
		tar -xO "./usr/src/$top.tar.xz" |
		host_run bin/xz -dc -T0 |
		tar -x -C "$root" --strip-components=1 --no-same-owner \
			"$@"; } 2>"$root.log" || [ -s "$root.log" ]; then
		die "cannot unpack: $(head -n 1 "$root.log")"
	fi
	rm -f "$root.log" "$deb"
}

# get_source LINE: makes source-LINE complete.
get_source() {
	local line=$1 list=$cache/lists/source-$1 key conf=host next
	if [ "$line" = next ]; then
		conf=next
		exec 9>"$cache/lock"
		flock 9
		find_next
		exec 9>&-
	fi
	key=$(echo $source_bare "${next-$(cat "$cache/kernel-$line/release")}" |
		sha256sum | cut -c 1-32)
	stamped "source-$line" "$key" && return
	check_host
	exec 9>"$cache/lock"
	flock 9
	stamped "source-$line" "$key" && return
	! sources_are_old || find_sources
	list_source "$line"
	files_of "$conf" "$list"
	missing_files "$list.files"
	download "$conf" "sources of $line" "$list.files.missing"
	say "unpacking the sources of $line"
	unpack_source "$line"
	rm -f "$list" "$list.files" "$list.files.missing"
	finish "source-$line" "$key"
	exec 9>&-
}

print_source() {
	local line
	case ${1-} in
	-h | --help)
		usage_source
		return
		;;
	'') die "which sources? Take one of $kernel_lines, or next" ;;
	next) line=next ;;
	*) line=$(kernel_line "$1") || exit ;;
	esac
	is_complete || setup
	get_source "$line"
	echo "$cache/source-$line"
}
