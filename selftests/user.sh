#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC1091,SC2034,SC2154
# What the README tells a user, on a Debian for RISC-V as it is after its installation.
# The machine is made and booted here, as root, with mmdebstrap, qemu-user-static and
# mke2fs; nothing of this system is changed: user.sh FOLDER PROGRAM.C
# In build/deb is what `make deb-riscv64` made.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/qemu
. "$here/lib/common.sh"
. "$here/lib/machine.sh"
dir=$(mkdir -p "$1" && cd "$1" && pwd) || exit
memory=4G
limit='timeout -k 5 3600'

# in_namespace COMMAND...: with all users, and a binfmt_misc of its own.
in_namespace() {
	rm -f "$dir/go"
	mkfifo "$dir/go"
	# shellcheck disable=SC2016
	unshare -U -m sh -c 'read -r _ <"$0" && exec "$@"' "$dir/go" "$@" &
	child=$!
	while [ "$(readlink /proc/$child/ns/user)" = "$(readlink /proc/self/ns/user)" ]; do
		sleep 0.1
	done
	echo 0 0 65536 >/proc/$child/uid_map && echo 0 0 65536 >/proc/$child/gid_map
	echo >"$dir/go"
	wait $child
}

# The Debian, made once.
make_root() {
	[ ! -e "$dir/root" ] || return 0
	rm -rf "$dir/root.part"
	sed '/arch=amd64/d; s/targets=Packages //' "$cache/apt/guest.list" >"$dir/sources.list"
	in_namespace "$top/selftests/user-root.sh" "$dir/root.part" "$release" \
		"$dir/sources.list" "$top/build/deb" && mv "$dir/root.part" "$dir/root"
}

# What is tested is put there anew.
make_disk() {
	rm -rf "$dir/root/t/words" "$dir/disk"
	mkdir -p "$dir/root/t/words/build" &&
		cp "$top"/selftests/*.sh "$top/README.md" "$top/docs/hardware.md" "$dir/root/t/" &&
		cp "$1" "$dir/root/t/words/program.c" &&
		cp -R "$top/driver" "$dir/root/t/words/" &&
		cp -R "$top/build/deb" "$dir/root/t/words/build/" &&
		cp "$top/selftests/user.service" "$dir/root/etc/systemd/system/" &&
		ln -sf ../user.service "$dir/root/etc/systemd/system/multi-user.target.wants/" &&
		mke2fs -q -t ext4 -d "$dir/root" "$dir/disk" 8G
}

# boot: until the machine is switched off.
boot() {
	(qemu_binary -M virt -bios "$cache/firmware/$firmware/generic/fw_dynamic.bin" \
		-kernel "$dir"/root/boot/vmlinux-* -initrd "$dir"/root/boot/initrd.img-* \
		-append 'root=/dev/vda rw console=ttyS0 panic=-1' \
		-drive "if=none,id=disk,format=raw,file=$dir/disk,cache=unsafe" \
		-device virtio-blk-pci,drive=disk -serial "file:$dir/console") </dev/null
}

if ! { make_root && make_disk "$2"; } >"$dir/log" 2>&1; then
	tail -n 20 "$dir/log"
	exit 1
fi
# Installed in one, used in the next.
for part in install use; do
	boot || tail -n 30 "$dir/console"
	debugfs -R "cat /t/$part.tap" "$dir/disk" 2>/dev/null
done
