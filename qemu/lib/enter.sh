# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
# enter.sh ROOT REPO CACHE COMMAND [ARGUMENT]...: run by on-host inside a new
# mount namespace. The new root is a tmpfs on which everything is bound, so
# nothing is made in ROOT.

set -eu
root=$1 repo=$2 cache=$3
shift 3
dir=$(pwd -P)
new=$root/mnt

# The smallest of systems have none.
command -v mount >/dev/null || mount() {
	"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path \
		"$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/mount" "$@"
}

mount -t tmpfs -o mode=755 ssctr "$new"
for entry in /* /.[!.]*; do
	name=${entry#/}
	case $name in
	bin | sbin | lib* | usr | etc) continue ;;
	esac
	if [ -L "$entry" ]; then
		ln -s "$(readlink "$entry")" "$new/$name"
	elif [ -d "$entry" ]; then
		mkdir "$new/$name"
		mount --rbind "$entry" "$new/$name"
	fi
done
for name in bin sbin lib lib64; do
	ln -s "usr/$name" "$new/$name"
done
mkdir "$new/usr" "$new/etc"
mount --bind "$root/usr" "$new/usr"
mount --bind "$root/etc" "$new/etc"
for name in passwd group; do
	mount --bind "/etc/$name" "$new/etc/$name"
done
# What dpkg knows of the root folder's packages, where it was told.
if [ -d "$root/var/lib/dpkg" ]; then
	mount --bind "$root/var/lib/dpkg" "$new/var/lib/dpkg"
fi
# Folders that the root folder's own /usr hides.
for entry in "$repo" "$cache" "$dir"; do
	[ -d "$new$entry" ] && continue
	mkdir -p "$new$entry"
	mount --rbind "$entry" "$new$entry"
done
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# shellcheck disable=SC2016
exec chroot "$new" /bin/sh -c 'cd "$0" && exec "$@"' "$dir" "$@"
