# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# Messages, and where things are. Needs $here, the folder qemu/.

me=${0##*/}

say() {
	printf '%s: %s\n' "$me" "$*" >&2
}

# Exit status 125 means that the machine failed, not the command in it.
die() {
	say "$*"
	exit 125
}

if [ -n "${SSCTR_CACHE:-}" ]; then
	cache=$SSCTR_CACHE
elif [ -n "${XDG_CACHE_HOME:-}" ]; then
	cache=$XDG_CACHE_HOME/ssctr
elif [ -n "${HOME:-}" ]; then
	cache=$HOME/.cache/ssctr
else
	die 'HOME is not set: name a folder for downloads in SSCTR_CACHE'
fi
case $cache in
/*) ;;
*) cache=$PWD/$cache ;;
esac

repo=${here%/*}
host=$cache/host
. "$here/packages"

# kernel_line NAME: prints the kernel line of a --kernel argument; 6.12.113 and
# 7 name their line too.
kernel_line() {
	case $1 in
	6.12 | 6.12.*) echo 6.12 ;;
	7 | 7.*) echo 7.x ;;
	*) die "no kernel line '$1': take one of $kernel_lines" ;;
	esac
}

# kernel_name NAME: sets $line and $flavour, which is empty for a stock kernel,
# and -debug, -kcsan or -plain for one of our own (vm kernel). Of the line next there are
# only these.
kernel_name() {
	flavour=
	case $1 in
	*-debug) flavour=-debug ;;
	*-kcsan) flavour=-kcsan ;;
	*-plain) flavour=-plain ;;
	esac
	case $1 in
	next-debug | next-kcsan | next-plain) line=next ;;
	*) line=$(kernel_line "${1%"$flavour"}") || exit ;;
	esac
}

# kernel_folder: prints where the kernel of $line and $flavour is.
kernel_folder() {
	[ -r "$cache/kernel-$line$flavour/release" ] ||
		die "no kernel $line$flavour: run 'qemu/vm kernel $line$flavour'"
	echo "$cache/kernel-$line$flavour"
}

# host_run PROGRAM [ARGUMENT]...: runs one program of the host root by the
# root's own dynamic loader, so that it works on a system with an older C
# library. PROGRAM is relative to /usr and no script.
host_run() {
	local program=$1 lib=$host/usr/lib/x86_64-linux-gnu
	shift
	"$lib/ld-linux-x86-64.so.2" --library-path "$lib" \
		--argv0 "${program##*/}" "$host/usr/$program" "$@"
}

# hash_of FILE...: a hash of some of our own files.
hash_of() {
	(cd "$here" && cat "$@") | sha256sum | cut -c 1-32
}

# Whether setup made the cache: it makes these first, and clean removes them last.
is_ours() {
	[ -d "$cache/lists" ] && [ -f "$cache/lock" ]
}

# What the machine is made of, and how it is put together.
definition() {
	hash_of packages lib/lists.sh lib/setup.sh
}

# Whether the cache holds all of the machine, made from today's definition.
is_complete() {
	[ -r "$cache/stamp" ] && [ "$(cat "$cache/stamp")" = "$(definition)" ]
}
