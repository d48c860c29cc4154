#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The version of the Debian packages, in a small tree with commits of its own.
cd "$(dirname "$0")/../.." || exit
. selftests/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset SOURCE_DATE_EPOCH GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir -p "$dir/tree/packaging" && cp -R debian "$dir/tree/" &&
	cp packaging/changelog "$dir/tree/packaging/" || exit

in_tree() { git -C "$dir/tree" -c user.name=t -c user.email=t@t.invalid "$@"; }
# commit SECONDS: what is there, at this time.
commit() {
	in_tree add -A && GIT_COMMITTER_DATE="@$1 +0300" in_tree commit -q --allow-empty -m one
}
version() { "$dir/tree/packaging/changelog" | sed -n '1s/^ssctr (\(.*\)) .*/\1/p'; }
# grows OLD NEW: for dpkg, and so for apt.
grows() { echo "$1, then $2" && dpkg --compare-versions "$1" lt "$2"; }
needs_tools() {
	command -v git >/dev/null && command -v dpkg >/dev/null ||
		t_skip 'there is no git, or no dpkg'
}

# 0.1 is what packages had before. Two commits are of one second, and the next is of a later one.
grows_with_each_commit() {
	needs_tools || return
	in_tree init -q || return
	old=0.1
	for time in 1700000000 1700000000 1700000001; do
		commit $time && new=$(version) && grows "$old" "$new" || return
		old=$new
	done
}
# 1700000001 is 14 November 2023, 22:13:21 UTC.
is_of_the_commit() {
	needs_tools || return
	hash=$(in_tree rev-parse --short=12 HEAD) || return
	"$dir/tree/packaging/changelog" | tee "$dir/first"
	[ "$(version)" = "0.1+20231114221321.1.$hash" ] &&
		grep '^ -- .*>  Tue, 14 Nov 2023 22:13:21 +0000$' "$dir/first" || return
	TZ=Asia/Tokyo "$dir/tree/packaging/changelog" | cmp - "$dir/first"
}
# A change is newer than its commit, and older than the next commit.
grows_with_a_change() {
	needs_tools || return
	clean=$(version) && echo >>"$dir/tree/debian/control" &&
		one=$(SOURCE_DATE_EPOCH=1800000000 version) &&
		two=$(SOURCE_DATE_EPOCH=1800000001 version) && commit 1700000002 || return
	grows "$clean" "$one" && grows "$one" "$two" && grows "$two" "$(version)"
}
# Nor is it that of a tree of somebody else's around it.
grows_without_git() {
	command -v dpkg >/dev/null || t_skip 'there is no dpkg' || return
	[ ! -e "$dir/tree/.git" ] || mv "$dir/tree/.git" "$dir/" || return
	[ "$(SOURCE_DATE_EPOCH=1700000001 version)" = 0.1+20231114221321 ] &&
		grows 0.1+20231114221321 "$(version)"
}
t the_version_grows_with_each_commit grows_with_each_commit
t a_commit_has_one_version is_of_the_commit
t a_changed_tree_has_a_newer_version grows_with_a_change
t a_tree_without_git_has_the_time_of_its_build grows_without_git
plan
