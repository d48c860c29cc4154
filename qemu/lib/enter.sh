# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
# enter.sh ROOT REPO CACHE COMMAND [ARGUMENT]...: run by on-host inside a new
# mount namespace. The root folder's /usr and /etc are bound over this system's. Nothing is
# made in ROOT, but for an empty folder where one of this system's is bound below /usr or
# /etc.

set -eu
root=$1 repo=$2 cache=$3
shift 3
dir=$(pwd -P)

# The smallest of systems have none.
command -v mount >/dev/null || mount() {
	"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path \
		"$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/mount" "$@"
}

# bind FROM TO: notes that FROM is to be seen at TO.
table=
bind() {
	local from=$1 to=$2
	case $from$to in
	*[\\\ ]*)
		from=$(escape "$from")
		to=$(escape "$to")
		;;
	esac
	table=$table"$from	$to	none	rbind
"
}
escape() { printf '%s\n' "$1" | sed 's/\\/\\134/g; s/ /\\040/g'; }

# Compilers begin here, and a start of mount takes a tenth of that: all is bound by one, which
# reads a file, and nothing is started that need not be. What is to be seen below /usr and
# /etc comes before them.
bind /etc/passwd "$root/etc/passwd"
bind /etc/group "$root/etc/group"
# Folders that the root folder's /usr and /etc hide, where these have none in their place. One
# that is empty is left of an earlier run.
for entry in "$repo" "$cache" "$dir"; do
	case $entry in /usr/* | /etc/*) ;; *) continue ;; esac
	[ -z "$(ls -A "$root$entry" 2>/dev/null)" ] || continue
	mkdir -p "$root$entry"
	bind "$entry" "$root$entry"
done
# What dpkg knows of the root folder's packages, where it was told.
[ ! -d "$root/var/lib/dpkg" ] || bind "$root/var/lib/dpkg" /var/lib/dpkg
# A system that was not merged has programs and libraries beside /usr.
for name in bin sbin lib lib64; do
	[ -L "/$name" ] || [ ! -d "/$name" ] || bind "$root/usr/$name" "/$name"
done
bind "$root/etc" /etc
bind "$root/usr" /usr
mount -t tmpfs ssctr "$root/mnt"
printf %s "$table" >"$root/mnt/binds"
mount --all --fstab "$root/mnt/binds"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# For who calls ccache. What was compiled in another folder is the same, but for the name of
# that folder in what debuggers read.
export CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=500M CCACHE_NOHASHDIR=1
[ -w "$cache" ] || export CCACHE_DISABLE=1
cd "$dir"
exec "$@"
