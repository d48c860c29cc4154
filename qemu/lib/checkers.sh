# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm checkers: the host root folder, and in it what tests check by and compare with,
# which nothing else needs. Fetched only when asked for; the packages do not stay.

# Not in the file packages: they are no part of the machine.
checkers_packages='cbmc debhelper dh-dkms dh-python libc-bin lintian protobuf-compiler python3-numpy
	python3-protobuf reuse spin'
# The newest Go whose package has pprof as a program.
pprof_package=golang-1.24-go

usage_checkers() {
	cat <<-END
		usage: qemu/vm checkers

		Prints a root folder with all that the host's has, and cbmc, debhelper, lintian,
		reuse, spin, perf, NumPy, protoc, pprof and LLVM's tools for profiles. Fetches it
		when it is not there yet: 130 MB, 310 MB unpacked. Run them as
		qemu/on-host --root FOLDER COMMAND.
	END
}

# list_checkers: writes the list checkers: what the host root folder has not. Of LLVM's
# tools the package alone, whose libraries are clang's.
list_checkers() {
	local llvm perf
	llvm=$(sed -n 's/^clang-\([0-9]*\)[:=].*/\1/p' "$cache/lists/host")
	[ "$llvm" ] || die 'the cache is damaged: run setup'
	perf=$(perf_version 6.12) || exit
	# shellcheck disable=SC2086
	list_beside checkers $checkers_packages "linux-perf=$perf"
	echo "llvm-$llvm" >>"$cache/lists/checkers" || exit 125
}

# know_packages ROOT LIST...: what dpkg would know of the packages in ROOT, for those
# who ask it what is installed, and which package a library is of. Those that several
# architectures share have the libraries, and shlibs names them.
know_packages() {
	local dpkg=$1/var/lib/dpkg list deb name file
	shift
	mkdir -p "$dpkg/info" "$dpkg/updates" && echo 1 >"$dpkg/info/format" ||
		die "cannot write in $dpkg"
	for list; do
		cut -d ' ' -f 1 "$cache/lists/$list.files"
	done | while read -r deb; do
		dpkg-deb --control "$cache/debs/$deb" "$dpkg/new" || exit
		sed 's/^Package: .*/&\nStatus: install ok installed/; $s/$/\n/' \
			"$dpkg/new/control" >>"$dpkg/status" || exit
		name=${deb%%_*}
		! grep -q '^Multi-Arch: same' "$dpkg/new/control" || name=$name:amd64
		case $name in
		*:amd64)
			[ ! -e "$dpkg/new/shlibs" ] || sed '/^udeb: /d
				s|^\([^ ]*\) \([^ ]*\) .*|/usr/lib/x86_64-linux-gnu/\1.so.\2|' \
				"$dpkg/new/shlibs" >"$dpkg/info/$name.list" || exit
			for file in shlibs symbols; do
				[ ! -e "$dpkg/new/$file" ] ||
					mv "$dpkg/new/$file" "$dpkg/info/$name.$file" || exit
			done
			;;
		esac
		[ -e "$dpkg/info/$name.list" ] || : >"$dpkg/info/$name.list"
		rm -rf "$dpkg/new"
	done || die "cannot tell in $dpkg what is installed: is the disk full?"
}

# unpack_part ROOT CONF PACKAGE PATTERN: some files of a package, without what it depends
# on. CONF is the apt configuration that knows it.
unpack_part() {
	local list=$cache/lists/part
	echo "$3" >"$list" || exit 125
	fetch_beside "$2" part 'what tests check by'
	unpack "$1" part --wildcards "$4"
	drop_own_debs "$list.files"
	rm -f "$list" "$list.files" "$list.files.missing"
}

# get_checkers: makes checkers complete. Files that it has in common with the host root
# folder take no room: tar puts new ones in their place.
get_checkers() {
	local key root=$cache/checkers.part
	key=$(key_of host guest-6.12):$(hash_of lib/checkers.sh)
	begin_beside checkers "$key" || return 0
	list_checkers
	fetch_beside host checkers 'what tests check by'
	say 'unpacking what tests check by'
	rm -rf "$root"
	cp -al "$host" "$root" || die 'cannot link the host root folder'
	unpack "$root" checkers --exclude='./usr/share/doc' --exclude='./usr/share/man' \
		--exclude='./usr/share/locale' --exclude='./usr/share/zoneinfo' \
		--exclude='./usr/lib/llvm-*/bin/[!l]*' --exclude='./usr/lib/llvm-*/bin/llvm-[!p]*'
	# pprof, and the schemas by which profiles are checked. That of OTLP changes, so that the
	# newest release is taken.
	unpack_part "$root" host "$pprof_package" '*/pkg/tool/*/pprof'
	unpack_part "$root" host golang-github-google-pprof-dev '*/proto/profile.proto'
	unpack_part "$root" firmware opentelemetry-proto '*.proto'
	(cd "$root/usr/bin" && ln -s ../lib/go-*/pkg/tool/*/pprof .) ||
		die "there is no pprof in $pprof_package"
	# What maintainer scripts would have linked: lintian's, and NumPy's libraries.
	ln -sf debian "$root/etc/dpkg/origins/default" &&
		ln -sf blas/libblas.so.3 lapack/liblapack.so.3 "$root/usr/lib/x86_64-linux-gnu/" ||
		die "cannot write in $root"
	know_packages "$root" host checkers
	end_beside checkers "$key"
}

print_checkers() {
	case ${1-} in
	-h | --help)
		usage_checkers
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_checkers
	echo "$cache/checkers"
}
