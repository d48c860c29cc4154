#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What `make install` puts in place: a program outside the tree finds libstf by
# pkg-config, builds and runs: install.sh BUILD
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
. selftests/ktap.sh
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
lib=$dir/prefix/lib
unset MAKEFLAGS MAKELEVEL

# From here on make has nothing to build.
installed() {
	make install B="$build" PREFIX="$dir/prefix" &&
		[ -x "$dir/prefix/bin/ssctr" ] &&
		[ -f "$dir/prefix/share/man/man3/stf_reader_next.3" ] &&
		[ -f "$dir/prefix/share/man/man1/ssctr-doctor.1" ] &&
		[ -x "$dir/prefix/share/doc/ssctr/examples/ssctr-task" ] &&
		[ -f "$dir/prefix/share/bash-completion/completions/ssctr" ]
}
unit=$dir/prefix/lib/systemd/system/ssctr-collect.service
the_unit_runs_it() {
	# It stops with the unit that unloads the module, which it uses.
	grep -x "ExecStart=$dir/prefix/bin/ssctr collect" "$unit" &&
		grep -x 'PartOf=ssctr.service' "$unit" || return
	# Where there is no systemd to ask, selftests/user.sh asks that of a guest.
	command -v systemd-analyze >/dev/null || return 0
	# Its manual page is not in the path of this system.
	sed '/^Documentation=/d' "$unit" >"$dir/ssctr-collect.service"
	systemd-analyze verify "$dir/ssctr-collect.service" 2>&1 | tee "$dir/said"
	! grep ssctr-collect "$dir/said"
}

# An ldconfig that is told of the folder $searched, and notes that it was run.
cat >"$dir/ldconfig" <<'EOF'
#!/bin/sh
case $1 in
-*) echo "$searched: (from /etc/ld.so.conf:1)" ;;
*) echo run >>"$0.runs" && [ ! -e "$0.fails" ] ;;
esac
EOF
chmod +x "$dir/ldconfig"
# made_by_ldconfig GOAL [VARIABLE]: what make said of it, and how often it has run.
made_by_ldconfig() {
	make "$@" B="$build" PREFIX="$dir/cached" LDCONFIG="$dir/ldconfig" >"$dir/said" || return
	grep -o -e 'name this folder in LD_LIBRARY_PATH$' -e 'yet: run ldconfig as root$' "$dir/said"
	[ ! -e "$dir/ldconfig.runs" ] || grep -c run "$dir/ldconfig.runs"
}
tells_the_system_of_libstf() {
	export searched="$dir/elsewhere"
	[ "$(made_by_ldconfig install-library)" = 'name this folder in LD_LIBRARY_PATH' ] || return
	searched=$dir/cached/lib
	[ -z "$(made_by_ldconfig install-library DESTDIR="$dir/cached")" ] &&
		[ "$(made_by_ldconfig install-library)" = 1 ] &&
		[ "$(made_by_ldconfig uninstall)" = 2 ] || return
	ln -s cached/lib "$dir/link" && searched=$dir/link || return
	[ "$(made_by_ldconfig install-library)" = 3 ] || return
	touch "$dir/ldconfig.fails"
	made_by_ldconfig install-library | grep 'run ldconfig as root'
}

# In no folder of Python's: it says how Python finds the module.
says_where_the_module_is() {
	command -v python3 >/dev/null || t_skip 'there is no python3' || return
	make install-python PREFIX="$dir/prefix" | grep "set PYTHONPATH to" &&
		[ -f "$lib/python3/dist-packages/stf.py" ] &&
		PYTHONPATH=$lib/python3/dist-packages python3 -c \
			'import importlib.util as u; print(u.find_spec("stf").origin)' |
		grep "^$lib/"
}

# With Python's own prefix, it is in a folder where Python looks.
finds_the_folder_of_python() {
	command -v python3 >/dev/null || t_skip 'there is no python3' || return
	prefix=$(python3 -c 'import sys; print(sys.prefix)')
	make install-python PREFIX="$prefix" DESTDIR="$dir/python" || return
	python3 -c 'import os, site, sys; sys.exit(not any(
		os.path.exists(sys.argv[1] + folder + "/stf.py") for folder in site.getsitepackages()))' \
		"$dir/python"
}

