#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the README promises of a Debian with nothing but make and apt, on one: bare.sh
# RELEASE GOAL..., as root. Makes each GOAL there, of a copy of this tree, with the
# downloads of this machine's cache; BARE_CACHE names another one. At last it is
# installed there, which takes more than make and apt.
top=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$top" || exit
. selftests/ktap.sh
release=$1
shift
cache=${BARE_CACHE:-$(qemu/vm path cache)} || exit
bare=$(qemu/vm bare "$release") || exit
# One folder for each run: make test-all begins several of them side by side.
dir=$top/build/bare-$release-$1
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

# What it is installed with it asks for by name.
asks() {
	! there make install >"$dir/install.log" 2>&1 || return
	cat "$dir/install.log"
	packages=$(sed -n 's/.*apt install \([a-z0-9 -]*\).*/\1/p' "$dir/install.log")
	[ "$packages" ]
}
t "make_install_asks_for_packages_on_a_bare_$release" asks
# shellcheck disable=SC2086
gets() {
	there sh -c 'export DEBIAN_FRONTEND=noninteractive
		apt-get update -q && apt-get install -q -y --no-install-recommends "$@"' \
		sh $packages linux-perf >"$dir/apt.log" 2>&1 && return
	tail -n 20 "$dir/apt.log"
	return 1
}
t "they_are_to_be_had_in_$release" gets
installs() {
	there make install PREFIX=/usr >"$dir/install.log" 2>&1 && return
	tail -n 40 "$dir/install.log"
	return 1
}
t "then_make_install_does_it_in_$release" installs

# anybody COMMAND...: there, without the cache, as a user who owns nothing.
anybody() {
	BIND='' unshare --mount sh qemu/lib/enter-bare.sh "$root" env -i HOME=/tmp TERM=dumb \
		PATH=/usr/bin:/bin setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
# shellcheck disable=SC2016
runs() {
	anybody sh -c 'cd /tmp && ssctr --version && printf "%s\n" "$1" "$2" >two.csv &&
		ssctr csv two.csv -o two.zstf && ssctr info two.zstf' sh \
		VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT 1,80000000,1,3,0,0,0,0
}
t "it_runs_for_anybody_in_$release" runs
plugins_load() {
	anybody perf script --list-dlfilters >"$dir/plugins" 2>&1
	cat "$dir/plugins"
	[ "$(grep -c '^ *ssctr-' "$dir/plugins")" = 3 ]
}
t "its_plug_ins_load_in_perf_of_$release" plugins_load
plan
[ $t_failed != 0 ] || rm -rf "$root"
exit $t_failed
