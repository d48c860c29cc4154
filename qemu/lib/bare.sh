# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm bare: a Debian as small as they come, to try on it what the README promises:
# its essential packages, apt and make. Fetched only when asked for, by root; the
# packages do not stay.

usage_bare() {
	cat <<-END
		usage: qemu/vm bare RELEASE

		Prints a root folder with a Debian of RELEASE, as bookworm, that has nothing but
		its essential packages, apt and make. Fetches it when it is not there yet: 39 MB,
		170 MB unpacked. Needs root.
	END
}

# list_bare RELEASE: writes the list bare-RELEASE, by the lists of its own release.
list_bare() {
	local mirror
	mirror=$(awk '{ sub(/.*\] /, ""); print $1; exit }' "$cache/apt/sources")
	apt_conf bare "bare-$1" amd64
	update_suite bare "$mirror" "$1" check-valid-until=no ||
		die "cannot read $1: $(cat "$cache/apt/why")"
	# shellcheck disable=SC2046
	resolve bare apt make $(essential_packages bare) >"$cache/lists/bare-$1" || exit
}

# install_bare RELEASE: makes an installed system of what is unpacked in bare-RELEASE.part.
install_bare() {
	local root=$cache/bare-$1.part
	: >"$root/var/lib/dpkg/status"
	link_debs "bare-$1" "$root/debs"
	unshare --mount env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive sh "$here/lib/enter-bare.sh" "$root" \
		sh -c 'dpkg --force-depends --install /debs/*.deb' >"$root.log" 2>&1 ||
		die "cannot install $1: $(grep -i -m 1 error "$root.log")"
	rm -rf "$root/debs" "$root.log"
}

# get_bare RELEASE: makes bare-RELEASE complete.
get_bare() {
	local name=bare-$1 key
	key=$1:$(hash_of lib/bare.sh lib/enter-bare.sh)
	begin_beside "$name" "$key" || return 0
	[ "$(id -u)" = 0 ] || die 'only root can install a Debian'
	list_bare "$1"
	fetch_beside bare "$name" "a bare $1"
	say "installing a bare $1"
	new_root "$cache/$name.part" "$name"
	install_bare "$1"
	end_beside "$name" "$key"
}

print_bare() {
	case ${1-} in
	-h | --help)
		usage_bare
		return
		;;
	'' | *[!a-z]*) die "which release? Take a Debian's codename" ;;
	esac
	is_complete || setup
	get_bare "$1"
	echo "$cache/bare-$1"
}