# Those that pages lead to, and those that messages and manual pages name.
installs_the_pages_that_are_named() {
	(cd "$dir/prefix/share/doc/ssctr" && find . -name '*.md' | sort >"$dir/pages" || exit
		while read -r page; do
			grep -o ']([^)#:]*[)#]' "$page" | sed 's/^](//; s/.$//; /^$/d' | while read -r to; do
				to=./$(realpath -m --relative-to=. "$(dirname "$page")/$to")
				grep -qx "$to" "$dir/pages" || echo "$page leads to $to"
			done
		done <"$dir/pages") >"$dir/missing" || return
	grep -rhoE 'docs/[a-z-]+\.md' tools/ssctr tools/lib docs/man | sort -u >"$dir/named"
	while read -r page; do
		grep -qx "./$page" "$dir/pages" || echo "messages name $page"
	done <"$dir/named" >>"$dir/missing"
	cat "$dir/missing"
	[ -s "$dir/named" ] && [ "$(wc -l <"$dir/pages")" -gt 30 ] && [ ! -s "$dir/missing" ]
}

# What the command loads if it is there, of this Debian or another.
package_suggests_what_it_loads() {
	awk '/^Package:/ { ours = $2 == "ssctr" } /^[^ ]/ { of = $1 } ours && of == "Suggests:"' \
		debian/control | tr -s ' ,|:' '\n' >"$dir/suggested"
	cat "$dir/suggested"
	grep -qx libbpf1 "$dir/suggested" && grep -qx libcurl4 "$dir/suggested" &&
		grep -qx 'libstdc++6' "$dir/suggested" || return
	sed -n 's/.*NEWEST = \([0-9]*\), OLDEST = \([0-9]*\).*/\2 \1/p' tools/lib/base/library.c |
		awk '
			NR == FNR { oldest = $1; newest = $2; next }
			sub(/^libllvm/, "") { n++; if ($0 < oldest || $0 > newest) wrong = 1 }
			END { exit !n || wrong }' - "$dir/suggested"
}

everybody_reads_it() {
	(umask 077 && make install install-dkms B="$build" DESTDIR="$dir/private" PREFIX=/usr) || return
	closed=$(find "$dir/private/usr" ! -type l ! -perm -o=r -o -type d ! -perm -o=x)
	echo "closed to others: $closed"
	[ -z "$closed" ]
}

# Neither is a part of such a path another folder, whose contents are removed or replaced.
takes_no_blanks() {
	mkdir -p "$dir/victim/of" && touch "$dir/victim/file" || return
	for name in B DESTDIR PREFIX LIBDIR PYTHONDIR; do
		for goal in clean uninstall uninstall-dkms install-service install-dkms; do
			! make $goal DESTDIR="$dir/none" PREFIX=/usr "$name=$dir/victim of/mine" \
				2>"$dir/said" || return
		done
		cat "$dir/said"
		grep "$name=\"$dir/victim of/mine\": .* must not have blanks" "$dir/said" || return
	done
	[ "$(find "$dir/victim" | wc -l)" = 3 ]
}

# libstf.pc and the unit have the path in them.
takes_no_relative_path() {
	for name in PREFIX LIBDIR PYTHONDIR; do
		! make install B="$build" DESTDIR="$dir/relative" "$name=some/folder" \
			2>"$dir/said" || return
		cat "$dir/said"
		grep "$name=some/folder: the path of this folder must be absolute" "$dir/said" &&
			[ ! -e "$dir/relative" ] || return
	done
}

# Root may write anywhere, so that a file stands for the folder of somebody else.
installs_all_or_nothing() {
	touch "$dir/file" || return
	! make install B="$build" PREFIX="$dir/half" LIBDIR="$dir/file/lib" 2>"$dir/said" || return
	cat "$dir/said"
	[ "$(grep -c "$dir/file/lib/.* cannot be written: install as root, or .* PREFIX=FOLDER" \
		"$dir/said")" = 1 ] && [ ! -e "$dir/half" ] || return
	# What a goal does not need is not asked for.
	make install-service DESTDIR="$dir/service" PREFIX=/usr LIBDIR="$dir/file/lib"
}

# With the libraries of a folder in somebody's cache it would start for him alone.
refuses_what_is_his_alone() {
	for goal in install install-command install-library install-plugins; do
		make $goal B="$build" PREFIX="$dir/his" ON_HOST=qemu/on-host 2>"$dir/said" &&
			return 1
		cat "$dir/said"
		grep 'apt install gcc .*libelf-dev libdw-dev libzstd-dev libtraceevent-dev' \
			"$dir/said" && [ ! -e "$dir/his" ] || return
	done
}

