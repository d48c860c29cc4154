# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034,SC2154
# Downloads the packages of the lists into debs/ in the cache. What has its
# final name there is whole; what is under way lies in debs/new.

# files_of CONF LIST: writes LIST.files, a line for each package of LIST: file
# name, bytes, SHA-256.
files_of() {
	[ -s "$2" ] || die "the list $2 is empty: run 'qemu/vm setup --update'"
	# shellcheck disable=SC2046
	apt "$1" get download -qq --print-uris $(cat "$2") \
		>"$cache/apt/uris" 2>"$cache/apt/fetch.log" ||
		die "${2##*/}: $(apt_error "$cache/apt/fetch.log")"
	sed "s/^'[^']*' //; s/SHA256://" "$cache/apt/uris" >"$2.files.part" &&
		mv "$2.files.part" "$2.files" || die "cannot write $2.files"
}

# good_files FILES: prints the names in FILES that are here and whole.
good_files() {
	awk '{ print $3 "  " $1 }' "$1" |
		sha256sum -c --ignore-missing 2>/dev/null | sed -n 's/: OK$//p'
}

# in_megabytes FILES: how much there is to download.
in_megabytes() {
	awk '{ n += $2 } END { print int((n + 999999) / 1e6) }' "$@"
}

# progress LABEL DONE TOTAL: on a terminal one line that changes, else a line
# at each tenth.
progress() {
	local step=$(($2 * 10 / ($3 > 0 ? $3 : 1)))
	if [ -t 2 ]; then
		printf '\r%s: %s: %s of %s MB' "$me" "$1" "$2" "$3" >&2
		[ "$2" != "$3" ] || printf '\n' >&2
	elif [ "$step" != "$progress_shown" ]; then
		say "$1: $2 of $3 MB"
		progress_shown=$step
	fi
}

# missing_files FILES: writes FILES.missing, the lines of FILES whose packages
# the cache does not hold.
missing_files() {
	mkdir -p "$cache/debs/new"
	# Whole files of an interrupted download are kept.
	(cd "$cache/debs/new" && good_files "$1" | xargs -r mv -t ..)
	(cd "$cache/debs" && good_files "$1") >"$1.have"
	awk -v have="$1.have" '
		BEGIN { while ((getline name < have) > 0) is[name] }
		!($1 in is)' "$1" >"$1.missing" || die "cannot write $1.missing"
	rm "$1.have"
}

# download CONF LABEL FILES: fetches the packages of FILES into the cache.
download() {
	local conf=$1 label=$2 files=$3 new=$cache/debs/new
	local total before now pid progress_shown=
	[ -s "$files" ] || return 0
	total=$(in_megabytes "$files")
	before=$(du -sb "$new" | cut -f 1)
	# shellcheck disable=SC2046
	(cd "$new" && LC_ALL=C exec setpriv --pdeathsig TERM \
		apt-get -c "$cache/apt/$conf.conf" download -qq \
		$(sed 's/^\([^_]*\)_\([^_]*\)_\(.*\)\.deb .*/\1:\3=\2/
			s/:all=/=/; s/%3a/:/' "$files")) \
		>"$cache/apt/fetch.log" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		now=$(du -sb "$new" 2>/dev/null | cut -f 1)
		now=$(((${now:-$before} - before) / 1000000))
		[ $now -ge "$total" ] || progress "$label" $now "$total"
		sleep 0.5
	done
	if ! wait $pid; then
		[ ! -t 2 ] || echo >&2
		die "$label: $(apt_error "$cache/apt/fetch.log")"
	fi
	progress "$label" "$total" "$total"
	missing_files "$files"
	[ ! -s "$files.missing" ] ||
		die "$label: a downloaded package is damaged: run setup again"
	rm "$files.missing"
}

# conf_of LIST: the apt configuration that knows the packages of a list.
conf_of() {
	case $1 in
	firmware-1.9) echo firmware ;;
	guest-*) echo guest ;;
	*) echo host ;;
	esac
}

# fetch_group CONF LABEL LIST...: downloads what the cache lacks of some lists.
fetch_group() {
	local conf=$1 label=$2 list
	shift 2
	for list; do cat "$cache/lists/$list.files.missing"; done |
		sort -u >"$cache/lists/group.files"
	download "$conf" "$label" "$cache/lists/group.files"
}

