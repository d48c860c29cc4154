# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm pgo: what `make pgo` needs beside the machine: a program's sources, by Debian's
# source package, and clang's tools for instrumented profiles. Fetched only when
# asked for; the packages do not stay.

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

# fetch_program FOLDER: the upstream sources, in FOLDER/$pgo_program. apt holds the
# downloaded files against the signed lists.
fetch_program() {
	local mirror
	apt_conf program program amd64
	mirror=$(awk '{ sub(/.*\] /, ""); print $1; exit }' "$cache/apt/sources")
	printf 'deb-src [targets=Sources signed-by=%s] %s %s main\n' \
		"$keyring" "$mirror" "$release" >"$cache/apt/program.list"
	say "reading the list of source packages"
	apt program get update -q >"$cache/apt/update.log" 2>&1 ||
		die "cannot read $release's sources: $(apt_error "$cache/apt/update.log")"
	(cd "$1" && apt program get source -qq --download-only "$pgo_program") \
		>"$cache/apt/fetch.log" 2>&1 ||
		die "$pgo_program: $(apt_error "$cache/apt/fetch.log")"
	mkdir "$1/$pgo_program"
	# tar would look for programs of this system to unpack it.
	host_run bin/gzip -dc "$1"/${pgo_program}_*.orig.tar.gz |
		tar -x -C "$1/$pgo_program" --strip-components=1 --no-same-owner ||
		die "cannot unpack the sources of $pgo_program"
	rm -rf "$1"/${pgo_program}_* "$cache/apt/lists/program"
}

# fetch_profile_tools FOLDER: of the packages of the machine's own clang.
fetch_profile_tools() {
	local list=$cache/lists/pgo version all=$1/all deb name
	version=$(sed -n 's/^clang-\([0-9]*\)[:=].*/\1/p' "$cache/lists/host")
	printf '%s\n' "llvm-$version" "libclang-rt-$version-dev:riscv64" >"$list"
	files_of host "$list"
	missing_files "$list.files"
	# Names as in that list: the versions of the two may differ.
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

print_pgo() {
	local key root=$cache/pgo.part
	case ${1-} in
	-h | --help)
		usage_pgo
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	key=$(key_of host):$(hash_of lib/pgo.sh)
	if ! stamped pgo "$key"; then
		exec 9>"$cache/lock"
		flock 9
		# Old lists name packages that are gone.
		[ -z "$(find "$cache/stamps/lists" -mmin +720)" ] || find_sources
		rm -rf "$root"
		mkdir -p "$root"
		fetch_profile_tools "$root"
		fetch_program "$root"
		finish pgo "$key"
		exec 9>&-
	fi
	echo "$cache/pgo"
}
