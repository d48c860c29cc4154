# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm gcc: newer compilers than the machine's, of the release that its firmware is of,
# to try what they read. Fetched only when asked for; the packages do not stay.

# Not in the file packages: they are no part of the machine.
gcc_versions='15 16'
gcc_packages='coreutils dash libc6-dev-riscv64-cross'

usage_gcc() {
	cat <<-END
		usage: qemu/vm gcc

		Prints a root folder with Debian's GCC $(echo "$gcc_versions" | sed 's/ / and /') for RISC-V. Fetches it when it is not
		there yet: 130 MB, 400 MB unpacked. Run them as
		qemu/on-host --root FOLDER riscv64-linux-gnu-gcc-VERSION
	END
}

# get_gcc: makes gcc complete. The lists of $firmware_release are the firmware's.
get_gcc() {
	local key version packages=$gcc_packages root=$cache/gcc.part
	key=$firmware_release:$(hash_of lib/gcc.sh)
	begin_beside gcc "$key" || return 0
	for version in $gcc_versions; do
		packages="$packages gcc-$version-riscv64-linux-gnu g++-$version-riscv64-linux-gnu"
	done
	# shellcheck disable=SC2086
	resolve firmware $packages >"$cache/lists/gcc"
	fetch_beside firmware gcc "GCC $gcc_versions"
	say "unpacking GCC $gcc_versions"
	new_root "$root" gcc --exclude=lto1 --exclude='lib?san*'
	: >"$root/etc/passwd"
	: >"$root/etc/group"
	end_beside gcc "$key"
}

print_gcc() {
	case ${1-} in
	-h | --help)
		usage_gcc
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_gcc
	echo "$cache/gcc"
}
