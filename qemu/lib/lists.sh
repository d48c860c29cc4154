# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# Which packages the machine is made of: lists of names and versions, which apt
# works out from the file packages. They lie in lists/ in the cache, each with
# a companion .files that names the downloaded files.

# newest_release LINE: the release of the newest kernel of a line.
newest_release() {
	apt guest cache pkgnames linux-headers- |
		sed -n 's/^linux-headers-\(.*-riscv64\)$/\1/p' |
		awk -v p="${1%x}" 'index($0, p) == 1' | sort -V | tail -n 1
}

# newest_version LINE PACKAGE: the newest version of a package in a line.
newest_version() {
	apt guest cache madison "$2" | awk -v p="${1%x}" \
		'index($3, p) == 1 { print $3 }' | sort -V | tail -n 1
}

# Newer kernels are split into several packages.
list_kernel() {
	local line=$1 kernel version part
	kernel=$(newest_release "$line")
	[ -n "$kernel" ] || die "Debian $release has no kernel $line"
	version=${kernel%-riscv64}
	if apt guest cache show "linux-binary-$kernel" >/dev/null 2>&1; then
		for part in binary modules base; do
			echo "linux-$part-$kernel:riscv64"
		done
	else
		echo "linux-image-$kernel:riscv64"
	fi >"$cache/lists/kernel-$line.part"
	printf '%s\n' "linux-headers-$kernel:riscv64" \
		"linux-headers-$version-common" "linux-kbuild-$version" \
		>"$cache/lists/headers-$line.part"
	printf '%s\n' "$kernel" >"$cache/lists/release-$line.part"
	# shellcheck disable=SC2086
	resolve guest $guest_packages \
		"linux-perf=$(newest_version "$line" linux-perf)" \
		>"$cache/lists/guest-$line.part"
}

# make_lists: makes the lists anew when the definition changed or --update was
# given. Sets $lists, the names of all that have packages.
make_lists() {
	local line file key
	lists='host firmware-1.6 firmware-1.9'
	for line in $kernel_lines; do
		lists="$lists headers-$line kernel-$line guest-$line"
	done
	key=$(hash_of packages lib/lists.sh)
	[ -z "$update" ] && stamped lists "$key" && return
	mkdir -p "$cache/lists"
	find_sources
	# shellcheck disable=SC2086
	resolve host $host_packages >"$cache/lists/host.part"
	printf 'opensbi\n' >"$cache/lists/firmware-1.6.part"
	printf 'opensbi\n' >"$cache/lists/firmware-1.9.part"
	for line in $kernel_lines; do
		list_kernel "$line"
	done
	rm -f "$cache/stamps/lists" "$cache"/lists/*.files
	for file in "$cache"/lists/*.part; do
		mv "$file" "${file%.part}"
	done
	stamp lists "$key"
}
