# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
# enter.sh ROOT REPO CACHE COMMAND [ARGUMENT]...: run by on-host inside a new
# mount namespace. The new root is a tmpfs on which everything is bound, so
# nothing is made in ROOT, but for an empty folder where one of this system's is bound
# below /usr or /etc.

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

# bind FROM [TO]: notes that FROM of this system, or of the root folder, is to be
# seen at TO.
table=
bind() {
	local from=$1 to=$new${2:-$1}
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

# Each compilation begins here, and a start of mkdir or mount takes a tenth of it: all
# is made by one mkdir and bound by one mount, and nothing is started that need not be.
make_root() {
	local name
	set --
	for name in /* /.[!.]*; do
		case $name in
		/bin | /sbin | /lib* | /usr | /etc) continue ;;
		esac
		if [ -L "$name" ]; then
			ln -s "$(readlink "$name")" "$new$name"
		elif [ -d "$name" ]; then
			set -- "$@" "$new$name"
			bind "$name"
		fi
	done
	ln -s usr/bin usr/sbin usr/lib usr/lib64 "$new"
	mkdir "$@" "$new/usr" "$new/etc"
	bind "$root/usr" /usr
	bind "$root/etc" /etc
	bind /etc/passwd
	bind /etc/group
	# What dpkg knows of the root folder's packages, where it was told.
	[ ! -d "$root/var/lib/dpkg" ] || bind "$root/var/lib/dpkg" /var/lib/dpkg
	printf %s "$table" >"$new/.binds"
	mount --all --fstab "$new/.binds"
}

mount -t tmpfs -o mode=755 ssctr "$new"
make_root
# has_folder FOLDER: whether it is there, or one of the root folder's in its place. One that
# is empty is left of an earlier run.
has_folder() {
	[ "$new$1" -ef "$1" ] && return
	set -- "$new$1"/*
	[ -e "$1" ]
}
# Folders that the root folder's own /usr hides.
for entry in "$repo" "$cache" "$dir"; do
	has_folder "$entry" && continue
	mkdir -p "$new$entry"
	mount --rbind "$entry" "$new$entry"
done
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# shellcheck disable=SC2016
exec chroot "$new" /bin/sh -c 'cd "$0" && exec "$@"' "$dir" "$@"
