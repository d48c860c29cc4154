# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm debian: a Debian for RISC-V as it is after its installation, on a disk that the
# machine's QEMU boots, with systemd and its own kernel. It is installed in the guest, so
# that nothing of this system runs RISC-V code. Fetched only when asked for; the packages
# do not stay.

# What is there beside the essential packages.
debian_packages='apt initramfs-tools kmod linux-image-riscv64 procps systemd-sysv udev zstd'

usage_debian() {
	cat <<-END
		usage: qemu/vm debian UNIT [DEB|PACKAGE]...

		Print a folder with a Debian for RISC-V, made if it is missing: its disk, kernel
		and initrd. It has systemd, where UNIT, the file of a service, is enabled, and in
		its apt's cache what the files DEB and the packages PACKAGE depend on and
		recommend, so that it needs no network to install them. HEADERS stands for the
		headers of its kernel.
	END
}

# own_names DEB|PACKAGE...: the packages in the files, as a pattern for a whole name.
own_names() {
	local name
	for name; do
		[ ! -f "$name" ] || printf '%s|' "$(dpkg-deb -f "$name" Package)"
	done
	echo .none
}

# wishes DEB|PACKAGE...: what they depend on, which the key is of.
wishes() {
	local name
	for name; do
		if [ -f "$name" ]; then
			dpkg-deb -f "$name" Package Depends Recommends
		else
			echo "$name"
		fi
	done
}

# list_debian DEB|PACKAGE...: writes the lists debian, of the system, and debian-more, of
# what comes on top.
list_debian() {
	local list=$cache/lists/debian headers own
	# shellcheck disable=SC2046,SC2086
	resolve guest $debian_packages $(essential_packages guest) >"$list" || exit
	headers=$(sed -n 's/^linux-\(image\|base\|binary\)-\([0-9].*\):riscv64=.*/linux-headers-\2/p' \
		"$list" | head -n 1)
	[ "$headers" ] || die "there is no kernel among the packages of $release"
	own=$(own_names "$@")
	# shellcheck disable=SC2046,SC2086
	resolve guest -o APT::Install-Recommends=true $debian_packages \
		$(printf '%s\n' "$@" | sed "s/^HEADERS\$/$headers/") >"$list-more.all" || exit
	grep -vE "^($own)[:=]" "$list-more.all" >"$list-more.own" &&
		mv "$list-more.own" "$list-more.all" || die "cannot write $list-more"
	list_new "$list-more" debian
}

# fill_debian ROOT UNIT: what its packages do not have.
fill_debian() {
	local root=$1 unit=${2##*/} wants=$1/etc/systemd/system/multi-user.target.wants
	: >"$root/var/lib/dpkg/status" &&
		mkdir -p "$wants" "$root/var/lib/apt/lists/partial" &&
		cp "$cache/apt/guest.list" "$root/etc/apt/sources.list" &&
		cp "$cache"/apt/lists/host/*_* "$root/var/lib/apt/lists/" &&
		cp "$2" "$root/etc/systemd/system/" && ln -s "../$unit" "$wants/" ||
		die "cannot write in $root"
	link_debs debian "$root/debs"
	link_debs debian-more "$root/var/cache/apt/archives"
}

# install_debian FOLDER: installs what is unpacked in FOLDER/root, in the guest, which
# writes it to FOLDER/disk and gives its kernel back.
install_debian() {
	local dir=$1
	truncate -s 8G "$dir/disk" || die "cannot write in $dir"
	"$here/vm" run --no-module --smp 2 --mem 10G --timeout 1800 --nvme \
		--qemu-arg -drive --qemu-arg "if=none,id=debian,format=raw,file=$dir/disk,cache=unsafe" \
		--qemu-arg -device --qemu-arg nvme,serial=debian,drive=debian \
		--put "$dir/root:/debian" --put "$here/lib/enter-bare.sh:/enter-bare.sh" \
		--put "$here/lib/install-debian.sh:/install-debian.sh" \
		--get /kernel:"$dir/kernel" --get /initrd:"$dir/initrd" \
		-- sh /install-debian.sh /debian debian >"$dir.log" 2>&1 ||
		die "cannot install the Debian for RISC-V; what was said is in $dir.log"
	rm -rf "$dir/root" "$dir.log"
}

# get_debian UNIT DEB|PACKAGE...: makes debian complete.
get_debian() {
	local unit=$1 key dir=$cache/debian.part
	shift
	key=$({ wishes "$@"; cat "$unit"; } | sha256sum | cut -c 1-32):$(hash_of \
		lib/debian.sh lib/install-debian.sh lib/enter-bare.sh)
	# Its own, so that no other setup waits for the minutes in the guest.
	exec 8>"$cache/lists/debian.lock"
	flock 8
	begin_beside debian "$key" || return 0
	list_debian "$@"
	fetch_beside guest debian-more 'what is installed in a Debian for RISC-V'
	fetch_beside guest debian 'a Debian for RISC-V'
	say 'installing a Debian for RISC-V in the guest'
	rm -rf "$dir"
	mkdir "$dir"
	new_root "$dir/root" debian
	fill_debian "$dir/root" "$unit"
	exec 9>&-
	install_debian "$dir"
	exec 9>"$cache/lock"
	flock 9
	drop_own_debs "$cache/lists/debian-more.files"
	rm -f "$cache/lists/debian-more" "$cache/lists/debian-more.files"*
	end_beside debian "$key"
}

print_debian() {
	case ${1-} in
	-h | --help)
		usage_debian
		return
		;;
	esac
	[ -f "${1-}" ] || die 'which service is to be started? Name the file of its unit'
	is_complete || setup
	get_debian "$@"
	echo "$cache/debian"
}
