# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# vm clean: gives back the room that the cache takes.

usage_clean() {
	cat <<-END
		usage: qemu/vm clean

		Remove what setup and the other commands downloaded and built, from
		$cache. What has another name stays there. A folder
		that setup did not make is left alone.
	END
}

# our_names: prints what may be in the cache, one a line: what has a stamp or a list,
# and what was begun.
our_names() {
	local line
	echo booted host ccache firmware checkers cluster gcc pgo league clang | tr ' ' '\n'
	for line in $kernel_lines next; do
		printf "%s-$line\n" kernel guest initramfs source perf host-perf builder
		printf "kernel-$line-%s\n" debug kcsan plain
	done
	(cd "$cache" && ls stamps lists 2>/dev/null) |
		grep '^[a-z].*[a-z0-9]$' | grep -v -e '^release-' -e '[.]files'
}

clean_cache() {
	local name before left lock
	case ${1-} in
	-h | --help)
		usage
		return
		;;
	'') ;;
	*) die "no argument '$1' (--help tells)" ;;
	esac
	if ! is_ours; then
		say "there is nothing to remove: qemu/vm did not make $cache"
		return
	fi
	exec 9>"$cache/lock"
	flock -n 9 || die "a setup is at work in $cache"
	for lock in "$cache"/lock-*; do
		[ ! -e "$lock" ] || flock -n "$lock" true ||
			die "qemu/vm is building ${lock##*/lock-} in $cache"
	done
	before=$(du -sm "$cache" | cut -f 1)
	# From here on the cache is not complete, whatever becomes of this.
	rm -f "$cache/stamp" "$cache/stamp.part" "$cache/keep" "$cache"/lock-* || exit 125
	for name in $(our_names | sort -u) debs apt stamps lists; do
		rm -rf --one-file-system "${cache:?}/$name" "$cache/$name.part" \
			"$cache/$name.old" "$cache/$name.log" "$cache/$name.part.log" ||
			die "cannot remove $cache/$name"
	done
	rm -f "$cache/lock"
	exec 9>&-
	left=0
	if ! rmdir "$cache" 2>/dev/null; then
		left=$(du -sm "$cache" | cut -f 1)
		say "not removed, as it was not made here: $(cd "$cache" && echo *)"
		# It stays a cache, so that the next setup takes it.
		mkdir "$cache/lists" && : >"$cache/lock" || die "cannot write in $cache"
	fi
	say "$((before - left)) MB were freed in $cache"
}
