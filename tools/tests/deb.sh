#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages, built in a folder: deb.sh FOLDER
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
debs=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# With stand-ins for what builds. That of this system's packages builds the others meanwhile,
# and what it builds from is still there then.
builds_both_at_once() {
	mkdir "$dir/bin" || return
	cat >"$dir/bin/dpkg-buildpackage" <<-'END'
		#!/bin/sh
		arch=$(dpkg --print-architecture)
		case $* in
		*-ariscv64*) arch=riscv64 ;;
		*) "$packaging_deb" "$to" riscv64 || exit ;;
		esac
		[ -f debian/control ] && touch ../one_0_$arch.deb ../one_0_all.deb && echo "built $arch"
	END
	for tool in dh dh_dkms dh_python3; do
		echo '#!/bin/sh' >"$dir/bin/$tool"
	done
	chmod +x "$dir"/bin/*
	# Nor do they mind where cd looks for folders.
	CDPATH=. to=$dir/both packaging_deb=$PWD/packaging/deb PATH="$dir/bin:$PATH" \
		packaging/deb "$dir/both" || return
	arch=$(dpkg --print-architecture)
	(cd "$dir/both" && head ./* && [ "$(cat "log-$arch")" = "$dir/both/one_0_all.deb
$dir/both/one_0_riscv64.deb
built $arch" ] && [ "$(ls)" = "$(printf '%s\n' "log-$arch" log-riscv64 one_0_all.deb \
		"one_0_$arch.deb" one_0_riscv64.deb | sort)" ])
}
t both_architectures_are_built_at_once builds_both_at_once

t the_packages_are_built packaging/deb "$debs"

unpacked() {
	for package in ssctr ssctr-dkms libstf0 libstf-dev python3-stf; do
		dpkg-deb -x "$debs/${package}"_*.deb "$dir/$package" || return
	done
}
t the_packages_unpack unpacked

version=$(sed -n 's/^VERSION := //p' Makefile)
one_version() {
	for deb in "$debs"/*.deb; do
		dpkg-deb -f "$deb" Version
	done | sort -u | tee "$dir/versions"
	[ "$(grep -c . "$dir/versions")" = 1 ] && grep -E "^$version\+[0-9]{14}" "$dir/versions" || return
	[ "$("$dir/ssctr/usr/bin/ssctr" --version)" = "ssctr $version" ] &&
		[ -f "$dir/ssctr-dkms/usr/src/ssctr-$version/dkms.conf" ] &&
		grep -x "PACKAGE_VERSION=\"$version\"" \
			"$dir/ssctr-dkms/usr/src/ssctr-$version/dkms.conf"
}
t they_all_are_of_the_trees_version one_version

# Every file of an installation is in one package and no other.
nothing_is_lost() {
	make install install-dkms DESTDIR="$dir/all" PREFIX=/usr \
		LIBDIR=/usr/lib/LIB || return
	for folder in all ssctr ssctr-dkms libstf0 libstf-dev python3-stf; do
		(cd "$dir/$folder" && find . ! -type d ! -path './usr/share/doc/*/changelog*' \
			! -path './usr/share/doc/*/copyright' |
			sed 's|^\./lib/|./usr/lib/|; s|/lib/[^/]*-linux-gnu/|/lib/LIB/|
				s|\(/share/man/.*\)\.gz$|\1|' |
			sort) >"$dir/$folder.files"
	done
	sort "$dir"/ssctr.files "$dir"/ssctr-dkms.files "$dir"/libstf*.files "$dir"/python3-stf.files \
		>"$dir/packaged"
	diff "$dir/all.files" "$dir/packaged"
}
unset MAKEFLAGS MAKELEVEL
t nothing_is_lost_and_nothing_twice nothing_is_lost

loads_at_boot() {
	dpkg-deb --ctrl-tarfile "$debs"/ssctr-dkms_*.deb | tar -xO ./postinst >"$dir/postinst"
	grep "deb-systemd-helper enable 'ssctr.service'" "$dir/postinst" &&
		grep 'dkms/common.postinst' "$dir/postinst"
}
t the_module_is_built_and_loaded_at_boot loads_at_boot

# script PACKAGE NAME: the maintainer script as it was made; nothing if there is none.
script() { dpkg-deb --ctrl-tarfile "$debs/$1"_*.deb | tar -xO "./$2" 2>/dev/null; }

# DKMS does not build what it has built of the same version: an upgrade removes that first. With
# a stand-in for dkms.
builds_anew() {
	mkdir -p "$dir/dkms" && printf '#!/bin/sh\necho "$@"\n' >"$dir/dkms/dkms" &&
		chmod +x "$dir/dkms/dkms" && script ssctr-dkms prerm >"$dir/prerm" || return
	PATH=$dir/dkms:$PATH sh -e "$dir/prerm" upgrade 0.2 | tee "$dir/told"
	grep -x "remove -m ssctr -v $version --all" "$dir/told"
}
t an_upgrade_builds_the_module_anew builds_anew

# What the scripts of dpkg's steps have systemd do with the service, by stand-ins.
told_systemd() {
	mkdir -p "$dir/dpkg" && printf '#!/bin/sh\necho "$@"\n' >"$dir/dpkg/deb-systemd-invoke" &&
		printf '#!/bin/sh\n' | tee "$dir/dpkg/systemctl" >"$dir/dpkg/deb-systemd-helper" &&
		chmod +x "$dir"/dpkg/* || return
	script ssctr "$1" | sed "s|/run/systemd/system|$dir|; s| >/dev/null||" >"$dir/$1"
	name=$1
	shift
	PATH=$dir/dpkg:$PATH sh -e "$dir/$name" "$@"
}
# A service that nobody started is left alone, one that runs is not left dead.
runs_after_an_upgrade() {
	[ -z "$(told_systemd prerm upgrade 0.2; told_systemd preinst upgrade 0.1 0.2)" ] &&
		[ "$(told_systemd postinst configure 0.1)" = 'try-restart ssctr-collect.service' ] &&
		[ -z "$(told_systemd postinst configure '')" ]
}
t the_service_runs_on_after_an_upgrade runs_after_an_upgrade
stops_with_a_removal() {
	[ "$(told_systemd prerm remove)" = 'stop ssctr-collect.service' ]
}
t the_service_stops_with_a_removal stops_with_a_removal

# With stand-ins for the module that is loaded, and for that which was installed.
tells_of_an_old_module() {
	mkdir -p "$dir/sys/ssctr" && printf '#!/bin/sh\necho B\n' >"$dir/sys/modinfo" &&
		chmod +x "$dir/sys/modinfo" || return
	sed -n "s|/sys/module|$dir/sys|; /^new=/,\$p" debian/ssctr-dkms.postinst >"$dir/told"
	for loaded in '' A B; do
		[ -z "$loaded" ] || echo "$loaded" >"$dir/sys/ssctr/srcversion"
		PATH=$dir/sys:$PATH sh -e "$dir/told" 2>&1 | sed "s/^/$loaded: /"
	done >"$dir/said"
	cat "$dir/said"
	[ "$(grep -c . "$dir/said") $(grep -c '^A: .*systemctl restart ssctr' "$dir/said")" = '2 1' ]
}
t a_module_that_stays_loaded_is_told tells_of_an_old_module

leaves_no_counts() {
	dpkg-deb --ctrl-tarfile "$debs"/ssctr_*.deb | tar -xO ./postrm >"$dir/postrm"
	sed -i "s|/var/lib|$dir/lib|; /^# Automatically/,\$d" "$dir/postrm"
	mkdir -p "$dir/lib/ssctr-collect" && sh "$dir/postrm" remove &&
		[ -e "$dir/lib/ssctr-collect" ] && sh "$dir/postrm" purge &&
		[ ! -e "$dir/lib/ssctr-collect" ]
}
t counts_go_with_a_purge leaves_no_counts

lint() {
	command -v lintian >/dev/null || t_skip 'there is no lintian' || return
	lintian --allow-root --fail-on error,warning "$debs"/*.deb
}
t lintian_finds_no_fault lint
plan
