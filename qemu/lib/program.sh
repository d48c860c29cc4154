# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# The sources of programs that are built to be measured, by Debian's source packages.

# fetch_sources FOLDER PACKAGE...: the upstream sources of each package, in
# FOLDER/PACKAGE; FOLDER has no files. apt holds the downloaded ones against the
# signed lists.
fetch_sources() {
	local folder=$1 mirror name pack file
	shift
	apt_conf program program amd64
	mirror=$(awk '{ sub(/.*\] /, ""); print $1; exit }' "$cache/apt/sources")
	printf 'deb-src [targets=Sources signed-by=%s] %s %s main\n' \
		"$keyring" "$mirror" "$release" >"$cache/apt/program.list" ||
		die "cannot write $cache/apt/program.list"
	say "reading the list of source packages"
	apt program get update -q >"$cache/apt/update.log" 2>&1 ||
		die "cannot read $release's sources: $(apt_error "$cache/apt/update.log")"
	mkdir -p "$folder"
	for name; do
		say "fetching the sources of $name"
		(cd "$folder" && apt program get source -qq --download-only --tar-only "$name") \
			>"$cache/apt/fetch.log" 2>&1 ||
			die "$name: $(apt_error "$cache/apt/fetch.log")"
		for file in "$folder"/*.orig.tar.gz "$folder"/*.orig.tar.xz; do
			[ -e "$file" ] || continue
			[ "${file##*.}" = gz ] && pack=gzip || pack=xz
			mkdir -p "$folder/$name"
			# The unpacking programs of the host root folder: this system may
			# have none.
			host_run bin/$pack -dc "$file" |
				tar -x -C "$folder/$name" --strip-components=1 --no-same-owner ||
				die "cannot unpack the sources of $name"
		done
		[ -d "$folder/$name" ] || die "cannot unpack the sources of $name"
		find "$folder" -maxdepth 1 -type f -delete
	done
	rm -rf "$cache/apt/lists/program"
}
