# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm builder: what a user of the guest would have to build modules there: a root
# folder with Debian's own compiler, DKMS and the headers of its kernel. Fetched only
# when asked for; the packages do not stay.

. "$here/lib/source.sh"

# Not in the file packages: they are no part of the machine.
builder_packages='
	base-files bash coreutils dash debianutils diffutils dkms findutils gawk gcc
	grep gzip kmod libc-bin libc6-dev make patch perl-base sed tar util-linux
	xz-utils
'

usage_builder() {
	cat <<-END
		usage: qemu/vm builder LINE

		Print a root folder for the guest, with gcc, make, DKMS and the headers of the
		kernel of LINE ($kernel_lines). If it is missing, download it: 110 MB, or 600 MB
		unpacked. It is too large to boot from. Copy it into a guest with 8 GiB of memory.
	END
}

# get_builder LINE: makes builder-LINE complete.
get_builder() {
	local line=$1 name=builder-$1 kernel key root=$cache/builder-$1.part
	kernel=$(cat "$cache/kernel-$line/release")
	key=$(echo $builder_packages "$kernel" | sha256sum | cut -c 1-32)
	begin_beside "$name" "$key" || return 0
	resolve guest $builder_packages "linux-headers-$kernel" >"$cache/lists/$name"
	fetch_beside guest "$name" "the guest's compiler"
	say "unpacking the guest's compiler for kernel $line"
	new_root "$root" "$name"
	cp "$cache/guest-$line/etc/passwd" "$cache/guest-$line/etc/group" \
		"$root/etc/" || die 'the cache is damaged: run setup'
	end_beside "$name" "$key"
}

print_builder() {
	local line
	case ${1-} in
	-h | --help)
		usage_builder
		return
		;;
	'') die "which builder? Take one of $kernel_lines" ;;
	esac
	line=$(kernel_line "$1") || exit
	is_complete || setup
	get_builder "$line"
	echo "$cache/builder-$line"
}
