# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm pgo: what `make pgo` needs beside the machine: a program's sources, by Debian's
# source package, and clang's tools for instrumented profiles. Fetched only when
# asked for; the packages do not stay.

. "$here/lib/program.sh"
. "$here/lib/source.sh"

# A real program that is built from a few files: its source package.
pgo_program=bzip2

usage_pgo() {
	cat <<-END
		usage: qemu/vm pgo

		Prints the folder with what 'make pgo' is made from: $pgo_program/, sources from
		Debian's source package; llvm-profdata and clang_rt.profile.a for instrumented
		programs of the machine's clang. Fetches them when they are not there yet: 35 MB.
	END
}

# fetch_profile_tools FOLDER: of the packages of the machine's own clang.
fetch_profile_tools() {
	local list=$cache/lists/pgo version all=$1/all deb name
	version=$(sed -n 's/^clang-\([0-9]*\)[:=].*/\1/p' "$cache/lists/host")
	printf '%s\n' "llvm-$version" "libclang-rt-$version-dev:riscv64" >"$list"
	files_of host "$list"
	missing_files "$list.files"
	download host "clang's profile tools" "$list.files.missing"
	unpack "$all" pgo
	for name in "bin/llvm-profdata" \
		"lib/clang/$version/lib/linux/libclang_rt.profile-riscv64.a"; do
		mv "$all/usr/lib/llvm-$version/$name" "$1/" ||
			die "no $name in the packages of LLVM $version"
	done
	mv "$1/libclang_rt.profile-riscv64.a" "$1/clang_rt.profile.a"
	cut -d ' ' -f 1 "$list.files" | while read -r deb; do
		rm -f "$cache/debs/$deb"
	done
	rm -rf "$all" "$list" "$list.files" "$list.files.missing"
}

# get_pgo: makes pgo complete.
get_pgo() {
	local key root=$cache/pgo.part
	key=$(key_of host):$(hash_of lib/pgo.sh lib/program.sh)
	stamped pgo "$key" && return
	check_host
	exec 9>"$cache/lock"
	flock 9
	stamped pgo "$key" && return
	! sources_are_old || find_sources
	rm -rf "$root"
	mkdir -p "$root"
	fetch_sources "$root" "$pgo_program"
	fetch_profile_tools "$root"
	finish pgo "$key"
	exec 9>&-
}

print_pgo() {
	case ${1-} in
	-h | --help)
		usage_pgo
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_pgo
	echo "$cache/pgo"
}
