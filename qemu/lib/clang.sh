# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm clang: a newer clang than the machine's, the newest that runs beside it, with what
# its profiles take; and BOLT. Fetched only when asked for; the packages do not stay.

. "$here/lib/league.sh"

usage_clang() {
	cat <<-END
		usage: qemu/vm clang

		Prints a root folder with all that 'qemu/vm league' has, the newest clang that
		Debian has for this release, its llvm-profdata and its llvm-bolt: what is in the
		folder's usr/lib/llvm-VERSION. Fetches it when it is not there yet: 130 MB, 500 MB
		unpacked.
	END
}

# newest_clang: prints its version.
newest_clang() {
	apt host cache pkgnames clang- | sed -n 's/^clang-\([0-9]*\)$/\1/p' |
		sort -n | tail -n 1
}

# get_clang: makes clang complete. Of the tools the packages alone, whose libraries are
# clang's and libcurl.
get_clang() {
	local key version root=$cache/clang.part
	get_league
	key=$(key_of host):$(hash_of lib/clang.sh lib/league.sh lib/program.sh)
	begin_beside clang "$key" || return 0
	version=$(newest_clang)
	list_beside clang "clang-$version" libcurl4t64
	printf '%s\n' "llvm-$version" "bolt-$version" "libclang-rt-$version-dev:riscv64" \
		>>"$cache/lists/clang"
	fetch_beside host clang "clang $version"
	say "unpacking clang $version"
	rm -rf "$root"
	cp -al "$cache/league/root" "$root" || die 'cannot link the root folder of league'
	unpack "$root" clang --exclude='./usr/share/doc' --exclude='./usr/share/man' \
		--exclude='./usr/lib/llvm-*/bin/[!clp]*' \
		--exclude='./usr/lib/llvm-*/bin/llvm-[!bp]*' \
		--exclude='./usr/lib/llvm-*/build' --exclude='*san*riscv64*' --exclude='*fuzzer*'
	end_beside clang "$key"
}

print_clang() {
	case ${1-} in
	-h | --help)
		usage_clang
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_clang
	echo "$cache/clang"
}
