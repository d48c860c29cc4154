# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# Packages by the machine's own apt, with lists, choices and downloads of its
# own in the cache. apt checks every signature. Nothing of the machine's own
# package state is read or changed; its proxies and credentials are honoured.

for keyring in /usr/share/keyrings/debian-archive-keyring.gpg \
	/usr/share/keyrings/debian-archive-keyring.pgp; do
	[ -r "$keyring" ] && break
done

# apt_conf NAME LISTS ARCHITECTURE...: writes the configuration NAME, with the
# package lists in the folder LISTS. NAME.list and NAME.preferences are its
# sources and preferences. Without one, apt would take the machine's own.
apt_conf() {
	local name=$1 lists=$2 arch
	shift 2
	mkdir -p "$cache/apt/lists/$lists/partial" \
		"$cache/apt/archives/partial" &&
		: >"$cache/apt/status" && : >"$cache/apt/$name.list" &&
		: >"$cache/apt/$name.preferences" || die "cannot write in $cache/apt"
	{
		# What a machine hangs on its own updates has no place here.
		echo '#clear APT::Architectures;'
		echo '#clear APT::Default-Release;'
		echo '#clear APT::Update;'
		echo '#clear DPkg;'
		echo "APT::Architecture \"$1\";"
		for arch; do
			echo "APT::Architectures:: \"$arch\";"
		done
		cat <<-END
			APT::Sandbox::User "root";
			APT::Install-Recommends "false";
			APT::Install-Suggests "false";
			APT::Update::Error-Mode "any";
			APT::Get::List-Cleanup "false";
			Acquire::Languages "none";
			Acquire::Retries "2";
			Dir::State "$cache/apt";
			Dir::State::status "$cache/apt/status";
			Dir::State::lists "$cache/apt/lists/$lists";
			Dir::Log::Planner "/dev/null";
			Dir::Cache "$cache/apt";
			Dir::Cache::archives "$cache/apt/archives";
			Dir::Cache::pkgcache "$name.bin";
			Dir::Cache::srcpkgcache "";
			Dir::Etc::sourcelist "$cache/apt/$name.list";
			Dir::Etc::sourceparts "/dev/null";
			Dir::Etc::preferences "$cache/apt/$name.preferences";
			Dir::Etc::preferencesparts "/dev/null";
		END
	} >"$cache/apt/$name.conf" || die "cannot write $cache/apt/$name.conf"
}

# apt CONF get|cache ARGUMENT...
apt() {
	local conf=$1 tool=$2
	shift 2
	LC_ALL=C "apt-$tool" -c "$cache/apt/$conf.conf" "$@"
}

# apt_error LOG: what apt said went wrong, in one line.
apt_error() {
	local line
	line=$(grep '^E:' "$1" | head -n 1)
	[ -n "$line" ] || line=$(grep '^Err:' "$1" | head -n 1)
	[ -n "$line" ] || line=$(tail -n 1 "$1")
	printf '%s\n' "${line#E: }"
}

# mirrors main|security: the archives that the machine's own apt uses, one a
# line; works also on a machine that was never updated.
mirrors() {
	local uri suite
	if [ -n "${SSCTR_MIRROR:-}" ] && [ "$1" = main ]; then
		printf '%s\n' "${SSCTR_MIRROR%/}"
		return
	fi
	mkdir -p "$cache/apt/lists/none/partial"
	LC_ALL=C apt-get update --print-uris -o Debug::NoLocking=true \
		-o Dir::State::lists="$cache/apt/lists/none" 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/\([^']*\)/InRelease' .*|\1 \2|p" |
		while read -r uri suite; do
			case $1:$uri:$suite in
			*:cdrom:*) ;;
			security:*-security | security:*/updates)
				printf '%s\n' "$uri" ;;
			main:*-security | main:*/updates) ;;
			main:*) printf '%s\n' "$uri" ;;
			esac
		done | awk '!seen[$0]++'
}

# update_suite CONF MIRROR SUITE [OPTION]: fetches and checks one suite's lists.
update_suite() {
	printf 'deb [targets=Packages signed-by=%s %s] %s %s main\n' \
		"$keyring" "${4:-}" "$2" "$3" >"$cache/apt/$1.list" ||
		die "cannot write $cache/apt/$1.list"
	apt "$1" get update -q >"$cache/apt/update.log" 2>&1 && return
	apt_error "$cache/apt/update.log" >"$cache/apt/why"
	return 1
}

