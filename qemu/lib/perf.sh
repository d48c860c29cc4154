# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm perf: the perf of a kernel's own sources, with its symbols and its tests.
# Debian's has neither, and some of the tests sample perf itself.

. "$here/lib/source.sh"

# What the tests of branch stacks need is libelf, for symbols. JEVENTS wants
# Python; without it perf has the common events, which suffice.
perf_without='
	NO_LIBTRACEEVENT NO_JEVENTS NO_LIBPYTHON NO_LIBPERL NO_LIBBPF NO_LIBDW
	NO_DWARF NO_LIBUNWIND NO_SLANG NO_LIBNUMA NO_LZMA NO_LIBCAP NO_LIBCRYPTO
	NO_SDT NO_LIBBABELTRACE NO_CAPSTONE NO_LIBLLVM NO_LIBDEBUGINFOD
	NO_SHELLCHECK NO_LIBPFM4 NO_JVMTI NO_DEMANGLE NO_RUST
'

usage_perf() {
	cat <<-END
		usage: qemu/vm perf LINE

		Prints the folder with a perf for the guest, built from the sources of the kernel
		of LINE ($kernel_lines), not stripped, and with its tests/shell. Builds it when it
		is not there yet: 2 minutes, after 'qemu/vm source LINE'.
	END
}

# perf_libraries FOLDER LINE: headers and libraries to link with. They are those
# of the guest; the headers of the host's packages are the same for it.
perf_libraries() {
	local name lib=$cache/guest-$2/usr/lib/riscv64-linux-gnu
	mkdir -p "$1/include" "$1/lib"
	for name in elfutils gelf.h libelf.h zconf.h zlib.h zstd.h; do
		cp -R "$host/usr/include/$name" "$1/include/" || return
	done
	for name in elf z zstd; do
		cp -L "$lib/lib$name.so.1" "$1/lib/" &&
			ln -s lib$name.so.1 "$1/lib/lib$name.so" || return
	done
}

# build_perf LINE: builds in perf-LINE.part.
build_perf() {
	local root=$cache/perf-$1.part source=$cache/source-$1 name
	rm -rf "$root"
	mkdir -p "$root/build"
	perf_libraries "$root" "$1" || die 'the cache is damaged: run setup'
	set --
	for name in $perf_without; do
		set -- "$@" "$name=1"
	done
	LC_ALL=C nice -n 5 "$here/on-host" make -C "$source/tools/perf" \
		-j "$(nproc)" O="$root/build" ARCH=riscv \
		CROSS_COMPILE=riscv64-linux-gnu- BUILD_BPF_SKEL=0 WERROR=0 \
		EXTRA_CFLAGS="-I$root/include" \
		LDFLAGS="-L$root/lib -Wl,-rpath-link=$root/lib" \
		"$@" >"$root.log" 2>&1 9>&-
	[ -x "$root/build/perf" ] ||
		die "perf did not build: $(grep -m 1 -i 'error' "$root.log")" \
			"($root.log)"
	mv "$root/build/perf" "$root/perf" && mkdir "$root/tests" &&
		cp -R "$source/tools/perf/tests/shell" "$root/tests/" ||
		die "cannot write in $root"
	rm -rf "${root:?}/build" "$root/include" "${root:?}/lib" "$root.log"
}

# get_perf LINE: makes perf-LINE complete.
get_perf() {
	local line=$1 key
	get_source "$line"
	key=$(cat "$cache/stamps/source-$line"):$(hash_of lib/perf.sh)
	stamped "perf-$line" "$key" && return
	exec 9>"$cache/lock-perf"
	flock 9
	stamped "perf-$line" "$key" && return
	say "building perf of $line"
	build_perf "$line"
	finish "perf-$line" "$key"
	exec 9>&-
}

print_perf() {
	local line
	case ${1-} in
	-h | --help)
		usage_perf
		return
		;;
	'') die "which perf? Take one of $kernel_lines" ;;
	esac
	line=$(kernel_line "$1") || exit
	is_complete || setup
	get_perf "$line"
	echo "$cache/perf-$line"
}