# What was built with libperf is built without it for another user, who has other sources.
says_what_cannot_record() {
	make -n install-command B="$build" LIBPERF_SOURCE= | grep 'LIBPERF_SOURCE=FOLDER' &&
		! make -n install-command B="$build" LIBPERF_SOURCE=/none | grep LIBPERF_SOURCE=FOLDER
}

# The compiler that is fetched is amd64's.
names_what_it_takes() {
	! make has_libs='' host_arch=riscv64 B="$dir/build" "$dir/build/bin/ssctr" 2>"$dir/said" &&
		grep 'apt install gcc .*libelf-dev libdw-dev' "$dir/said" && [ ! -e "$dir/build/obj" ]
}

# What another compiler and other libraries made does not stay, nor what is of another version.
compiles_anew() {
	object=$dir/build/obj/tools/lib/base/array.o
	for by in 'one 1' 'one 1' 'other 1' 'other 2'; do
		SSCTR_BUILT_BY=${by% *} make B="$dir/build" VERSION="${by#* }" "$object" || return
		stat -c %y "$object"
	done >"$dir/said"
	cat "$dir/said"
	[ "$(grep '^20' "$dir/said" | uniq | wc -l)" = 3 ]
}

# A compiler that writes what it was told where its output belongs.
mkdir "$dir/says"
cat >"$dir/says/gcc" <<'EOF'
#!/bin/sh
case $* in *-dM*) echo '#define __NR_read 63' ;; esac
said=$*
while [ $# -gt 1 ]; do
	[ "$1" != -o ] || echo "$said" >"$2"
	shift
done
EOF
chmod +x "$dir/says/gcc"
told=$dir/told
made_by_it() {
	make CC="$dir/says/gcc" B="$told" "$@"
}

# In the second round all objects are older than what they come into.
links_what_is_to_be_linked() {
	for source in '' "$dir/kernel" '' "$dir/kernel"; do
		made_by_it LIBPERF_SOURCE="$source" "$told/bin/ssctr" >&2 || return
		ar t "$told/lib/libssctr.a" | grep -x -e 'rings.*\.o' -e evlist.o | sort | xargs
	done >"$dir/said"
	cat "$dir/said"
	[ "$(cat "$dir/said")" = 'rings_none.o
evlist.o rings.o
rings_none.o
evlist.o rings.o' ] && grep -q 'ssctr/cut\.o' "$told/bin/ssctr" || return
	# A source that is there no more.
	made_by_it LIBPERF_SOURCE="$dir/kernel" CMD_SRC=tools/ssctr/ssctr.c "$told/bin/ssctr" &&
		! grep 'ssctr/cut\.o' "$told/bin/ssctr"
}

# A compiler that we do not know may warn of what ours do not.
warned_all_the_same() {
	object=$dir/warned/obj/tools/lib/base/array.o
	echo '#warning of another compiler' >"$dir/warns.h"
	cc=gcc
	[ "$SSCTR_BUILT_BY" = machine ] && cc='qemu/on-host gcc'
	set -- B="$dir/warned" ON_HOST= CC="$cc" CPPFLAGS="-include $dir/warns.h" "$object"
	! make WERROR=-Werror "$@" && [ ! -e "$object" ] &&
		make "$@" 2>"$dir/said" && [ -f "$object" ] &&
		grep 'warning: .*of another compiler' "$dir/said"
}

plugins=$dir/prefix/lib/perf-core/dlfilters
traceevent=$dir/prefix/lib/traceevent/plugins

# plugin_exports FILE NAME...: these and no other, as perf has names of its own.
plugin_exports() {
	file=$1
	shift
	nm -D --defined-only "$file" | awk '{ print $3 }' | sort >"$dir/exported"
	printf '%s\n' "$@" | sort | diff - "$dir/exported"
}
plugins_export_what_is_called() {
	for name in profile stf brstackinsn; do
		plugin_exports "$plugins/ssctr-$name.so" filter_description filter_event \
			filter_event_early perf_dlfilter_fns start stop || return
	done
	plugin_exports "$traceevent/plugin_ssctr.so" tep_plugin_loader tep_plugin_unloader
}

# Nothing outside DESTDIR, and the paths in it without DESTDIR.
staged() {
	make install B="$build" DESTDIR="$dir/stage" PREFIX="$dir/usr" \
		LIBDIR="$dir/usr/lib64" &&
		[ ! -e "$dir/usr" ] &&
		grep -Fx "libdir=$dir/usr/lib64" \
			"$dir/stage$dir/usr/lib64/pkgconfig/libstf.pc"
}

exports_the_header() {
	sed -n 's/^[a-z].*[ *]\(stf_[a-z0-9_]*\)(.*/\1/p' \
		"$dir/prefix/include/stf/stf.h" | sort -u >"$dir/declared"
	nm -D --defined-only "$lib/libstf.so" | awk '{ print $3 }' | sort \
		>"$dir/exported"
	[ "$(wc -l <"$dir/declared")" -gt 40 ] &&
		diff "$dir/declared" "$dir/exported"
}

# man finds a page by the name of each function.
every_function_has_a_page() {
	while read -r name; do
		[ -e "$dir/prefix/share/man/man3/$name.3" ] || echo "no page: $name"
	done <"$dir/exported" >"$dir/lacking"
	cat "$dir/lacking"
	[ "$(wc -l <"$dir/exported")" -gt 40 ] && [ ! -s "$dir/lacking" ]
}

# An archive has no hidden symbols: what it defines keeps to the prefix.
archive_keeps_the_prefix() {
	nm -g --defined-only "$lib/libstf.a" |
		awk 'NF == 3 && $3 !~ /^stf_/ { print; bad = 1 } END { exit bad }'
}

mkdir "$dir/outside"
cat >"$dir/outside/count.c" <<'EOF'
#include <stdio.h>
#include <stf/stf.h>

int main(int argc, char **argv)
{
	struct stf_reader *reader = stf_reader_open(argv[argc - 1], NULL, NULL);
	struct stf_record rec;
	unsigned int n = 0;

	while (reader && stf_reader_next(reader, &rec) > 0)
		n += rec.desc == STF_INST_16;
	stf_reader_close(reader);
	return printf("%u\n", n) < 0;
}
EOF
printf '%s\n' 'VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT' \
	1,80000000,1,3,0,0,0,0 1,80000002,1,3,0,0,0,0 >"$dir/outside/two.csv"

# builds_and_runs CC [static]
builds_and_runs() (
	command -v "$1" >/dev/null || {
		t_skip "there is no $1"
		return
	}
	command -v pkg-config >/dev/null || {
		t_skip 'there is no pkg-config'
		return
	}
	cd "$dir/outside" || return
	flags=$(PKG_CONFIG_PATH=$lib/pkgconfig \
		pkg-config --cflags --libs ${2:+--static} libstf) || return
	# shellcheck disable=SC2086
	"$1" ${2:+-static} -std=c11 -Wall -Wextra -pedantic -Werror -o count \
		count.c $flags || return
	needs=$(readelf -d count | sed -n 's/.*NEEDED.*\[\(libstf.*\)\]/\1/p')
	echo "needs: $needs"
	if [ "${2-}" ]; then
		[ -z "$needs" ] || return
	else
		[ "$needs" = libstf.so.0 ] || return
	fi
	"$dir/prefix/bin/ssctr" csv two.csv -o two.zstf || return
	got=$(LD_LIBRARY_PATH=$lib ./count two.zstf)
	echo "counted: $got"
	[ "$got" = 2 ]
)

nothing_is_left() {
	make uninstall B="$build" PREFIX="$dir/prefix" &&
		[ -z "$(find "$dir/prefix" ! -type d)" ] &&
		[ ! -e "$dir/prefix/include/stf" ]
}

t make_install installed
t the_unit_runs_what_was_installed the_unit_runs_it
t programs_find_the_library_that_was_installed tells_the_system_of_libstf
t the_module_of_python_says_where_it_is says_where_the_module_is
t the_module_is_where_python_looks finds_the_folder_of_python
t what_runs_for_one_alone_is_not_installed refuses_what_is_his_alone
t a_command_without_libperf_is_told says_what_cannot_record
t elsewhere_make_says_what_it_takes names_what_it_takes
t what_was_built_otherwise_is_built_anew compiles_anew
t what_is_linked_is_what_is_to_be_linked links_what_is_to_be_linked
t another_compiler_may_warn warned_all_the_same
t make_install_under_DESTDIR staged
t everybody_reads_what_one_with_another_umask_installed everybody_reads_it
t a_folder_with_blanks_is_refused takes_no_blanks
t a_relative_path_is_refused takes_no_relative_path
t make_install_installs_all_or_nothing installs_all_or_nothing
t pages_that_are_named_are_installed installs_the_pages_that_are_named
t the_package_suggests_what_the_command_loads package_suggests_what_it_loads
t the_shared_library_exports_what_the_header_declares exports_the_header
t each_function_has_a_manual_page every_function_has_a_page
t plugins_export_what_perf_calls_and_no_more plugins_export_what_is_called
t the_archive_defines_nothing_without_the_prefix archive_keeps_the_prefix
for cc in gcc clang; do
	t "a_program_outside_links_libstf_by_$cc" builds_and_runs $cc
	t "a_program_outside_links_it_statically_by_$cc" builds_and_runs $cc static
done
t make_uninstall nothing_is_left

# Kbuild finds there what it finds in the tree, and DKMS its version.
installs_for_dkms() {
	make install-dkms DESTDIR="$dir/dkms" PREFIX=/usr || return
	src=$(echo "$dir"/dkms/usr/src/ssctr-*)
	version=${src##*-}
	grep -x "PACKAGE_VERSION=\"$version\"" "$src/dkms.conf" &&
		grep -x "MODULE_VERSION(\"$version\");" "$src/ctr_main.c" &&
		[ -f "$dir/dkms/usr/lib/systemd/system/ssctr.service" ] || return
	for object in $(grep -o 'ctr_[a-z]*\.o' "$src/Kbuild"); do
		[ -f "$src/${object%.o}.c" ] || return
	done
}
t make_install_dkms installs_for_dkms

# With a stand-in for modprobe, which finds the module or does not.
waits_for_a_module() {
	loader=$dir/dkms/usr/lib/systemd/system/ssctr.service
	condition=$(sed -n 's/^ExecCondition=\/bin\/sh -c "\(.*\)"$/\1/p' "$loader")
	mkdir "$dir/kmod" && printf '#!/bin/sh\n[ "$*" = "-nq ssctr" ] && exit "$found"\n' \
		>"$dir/kmod/modprobe" && chmod +x "$dir/kmod/modprobe" || return
	found=0 PATH=$dir/kmod:$PATH sh -c "$condition" 2>&1 | tee "$dir/said"
	[ "$condition" ] && [ ! -s "$dir/said" ] || return
	! found=1 PATH=$dir/kmod:$PATH sh -c "$condition" 2>"$dir/said" || return
	cat "$dir/said"
	[ "$(grep -c . "$dir/said")" = 1 ] && grep 'dkms autoinstall' "$dir/said" || return
	command -v systemd-analyze >/dev/null || return 0
	sed '/^Documentation=/d' "$loader" >"$dir/ssctr.service"
	systemd-analyze verify "$dir/ssctr.service" 2>&1 | tee "$dir/said"
	! grep '^[^ ]*ssctr.service' "$dir/said"
}
t the_unit_is_not_active_without_a_module waits_for_a_module

# Somebody has built the module in its folder: what kbuild wrote there is of one kernel.
takes_no_generated_source() {
	mkdir -p "$dir/tree" "$dir/stub" && ln -s "$top"/* "$dir/tree" && rm "$dir/tree/driver" &&
		cp -R driver "$dir/tree" && touch "$dir/tree/driver/ssctr.mod.c" || return
	# Neither the headers nor make are asked.
	cp qemu/kbuild "$dir/stub" && printf '#!/bin/sh\necho one\n' >"$dir/stub/vm" &&
		printf '#!/bin/sh\n' >"$dir/stub/on-host" && chmod +x "$dir"/stub/* || return
	make -C "$dir/tree" install-module-source DESTDIR="$dir/generated" PREFIX=/usr &&
		"$dir/stub/kbuild" 7.x "$dir/tree/driver" "$dir/generated/built" || return
	for folder in "$dir"/generated/usr/src/ssctr-* "$dir/generated/built/one"; do
		ls "$folder"
		[ -f "$folder/ctr_main.c" ] && [ -f "$folder/ctr_regs.h" ] && [ -f "$folder/Kbuild" ] &&
			[ ! -e "$folder/ssctr.mod.c" ] || return
	done
}
t what_kbuild_generated_is_no_source takes_no_generated_source

nothing_is_left_of_dkms() {
	make uninstall-dkms DESTDIR="$dir/dkms" PREFIX=/usr &&
		[ -z "$(find "$dir/dkms" ! -type d)" ]
}
t make_uninstall_dkms nothing_is_left_of_dkms
plan