# keep_source: appends the suite that was read to the sources.
keep_source() {
	cat "$cache/apt/try.list" >>"$cache/apt/sources" ||
		die "cannot write $cache/apt/sources"
}

# find_suite MIRROR SUITE ALIAS: fetches the lists of a suite and appends what
# it read to the sources. A mirror in the midst of a change can have lists that
# do not belong together. The folder of the alias is often whole then, if older,
# and the suite's own for the architecture that most machines have.
find_suite() {
	if update_suite try "$1" "$2"; then
		keep_source
		return
	fi
	grep -qE 'unexpected size|Hash Sum mismatch' "$cache/apt/update.log" &&
		update_suite try "$1" "$3" check-valid-until=no &&
		grep -qx "Codename: $2" \
		"$cache/apt/lists/host/"*"_dists_$3_InRelease" || return 1
	say "the mirror's $2 is in disorder: taking its $3 too"
	keep_source
	if update_suite try "$1" "$2" arch=amd64; then
		keep_source
	fi
	return 0
}

# find_sources: finds the mirror, fetches the package lists, and writes the
# configurations host (amd64 and riscv64), guest (riscv64) and firmware.
find_sources() {
	local mirror security found=''
	[ -r "$keyring" ] ||
		die "Debian's keys are missing: install debian-archive-keyring"
	say 'reading package lists'
	rm -rf "$cache/apt" && mkdir -p "$cache/apt" && : >"$cache/apt/sources" ||
		die "cannot write in $cache/apt"
	apt_conf try host amd64 riscv64
	for mirror in $(mirrors main); do
		find_suite "$mirror" $release $release_alias || continue
		found=$mirror
		break
	done
	if [ -z "$found" ]; then
		[ -s "$cache/apt/why" ] ||
			die 'apt has no Debian mirror: name one in SSCTR_MIRROR'
		die "cannot read Debian $release: $(cat "$cache/apt/why")"
	fi
	find_suite "$mirror" $release-backports $release_alias-backports ||
		die "cannot read $release-backports: $(cat "$cache/apt/why")"
	# These two only hold later versions of what the others hold.
	find_suite "$mirror" $release-updates $release_alias-updates ||
		say "going without $release-updates: $(cat "$cache/apt/why")"
	for security in $(mirrors security); do
		find_suite "$security" $release-security \
			$release_alias-security && break
		say "going without $release-security: $(cat "$cache/apt/why")"
	done

	apt_conf firmware firmware amd64
	update_suite firmware "$mirror" $firmware_release \
		check-valid-until=no ||
		die "cannot read $firmware_release: $(cat "$cache/apt/why")"

	apt_conf host host amd64 riscv64
	apt_conf guest host riscv64
	cp "$cache/apt/sources" "$cache/apt/host.list" &&
		cp "$cache/apt/sources" "$cache/apt/guest.list" &&
		printf "Package: %s\nPin: release n=$release-backports\nPin-Priority: 990\n\n" \
			$host_backports >"$cache/apt/host.preferences" ||
		die "cannot write in $cache/apt"
}

# sources_are_old: whether the package lists may name packages that are gone, or an update
# that failed has left none.
sources_are_old() {
	[ ! -e "$cache/apt/host.conf" ] || [ "$(find "$cache/stamps/lists" -mmin +720)" ]
}

# resolve CONF PACKAGE...: prints the packages and all that they depend on, one
# a line in the form that fetch takes. Ends the setup where they cannot be written.
resolve() {
	local conf=$1 why
	shift
	if ! apt "$conf" get install -s -y "$@" >"$cache/apt/resolve.log" 2>&1; then
		why=$(apt_error "$cache/apt/resolve.log")
		case $why in
		Version*'was not found' | 'Unable to locate package'*)
			# What belongs to the machine has its version, and a mirror only the newest.
			[ "$update" ] || ! is_complete ||
				why="$why: run 'qemu/vm setup --update'"
			;;
		esac
		die "$conf packages: $why"
	fi
	sed -n 's/^Inst \([^ :]*\)[^(]*(\([^ ]*\) [^[]*\[\([^]]*\)\]).*/\1:\3=\2/p' \
		"$cache/apt/resolve.log" | sed 's/:all=/=/' | sort ||
		die "cannot write the list of $conf packages"
}
