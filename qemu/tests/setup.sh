#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC1091,SC2154
# What setup, path and on-host promise. Needs a complete cache and no network.

. "$(dirname "$0")/lib.sh"
echo 'KTAP version 1'
on_host=${here%/*}/on-host
real=$("$vm" path cache)

# Stands in for a program: prints TEXT, notes that it was called.
fake() {
	mkdir -p "$dir/bin"
	printf '#!/bin/sh\necho %s >>"%s/called"\nprintf %%s\\\\n "%s"\nexit %s\n' \
		"$1" "$dir" "$2" "${3:-0}" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}

with_fakes() {
	PATH=$dir/bin:$PATH "$vm" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	rm -rf "${dir:?}/bin"
}

fake apt-get 'not allowed' 1
with_fakes setup
# Another one may be at work in this cache.
check 'a complete setup has nothing to do' is \
	"$status $(grep -v '^vm: waiting for another setup$' "$dir/err")" '0 '
check 'a complete setup does not call apt' test ! -e "$dir/called"

for line in 6.12 7.x; do
	check "path release of $line" is "$("$vm" path release --kernel $line |
		grep -c "^${line%x}.*-riscv64$")" 1
	check "path headers of $line is a folder on-host" "$on_host" \
		test -d "$("$vm" path headers --kernel $line)"
	check "path guest of $line has perf" \
		test -x "$("$vm" path guest --kernel $line)/usr/bin/perf"
done
for line in 6.12 7.x; do
	"$vm" source $line >"$dir/out" 2>"$dir/err"
	check "source of $line has the kernel's self-test harness" test -r \
		"$(cat "$dir/out")/tools/testing/selftests/kselftest_harness.h"
	fake apt-get 'not allowed' 1
	with_fakes source $line
	check "sources of $line that are there need no apt" is \
		"$status $(ls "$dir/called" 2>&-)" '0 '
done
run_vm source 5.4
check 'the sources of an unknown line are refused' has "no kernel line '5.4'"
"$vm" path nonsense 2>"$dir/err"
check 'an unknown path is 125' is $? 125

# A machine that cannot do it. 127.0.0.1 port 9 has nobody.
SSCTR_CACHE=$dir/cache
export SSCTR_CACHE
run_vm path host
check 'path without a setup says what to do' has "run 'qemu/vm setup'"

fake dpkg arm64
with_fakes setup
check 'another architecture is refused' is \
	"$status $(grep -c 'unsupported architecture arm64' "$dir/err")" '125 1'
fake df 'x 1 1 1000 1 x'
with_fakes setup
check 'a full disk is seen before' is \
	"$status $(grep -c 'not enough room' "$dir/err")" '125 1'
fake apt-get ''
with_fakes setup
check 'no mirror in the sources is named' has 'SSCTR_MIRROR'
export SSCTR_MIRROR=http://127.0.0.1:9/debian
run_vm setup
unset SSCTR_MIRROR
check 'a mirror that does not answer is named' has 'cannot read.*127.0.0.1'
check 'its status is 125' is "$status" 125
check 'nothing that failed looks whole' test ! -e "$dir/cache/stamp"
# A folder of somebody's, and one of a name that a list of folders cannot hold.
mkdir -p "$dir/own/apt" "$dir/own/gcc" "$dir/own/lists" "$dir/own/stamps"
touch "$dir/own/apt/notes" "$dir/own/gcc/mine.c" "$dir/own/stamps/own"
find "$dir/own" | sort >"$dir/own.before"
# keeps_own NAME COMMAND: what is in the folder stays.
keeps_own() {
	fake apt-get ''
	SSCTR_CACHE=$dir/own with_fakes "$2"
	find "$dir/own" | sort >"$dir/own.after"
	check "$1" cmp "$dir/own.before" "$dir/own.after"
}
keeps_own "setup takes no folder of somebody's" setup
check 'and says so in one line' is \
	"$status $(grep -c 'not make .*/own, .*empty folder in SSCTR_CACHE' "$dir/err")" '125 1'
keeps_own "clean removes nothing of somebody's" clean
check 'and says what it did not make' has 'nothing to remove: qemu/vm did not make .*/own$'
mkdir -p "$dir/disk/lost+found"
SSCTR_CACHE=$dir/disk
fake apt-get ''
with_fakes setup
check 'the root of an empty disk is taken' has 'SSCTR_MIRROR'
for name in 'a b' a,b a:b 'a;b' 'a"b'; do
	SSCTR_CACHE=$dir/$name
	fake apt-get ''
	with_fakes setup
	check "refused in one line: the cache $name" is \
		"$status $(grep -c 'must not have blanks' "$dir/err") $(ls -d "$SSCTR_CACHE" 2>&-)" \
		'125 1 '
done
SSCTR_CACHE=/proc/nowhere
run_vm setup
SSCTR_CACHE=$dir/cache
check 'a folder that cannot be made is named' has 'cannot write in /proc/nowhere'

# A disk that is full in the midst: all of the machine is there but one kernel.
part=$dir/DEBs
mkdir -p "$part/debs/new"
cp -R "$real/lists" "$real/stamps" "$part/"
ln -s "$real"/debs/*.deb "$part/debs/"
for name in host firmware kernel-7.x guest-6.12 guest-7.x initramfs-6.12 initramfs-7.x; do
	ln -s "$real/$name" "$part/$name"
done
touch "$part/lock"
# stops NAME TEXT: such a setup ends with TEXT, and the kernel does not look whole.
stops() {
	rm -rf "$part/stamps/kernel-6.12" "$part/stamp"
	SSCTR_CACHE=$part with_fakes setup
	check "$1" is "$status $(grep -c "$2" "$dir/err") $(ls "$part/stamps/kernel-6.12" \
		"$part/stamp" 2>&-)" '125 1 '
}
fake cp '' 1
stops 'a module that cannot be copied is told' "cannot write in $part/kernel-6.12.part"
mkdir "$part/stamps/kernel-6.12.part"
stops 'a stamp that cannot be written is told' "cannot write $part/stamps/kernel-6.12"

# Then there is room, for somebody who keeps his files to himself. One guest is missing.
rm -r "$part/stamps/kernel-6.12.part" "$part/stamps/guest-6.12" "$part/guest-6.12"
cp "$real/stamps/kernel-6.12" "$part/stamps/"
(umask 077 && SSCTR_CACHE=$part run_vm setup)
check 'a setup goes on where it was' test -x "$part/guest-6.12/usr/bin/perf"
check 'other users of the guest read what a guest has to have' is \
	"$(find "$part"/guest-6.12 -maxdepth 2 ! -type l ! -perm -o=r -printf '%P ')" 'root '

# The machine is whole, and something else is wanted: behind an update that failed, and when
# a mirror has a newer version of what the machine has.
touch "$part/stamps/lists"
rm -rf "$part/apt" "$part/stamps/checkers"
fake apt-get ''
SSCTR_CACHE=$part with_fakes checkers
check 'package lists that an update has removed are read again' has 'name one in SSCTR_MIRROR'
touch "$part/apt/host.conf"
fake apt-get "E: Version '1' for 'linux-perf' was not found" 100
SSCTR_CACHE=$part with_fakes checkers
check 'a version that is gone is told, and what to do' \
	has "Version '1' for 'linux-perf' was not found: run 'qemu/vm setup --update'\$"
rm -r "$part"

# No byte can be written: apt without a configuration would read this system's own.
mkdir "$dir/none" "$dir/bin"
printf '#!/bin/sh\ntouch "%s/called"\n' "$dir" >"$dir/bin/apt-get"
chmod +x "$dir/bin/apt-get"
rm -f "$dir/called"
(
	trap '' XFSZ
	ulimit -f 0
	SSCTR_CACHE=$dir/none PATH=$dir/bin:$PATH "$vm" setup 2>&1
	echo "status $?"
) 2>&1 | cat >"$dir/err"
check "apt's configuration that cannot be written is told" \
	has "cannot write $dir/none/apt/try.conf\$"
check 'and apt is not called' is "$(grep status "$dir/err") $(ls "$dir/called" 2>&-)" 'status 125 '
rm -r "$dir/bin"

# A cache that looks whole, but with an old QEMU.
lib=$dir/cache/host/usr/lib/x86_64-linux-gnu
mkdir -p "$lib" "$dir/cache/kernel-6.12"
cp "$real/stamp" "$dir/cache/stamp"
echo 6.12 >"$dir/cache/kernel-6.12/release"
printf '#!/bin/sh\necho "QEMU emulator version 10.0.13 (Debian)"\n' \
	>"$lib/ld-linux-x86-64.so.2"
chmod +x "$lib/ld-linux-x86-64.so.2"
run_vm run --no-module -- true
check 'a QEMU without overflow interrupts is refused' is \
	"$status $(grep -c 'QEMU 10.0.13 is too old' "$dir/err")" '125 1'

# What is given back, and what is not.
mkdir -p "$dir/cache/stamps" "$dir/cache/lists" "$dir/cache/checkers.part" "$dir/cache/booted" \
	"$dir/cache/bare-bookworm" "$dir/cache/hosts" "$dir/cache/source"
touch "$dir/cache/stamps/host" "$dir/cache/stamps/bare-bookworm" "$dir/cache/lists/host" \
	"$dir/cache/lists/release-6.12" "$dir/cache/initramfs-7.x.part" "$dir/cache/letter" \
	"$dir/cache/release-6.12"
(
	flock 8
	run_vm clean
	[ "$status" = 125 ] && has 'a setup is at work'
) 8>"$dir/cache/lock"
check 'clean waits for no setup' is $? 0
(
	flock 8
	run_vm clean
	[ "$status" = 125 ] && has 'qemu/vm is building kernel-6.12-debug in'
) 8>"$dir/cache/lock-kernel-6.12-debug"
check 'nor for a build' is $? 0
check 'and removes nothing then' test -e "$dir/cache/stamp"
run_vm clean
check 'clean leaves what was not made here' is "$status $(ls -A "$dir/cache" | tr '\n' ' ')" \
	'0 hosts letter lists lock release-6.12 source '
check 'and names it' has 'not made here: hosts letter release-6.12 source$'
rm -r "$dir/cache/hosts" "$dir/cache/letter" "$dir/cache/release-6.12" "$dir/cache/source"
run_vm clean
check 'clean removes the folder, too' test ! -e "$dir/cache"
mkdir "$dir/cache"
run_vm clean
check 'a folder without a cache is left alone' rmdir "$dir/cache"
run_vm clean
check 'clean without a cache has nothing to do' is "$status $(grep -c 'nothing to remove' \
	"$dir/err")" '0 1'
run_vm clean all
check 'clean takes no argument' is "$status $(grep -c "no argument 'all'" "$dir/err")" '125 1'
SSCTR_CACHE=$real

# kbuild
mkdir "$dir/module" "$dir/built"
touch "$dir/module/none.h"
printf 'int none = 1;\n' >"$dir/module/none.c"
echo 'obj-m := none.o' >"$dir/module/Kbuild"
for name in 'b c' b:c b%c; do
	"${here%/*}/kbuild" 6.12 "$dir/module" "$dir/$name" >"$dir/err" 2>&1
	check "refused in one line: a module in $name" is \
		"$? $(grep -c 'takes no folder with blanks' "$dir/err") $(wc -l <"$dir/err")" '1 1 1'
done
release=$("$vm" path release)
mkdir "$dir/built/$release"
: >"$dir/built/$release/none.c"
"${here%/*}/kbuild" 6.12 "$dir/module" "$dir/built" none.o >"$dir/err" 2>&1
check "a source that was cut is copied again" \
	cmp "$dir/module/none.c" "$dir/built/$release/none.c"

# Where CDPATH is set, cd prints where it goes. Here it would go to another checkout.
mkdir -p "$dir/cd/qemu" "$dir/cd/built/$release"
cd_path() (cd "$1" && shift && CDPATH=$dir/cd:. "$@")
check 'CDPATH changes nothing for vm' is "$(cd_path "${here%/*/*}" qemu/vm path cache)" "$real"
check 'nor for on-host' is "$(cd_path "${here%/*/*}" qemu/on-host echo ran)" ran
rm -f "$dir/built/$release/none.o"
cd_path "$dir" "${here%/*}/kbuild" 6.12 module built none.o >"$dir/err" 2>&1
check 'nor for kbuild' test -f "$dir/built/$release/none.o"

# on-host
mkdir "$dir/a b"
(cd "$dir/a b" && "$on_host" sh -c 'pwd; printf "<%s>" "$@"; touch made
	exit 42' sh 'x  y' '' '*') >"$dir/out" 2>"$dir/err"
check "on-host passes the exit status" is $? 42
check 'on-host keeps folder and arguments' is "$(cat "$dir/out")" "$dir/a b
<x  y><><*>"
check 'on-host makes files of the caller' is \
	"$(stat -c %u "$dir/a b/made")" "$(id -u)"
echo 'int main(void) { return 0; }' >"$dir/a b/x.c"
check 'on-host compiles for RISC-V' \
	"$on_host" riscv64-linux-gnu-gcc -o "$dir/a b/x" "$dir/a b/x.c"
check 'on-host leaves no mounts behind' \
	is "$(ls -A "$real/host/mnt")$(grep -c "$real/host" /proc/mounts)" 0
# A root folder with a shell alone, which has /usr/bin and no /usr/share.
small=$dir/small
mkdir -p "$small/usr/bin" "$small/usr/sbin" "$small/usr/lib/x86_64-linux-gnu" "$small/etc" \
	"$small/mnt"
cp -RP "$real/host/usr/lib64" "$small/usr/"
cp -L "$real"/host/usr/lib/x86_64-linux-gnu/libc.so.6 "$small/usr/lib/x86_64-linux-gnu/"
cp -L "$real"/host/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$small/usr/lib/x86_64-linux-gnu/"
cp -L "$real/host/usr/bin/dash" "$small/usr/bin/sh"
touch "$small/etc/passwd" "$small/etc/group"
for run in first second; do
	check "on-host sees this system's folder below /usr where its own has none, the $run time" \
		is "$(cd /usr/share && "$on_host" --root "$small" sh -c 'pwd && echo *')" \
		"$(cd /usr/share && pwd && echo *)"
done
check 'on-host sees its own folder where it has one' \
	is "$(cd /usr/bin && "$on_host" --root "$small" sh -c 'echo *')" sh
"$on_host" >"$dir/out" 2>&1
check 'on-host without a command fails' test $? != 0
finish
