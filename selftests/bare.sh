#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the README promises of a Debian with nothing but make and apt, on one: bare.sh
# RELEASE GOAL..., as root. Makes each GOAL there, of a copy of this tree, with the
# downloads of this machine's cache; BARE_CACHE names another one.
top=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$top" || exit
. selftests/ktap.sh
release=$1
shift
cache=${BARE_CACHE:-$(qemu/vm path cache)} || exit
bare=$(qemu/vm bare "$release") || exit
dir=$top/build/bare-$release
root=$dir/root

rm -rf "$dir"
mkdir -p "$dir" "$cache" || exit

# The Debian, its way to the archives by that of this machine, and the tree.
prepares() {
	cp -a "$bare" "$root" || return
	uris=$(LC_ALL=C apt-get update --print-uris | sed -n "s|^'\(.*\)/dists/.*|\1|p" |
		sort -u)
	for uri in ${SSCTR_MIRROR:-$uris}; do
		case $uri in
		*-security*) echo "deb $uri $release-security main" ;;
		*) echo "deb $uri $release main" ;;
		esac
	done >"$root/etc/apt/sources.list"
	apt-config dump Acquire >"$root/etc/apt/apt.conf.d/acquire"
	for file in /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/resolv.conf /etc/hosts; do
		[ ! -e "$file" ] || cp -RLT "$file" "$root$file" || return
	done
	mkdir -p "$root/root/ssctr" "$root$cache"
	tar -c --exclude=./build --exclude=./.git . | tar -x -C "$root/root/ssctr" || return
	sleep 1
	touch "$dir/before"
}
t "a_bare_${release}_is_made" prepares

# there COMMAND...: with the environment of one who has just logged in.
there() {
	BIND=$cache unshare --mount sh qemu/lib/enter-bare.sh "$root" env -i \
		HOME=/root USER=root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		SSCTR_CACHE="$cache" sh -c 'cd && cd ssctr && exec "$@"' sh "$@"
}

# What a test of a machine with one hart is skipped for, nobody can install.
makes() {
	there make "$1" >"$dir/$1.log" 2>&1
	status=$?
	tail -n 40 "$dir/$1.log"
	[ "$status" = 0 ]
}
skips_nothing() {
	! grep '# SKIP' "$dir/$1.log" | grep -vE ' harts?( |$)'
}
for goal; do
	t "make_${goal}_on_a_bare_$release" makes "$goal"
	t "make_${goal}_skips_nothing_on_a_bare_$release" skips_nothing "$goal"
done

installs_nothing() {
	! find "$root/usr" "$root/etc" "$root/var" -newer "$dir/before" ! -path '*/tmp*' |
		grep .
}
t nothing_was_installed_there installs_nothing
plan
[ $t_failed != 0 ] || rm -rf "$root"
exit $t_failed
