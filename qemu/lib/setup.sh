# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# Puts the cache together: packages, root folders, initramfs images. Each thing
# is built under a name ending in .part and renamed when it is whole, and has a
# stamp that says from what it was built; so a setup that was interrupted
# anywhere goes on where it was.

. "$here/lib/apt.sh"
. "$here/lib/lists.sh"
. "$here/lib/fetch.sh"

# All that is made here is root's in the guest, whose other users need it, too.
mask=$(umask)
umask 022

# check_cache: makes the folder. Nothing may be in it that somebody else put there, as
# setup and clean remove what has one of their names.
check_cache() {
	case $cache in
	*[[:space:]\":\;,]*)
		die "the path of the cache must not have blanks, ',', ':', ';' or '\"' in it:" \
			"$cache (SSCTR_CACHE names another folder)"
		;;
	esac
	(umask "$mask" && mkdir -p "$cache") 2>/dev/null && [ -w "$cache" ] ||
		die "cannot write in $cache (SSCTR_CACHE names another folder)"
	is_ours || [ -z "$(ls -A "$cache" | grep -vxE 'lost\+found|lists|lock')" ] ||
		die "qemu/vm did not make $cache, and it is not empty:" \
			'name an empty folder in SSCTR_CACHE'
}

check_host() {
	local tool free
	command -v dpkg-deb >/dev/null && command -v apt-get >/dev/null ||
		die 'setup needs a Debian system, with apt-get and dpkg-deb'
	[ "$(dpkg --print-architecture)" = amd64 ] ||
		die "unsupported architecture $(dpkg --print-architecture):" \
			'the host tools are made for amd64'
	for tool in awk find flock sed setpriv sha256sum tar xargs; do
		command -v $tool >/dev/null ||
			die "setup needs $tool: install the package that has it"
	done
	check_cache
	[ ! -e "$cache/stamp" ] || return 0
	free=$(df -Pk "$cache" | awk 'END { print int($4 / 1024) }')
	free=$((free + $(du -sm "$cache" | cut -f 1)))
	[ $free -ge "$cache_room" ] ||
		die "not enough room in $cache: $free MB, where $cache_room" \
			'are needed (SSCTR_CACHE names another folder)'
}

# stamped NAME KEY: whether NAME was built from KEY.
stamped() {
	[ -r "$cache/stamps/$1" ] && [ "$(cat "$cache/stamps/$1")" = "$2" ]
}

stamp() {
	mkdir -p "$cache/stamps" &&
		printf '%s\n' "$2" >"$cache/stamps/$1.part" &&
		mv "$cache/stamps/$1.part" "$cache/stamps/$1" || die "cannot write $cache/stamps/$1"
}

# key_of LIST...: a hash of what a thing made from these packages depends on.
key_of() {
	local list
	{
		for list; do cat "$cache/lists/$list.files"; done
		cat "$here/packages" "$here/lib/setup.sh"
	} | sha256sum | cut -c 1-32
}

# finish NAME KEY: NAME.part is whole and becomes NAME.
finish() {
	rm -rf "$cache/$1.old" &&
		{ [ ! -e "$cache/$1" ] || mv "$cache/$1" "$cache/$1.old"; } &&
		mv "$cache/$1.part" "$cache/$1" || die "cannot write $cache/$1"
	stamp "$1" "$2"
	rm -rf "$cache/$1.old"
}

# unpack FOLDER LIST [TAR-OPTION]...: the files of the packages of LIST. No
# maintainer script is run, and everything belongs to whoever runs this.
unpack() {
	local root=$1 files=$cache/lists/$2.files
	shift 2
	[ -s "$files" ] && mkdir -p "$root" || die "cannot unpack $files in $root"
	# shellcheck disable=SC2016
	cut -d ' ' -f 1 "$files" | (cd "$cache/debs" && root=$root xargs -P "$(nproc)" \
		-I DEB sh -c '
			deb=$1
			shift
			dpkg-deb --fsys-tarfile "$deb" |
				tar -x -C "$root" --no-same-owner \
				--keep-directory-symlink "$@" || exit 255
		' sh DEB "$@") >"$root.log" 2>&1 ||
		die "cannot unpack: $(grep -v '^xargs' "$root.log" | head -n 1)"
	rm -f "$root.log"
}

# new_root FOLDER LIST [TAR-OPTION]...: a root folder without what no one reads
# there.
new_root() {
	local root=$1 list=$2 name
	shift 2
	rm -rf "$root"
	for name in bin sbin lib lib64; do
		mkdir -p "$root/usr/$name" && ln -s "usr/$name" "$root/$name" ||
			die "cannot write in $root"
	done
	unpack "$root" "$list" --exclude='./usr/share/doc' \
		--exclude='./usr/share/man' --exclude='./usr/share/info' \
		--exclude='./usr/share/locale' --exclude='./usr/share/lintian' \
		--exclude='./usr/share/zoneinfo' "$@"
	find "$root" -perm /6000 ! -type l -exec chmod u-s,g-s {} +
	# What maintainer scripts would have linked.
	ln -sf dash "$root/usr/bin/sh" && ln -sf gawk "$root/usr/bin/awk" &&
		mkdir -p "$root/root" "$root/proc" "$root/sys" "$root/dev" \
			"$root/tmp" "$root/run" "$root/mnt" || die "cannot write in $root"
}

make_host() {
	local key root=$cache/host.part line
	key=$(key_of host headers-6.12 headers-7.x)
	stamped host "$key" && return
	say 'unpacking the host tools'
	new_root "$root" host
	for line in $kernel_lines; do
		unpack "$root" "headers-$line"
	done
	# on-host binds this system's users over the two files.
	ln -sf gcc "$root/usr/bin/cc" &&
		ln -sf which.debianutils "$root/usr/bin/which" &&
		: >"$root/etc/passwd" && : >"$root/etc/group" || die "cannot write in $root"
	finish host "$key"
}

make_firmware() {
	local key version root=$cache/firmware.part
	key=$(key_of firmware-1.6 firmware-1.9)
	stamped firmware "$key" && return
	rm -rf "$root"
	for version in 1.6 1.9; do
		unpack "$root/all" firmware-$version
		mv "$root/all/usr/lib/riscv64-linux-gnu/opensbi" \
			"$root/$version" || die "cannot write in $root"
		rm -rf "$root/all"
	done
	finish firmware "$key"
}

# take_modules FROM TO: those that the guest needs, by the list TO/depends, and what depmod
# reads beside them.
take_modules() {
	local from=$1 to=$2 file
	sed -n "s|^insmod .*/lib/modules/${from##*/}/\([^ ]*\).*|\1|p" "$to/depends" |
		sort -u >"$to/files" &&
		printf 'modules.%s\n' order builtin builtin.modinfo >>"$to/files" || return
	while read -r file; do
		mkdir -p "$to/modules/$(dirname "$file")" &&
			cp "$from/$file" "$to/modules/$file" || return
	done <"$to/files"
}

# make_kernel LINE: the kernel's image, and the few modules the guest needs.
make_kernel() {
	local line=$1 key kernel root=$cache/kernel-$1.part all modules file
	key=$(key_of "kernel-$line")
	stamped "kernel-$line" "$key" && return
	kernel=$(cat "$cache/lists/release-$line")
	say "unpacking kernel $kernel"
	rm -rf "$root"
	all=$root/all
	modules=usr/lib/modules/$kernel
	mkdir -p "$all/usr/lib" && ln -s usr/lib "$all/lib" || die "cannot write in $root"
	unpack "$all" "kernel-$line"
	for file in "boot/vmlinux-$kernel" "$modules/vmlinuz"; do
		[ ! -e "$all/$file" ] || mv "$all/$file" "$root/image"
	done
	[ -e "$root/image" ] || die "kernel $kernel: no image in its package"
	host_run sbin/depmod -b "$all" "$kernel" ||
		die "kernel $kernel: depmod failed"
	host_run sbin/modprobe -d "$all" -S "$kernel" --show-depends \
		-a $guest_modules >"$root/depends" ||
		die "kernel $kernel: not all of these modules: $guest_modules"
	take_modules "$all/$modules" "$root" &&
		printf '%s\n' "$kernel" >"$root/release" || die "cannot write in $root"
	rm -rf "$all" "$root/depends" "$root/files"
	finish "kernel-$line" "$key"
}

# make_guest LINE: the guest's root folder. Of Perl, which perf is linked with,
# only the base stays; the image has to be small.
make_guest() {
	local line=$1 key kernel root=$cache/guest-$1.part
	key=$(key_of "guest-$line" "kernel-$line")
	stamped "guest-$line" "$key" && return
	kernel=$(cat "$cache/kernel-$line/release")
	say "unpacking the guest's programs for kernel $line"
	new_root "$root" "guest-$line" --exclude='./usr/share/perl' \
		--exclude='./usr/lib/*/perl' --exclude='./usr/lib/*/gconv' \
		--exclude='./usr/lib/python3*/test' \
		--exclude='./usr/lib/python3*/pydoc_data'
	mkdir -p "$root/usr/lib/modules" &&
		cp -R "$cache/kernel-$line/modules" "$root/usr/lib/modules/$kernel" &&
		printf 'root:x:0:0:root:/root:/bin/bash\n%s\n' \
			'nobody:x:65534:65534:nobody:/nonexistent:/bin/sh' \
			>"$root/etc/passwd" &&
		printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group" ||
		die "cannot write in $root"
	host_run sbin/depmod -b "$root" "$kernel" ||
		die "kernel $kernel: depmod failed"
	finish "guest-$line" "$key"
}

# make_image LINE: the guest's root folder as an initramfs. Not compressed:
# emulated, gzip costs 2 s more and zstd 5 s more than reading does.
make_image() {
	local line=$1 key
	key=$(key_of "guest-$line" "kernel-$line")
	stamped "initramfs-$line" "$key" && return
	(cd "$cache/guest-$line" && find . -print0 | LC_ALL=C sort -z |
		host_run bin/cpio -o -0 -H newc -R 0:0 --quiet) \
		>"$cache/initramfs-$line.part" ||
		die "cannot write $cache/initramfs-$line.part"
	finish "initramfs-$line" "$key"
}

# setup: makes the cache complete. With $update, takes the newest packages.
setup() {
	local line
	check_host
	mkdir -p "$cache/lists" || exit 125
	# What a killed setup left running keeps the lock until it has ended.
	exec 9>"$cache/lock"
	if ! flock -n 9; then
		say 'waiting for another setup'
		flock 9
	fi
	[ -z "$update" ] && is_complete && return
	say "setting up the machine in $cache"
	make_lists
	fetch_all
	rm -f "$cache/stamp"
	make_host
	make_firmware
	for line in $kernel_lines; do
		make_kernel "$line"
		make_guest "$line"
		make_image "$line"
	done
	drop_old_files
	definition >"$cache/stamp.part" && mv "$cache/stamp.part" "$cache/stamp" ||
		die "cannot write $cache/stamp"
	exec 9>&-
	say 'the machine is set up'
}