# fetch_all: downloads every package that the cache lacks.
fetch_all() {
	local list total
	for list in $lists; do
		[ -e "$cache/lists/$list.files" ] ||
			files_of "$(conf_of "$list")" "$cache/lists/$list"
		missing_files "$cache/lists/$list.files"
	done
	total=$(cat "$cache"/lists/*.files.missing | sort -u | in_megabytes)
	if [ "$total" != 0 ] && sources_are_old; then
		update=1
		make_lists
		fetch_all
		return
	fi
	[ "$total" = 0 ] || say "$total MB to download"
	fetch_group host 'host tools' host headers-6.12 headers-7.x firmware-1.6
	fetch_group firmware 'firmware' firmware-1.9
	fetch_group host 'kernels' kernel-6.12 kernel-7.x
	fetch_group guest 'guest programs' guest-6.12 guest-7.x
	rm -f "$cache/lists/group.files" "$cache"/lists/*.missing
}

# drop_own_debs FILES: the downloads that no other list names.
drop_own_debs() {
	cut -d ' ' -f 1 "$1" | sort -u >"$1.own"
	for list in $(find "$cache/lists" -name '*.files' ! -path "$1"); do
		cut -d ' ' -f 1 "$list"
	done | sort -u | comm -23 "$1.own" - |
		(cd "$cache/debs" && xargs -r rm -f)
	rm -f "$1.own"
}

# What follows makes a root folder beside the machine's, which only some ask for: its
# packages do not stay.

# list_new FILE BASE: writes the list FILE, of what FILE.all has and the list BASE lacks.
list_new() {
	awk -v base="$cache/lists/$2" '
		BEGIN { while ((getline line < base) > 0) is[line] }
		!($0 in is)' "$1.all" >"$1" && rm "$1.all" || die "cannot write $1"
}

# begin_beside NAME KEY: NAME is to be made from KEY, under the lock until end_beside().
# Returns 1 if it is there.
begin_beside() {
	! stamped "$1" "$2" || return
	check_host
	exec 9>"$cache/lock"
	flock 9
	! stamped "$1" "$2" || return
	! sources_are_old || find_sources
}

# list_beside NAME PACKAGE...: writes the list NAME, of what the host root folder lacks.
list_beside() {
	local list=$cache/lists/$1
	shift
	resolve host "$@" >"$list.all" || exit
	list_new "$list" host
}

# perf_version LINE: prints that of the guest's perf.
perf_version() {
	sed -n 's/^linux-perf:riscv64=//p' "$cache/lists/guest-$1" | grep . ||
		die 'the cache is damaged: run setup'
}

# fetch_beside CONF NAME LABEL: downloads the packages of the list NAME.
fetch_beside() {
	local list=$cache/lists/$2
	files_of "$1" "$list"
	missing_files "$list.files"
	download "$1" "$3" "$list.files.missing"
}

# essential_packages CONF: prints the packages without which no Debian is.
essential_packages() {
	apt "$1" cache dumpavail | awk '
		/^Package: / { name = $2 }
		/^Essential: yes/ { print name }'
}

# link_debs LIST FOLDER: the packages of LIST, in FOLDER.
link_debs() {
	mkdir -p "$2"
	cut -d ' ' -f 1 "$cache/lists/$1.files" | while read -r deb; do
		ln "$cache/debs/$deb" "$2/" || exit
	done || die "cannot link packages into $2"
}

# end_beside NAME KEY: NAME.part is whole and becomes NAME.
end_beside() {
	local list=$cache/lists/$1
	drop_own_debs "$list.files"
	rm -f "$list" "$list.files" "$list.files.missing"
	finish "$1" "$2"
	exec 9>&-
}

# Drops downloads that no list names any more, and what apt can work out again.
drop_old_files() {
	(cd "$cache/debs" && cut -d ' ' -f 1 "$cache"/lists/*.files |
		sort -u >../keep && for deb in *.deb; do
			echo "$deb"
		done | sort | comm -23 - ../keep | xargs -r rm -f)
	rm -f "$cache/keep" "$cache"/apt/*.bin
}
