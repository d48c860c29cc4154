# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm league: what `make league` needs beside `vm pgo` and `vm checkers`: the sources of
# real programs, by Debian's source packages, and compilers for C++. Fetched only when
# asked for; the packages do not stay.

. "$here/lib/program.sh"

# Source packages. Fossil's has SQLite as the one file that users of SQLite compile.
league_sources='brotli fossil gawk gzip libzstd lua5.4 lzip minisat2 mujs'
# Not in the file packages: they are no part of the machine.
league_packages='g++-14-riscv64-linux-gnu'

usage_league() {
	cat <<-END
		usage: qemu/vm league

		Prints the folder with what 'make league' is made from: sources/, of
		$league_sources;
		root/, a root folder with all that the host's has and compilers for C++. Fetches
		them when they are not there yet: 30 MB. Run the compilers as
		qemu/on-host --root FOLDER/root COMMAND.
	END
}

# get_league: makes league complete. Files that it has in common with the host root
# folder take no room: tar puts new ones in their place.
get_league() {
	local key root=$cache/league.part
	key=$(key_of host):$(hash_of lib/league.sh lib/program.sh)
	begin_beside league "$key" || return 0
	rm -rf "$root"
	mkdir -p "$root"
	fetch_sources "$root/sources" $league_sources
	# shellcheck disable=SC2086
	list_beside league $league_packages
	fetch_beside host league 'compilers for C++'
	cp -al "$host" "$root/root" || die 'cannot link the host root folder'
	unpack "$root/root" league --exclude='./usr/share/doc' --exclude='./usr/share/man'
	end_beside league "$key"
}

print_league() {
	case ${1-} in
	-h | --help)
		usage_league
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	is_complete || setup
	get_league
	echo "$cache/league"
}
